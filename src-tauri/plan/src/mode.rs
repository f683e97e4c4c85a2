//! How much a room insists on an approved plan.

use serde::{Deserialize, Serialize};

/// The plan mode of a room.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    ts_rs::TS,
    utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum PlanMode {
    /// The rules alone decide.
    #[default]
    Off,
    /// Changes without a plan are warned about.
    Soft,
    /// Changes without an approved plan are blocked.
    Strict,
}
