//! Steps that sidekicks do: handed over, counted, and over with whoever did them.

use super::Deciding;
use crate::text::{INLINE_BYTES, indented, on_one_line};
use crate::{
    Ended, Event, GiveUp, PauseReason, Refusal, RoomId, RunMode, SidekickEnd, SkipCause, Step,
    StepId, StepState, Told, Usage, Used,
};

impl Deciding<'_> {
    /// Hands a step to a sidekick. Two that see it at the same moment do not both get it.
    pub(super) fn hand_step(
        &mut self,
        id: &StepId,
        room: RoomId,
        instead_of: Option<RoomId>,
    ) -> Result<(), Refusal> {
        let plan = self.room.running_plan().filter(|plan| plan.frame.delegated);
        let Some(step) = plan.and_then(|plan| plan.step(id)) else {
            return Err(Refusal::NoSuchStep { step: id.to_string() });
        };
        if !step.is_in_progress() {
            return Err(Refusal::NoSuchStep { step: id.to_string() });
        }
        if step.sidekick != instead_of {
            return Err(Refusal::StepNotRunning {
                step: id.clone(),
                status: step.state.word(),
                hint: "a sidekick does it already".to_owned(),
            });
        }
        if step.sidekick != Some(room) {
            self.emit(Event::StepHanded { step: id.clone(), room });
        }
        Ok(())
    }

    /// A step is over with its sidekick. Nothing follows where it is another's by now.
    pub(super) fn step_over(
        &mut self,
        id: StepId,
        room: RoomId,
        from: Option<String>,
        ended: &Ended,
        used: Used,
    ) -> Result<(), Refusal> {
        let Some(plan) = &self.room.plan else { return Ok(()) };
        let Some(step) = plan.step(&id).filter(|step| step.sidekick == Some(room)) else {
            return Ok(());
        };
        if step.state.is_terminal() {
            self.step_was_over(id, room, from, ended, used);
            return Ok(());
        }
        if !step.is_in_progress() {
            return Ok(());
        }
        if !plan.state.is_running() {
            return Err(Refusal::NotRunning { state: plan.state.clone() });
        }
        let unchecked = step.spec.verify.is_some() && !ended.checked;
        let Used { usage, changed, deeds } = used;
        let usage = self.room.uncounted(room, usage);
        let step = id.clone();
        self.emit(Event::StepUsed { step, usage, changed, deeds });
        let (result, told) = (ended.result.clone(), Told { room, seq: ended.seq });
        match ended.end {
            SidekickEnd::Completed if unchecked => {
                let error = "it ended without the check that belongs to it".to_owned();
                self.emit(Event::StepFailed { step: id.clone(), error });
            }
            SidekickEnd::Completed => {
                let (step, refined, summary) = (id.clone(), false, ended.summary.clone());
                self.emit(Event::StepDone { step, result, refined, summary });
            }
            SidekickEnd::Stopped | SidekickEnd::Failed => match ended.next {
                None => self.emit(Event::StepFailed { step: id.clone(), error: result }),
                Some(GiveUp::Skip) => {
                    let (step, cause) = (id.clone(), SkipCause::GivenUp);
                    self.emit(Event::StepSkipped { step, cause, reason: result });
                }
                Some(GiveUp::Abort) => {
                    let error = result.clone();
                    self.emit(Event::StepFailed { step: id.clone(), error });
                    self.tell_of_step(&id, from, told);
                    self.fail(result);
                    return Ok(());
                }
                Some(GiveUp::Revise) => {
                    self.wants_revision(&id, result, from, told);
                    return Ok(());
                }
            },
        }
        self.tell_of_step(&id, from, told);
        self.check_caps();
        self.after_step();
        Ok(())
    }

    /// A step can't be done as it is: the agent of the room may change the plan, and when it goes
    /// on the step is done anew.
    fn wants_revision(&mut self, id: &StepId, error: String, from: Option<String>, told: Told) {
        let number = self.room.plan.as_ref().map_or(0, |plan| plan.number(id));
        let who = from.map_or_else(String::new, |codename| format!(" from {codename}"));
        let text = format!(
            "Plan harness: step {number}{who} can't be done as it is: {error}. The plan is paused. \
             Change it with plan (action revise), or tell the person what is in the way."
        );
        self.pause(PauseReason::Revise, Some(error), None);
        let (text, from) = (on_one_line(&text), Some(told));
        self.emit(Event::Nudged { text, from, quiet: false });
    }

    /// A step ended before its sidekick did, as with a plan that is cancelled: what the sidekick
    /// changed until then counts all the same.
    fn step_was_over(
        &mut self,
        id: StepId,
        room: RoomId,
        from: Option<String>,
        ended: &Ended,
        used: Used,
    ) {
        let Some(plan) = &self.room.plan else { return };
        let (number, Some(step)) = (plan.number(&id), plan.step(&id)) else { return };
        let Used { usage, changed, deeds } = used;
        let usage = self.room.uncounted(room, usage);
        let known = changed.iter().all(|path| step.changed.contains(path))
            && deeds.iter().all(|deed| step.deeds.contains(deed));
        if !known || usage != Usage::default() {
            self.emit(Event::StepUsed { step: id, usage, changed, deeds });
        }
        let Some(codename) = from.filter(|_| !ended.told) else { return };
        let text = format!(
            "Plan harness: step {number} was over before {codename} was: {}",
            ended.words()
        );
        // A sidekick whose own plan has ended has to go on with its task.
        let quiet = self.room.open_sidekick().is_none() || self.room.active_plan().is_some();
        self.tell(Told { room, seq: ended.seq }, on_one_line(&text), quiet);
    }

    /// A sidekick works on its step: what it used counts against the caps of the plan at once.
    pub(super) fn step_spent(&mut self, id: StepId, room: RoomId, usage: Usage) {
        let Some(plan) = self.room.running_plan() else { return };
        let step = plan.step(&id).filter(|step| step.sidekick == Some(room));
        if !step.is_some_and(Step::is_in_progress) {
            return;
        }
        let usage = self.room.uncounted(room, usage);
        if usage != Usage::default() {
            let (changed, deeds) = (Vec::new(), Vec::new());
            self.emit(Event::StepUsed { step: id, usage, changed, deeds });
            self.check_caps();
        }
    }

    /// The room hears what came of a step. Its agent may put that better while others are at work,
    /// and has a turn for it; who works in the background itself, or has a goal's last word, has
    /// none before the end.
    fn tell_of_step(&mut self, id: &StepId, codename: Option<String>, told: Told) {
        let Some(plan) = &self.room.plan else { return };
        let (number, step) = (plan.number(id), plan.step(id));
        let (Some(codename), Some(step)) = (codename, step) else { return };
        let each_alone = plan.content.mode != RunMode::Sequential;
        let quiet = !each_alone || plan.goal.is_some() || self.room.sidekick.is_some();
        let what = match &step.state {
            // Who may put it better has to know all of it, or how to read on.
            StepState::Done { .. } if let (false, Some(summary)) = (quiet, &step.summary) => {
                format!(":\n   {}", indented(&summary.told(INLINE_BYTES)))
            }
            StepState::Done { result } => format!(": {result}"),
            StepState::Failed { error } => format!(" failed: {error}"),
            StepState::Skipped { reason, .. } => format!(" was left out: {reason}"),
            StepState::Pending | StepState::InProgress { .. } => return,
        };
        let (first, rest) = what.split_once('\n').unwrap_or((&what, ""));
        let first = on_one_line(&format!("Plan harness: step {number} from {codename}{first}"));
        let text = if rest.is_empty() { first } else { format!("{first}\n{rest}") };
        self.emit(Event::Nudged { text, from: Some(told), quiet });
    }
}
