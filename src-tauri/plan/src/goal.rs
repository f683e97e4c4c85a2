//! A goal: a plan whose steps a model finds, sidekicks do, and an agent brings together.
//!
//! ```text
//! splitting → working → joining → done | failed | cancelled
//! ```

use crate::{Plan, PlanState, Room, Text, Time};
use serde::{Deserialize, Serialize};

/// How often a goal may be split wrongly: the first time the model is told why, the second time a
/// simpler form is asked for.
pub(crate) const MOST_REFUSED: u32 = 2;

/// What only a goal's plan has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Goal {
    /// How often the steps that were written could not be used.
    #[serde(default)]
    pub refused: u32,
    /// Milliseconds the plan had run when its results began to be brought together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joining: Option<u64>,
    /// The results, brought together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Text>,
}

/// How far a goal is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// A model splits it into steps.
    Splitting,
    /// Its steps are done.
    Working,
    /// An agent brings the results together.
    Joining,
}

/// What everything that is under way waits for.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    ts_rs::TS,
    utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Held {
    /// Others have to end first.
    Slot,
    /// The provider's quota is used up.
    Quota,
    /// A person has to answer.
    Answer,
}

/// The name of a goal's time in the log.
pub(crate) const GOAL_CAP: &str = "the goal's time";

impl Plan {
    /// How far it is, where it is a goal's.
    pub fn phase(&self) -> Option<Phase> {
        let goal = self.goal.as_ref()?;
        Some(match goal.joining {
            _ if self.steps.is_empty() => Phase::Splitting,
            Some(_) => Phase::Joining,
            None => Phase::Working,
        })
    }

    /// Milliseconds it may run in all: bringing results together has time of its own.
    pub(crate) fn most_ms(&self) -> Option<u64> {
        let goal = self.goal.as_ref()?;
        let caps = &self.frame.caps;
        Some(match goal.joining {
            Some(since) => since + u64::from(caps.sidekick_seconds) * 1_000,
            None => caps.timeout_ms,
        })
    }

    /// Milliseconds until a goal's time is nearly over, where its steps are worked on, or over;
    /// nothing while none passes.
    pub fn goal_left_ms(&self, now: Time) -> Option<u64> {
        let passes = self.clock_runs();
        let most = self.most_ms().filter(|_| passes)?;
        let warns = self.phase() == Some(Phase::Working) && !self.caps_warned.contains(GOAL_CAP);
        let at = if warns { most - most / 5 } else { most };
        Some(at.saturating_sub(self.ran_ms(now)))
    }

    /// Milliseconds until the cap on its time is near, or reached; nothing while none passes.
    pub fn cap_left_ms(&self, now: Time) -> Option<u64> {
        let passes = self.clock_runs();
        let most = self.frame.caps.seconds.filter(|_| passes)?.saturating_mul(1_000);
        let at = if self.caps_warned.contains("time") { most } else { most - most / 5 };
        Some(at.saturating_sub(self.ran_ms(now) - self.ran_base_ms))
    }
}

impl Room {
    /// How far the goal of this room is, while it runs or is paused.
    pub fn phase(&self) -> Option<Phase> {
        self.active_plan()?.phase()
    }

    /// The agent whose turn it is.
    pub fn speaker(&self) -> &str {
        let joins = |plan: &&Plan| match plan.state {
            PlanState::Running { .. } => plan.phase() == Some(Phase::Joining),
            PlanState::Draft { .. }
            | PlanState::AwaitingApproval
            | PlanState::Paused { .. }
            | PlanState::Done
            | PlanState::Failed
            | PlanState::Cancelled => false,
        };
        let plan = self.plan.as_ref().filter(joins);
        // Who won a council carries its plan out.
        let own = self.winner().map_or(self.agent.as_str(), |seat| seat.who.agent.as_str());
        plan.and_then(|plan| plan.frame.synthesis.as_deref()).unwrap_or(own)
    }
}
