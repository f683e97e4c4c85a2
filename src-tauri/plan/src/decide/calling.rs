//! Tool calls: beginning, ending, and what a failed one means for its step.

use super::Deciding;
use crate::{
    Ask, AskKind, CallId, CallState, Change, Effect, Event, How, Outcome, PauseReason, Picture,
    Plan, PlanState, Refusal, Room, RoomId, StepId, Text, Tried, gate::approved_plan,
};

impl Deciding<'_> {
    pub(super) fn begin_call(
        &mut self,
        call: CallId,
        effect: Effect,
        touches: Vec<String>,
        how: Option<How>,
    ) -> Result<(), Refusal> {
        let Some(open) = self.room.call(call) else { return Err(Refusal::NoSuchCall) };
        match open.state {
            CallState::Waiting | CallState::Allowed => {}
            CallState::Asking(_) | CallState::Running(_) => return Err(Refusal::NoSuchCall),
        }
        // The gate has spoken before; this holds even if it were wrong.
        if let Some(plan) = self.room.active_plan() {
            let free = match plan.state {
                PlanState::Running { .. } => true,
                PlanState::Draft { .. } => !effect.changes_things(),
                // Who plans what comes next may look around.
                PlanState::Paused { reason: PauseReason::Revise } => {
                    self.room.planning.is_some() && !effect.changes_things()
                }
                PlanState::AwaitingApproval
                | PlanState::Paused { .. }
                | PlanState::Done
                | PlanState::Failed
                | PlanState::Cancelled => false,
            };
            if !free {
                return Err(Refusal::NotRunning { state: plan.state.clone() });
            }
        }
        let strict = self.room.insists() && approved_plan(&self.room).is_none();
        let looks = self.room.planning.is_some() || self.room.only_looks_for_council();
        let held = strict || self.room.declined || looks;
        if effect.changes_things() && held {
            return Err(Refusal::NotApproved);
        }
        self.emit(Event::CallBegan { call, effect, touches, how });
        Ok(())
    }

    pub(super) fn end_call(
        &mut self,
        call: CallId,
        outcome: Outcome,
        result: Text,
        changed: Vec<Change>,
        images: Vec<Picture>,
        ms: u64,
    ) -> Result<(), Refusal> {
        let Some(open) = self.room.call(call) else { return Err(Refusal::NoSuchCall) };
        // A call that waits for a person ends by their answer, or with its plan.
        if let CallState::Asking(_) = open.state {
            return Err(Refusal::NoSuchCall);
        }
        let fingerprint = fingerprint(&open.request.tool, &open.request.args);
        let step = open.step.clone();
        self.withdraw_elicitations(call, "the call ended");
        let step = match step {
            Some(step) => Some(step),
            None => self.current_step(),
        }
        // Who plans what comes next does not try the step.
        .filter(|_| self.room.running_plan().is_some() && self.room.planning.is_none());
        let failed = outcome == Outcome::Failed;
        let again = failed || outcome == Outcome::Blocked;
        let Some(step) = step else {
            let nudge = self.nudge_above.take();
            self.emit(Event::CallEnded { call, outcome, result, nudge, changed, images, ms });
            self.check_caps();
            return Ok(());
        };
        let repeated = again && self.repeats(&step, &fingerprint);
        let counted = self.room.turn.counted;
        let new_attempt = (failed || repeated) && !counted;
        let attempt = self.attempts(&step) + u32::from(new_attempt);
        let nudge = (failed || repeated).then(|| self.attempt_words(&step, attempt));
        self.emit(Event::CallEnded { call, outcome, result, nudge, changed, images, ms });
        if again {
            self.emit(Event::Repeated { step: step.clone(), fingerprint });
        }
        if new_attempt || repeated {
            self.attempt_failed(&step, attempt, repeated);
        } else if self.room.calls.is_empty() && self.room.turn.worked && !self.room.turn.failed {
            self.reset_attempts(&step);
        }
        self.check_caps();
        Ok(())
    }

    /// A call of the sidekick that does a step has ended: it counts as it would in this room.
    pub(super) fn step_tried(&mut self, id: &StepId, room: RoomId, tried: Tried) {
        let Tried { outcome, fingerprint, counted, last } = tried;
        let step = self.room.running_plan().and_then(|plan| plan.step(id));
        if !step.is_some_and(|step| step.is_in_progress() && step.sidekick == Some(room)) {
            return;
        }
        let failed = outcome == Outcome::Failed;
        let again = failed || outcome == Outcome::Blocked;
        let repeated = again && self.repeats(id, &fingerprint);
        let new_attempt = (failed || repeated) && !counted;
        if again {
            self.emit(Event::Repeated { step: id.clone(), fingerprint });
        }
        if new_attempt || repeated {
            let attempt = self.attempts(id) + u32::from(new_attempt);
            self.attempt_failed(id, attempt, repeated);
        } else if outcome == Outcome::Ok && last {
            self.reset_attempts(id);
        }
    }

    pub(super) fn warn(&mut self, call: CallId, text: String) -> Result<(), Refusal> {
        if self.room.call(call).is_none() {
            return Err(Refusal::NoSuchCall);
        }
        self.emit(Event::Warned { call, text });
        Ok(())
    }

    pub(super) fn raise(&mut self, ask: Ask) -> Result<(), Refusal> {
        // Nobody is asked for a council member.
        if self.room.member.is_some() {
            return Err(Refusal::MemberRoom);
        }
        if let Some(call) = ask.call_id {
            let asked_during = ask.kind == AskKind::Elicitation;
            match self.room.call(call).map(|open| &open.state) {
                Some(CallState::Waiting) if !asked_during => {}
                Some(CallState::Running(_)) if asked_during => {}
                Some(CallState::Waiting) => return Err(Refusal::NoSuchCall),
                Some(CallState::Asking(_) | CallState::Allowed | CallState::Running(_)) | None => {
                    return Err(Refusal::NoSuchCall);
                }
            }
        }
        // Who compares files may not have seen an answer that came a moment ago.
        if self.room.knows_conflict(&ask) {
            return Ok(());
        }
        let drift = ask.kind == AskKind::Drift;
        self.emit(Event::AskRaised { ask });
        // Other steps under way go on; when there are none, the plan stands still. What sidekicks
        // do goes on whatever is asked here.
        let alone = self.room.running_plan().is_some_and(|plan| plan.in_progress().count() <= 1);
        if drift && alone && !self.is_delegated() {
            let reason = PauseReason::Drift;
            self.emit(Event::Paused { reason, detail: None, until: None, since: None });
        }
        Ok(())
    }

    /// Takes back what a server wanted to know during a call.
    pub(super) fn withdraw_elicitations(&mut self, call: CallId, why: &str) {
        let asks = self.room.asks.values();
        let of_call =
            asks.filter(|ask| ask.kind == AskKind::Elicitation && ask.call_id == Some(call));
        for ask in of_call.map(|ask| ask.id).collect::<Vec<_>>() {
            self.emit(Event::AskWithdrawn { ask, reason: why.to_owned() });
        }
    }

    /// Ends a call that will never run.
    pub(super) fn not_run(&mut self, call: CallId, why: &str) {
        self.end_with(call, Outcome::NotRun, format!("not_run: {why}"));
    }

    /// Ends a call with words of ours.
    pub(super) fn end_with(&mut self, call: CallId, outcome: Outcome, words: String) {
        if self.room.call(call).is_some() {
            self.emit(Event::CallEnded {
                call,
                outcome,
                result: Text::Inline(words),
                nudge: None,
                changed: Vec::new(),
                images: Vec::new(),
                ms: 0,
            });
        }
    }

    /// Counts a failed attempt; the last one pauses the plan.
    pub(super) fn attempt_failed(&mut self, step: &StepId, attempt: u32, sticky: bool) {
        self.emit(Event::AttemptFailed { step: step.clone(), attempt, sticky });
        let Some(plan) = self.room.running_plan() else { return };
        if attempt >= plan.frame.caps.attempts {
            let detail = format!("step {} failed {attempt} times", plan.number(step));
            self.pause(PauseReason::Attempts, Some(detail), None);
        }
    }

    pub(super) fn attempts(&self, step: &StepId) -> u32 {
        self.room.plan.as_ref().and_then(|plan| plan.step(step)).map_or(0, |step| step.attempts)
    }

    fn reset_attempts(&mut self, step: &StepId) {
        let stale = self
            .room
            .plan
            .as_ref()
            .and_then(|plan| plan.step(step))
            .is_some_and(|step| step.attempts > step.sticky_attempts);
        if stale {
            self.emit(Event::AttemptsReset { step: step.clone() });
        }
    }

    fn current_step(&self) -> Option<StepId> {
        self.room.running_plan().and_then(|plan| plan.current()).map(|step| step.spec.id.clone())
    }

    /// Whether this call has now failed or been blocked too often.
    fn repeats(&self, step: &StepId, fingerprint: &str) -> bool {
        let Some(plan) = self.room.running_plan() else { return false };
        let before =
            plan.step(step).and_then(|step| step.repeats.get(fingerprint)).copied().unwrap_or(0);
        before + 1 >= plan.frame.caps.repeats
    }

    /// What the model is told after the k-th failure, word for word.
    fn attempt_words(&self, step: &StepId, attempt: u32) -> String {
        let plan = self.room.running_plan();
        plan.map_or_else(String::new, |plan| plan.attempt_words(step, attempt))
    }
}

impl Room {
    /// How a call that ends counts for the step above that this room does. Where it has a plan of its
    /// own, that counts.
    pub fn tried(&self, call: CallId, outcome: Outcome) -> Option<Tried> {
        if self.active_plan().is_some() || self.planning.is_some() {
            return None;
        }
        let open = self.call(call)?;
        if let CallState::Asking(_) = open.state {
            return None;
        }
        let worked = self.turn.worked || matches!(open.state, CallState::Running(_));
        Some(Tried {
            outcome,
            fingerprint: fingerprint(&open.request.tool, &open.request.args),
            counted: self.turn.counted,
            last: self.calls.len() == 1 && worked && !self.turn.failed,
        })
    }
}

impl Plan {
    /// What the model is told after the k-th failure, word for word.
    pub fn attempt_words(&self, step: &StepId, attempt: u32) -> String {
        format!(
            "Plan harness: this is step {}/{}, attempt {attempt}/{}. If the error suggests \
             fallbacks, try the one that fits the user's intent.",
            self.number(step),
            self.steps.len(),
            self.frame.caps.attempts
        )
    }
}

pub(crate) fn fingerprint(tool: &str, args: &Text) -> String {
    let args = match args {
        Text::Inline(text) => same_json(text),
        Text::Blob { blob, .. } => blob.clone(),
    };
    let hash = blake3::hash(format!("{tool}\n{args}").as_bytes()).to_hex();
    hash[..16].to_owned()
}

/// JSON without its white space and with its fields in order; any other text as it is.
fn same_json(text: &str) -> String {
    let read = serde_json::from_str::<serde_json::Value>(text);
    read.map_or_else(|_| text.to_owned(), |value| value.to_string())
}
