//! A room: the unit of the log. Plan mode, asks and the one active plan are decided together.

use crate::usage::is_zero;
use crate::{
    Ask, AskId, Call, CallId, CallState, Council, CouncilId, Member, Number, OwnCopy, Plan,
    PlanMode, PlanState, Repeat, RoomId, Rule, Sidekick, StepId, Stuck, Time, Usage,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What kind of room it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RoomKind {
    /// A person's conversation.
    Chat,
    /// A background agent's.
    Sidekick {
        /// The room that asked for it.
        parent: RoomId,
        /// Its adjective-animal name.
        codename: String,
        /// The step of that room's plan that it works on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<StepId>,
        /// Whether it does all of that plan, one step after the other.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        whole: bool,
    },
    /// A council member's.
    Member {
        /// The council's room.
        parent: RoomId,
        /// The council.
        #[serde(rename = "council_id")]
        council: CouncilId,
        /// Its place there, from 1.
        number: Number,
    },
}

/// The turn under way, as far as the rules need it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// A call of it did not succeed.
    pub failed: bool,
    /// It counts as a failed attempt already.
    pub counted: bool,
    /// A call of it did real work and succeeded.
    pub worked: bool,
    /// It repeated itself without end and was cut off.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeats: bool,
    /// A step ended since it was answered.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended_step: bool,
}

/// The planning model at work. Its turns count as they are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planning {
    /// Turns it has taken.
    pub turns: u32,
    /// Turns it may take before it must write the plan or answer in words.
    pub most: u32,
}

impl Planning {
    /// How often it is told to before it is given up.
    const DEMANDS: u32 = 3;

    /// Whether its next turn must be the plan, or words.
    pub fn must_decide_next(&self) -> bool {
        self.turns >= self.most
    }

    /// Whether the turn it has just taken had to be the plan, or words.
    pub fn had_to_decide(&self) -> bool {
        self.turns > self.most
    }

    /// Whether it was told often enough.
    pub fn is_given_up(&self) -> bool {
        self.turns >= self.most.saturating_add(Self::DEMANDS)
    }
}

/// Everything the rules need to know of a room. Texts of the conversation are in the log only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Room {
    /// Its name; `None` until it is created.
    pub id: Option<RoomId>,
    /// The last event that was applied.
    pub seq: u64,
    /// What people call it.
    pub title: String,
    /// Whether that is only the folder's name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unnamed: bool,
    /// The folder it works in.
    pub workspace: String,
    /// What kind it is.
    pub kind: RoomKind,
    /// The agent that answers.
    pub agent: String,
    /// Whether it was put away.
    pub archived: bool,
    /// How much it insists on an approved plan.
    pub mode: PlanMode,
    /// The active plan, or the last one.
    pub plan: Option<Plan>,
    /// Whether a person sent a plan back and its agent gave it up: that lifts nothing, so the next
    /// one waits for a person, and nothing is changed before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub declined: bool,
    /// Open questions.
    pub asks: BTreeMap<AskId, Ask>,
    /// Calls that have not ended, in the model's order.
    pub calls: Vec<Call>,
    /// The turn those calls belong to.
    pub turn: Turn,
    /// Calls that failed since a person last spoke.
    #[serde(default, skip_serializing_if = "Stuck::is_empty")]
    pub stuck: Stuck,
    /// What was done since a person last spoke.
    #[serde(default, skip_serializing_if = "Repeat::is_empty")]
    pub repeat: Repeat,
    /// The planning model at work; without it, turns are the executing model's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planning: Option<Planning>,
    /// Its councils, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub councils: Vec<Council>,
    /// How far its member is, where it is a council member's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<Member>,
    /// What it is to do in the background, where it is a sidekick's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sidekick: Option<Sidekick>,
    /// The sidekick's own copy of the workspace, while it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<OwnCopy>,
    /// Sidekicks that have not told it yet what came of their work.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub below: BTreeSet<RoomId>,
    /// The last that each sidekick told it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub told: BTreeMap<RoomId, u64>,
    /// The last event by which the harness told it something.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub told_seq: u64,
    /// The model that took the last turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spoke: Option<String>,
    /// Whether the next move is the model's.
    pub owes: bool,
    /// The last message by a person.
    pub said_seq: u64,
    /// The last event the model was shown when it last answered.
    pub seen_seq: u64,
    /// The last event after which the move was not the model's: what it was asked before is void.
    #[serde(default)]
    pub halted_seq: u64,
    /// Rules a person kept for this room.
    pub rules: Vec<Rule>,
    /// What the room cost in all.
    pub usage: Usage,
    /// What each of its sidekicks cost beside that, those below it included, as far as it is known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub used_below: BTreeMap<RoomId, Usage>,
    /// When it was created.
    pub created_at: Time,
    /// When something last happened.
    pub updated_at: Time,
}

impl Default for Room {
    fn default() -> Self {
        Self {
            id: None,
            seq: 0,
            title: String::new(),
            unnamed: false,
            workspace: String::new(),
            kind: RoomKind::Chat,
            agent: String::new(),
            archived: false,
            mode: PlanMode::Off,
            plan: None,
            declined: false,
            asks: BTreeMap::new(),
            calls: Vec::new(),
            turn: Turn::default(),
            stuck: Stuck::default(),
            repeat: Repeat::default(),
            planning: None,
            councils: Vec::new(),
            member: None,
            sidekick: None,
            copy: None,
            below: BTreeSet::new(),
            told: BTreeMap::new(),
            told_seq: 0,
            spoke: None,
            owes: false,
            said_seq: 0,
            seen_seq: 0,
            halted_seq: 0,
            rules: Vec::new(),
            usage: Usage::default(),
            used_below: BTreeMap::new(),
            created_at: Time(0),
            updated_at: Time(0),
        }
    }
}

impl Room {
    /// The plan, while it is active.
    pub fn active_plan(&self) -> Option<&Plan> {
        self.plan.as_ref().filter(|plan| plan.state.is_active())
    }

    /// What the room and all below it cost.
    pub fn used_in_all(&self) -> Usage {
        let mut usage = self.usage;
        self.used_below.values().for_each(|below| usage += *below);
        usage
    }

    /// What is new of all that a sidekick of it has cost.
    pub(crate) fn uncounted(&self, sidekick: RoomId, usage: Usage) -> Usage {
        usage.since(&self.used_below.get(&sidekick).copied().unwrap_or_default())
    }

    /// The plan, while it runs.
    pub fn running_plan(&self) -> Option<&Plan> {
        self.plan.as_ref().filter(|plan| plan.state.is_running())
    }

    /// An open call.
    pub fn call(&self, id: CallId) -> Option<&Call> {
        self.calls.iter().find(|call| call.request.id == id)
    }

    /// Whether a call under way should be stopped: its plan ended, or its step did.
    pub fn is_doomed(&self, id: CallId) -> bool {
        let Some(call) = self.call(id) else { return true };
        let changes = matches!(call.state, CallState::Running(effect) if effect.changes_things());
        // Without a plan, a call is wanted for as long as the model still has to answer, and
        // nothing goes on changing things once a plan has to be approved first.
        let (Some(plan_id), Some(plan)) = (call.plan, self.plan.as_ref()) else {
            return !self.owes || changes && self.insists();
        };
        if plan.id != plan_id {
            return true;
        }
        match plan.state {
            PlanState::Cancelled | PlanState::Failed => return true,
            // It was sent to a person again: what changes things does not go on meanwhile.
            PlanState::AwaitingApproval | PlanState::Draft { .. } => return changes,
            PlanState::Running { .. } | PlanState::Paused { .. } | PlanState::Done => {}
        }
        call.step.as_ref().is_some_and(|id| self.step_was_stopped(plan, id))
    }

    fn step_was_stopped(&self, plan: &Plan, id: &StepId) -> bool {
        plan.step(id).is_none_or(|step| {
            step.stopped || matches!(step.state, crate::StepState::Skipped { .. })
        })
    }

    /// Calls that have begun.
    pub fn running_calls(&self) -> impl Iterator<Item = &Call> {
        self.calls.iter().filter(|call| matches!(call.state, CallState::Running(_)))
    }
}
