//! An answer that repeated itself without end and was cut off: a failed attempt, asked for again a
//! few times.

use super::Deciding;
use crate::{Event, PauseReason, Phase, StepId, Text};

/// What the model is told of its answer.
const CUT_OFF: &str = "Plan harness: your answer repeated itself and was cut off.";

impl Deciding<'_> {
    /// Tells the model what happened to its answer, and asks it once more.
    pub(super) fn ask_again(&mut self) {
        if self.room.member.is_some() {
            self.tell_only();
            return self.remind_member();
        }
        let plan = self.room.running_plan();
        let phase = plan.and_then(|plan| plan.phase());
        if let Some(phase @ (Phase::Splitting | Phase::Joining)) = phase {
            self.tell_only();
            return self.goal_words(phase, &Text::from(""));
        }
        let step = plan.filter(|plan| !plan.frame.delegated).and_then(|plan| plan.current());
        match step.map(|step| step.spec.id.clone()) {
            Some(step) => self.try_again(&step),
            None => self.nudge(format!("{CUT_OFF} Answer again, in a few short sentences.")),
        }
    }

    /// The words alone; what is asked follows.
    fn tell_only(&mut self) {
        self.emit(Event::Nudged { text: CUT_OFF.to_owned(), from: None, quiet: true });
    }

    /// Counts a failed attempt at a step; the last one pauses the plan.
    fn try_again(&mut self, step: &StepId) {
        let attempt = self.attempts(step) + 1;
        let Some(plan) = self.room.running_plan() else { return };
        let (last, number) = (attempt >= plan.frame.caps.attempts, plan.number(step));
        let words = plan.attempt_words(step, attempt);
        self.nudge(format!("{CUT_OFF} Go on with one short call.\n{words}"));
        self.emit(Event::AttemptFailed { step: step.clone(), attempt, sticky: false });
        if last {
            let detail = format!(
                "step {number} failed {attempt} times; the last answer repeated itself and was cut \
                 off"
            );
            self.pause(PauseReason::Attempts, Some(detail), None);
        }
    }
}
