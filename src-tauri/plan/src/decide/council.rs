//! A council in its own room: how it begins, what members say, and what follows from it.

mod decision;
mod turns;

use super::{Deciding, Sweep};
use crate::council::{Council, CouncilEnd, CouncilRules, CouncilStage, MOST_MEMBERS, Number};
use crate::council::{REASON_CHARS, Seat, Sitting, member_name};
use crate::text::is_blank;
use crate::{
    AskId, CallId, CouncilId, Draft, Event, Frame, Outcome, PauseReason, PlanId, PlanState,
    Refusal, RoomId, RoomKind, Text, Time,
};
use std::sync::Arc;

/// How a council begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCouncil {
    /// Its name.
    pub council: CouncilId,
    /// What it is about.
    pub task: Text,
    /// Who sits there.
    pub members: Vec<Sitting>,
    /// What it is held to.
    pub rules: CouncilRules,
    /// How the winner's plan runs.
    pub frame: Frame,
    /// The plan that the winner's answer becomes, and the question whether it may run.
    pub plan: PlanId,
    pub ask: AskId,
}

/// An answer as it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAnswer {
    /// Whose.
    pub member: Number,
    /// The last question its model had been told.
    pub heard: u32,
    /// Its words.
    pub content: Text,
    /// The plan it would be.
    pub draft: Draft,
    /// How much it is like the earlier answer that is most like it, in hundredths.
    pub overlap: Option<u64>,
}

/// Another attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAttempt {
    /// Why.
    pub reason: String,
    /// What to do otherwise.
    pub instructions: String,
    /// The members' new rooms, in their order.
    pub rooms: Vec<RoomId>,
    /// The plan that the winner's answer becomes, and the question whether it may run.
    pub plan: PlanId,
    pub ask: AskId,
}

/// Why a council stands still.
#[derive(Debug, Default)]
pub(super) struct Halt {
    /// In words.
    pub(super) detail: Option<String>,
    /// As a code.
    pub(super) code: Option<String>,
    /// When it goes on by itself.
    pub(super) until: Option<Time>,
    /// When it last worked, where the app stopped then.
    pub(super) since: Option<Time>,
}

impl Deciding<'_> {
    pub(super) fn start_council(
        &mut self,
        new: NewCouncil,
        call: Option<CallId>,
    ) -> Result<(), Refusal> {
        if !matches!(self.room.kind, RoomKind::Chat) {
            return Err(Refusal::NoCouncilHere);
        }
        if self.room.active_plan().is_some() {
            return Err(Refusal::PlanActive);
        }
        if self.room.active_council().is_some() {
            return Err(Refusal::CouncilActive);
        }
        // What its agent does by itself follows from what a person said, and from that once.
        if call.is_some() && !self.room.may_call_council() {
            return Err(Refusal::CouncilHeld);
        }
        if is_blank(new.task.head()) {
            return Err(Refusal::EmptyMessage);
        }
        let members = new.members.len();
        if !(2..=MOST_MEMBERS).contains(&members) {
            return Err(Refusal::CouncilSize { members, most: MOST_MEMBERS });
        }
        self.take_out();
        self.name_after(new.task.head());
        self.keep = call;
        self.sweep("a council was called", Sweep::End);
        self.emit(Event::CouncilStarted {
            council: new.council,
            task: new.task,
            members: new.members,
            rules: new.rules,
            frame: Arc::new(new.frame),
            plan: new.plan,
            ask: new.ask,
            by: self.actor.clone(),
        });
        if let Some(call) = call {
            let words = serde_json::json!({ "council_id": new.council }).to_string();
            self.end_with(call, Outcome::Ok, words);
        }
        Ok(())
    }

    /// The council whose members talk.
    pub(super) fn talking(&self) -> Result<&Council, Refusal> {
        let talks = |council: &&Council| council.stage == CouncilStage::Talking;
        self.room.active_council().filter(talks).ok_or(Refusal::NoCouncil)
    }

    /// A person stops a council for now; from the decision on, its plan.
    pub(super) fn pause_council(&mut self) -> bool {
        let held = self.room.council_without_plan().is_some();
        if held {
            self.halt_council(PauseReason::Supervisor, Halt::default());
        }
        held
    }

    /// Lets a council stand still that does not do so already.
    pub(super) fn halt_council(&mut self, reason: PauseReason, halt: Halt) {
        if self.room.active_council().is_some_and(|council| council.paused.is_none()) {
            let Halt { detail, code, until, since } = halt;
            self.emit(Event::CouncilPaused { reason, detail, code, until, since });
        }
    }

    pub(super) fn resume_council(&mut self) -> bool {
        let Some(council) = self.room.active_council() else { return false };
        let paused = council.paused.is_some();
        if paused {
            self.take_out();
            self.emit(Event::CouncilResumed { by: self.actor.clone() });
        }
        paused || self.room.council_without_plan().is_some()
    }

    /// A council whose provider let it wait goes on when that is over.
    pub(super) fn wake_council(&mut self) -> bool {
        let over = |council: &Council| council.pause_until.is_some_and(|until| until <= self.now);
        let wakes = !self.room.archived && self.room.active_council().is_some_and(over);
        if wakes {
            self.emit(Event::CouncilResumed { by: self.actor.clone() });
        }
        wakes
    }

    /// Ends a council whose plan is not there yet, or no longer active.
    pub(super) fn cancel_council(&mut self, reason: &str) -> bool {
        let held = self.room.council_without_plan().is_some();
        if held {
            let (state, reason) = (CouncilEnd::Cancelled, reason.to_owned());
            self.sweep("the council was cancelled", Sweep::End);
            self.emit(Event::CouncilEnded { state, reason });
        }
        held
    }

    /// What members used may be more than the council may use.
    pub(super) fn check_council(&mut self) {
        let Some(council) = self.room.active_council().filter(|council| council.is_running())
        else {
            return;
        };
        let used = council.usage(&self.room).since(&council.usage_base);
        let over = |most: Option<u64>, used: u64| most.is_some_and(|most| used >= most);
        let cap = if over(council.rules.tokens, used.tokens()) {
            "tokens"
        } else if over(council.rules.cost_micros, used.cost_micros) {
            "money"
        } else {
            return;
        };
        let detail =
            format!("The council reached its cap on {cap}. Resume to let it use as much again.");
        self.halt_council(PauseReason::Cap, Halt { detail: Some(detail), ..Halt::default() });
    }

    /// After every command: what follows for the council from what is true now.
    pub(super) fn follow_council(&mut self) {
        let Some(council) = self.room.active_council() else { return };
        match council.stage {
            CouncilStage::Talking if council.paused.is_none() => {
                if let Some((winner, by)) = council.decision() {
                    self.decided(winner, by);
                } else if !council.seats.iter().any(Seat::lives) {
                    let why = match council.seats.iter().filter_map(|seat| seat.out.as_ref()).next()
                    {
                        Some(first) => {
                            format!("No member could answer: {}.", first.trim_end_matches('.'))
                        }
                        None => "No member could answer.".to_owned(),
                    };
                    self.council_fails(&why);
                }
            }
            CouncilStage::Executing => self.follow_plan(),
            CouncilStage::Reviewing
                if council.paused.is_none() && !self.room.owes && self.room.calls.is_empty() =>
            {
                let (state, reason) = (CouncilEnd::Done, String::new());
                self.emit(Event::CouncilEnded { state, reason });
            }
            CouncilStage::Talking
            | CouncilStage::Decided
            | CouncilStage::Reviewing
            | CouncilStage::Ended(_) => {}
        }
    }

    fn follow_plan(&mut self) {
        let Some(council) = self.room.active_council() else { return };
        let again = council.may_restart();
        let Some(plan) = self.room.plan.as_ref().filter(|plan| plan.id == council.plan) else {
            return;
        };
        let reason = plan.end_reason.clone().unwrap_or_default();
        let state = match plan.state {
            PlanState::Done if again => {
                self.sweep("the plan is done", Sweep::End);
                return self.emit(Event::CouncilReviewBegan);
            }
            PlanState::Done => CouncilEnd::Done,
            PlanState::Failed => CouncilEnd::Failed,
            PlanState::Cancelled => CouncilEnd::Cancelled,
            PlanState::Draft { .. }
            | PlanState::AwaitingApproval
            | PlanState::Running { .. }
            | PlanState::Paused { .. } => return,
        };
        self.emit(Event::CouncilEnded { state, reason });
    }

    /// While a council talks or judges its work, nothing else is planned in its room.
    pub(super) fn refuse_in_council(&self) -> Result<(), Refusal> {
        match self.room.council_without_plan() {
            None => Ok(()),
            Some(_) => Err(Refusal::CouncilActive),
        }
    }
}

fn names(council: &Council, such: impl Fn(&Seat) -> bool) -> String {
    let names = council.numbered().filter(|(_, seat)| such(seat)).map(|(n, _)| member_name(n));
    names.collect::<Vec<_>>().join(", ")
}

/// A reason that fits into an event.
fn cut(reason: &str) -> String {
    match reason.chars().count() > REASON_CHARS {
        true => reason.chars().take(REASON_CHARS - 1).chain(['…']).collect(),
        false => reason.trim().to_owned(),
    }
}
