//! A step and how it goes.
//!
//! ```text
//! pending ○ → in_progress ▶ → done ✓ | failed ✗ | skipped —
//! ```

use crate::{Deed, RoomId, StepSpec, Text, Time, Usage};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How far a step is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// Not begun.
    Pending,
    /// Under way.
    InProgress {
        /// Since when.
        since: Time,
    },
    /// Ended well.
    Done {
        /// What came of it, one line.
        result: String,
    },
    /// Ended badly.
    Failed {
        /// What went wrong, one line.
        error: String,
    },
    /// Not done, and not going to be.
    Skipped {
        /// Why.
        cause: SkipCause,
        /// In words, one line.
        reason: String,
    },
}

/// Why a step was skipped.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SkipCause {
    /// The person chose to; what needs it goes on without its result.
    Chosen,
    /// The agent gave it up; what needs it goes on without its result.
    GivenUp,
    /// A step it needs failed.
    Need,
    /// The plan ended first.
    PlanEnded,
}

impl StepState {
    /// The word for it, the same everywhere.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress { .. } => "in_progress",
            Self::Done { .. } => "done",
            Self::Failed { .. } => "failed",
            Self::Skipped { .. } => "skipped",
        }
    }

    /// Whether nothing more happens to it.
    pub fn is_terminal(&self) -> bool {
        match self {
            Self::Pending | Self::InProgress { .. } => false,
            Self::Done { .. } | Self::Failed { .. } | Self::Skipped { .. } => true,
        }
    }
}

/// A step and how it went so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// What was written.
    pub spec: Arc<StepSpec>,
    /// How far it is.
    pub state: StepState,
    /// Failed attempts so far.
    pub attempts: u32,
    /// Attempts a good turn does not take back: they come from the repeat rule.
    pub sticky_attempts: u32,
    /// How often each call failed or was blocked, by fingerprint.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub repeats: BTreeMap<String, u32>,
    /// Whether a person allowed it to change the workspace although it names nothing.
    pub may_change: bool,
    /// Calls a person added to what was approved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<String>,
    /// Milliseconds it was under way.
    pub took_ms: u64,
    /// What it cost.
    pub usage: Usage,
    /// Files it changed.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub changed: BTreeSet<String>,
    /// Changes it made or tried to, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deeds: Vec<Deed>,
    /// What the gate last warned about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What its check last found wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check_failed: Option<String>,
    /// What its agent last said went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether a person stopped it in the middle.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// The room of the sidekick that does it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sidekick: Option<RoomId>,
    /// Whether the agent of the room put the result better than the sidekick did.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refined: bool,
    /// What came of it in full, where that is more than one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Text>,
    /// Whether no other step is under way with it: its sidekick can have no copy of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
}

impl Step {
    /// A step nobody has begun.
    pub fn new(spec: Arc<StepSpec>) -> Self {
        Self {
            spec,
            state: StepState::Pending,
            attempts: 0,
            sticky_attempts: 0,
            repeats: BTreeMap::new(),
            may_change: false,
            grants: Vec::new(),
            took_ms: 0,
            usage: Usage::default(),
            changed: BTreeSet::new(),
            deeds: Vec::new(),
            warnings: Vec::new(),
            check_failed: None,
            error: None,
            stopped: false,
            sidekick: None,
            refined: false,
            summary: None,
            alone: false,
        }
    }

    /// Whether it is under way.
    pub fn is_in_progress(&self) -> bool {
        matches!(self.state, StepState::InProgress { .. })
    }
}

impl Step {
    /// What came of it, in one line.
    pub(crate) fn outcome_words(&self) -> String {
        match &self.state {
            StepState::Done { result } => result.clone(),
            StepState::Failed { error } => format!("failed: {error}"),
            StepState::Skipped { reason, .. } => format!("skipped: {reason}"),
            StepState::Pending | StepState::InProgress { .. } => self.state.word().to_owned(),
        }
    }
}
