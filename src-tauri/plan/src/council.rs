//! A council: several agents propose, see each other's answers and vote; then one of them acts.
//!
//! ```text
//! talking (answering, voting) → decided → executing → done | failed | cancelled
//!        ↑__________________________________| restarted
//! ```
//!
//! The council's room keeps the ledger. Each member has a room of its own below it, in which it only
//! looks; what crosses between them is worked out in `crossing`.

mod apply;
mod bounds;
mod crossing;
mod member;
mod novelty;
mod rules;
mod seat;
mod tally;
mod view;

pub(crate) use apply::NextAttempt;
pub use crossing::{Crossing, Standing, due, next_time};
pub use member::{ANSWER, Member, RESTART, SUBMIT, VOTE, answer_tools};
pub use novelty::overlap;
pub use rules::{CouncilRules, Evidence, FinalAnswer, Novelty, Sensitivity};
pub use seat::{Answer, Dropped, Question, Seat, Sitting, Vote};
pub use tally::Score;
pub use view::{
    CouncilAction, CouncilAnswerView, CouncilAttemptView, CouncilDroppedView, CouncilMemberView,
    CouncilStepView, CouncilView, CouncilVoteView, council_view, councils,
};

use crate::usage::is_zero;
use crate::{
    Actor, AskId, CouncilId, Frame, PauseReason, PlanId, Room, RoomId, RoomKind, Text, Time, Usage,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The most members of a council.
pub const MOST_MEMBERS: usize = 8;
/// The longest answer, in bytes.
pub const ANSWER_BYTES: usize = 64 * 1024;
/// The longest reason of a vote, in characters.
pub const REASON_CHARS: usize = 2_000;

/// A member by its place in the council, from 1; to the others it is `agent1`, `agent2` and so on.
pub type Number = u32;

/// What members are called among themselves.
pub fn member_name(number: Number) -> String {
    format!("agent{number}")
}

/// How far a council is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CouncilStage {
    /// Members answer and vote.
    Talking,
    /// A winner is found; its answer is not the room's plan yet.
    Decided,
    /// The winner's plan is the room's.
    Executing,
    /// The plan is done; the winner says whether all of it is to be done again.
    Reviewing,
    /// It is over.
    Ended(CouncilEnd),
}

/// How a council ended.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum CouncilEnd {
    /// The winner's plan was carried out, or its answer shown.
    Done,
    /// Nobody answered, or the plan failed.
    Failed,
    /// A person ended it.
    Cancelled,
}

/// What decided a council.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum DecidedBy {
    /// The votes.
    Votes,
    /// Its time was over.
    Timeout,
    /// A person, who picked the winner or wanted an answer at once.
    Person,
    /// Only one member was left.
    LastMember,
}

/// An attempt that was followed by another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Who sat there and said what.
    pub seats: Vec<Seat>,
    /// Who won.
    pub winner: Option<(Number, DecidedBy)>,
    /// The plan that was carried out.
    pub plan: PlanId,
    /// Why another attempt followed.
    pub reason: String,
    /// What the next one was to do otherwise.
    pub instructions: String,
    /// What was left of it: results of its steps, in words.
    pub result: String,
    /// The person's vote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person_vote: Option<Vote>,
    /// How many rounds it had.
    #[serde(default)]
    pub round: u32,
    /// Votes that did not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<Dropped>,
    /// When it was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<Time>,
}

/// A council in its room's ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Council {
    /// Its name.
    pub id: CouncilId,
    /// What it is about.
    pub task: Text,
    /// Who wanted it.
    pub by: Actor,
    /// What it is held to.
    pub rules: CouncilRules,
    /// How the winner's plan runs.
    pub frame: Arc<Frame>,
    /// The plan that the winner's answer becomes, and the question whether it may run.
    pub plan: PlanId,
    pub ask: AskId,
    /// Its members, in their order.
    pub seats: Vec<Seat>,
    /// How far it is.
    pub stage: CouncilStage,
    /// Why it stands still, and in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<(PauseReason, Option<String>)>,
    /// The same as a code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause_code: Option<String>,
    /// When it goes on by itself, where a provider lets it wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause_until: Option<Time>,
    /// Whether the winner's answer has become the room's plan.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub handed_over: bool,
    /// 1 and how often votes were cleared.
    pub round: u32,
    /// Whether every member had answered once or was out: from then on answers are open to all.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub opened: bool,
    /// The person's vote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person_vote: Option<Vote>,
    /// Votes that did not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<Dropped>,
    /// What the person has said since it began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<Text>,
    /// The winner and what decided it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<(Number, DecidedBy)>,
    /// When it was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<Time>,
    /// Attempts before this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<Attempt>,
    /// When it began.
    pub started_at: Time,
    /// Since when its clock runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running_since: Option<Time>,
    /// Milliseconds it ran before.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ran_ms: u64,
    /// What its members had used when a person last let it go on.
    #[serde(default)]
    pub usage_base: Usage,
    /// Where in the log of its room it last heard of the person: as it began, or since.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub heard_seq: u64,
    /// Where in the log of its room it ended.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ended_seq: u64,
    /// Why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_reason: Option<String>,
}

impl Council {
    /// Whether members talk, or a winner is about to act.
    pub fn is_active(&self) -> bool {
        !matches!(self.stage, CouncilStage::Ended(_))
    }

    /// Whether nothing may happen in its room but what the council does.
    pub fn holds_room(&self) -> bool {
        matches!(self.stage, CouncilStage::Talking | CouncilStage::Decided)
    }

    /// Whether its members may work.
    pub fn is_running(&self) -> bool {
        self.holds_room() && self.paused.is_none()
    }

    /// The seat of a member.
    pub fn seat(&self, number: Number) -> Option<&Seat> {
        self.seats.get(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    pub(crate) fn seat_mut(&mut self, number: Number) -> Option<&mut Seat> {
        self.seats.get_mut(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    /// The seats with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (Number, &Seat)> {
        (1..).zip(&self.seats)
    }

    /// The member whose room this is.
    pub fn number_of(&self, room: RoomId) -> Option<Number> {
        self.numbered().find(|(_, seat)| seat.who.room == room).map(|(number, _)| number)
    }

    /// What an answer is called.
    pub fn label(number: Number, answer: u32) -> String {
        format!("{}.{answer}", member_name(number))
    }

    /// Milliseconds its clock has run.
    pub fn ran_ms(&self, now: Time) -> u64 {
        self.ran_ms + self.running_since.map_or(0, |since| now.since(since))
    }

    /// When its time is over, while its clock runs.
    pub fn deadline(&self) -> Option<Time> {
        let since = self.running_since?;
        let all = u64::from(self.rules.orchestrator_timeout_seconds) * 1_000;
        Some(since.after(all.saturating_sub(self.ran_ms)))
    }

    /// Which attempt it is, from 1.
    pub fn attempt(&self) -> u32 {
        u32::try_from(self.earlier.len()).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// Whether another attempt may follow.
    pub fn may_restart(&self) -> bool {
        self.attempt() <= self.rules.max_orchestration_restarts
    }

    /// What its members cost in all attempts.
    pub fn usage(&self, room: &Room) -> Usage {
        let mut all = Usage::default();
        let seats = self.earlier.iter().flat_map(|attempt| &attempt.seats).chain(&self.seats);
        for seat in seats {
            all += seat.usage(room);
        }
        all
    }
}

impl Room {
    /// The council that has not ended.
    pub fn active_council(&self) -> Option<&Council> {
        self.councils.last().filter(|council| council.is_active())
    }

    /// The council that has not ended and whose plan is not under way: its members talk, or its
    /// winner judges the work.
    pub fn council_without_plan(&self) -> Option<&Council> {
        self.active_council().filter(|council| council.stage != CouncilStage::Executing)
    }

    /// The council that holds the room, so that its agent rests.
    pub fn talking_council(&self) -> Option<&Council> {
        self.active_council().filter(|council| council.holds_room())
    }

    /// Whether nothing may be changed here because of a council: it talks or judges its work, or
    /// the room is a member's.
    pub fn only_looks_for_council(&self) -> bool {
        self.member.is_some() || self.council_without_plan().is_some()
    }

    /// Whether the room's agent may call a council: a person has said something that none was
    /// about.
    pub fn may_call_council(&self) -> bool {
        self.said_seq > self.councils.last().map_or(0, |council| council.heard_seq)
    }

    /// The room whose council this one's member sits in.
    pub fn council_above(&self) -> Option<RoomId> {
        match self.kind {
            RoomKind::Member { parent, .. } => Some(parent),
            RoomKind::Chat | RoomKind::Sidekick { .. } => None,
        }
    }

    /// The winner of the council whose plan is carried out here. The last words on it are its own,
    /// until a person says something new.
    pub fn winner(&self) -> Option<&Seat> {
        let council = self.councils.last()?;
        let own = || self.plan.as_ref().is_some_and(|plan| plan.id == council.plan);
        let acts = match council.stage {
            CouncilStage::Executing | CouncilStage::Reviewing => true,
            CouncilStage::Ended(_) => own() && self.said_seq < council.ended_seq,
            CouncilStage::Talking | CouncilStage::Decided => false,
        };
        council.winner.filter(|_| acts).and_then(|(winner, _)| council.seat(winner))
    }
}
