//! Names of things. Ids are made outside and passed in: this crate has no randomness.

use serde::{Deserialize, Serialize};
use std::fmt;
use uuid::Uuid;

macro_rules! id {
    ($(#[$doc:meta] $name:ident),* $(,)?) => {$(
        #[$doc]
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
            ts_rs::TS, utoipa::ToSchema,
        )]
        #[ts(type = "string")]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

id! {
    /// A room.
    RoomId,
    /// A plan.
    PlanId,
    /// A council.
    CouncilId,
    /// A stored question to a person.
    AskId,
    /// A tool call; ours, never the provider's.
    CallId,
    /// A message by a person.
    MessageId,
}

/// A step's id: unique in its plan and never reused.
#[derive(
    Debug,
    Clone,
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
pub struct StepId(pub String);

impl StepId {
    /// Whether a word the model chose can serve as an id: `[a-z][a-z0-9_-]{0,31}`.
    pub fn is_valid(word: &str) -> bool {
        let mut chars = word.chars();
        chars.next().is_some_and(|c| c.is_ascii_lowercase())
            && word.len() <= 32
            && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-')
    }
}

impl fmt::Display for StepId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How someone names a step: by its id, or by its position from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
#[serde(untagged)]
pub enum StepRef {
    /// The position from 1.
    Number(u32),
    /// The id, or a position written as text.
    Id(String),
}

impl fmt::Display for StepRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(n) => n.fmt(f),
            Self::Id(id) => id.fmt(f),
        }
    }
}

/// Milliseconds since the Unix epoch. Always an argument, never read here.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    ts_rs::TS,
    utoipa::ToSchema,
)]
pub struct Time(pub i64);

impl Time {
    /// Milliseconds from `earlier` to this, never negative.
    pub fn since(self, earlier: Time) -> u64 {
        u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0)
    }

    /// So many milliseconds later.
    pub fn after(self, ms: u64) -> Time {
        Time(self.0.saturating_add_unsigned(ms))
    }
}
