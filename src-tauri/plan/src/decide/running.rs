//! A plan under way: steps end, the next ones start, and what stops it.

use super::{Deciding, Sweep};
use crate::text::{INLINE_BYTES, OUTPUT_CHARS, indented, is_blank, on_one_line, one_line};
use crate::{
    ActorKind, Advance, AfterFailure, Check, Event, OnPartial, PauseReason, Phase, Plan, PlanState,
    Refusal, SkipCause, Step, StepId, StepRef, StepState, Text, allows, granted, schedule,
};
use std::sync::Arc;

/// All that is told of what sidekicks said when their plan has ended, in characters.
const RESULTS_CHARS: usize = 40_000;

impl Deciding<'_> {
    pub(super) fn step_done(
        &mut self,
        step: &StepRef,
        result: String,
        check: Option<Check>,
    ) -> Result<(), Refusal> {
        if let Some(id) = self.done_below(step) {
            return self.refine(id, &result);
        }
        // It was reported already, in the same words: it is told how far the plan is.
        if self.was_reported(step, &result) {
            return Ok(());
        }
        let step = self.step_under_way(step)?;
        let id = step.spec.id.clone();
        if self.room.turn.counted {
            return Err(Refusal::CallFailed { step: id });
        }
        if let Some(verify) = &step.spec.verify {
            match check {
                None => return Err(Refusal::CheckMissing { step: id, verify: verify.clone() }),
                Some(Check { passed: false, detail }) => {
                    return Err(Refusal::CheckFailed { step: id, detail });
                }
                Some(Check { passed: true, .. }) => {}
            }
        }
        let (result, summary) = in_full(&result);
        self.emit(Event::StepDone { step: id, result, refined: false, summary });
        self.after_step();
        Ok(())
    }

    /// A step that a sidekick has done, when the agent of the room names it.
    fn done_below(&self, step: &StepRef) -> Option<StepId> {
        let plan = self.room.running_plan().filter(|plan| plan.frame.delegated)?;
        let step = plan.find(step)?;
        let done = matches!(step.state, StepState::Done { .. }) && step.sidekick.is_some();
        (done && !self.actor.is_person()).then(|| step.spec.id.clone())
    }

    /// Whether an agent has reported this step in these very words.
    fn was_reported(&self, step: &StepRef, result: &str) -> bool {
        let Some(plan) = self.room.plan.as_ref().filter(|_| !self.actor.is_person()) else {
            return false;
        };
        let told = in_full(result).0;
        let same =
            |state: &StepState| matches!(state, StepState::Done { result } if *result == told);
        plan.find(step).is_some_and(|step| same(&step.state))
    }

    /// The agent of the room puts better what came of a step.
    fn refine(&mut self, step: StepId, result: &str) -> Result<(), Refusal> {
        if is_blank(result) {
            return Err(Refusal::NoResult);
        }
        let (result, summary) = in_full(result);
        self.emit(Event::StepDone { step, result, refined: true, summary });
        Ok(())
    }

    pub(super) fn step_failed(
        &mut self,
        step: &StepRef,
        error: String,
        next: AfterFailure,
    ) -> Result<(), Refusal> {
        let id = self.step_under_way(step)?.spec.id.clone();
        let error = one_line(&error);
        match next {
            AfterFailure::Retry => {
                self.emit(Event::ErrorReported { step: id.clone(), error });
                if !self.room.turn.counted {
                    let attempt = self.attempts(&id) + 1;
                    self.attempt_failed(&id, attempt, false);
                }
            }
            AfterFailure::Skip => {
                let cause = SkipCause::GivenUp;
                self.emit(Event::StepSkipped { step: id, cause, reason: error });
                self.after_step();
            }
            AfterFailure::Revise => {
                self.emit(Event::ErrorReported { step: id, error: error.clone() });
                self.pause(PauseReason::Revise, Some(error), None);
            }
            AfterFailure::Abort => {
                self.emit(Event::StepFailed { step: id, error: error.clone() });
                self.fail(error);
            }
        }
        Ok(())
    }

    pub(super) fn fail_step(&mut self, id: &StepId, error: String) -> Result<(), Refusal> {
        let id = self.step_under_way(&StepRef::Id(id.0.clone()))?.spec.id.clone();
        self.emit(Event::StepFailed { step: id, error: one_line(&error) });
        self.after_step();
        Ok(())
    }

    pub(super) fn check_failed(&mut self, step: &StepId, detail: &str) -> Result<(), Refusal> {
        let id = self.step_under_way(&StepRef::Id(step.0.clone()))?.spec.id.clone();
        self.emit(Event::CheckFailed { step: id, detail: one_line(detail) });
        Ok(())
    }

    pub(super) fn report_error(&mut self, step: &StepId, error: &str) -> Result<(), Refusal> {
        let id = self.step_under_way(&StepRef::Id(step.0.clone()))?.spec.id.clone();
        self.emit(Event::ErrorReported { step: id, error: one_line(error) });
        Ok(())
    }

    /// Ends the plan. Answered the same when it has ended already.
    pub(super) fn cancel(&mut self, reason: String) -> Result<(), Refusal> {
        let Some(plan) = &self.room.plan else { return Err(Refusal::NoPlan) };
        if !plan.state.is_active() {
            return Ok(());
        }
        // A person's pause is not the agent's to lift. Neither is a no: who gives up what was sent
        // back may change nothing until another plan is approved.
        if !self.actor.is_person() && !may_be_cancelled_by_agent(&plan.state) {
            return Err(Refusal::NotRunning { state: plan.state.clone() });
        }
        let id = plan.id;
        let beside = self.room.below.difference(&plan.sidekicks).copied().collect();
        self.sweep("cancelled", Sweep::End);
        let asks: Vec<_> = self
            .room
            .asks
            .values()
            .filter(|ask| ask.plan_id == Some(id))
            .map(|ask| ask.id)
            .collect();
        for ask in asks {
            self.emit(Event::AskWithdrawn { ask, reason: "cancelled".to_owned() });
        }
        self.emit(Event::PlanCancelled { reason, by: self.actor.clone(), beside });
        Ok(())
    }

    pub(super) fn skip(&mut self, step: &StepRef) -> Result<(), Refusal> {
        let step = self.open_step(step)?;
        let (id, current) = (step.spec.id.clone(), step.is_in_progress());
        let number = self.active()?.number(&id);
        self.emit(Event::StepSkipped {
            step: id,
            cause: SkipCause::Chosen,
            reason: "a person skipped it".to_owned(),
        });
        if current {
            self.sweep("step skipped", Sweep::End);
            let text = format!("Plan harness: the person skipped step {number}.");
            self.nudge(text);
        }
        self.advance();
        if current {
            self.leave_stuck(number);
        }
        Ok(())
    }

    /// The step that a plan was stuck on was skipped: now it only waits for a person's word.
    fn leave_stuck(&mut self, skipped: usize) {
        let Some(plan) = self.room.active_plan() else { return };
        let still = plan.in_progress().any(|step| step.attempts >= plan.frame.caps.attempts);
        if self.room.is_paused_for(PauseReason::Attempts) && !still {
            let detail = format!("step {skipped}, where it was stuck, was skipped");
            self.pause(PauseReason::Manual, Some(detail), None);
        }
    }

    pub(super) fn retry(&mut self, step: &StepRef) -> Result<(), Refusal> {
        let plan = self.active()?;
        self.refuse_unless_started()?;
        let Some(step) = plan.find(step) else {
            return Err(Refusal::NoSuchStep { step: step.to_string() });
        };
        let id = step.spec.id.clone();
        let again = match step.state {
            StepState::Failed { .. } | StepState::Skipped { .. } => true,
            StepState::InProgress { .. } => !plan.state.is_running(),
            StepState::Pending | StepState::Done { .. } => false,
        };
        if !again {
            return Err(Refusal::StepNotRunning {
                step: id,
                status: step.state.word(),
                hint: "only a step that failed or was skipped can be tried again".to_owned(),
            });
        }
        self.emit(Event::StepReopened { step: id, by: self.actor.clone() });
        self.advance();
        Ok(())
    }

    pub(super) fn override_check(&mut self, step: &StepRef) -> Result<(), Refusal> {
        let step = self.open_step(step)?;
        if !step.is_in_progress() {
            return Err(not_running(step, "only the step under way can be marked as done"));
        }
        let id = step.spec.id.clone();
        let result = "a person marked it as done".to_owned();
        self.emit(Event::StepDone { step: id, result, refined: false, summary: None });
        match self.room.running_plan() {
            Some(_) => self.after_step(),
            None => self.advance(),
        }
        Ok(())
    }

    /// The hand switch. While the plan waits it is a new revision: who says yes to the old one has
    /// not seen it.
    pub(super) fn let_change(
        &mut self,
        step: &StepRef,
        on: bool,
        seen: Option<u32>,
    ) -> Result<(), Refusal> {
        let plan = self.active()?;
        if seen.is_some_and(|seen| seen != plan.revision) {
            return Err(Refusal::Conflict { revision: plan.revision, hash: plan.hash.clone() });
        }
        let Some(step) = plan.find(step) else {
            return Err(Refusal::NoSuchStep { step: step.to_string() });
        };
        if step.state.is_terminal() {
            return Err(not_running(step, "it has ended"));
        }
        if step.may_change == on {
            return Ok(());
        }
        let id = step.spec.id.clone();
        if on && allows::names_something(&step.spec) {
            return Err(Refusal::StepNames { step: id, grants: granted::words(step) });
        }
        if plan.state == PlanState::AwaitingApproval {
            self.emit(Event::PlanRevised {
                revision: plan.revision + 1,
                hash: plan.hash.clone(),
                content: Arc::clone(&plan.content),
                frame: None,
                reason: None,
                model: self.written_by(),
                by: self.actor.clone(),
            });
        }
        self.emit(Event::StepMayChange { step: id, on, by: self.actor.clone() });
        Ok(())
    }

    /// Starts what may start, and ends or pauses the plan when nothing more will.
    pub(super) fn advance(&mut self) {
        while let Some(plan) = self.room.running_plan()
            && let Some(step) = schedule::lost(plan)
        {
            let reason = "a step it needs failed".to_owned();
            self.emit(Event::StepSkipped { step, cause: SkipCause::Need, reason });
        }
        if self.finish_if_over() {
            return;
        }
        let Some(plan) = self.room.running_plan() else { return };
        let under_way = plan.in_progress().next().is_some();
        if plan.pauses_after {
            if !under_way {
                self.pause(PauseReason::Supervisor, None, None);
            }
            return;
        }
        if schedule::is_out_of_budget(plan) {
            if !under_way {
                self.pause(PauseReason::AutoBudget, None, None);
            }
            return;
        }
        for step in schedule::next(plan) {
            self.emit(Event::StepStarted { step });
        }
    }

    pub(super) fn check_caps(&mut self) {
        self.check_sidekick();
        if self.check_goal() {
            return;
        }
        let Some(plan) = self.room.running_plan() else { return };
        let spent = plan.usage.since(&plan.usage_base);
        let ran = plan.ran_ms(self.now) - plan.ran_base_ms;
        let caps = &plan.frame.caps;
        let used = [
            ("tokens", spent.tokens(), caps.tokens),
            ("money", spent.cost_micros, caps.cost_micros),
            ("time", ran, caps.seconds.map(|seconds| seconds.saturating_mul(1_000))),
        ];
        for (cap, used, most) in used {
            let Some(most) = most else { continue };
            if used >= most {
                let detail = format!("the cap on {cap} is reached");
                return self.pause(PauseReason::Cap, Some(detail), None);
            }
            let warned = self.room.plan.as_ref().is_some_and(|plan| plan.caps_warned.contains(cap));
            if !warned && used >= most - most / 5 {
                self.emit(Event::CapWarned { cap: cap.to_owned() });
            }
        }
    }

    pub(super) fn after_step(&mut self) {
        let Some(plan) = self.room.running_plan() else { return };
        let by_hand = plan.content.advance == Advance::Manual;
        if by_hand && !plan.is_finished() && plan.in_progress().next().is_none() {
            return self.pause(PauseReason::Manual, None, None);
        }
        self.advance();
    }

    /// Ends the plan when every step has ended; whether it did.
    fn finish_if_over(&mut self) -> bool {
        let Some(plan) = self.room.active_plan() else { return false };
        if !plan.is_finished() || plan.phase() == Some(Phase::Splitting) {
            return false;
        }
        let failed = self.failed_steps();
        match plan.frame.on_partial {
            OnPartial::Fail if !failed.is_empty() => {
                self.fail(format!("{} of its steps failed", failed.len()));
            }
            OnPartial::Fail | OnPartial::Synthesize if self.is_joined() => self.join(),
            OnPartial::Fail | OnPartial::Synthesize => {
                let told = self.results();
                self.emit(Event::PlanDone { failed_steps: failed, result: None });
                self.tell_results(told);
            }
        }
        true
    }

    pub(super) fn failed_steps(&self) -> Vec<StepId> {
        let steps = self.room.plan.iter().flat_map(|plan| &plan.steps);
        let failed = steps.filter(|step| matches!(step.state, StepState::Failed { .. }));
        failed.map(|step| step.spec.id.clone()).collect()
    }

    pub(super) fn fail(&mut self, reason: String) {
        self.sweep("the plan failed", Sweep::End);
        let told = self.results();
        self.emit(Event::PlanFailed { reason });
        self.tell_results(told);
    }

    /// What came of the steps that sidekicks did, for an agent that was not there.
    fn results(&self) -> Option<String> {
        let told = |plan: &&Plan| plan.frame.delegated && plan.goal.is_none();
        self.room.plan.as_ref().filter(told).map(lines)
    }

    fn tell_results(&mut self, told: Option<String>) {
        let Some(lines) = told else { return };
        let state = self.room.plan.as_ref().map(|plan| plan.state.to_string()).unwrap_or_default();
        let text =
            format!("Plan harness: the plan is {state}. Tell the person what came of it.\n{lines}");
        self.nudge(text);
    }

    /// The step someone named, if the plan runs and the step is under way.
    fn step_under_way(&self, step: &StepRef) -> Result<&Step, Refusal> {
        let plan = match &self.room.plan {
            Some(plan) if !plan.state.is_active() && !self.actor.is_person() => {
                return Err(Refusal::PlanOver { state: plan.state.clone() });
            }
            Some(_) | None => self.active()?,
        };
        let Some(step) = plan.find(step) else {
            return Err(Refusal::NoSuchStep { step: step.to_string() });
        };
        if !plan.state.is_running() {
            return Err(Refusal::NotRunning { state: plan.state.clone() });
        }
        let agent = matches!(self.actor.kind, ActorKind::Agent | ActorKind::Sidekick);
        if step.is_in_progress() && plan.frame.delegated && agent {
            return Err(not_running(step, "a sidekick does it; you hear of it when it has ended"));
        }
        if step.is_in_progress() {
            return Ok(step);
        }
        let hint = match plan.in_progress().next() {
            Some(now) => format!("step {} is under way", plan.number(&now.spec.id)),
            None => "no step is under way".to_owned(),
        };
        Err(not_running(step, &hint))
    }

    /// A step that has not ended, of a plan that was started.
    fn open_step(&self, step: &StepRef) -> Result<&Step, Refusal> {
        let plan = self.active()?;
        self.refuse_unless_started()?;
        let Some(step) = plan.find(step) else {
            return Err(Refusal::NoSuchStep { step: step.to_string() });
        };
        if step.state.is_terminal() {
            return Err(not_running(step, "it has ended"));
        }
        Ok(step)
    }

    fn refuse_unless_started(&self) -> Result<(), Refusal> {
        let state = &self.active()?.state;
        match state {
            PlanState::Running { .. } | PlanState::Paused { .. } => Ok(()),
            PlanState::Draft { .. }
            | PlanState::AwaitingApproval
            | PlanState::Done
            | PlanState::Failed
            | PlanState::Cancelled => Err(Refusal::NotRunning { state: state.clone() }),
        }
    }
}

/// What came of each step, a line for each.
pub(super) fn lines(plan: &Plan) -> String {
    let said = plan.steps.iter().filter(|step| step.summary.is_some()).count();
    let most = OUTPUT_CHARS.min(RESULTS_CHARS / said.max(1)).max(INLINE_BYTES);
    let line = |(index, step): (usize, &Step)| {
        let head = format!("{}. {} — ", index + 1, step.spec.text);
        if let (StepState::Done { .. }, Some(summary)) = (&step.state, &step.summary) {
            return on_one_line(&head) + " " + &indented(&summary.told(most));
        }
        let what = match &step.state {
            StepState::Done { result } => result.clone(),
            StepState::Failed { error } => format!("failed: {error}"),
            StepState::Skipped { reason, .. } => format!("skipped: {reason}"),
            StepState::Pending | StepState::InProgress { .. } => "not done".to_owned(),
        };
        on_one_line(&(head + &what))
    };
    plan.steps.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

/// A result as one line, and all of it where that is more.
fn in_full(result: &str) -> (String, Option<Text>) {
    let line = one_line(result);
    let full = (line != result.trim()).then(|| Text::from(result.trim()));
    (line, full)
}

fn may_be_cancelled_by_agent(state: &PlanState) -> bool {
    match state {
        PlanState::Running { .. }
        | PlanState::Draft { .. }
        | PlanState::Paused { reason: PauseReason::Revise } => true,
        PlanState::AwaitingApproval
        | PlanState::Paused { .. }
        | PlanState::Done
        | PlanState::Failed
        | PlanState::Cancelled => false,
    }
}

pub(super) fn not_running(step: &Step, hint: &str) -> Refusal {
    Refusal::StepNotRunning {
        step: step.spec.id.clone(),
        status: step.state.word(),
        hint: hint.to_owned(),
    }
}
