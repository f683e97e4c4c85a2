//! A plan and its steps.
//!
//! ```text
//! draft → awaiting_approval → running ⇄ paused → done | failed | cancelled
//! ```

use crate::{
    Approval, Caps, Content, Goal, Hash, Held, PlanId, RoomId, Step, StepId, StepRef, Time, Usage,
    Venue,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// Where a plan is in its life.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanState {
    /// Written, not started. `sent_back` by a person: only a new revision goes on.
    Draft {
        /// Whether a person rejected it or asked for changes.
        sent_back: bool,
    },
    /// Waits for a person.
    AwaitingApproval,
    /// Steps are being done.
    Running {
        /// Since when.
        since: Time,
    },
    /// Nothing starts until it is resumed.
    Paused {
        /// Why.
        reason: PauseReason,
    },
    /// Every step ended as it should, or enough of them did.
    Done,
    /// It ended without reaching its goal.
    Failed,
    /// Someone ended it.
    Cancelled,
}

impl PlanState {
    /// The word for it, the same everywhere.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Draft { .. } => "draft",
            Self::AwaitingApproval => "awaiting_approval",
            Self::Running { .. } => "running",
            Self::Paused { .. } => "paused",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether the plan still counts as the room's one active plan.
    pub fn is_active(&self) -> bool {
        match self {
            Self::Draft { .. }
            | Self::AwaitingApproval
            | Self::Running { .. }
            | Self::Paused { .. } => true,
            Self::Done | Self::Failed | Self::Cancelled => false,
        }
    }

    /// Whether steps are being done.
    pub fn is_running(&self) -> bool {
        matches!(self, Self::Running { .. })
    }

    /// Whether nothing of it has started.
    pub fn is_draft(&self) -> bool {
        matches!(self, Self::Draft { .. })
    }

    /// Whether its agent is to write it, for the first time or anew.
    pub fn is_being_written(&self) -> bool {
        self.is_draft() || self.pause_reason() == Some(PauseReason::Revise)
    }

    /// Whether it waits until it is resumed.
    pub fn is_paused(&self) -> bool {
        matches!(self, Self::Paused { .. })
    }

    /// Why it waits until it is resumed.
    pub fn pause_reason(&self) -> Option<PauseReason> {
        match self {
            Self::Paused { reason } => Some(*reason),
            Self::Draft { .. }
            | Self::AwaitingApproval
            | Self::Running { .. }
            | Self::Done
            | Self::Failed
            | Self::Cancelled => None,
        }
    }
}

impl fmt::Display for PlanState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.word().replace('_', " "))
    }
}

/// Why a plan is paused.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum PauseReason {
    /// A person paused it.
    Supervisor,
    /// The steps it may do without a word are used up.
    AutoBudget,
    /// A step failed too often.
    Attempts,
    /// The agent wants to change the plan.
    Revise,
    /// A cap on money, tokens or time was reached.
    Cap,
    /// A call lies outside what was approved.
    Drift,
    /// The provider's quota is used up; it goes on by itself.
    Quota,
    /// The key, the model or the address does not work.
    Provider,
    /// The app stopped while it ran.
    Interrupted,
    /// A step ended and the plan advances by hand.
    Manual,
}

/// Where a plan came from.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Written in a chat.
    Chat,
    /// Submitted for approval.
    Submitted,
    /// Made from a goal.
    Goal,
    /// Won a council.
    Council,
}

/// What follows when some steps failed.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum OnPartial {
    /// Make the best of what there is.
    Synthesize,
    /// The plan failed.
    Fail,
}

/// The step of another plan that this plan belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct ParentStep {
    /// The room of the other plan.
    pub room: RoomId,
    /// The other plan.
    pub plan: PlanId,
    /// Its step.
    pub step: StepId,
}

/// Where a plan comes from and how it runs. A revision that says so runs in other lanes, or by
/// other hands; the rest stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
pub struct Frame {
    /// Where it came from.
    pub origin: Origin,
    /// The limits it was written under.
    pub caps: Caps,
    /// How many of its steps may run at once.
    pub lanes: u32,
    /// What follows when some steps failed.
    pub on_partial: OnPartial,
    /// The room it runs in.
    pub venue_room: RoomId,
    /// The step it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ParentStep>,
    /// Whether it is the plan of a sidekick.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nested: bool,
    /// Whether sidekicks do its steps, and not the room's own agent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub delegated: bool,
    /// The agent that brings its results together, where one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synthesis: Option<String>,
}

impl Frame {
    /// Whether ⚡ counts: chat plans have it, goals and nested plans do not.
    pub fn has_budget(&self) -> bool {
        match self.origin {
            Origin::Goal => false,
            Origin::Chat | Origin::Submitted | Origin::Council => {
                !self.nested && self.parent.is_none()
            }
        }
    }

    /// How many steps it may have.
    pub fn most_steps(&self) -> u32 {
        match self.origin {
            Origin::Goal => self.caps.nodes,
            Origin::Chat | Origin::Submitted | Origin::Council => self.caps.steps,
        }
    }
}

/// A goal, its steps and how far they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Its name.
    pub id: PlanId,
    /// Where it comes from and how it runs.
    pub frame: Arc<Frame>,
    /// How often it was written.
    pub revision: u32,
    /// The model that wrote it; a person's edits do not change that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned_by: Option<String>,
    /// What it says.
    pub content: Arc<Content>,
    /// Hash of what it says.
    pub hash: Hash,
    /// Where it is in its life.
    pub state: PlanState,
    /// Steps and how far they are, in the order of the content.
    pub steps: Vec<Step>,
    /// Ids that were ever used.
    pub used_ids: BTreeSet<StepId>,
    /// Whether it was ever put before a person: then every revision is.
    pub needs_approval: bool,
    /// The standing approval, if any.
    pub approval: Option<Approval>,
    /// The steps a person wants changed; in the next revision all others stay as they are.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub about: BTreeSet<StepId>,
    /// Why nobody writes the next revision of one that was sent back, until a person speaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<String>,
    /// Whether a person rejected this very revision.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rejected: bool,
    /// Steps ended since a person's last word.
    pub auto_used: u32,
    /// Turns in a row that ended in words.
    pub idle_turns: u32,
    /// Whether a person wants it to stop when the steps under way have ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pauses_after: bool,
    /// What a pause says beyond its reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause_detail: Option<String>,
    /// When a pause ends by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause_until: Option<Time>,
    /// What it cost in all.
    pub usage: Usage,
    /// What it had cost when a person last resumed it: caps count from here.
    pub usage_base: Usage,
    /// Sidekicks that are part of it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub sidekicks: BTreeSet<RoomId>,
    /// Milliseconds it was running before the current run.
    pub ran_ms: u64,
    /// The same, when a person last resumed it.
    pub ran_base_ms: u64,
    /// Caps whose 80 % warning was given since then.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub caps_warned: BTreeSet<String>,
    /// Since when a question of the plan has been open while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_since: Option<Time>,
    /// Milliseconds of the current run that it waited for a person.
    #[serde(default)]
    pub waited_ms: u64,
    /// What everything under way waits for, if it all waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<Held>,
    /// Steps under way that wait for a person.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub waiting: BTreeSet<StepId>,
    /// What only a goal's plan has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<Goal>,
    /// When it was written.
    pub created_at: Time,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Time>,
    /// Why it ended, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_reason: Option<String>,
}

impl Plan {
    /// The step someone named.
    pub fn find(&self, step: &StepRef) -> Option<&Step> {
        self.content.find(step).and_then(|index| self.steps.get(index))
    }

    /// The step with this id.
    pub fn step(&self, id: &StepId) -> Option<&Step> {
        self.steps.iter().find(|step| step.spec.id == *id)
    }

    /// The position of a step from 1.
    pub fn number(&self, id: &StepId) -> usize {
        self.steps.iter().position(|step| step.spec.id == *id).map_or(0, |index| index + 1)
    }

    /// Steps under way.
    pub fn in_progress(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| step.is_in_progress())
    }

    /// The room it runs in: the last sidekick's where one does all of it.
    pub fn venue_room(&self) -> RoomId {
        let whole = self.content.venue == Venue::Sidekick;
        let last = self.steps.iter().rev().find_map(|step| step.sidekick);
        last.filter(|_| whole).unwrap_or(self.frame.venue_room)
    }

    /// The step under way, when there is exactly one.
    pub fn current(&self) -> Option<&Step> {
        let mut steps = self.in_progress();
        steps.next().filter(|_| steps.next().is_none())
    }

    /// ⚡: steps it may still end without a word from a person.
    pub fn budget_left(&self) -> u32 {
        self.frame.caps.auto_steps.saturating_sub(self.auto_used)
    }

    /// Whether a person sent it back.
    pub fn is_sent_back(&self) -> bool {
        self.state == PlanState::Draft { sent_back: true }
    }

    /// Whether every step has ended.
    pub fn is_finished(&self) -> bool {
        self.steps.iter().all(|step| step.state.is_terminal())
    }

    /// Milliseconds it has been running; waiting for a person does not count.
    pub fn ran_ms(&self, now: Time) -> u64 {
        match self.state {
            PlanState::Running { since } => {
                let waits = self.waiting_since.map_or(0, |since| now.since(since));
                let run = now.since(since).saturating_sub(self.waited_ms + waits);
                self.ran_ms + run
            }
            PlanState::Draft { .. }
            | PlanState::AwaitingApproval
            | PlanState::Paused { .. }
            | PlanState::Done
            | PlanState::Failed
            | PlanState::Cancelled => self.ran_ms,
        }
    }
}
