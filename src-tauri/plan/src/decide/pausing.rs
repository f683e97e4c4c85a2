//! Standing still and going on: what a person stops, how far that reaches, and what ends it.

use super::Deciding;
use super::running::not_running;
use crate::{AskKind, Event, PauseReason, PlanState, Refusal};

impl Deciding<'_> {
    pub(super) fn pause_by_person(&mut self) -> Result<(), Refusal> {
        let state = self.active()?.state.clone();
        match state {
            PlanState::Running { .. } => {
                self.pause(PauseReason::Supervisor, None, None);
                Ok(())
            }
            // The question goes, and an answer to it no longer makes the plan go on.
            PlanState::Paused { reason: PauseReason::Drift } => {
                self.pause(PauseReason::Supervisor, None, None);
                Ok(())
            }
            PlanState::Paused { .. } => Ok(()),
            PlanState::Draft { .. }
            | PlanState::AwaitingApproval
            | PlanState::Done
            | PlanState::Failed
            | PlanState::Cancelled => Err(Refusal::NotPausable { state }),
        }
    }

    /// The steps under way end, and no other begins.
    pub(super) fn pause_after_step(&mut self, on: bool) -> Result<(), Refusal> {
        let plan = self.active()?;
        match plan.state {
            PlanState::Running { .. } if plan.pauses_after == on => {}
            PlanState::Running { .. } => {
                self.emit(Event::PauseAfterStep { on, by: self.actor.clone() });
                self.advance();
            }
            PlanState::Draft { .. }
            | PlanState::AwaitingApproval
            | PlanState::Paused { .. }
            | PlanState::Done
            | PlanState::Failed
            | PlanState::Cancelled => return self.pause_by_person(),
        }
        Ok(())
    }

    /// The call under way is stopped, the plan is paused, and the step is done again afterwards.
    pub(super) fn stop_step(&mut self) -> Result<(), Refusal> {
        let plan = self.active()?;
        if !plan.state.is_running() {
            return self.pause_by_person();
        }
        let Some(step) = plan.current() else { return self.pause_by_person() };
        if plan.frame.delegated {
            return Err(not_running(step, "a sidekick does it; stop that one, or pause the plan"));
        }
        let step = step.spec.id.clone();
        self.emit(Event::StepStopped { step, by: self.actor.clone() });
        self.pause(PauseReason::Supervisor, None, None);
        Ok(())
    }

    pub(super) fn resume(&mut self) -> Result<(), Refusal> {
        let state = self.active()?.state.clone();
        match state {
            // A call beyond the plan waits for its own answer.
            PlanState::Paused { reason: PauseReason::Drift } if self.drifts() => {
                Err(Refusal::NotResumable { state })
            }
            PlanState::Paused { .. } => {
                self.take_out();
                self.go_on();
                Ok(())
            }
            PlanState::Running { .. } => Ok(()),
            PlanState::Draft { .. }
            | PlanState::AwaitingApproval
            | PlanState::Done
            | PlanState::Failed
            | PlanState::Cancelled => Err(Refusal::NotResumable { state }),
        }
    }

    /// ⚡ is full again, and what waited for that goes on.
    pub(super) fn refill(&mut self) {
        if self.room.is_paused_for(PauseReason::AutoBudget) {
            return self.go_on();
        }
        let plan = self.room.running_plan().filter(|plan| plan.frame.has_budget());
        if plan.is_some_and(|plan| plan.auto_used > 0) {
            self.emit(Event::Refilled { by: self.actor.clone() });
            self.advance();
        }
    }

    /// Whether a call beyond what was approved waits for a person.
    pub(super) fn drifts(&self) -> bool {
        self.room.asks.values().any(|ask| ask.kind == AskKind::Drift)
    }

    /// A room in which a person goes on is not put away any more.
    pub(super) fn take_out(&mut self) {
        if self.room.archived {
            self.emit(Event::RoomArchived { archived: false });
        }
    }

    pub(super) fn go_on(&mut self) {
        self.emit(Event::Resumed { by: self.actor.clone() });
        self.advance();
    }
}
