//! Goals: they are set, split, run out of time, and end in words.

use super::running::lines;
use super::{Deciding, Sweep};
use crate::goal::{GOAL_CAP, MOST_REFUSED};
use crate::text::{is_blank, on_one_line, one_line};
use crate::{
    Event, Frame, Held, MessageId, OnPartial, PauseReason, Phase, Plan, PlanId, Refusal, SkipCause,
    Step, StepId, StepState, Text, draft, schedule,
};
use std::collections::BTreeSet;
use std::sync::Arc;

const SPLIT_IT: &str = "Plan harness: this goal has to become steps. Write the plan now: \
each step with an id and the ids it needs; a goal that needs no splitting is one step.";

/// The simplest form there is: the answer itself is read as the steps.
const LIST_IT: &str = "Plan harness: write the steps in the simplest form: call write_plan, or \
answer with a numbered list, one step on each line, and nothing else.";

const SAY_IT: &str = "Plan harness: nothing was said. Bring the results together in words now.";

impl Deciding<'_> {
    pub(super) fn set_goal(
        &mut self,
        plan: PlanId,
        message: MessageId,
        text: Text,
        goal: String,
        frame: Frame,
    ) -> Result<(), Refusal> {
        if self.room.active_plan().is_some() {
            return Err(Refusal::PlanActive);
        }
        let content = draft::goal(goal, &self.room.workspace)?;
        let turns = frame.caps.planning_turns;
        self.say(message, text)?;
        self.emit(Event::PlanWritten {
            plan,
            hash: content.hash(),
            content: Arc::new(content),
            frame: Arc::new(frame),
            by: self.actor.clone(),
            model: None,
        });
        self.emit(Event::Started);
        self.emit(Event::PlanningBegan { turns });
        Ok(())
    }

    pub(super) fn running_phase(&self) -> Option<Phase> {
        self.room.running_plan()?.phase()
    }

    /// The steps that were written can't be used: the model is told why once.
    pub(super) fn refuse_split(&mut self, why: &str) {
        if self.running_phase() != Some(Phase::Splitting) {
            return;
        }
        let reason = one_line(why);
        self.emit(Event::SplitRefused { reason: reason.clone() });
        match self.times_refused() {
            MOST_REFUSED => self.nudge(LIST_IT.to_owned()),
            times if times > MOST_REFUSED => self.fail(format!(
                "the goal could not be split into steps; the last try failed with: {reason}"
            )),
            _ => {}
        }
    }

    fn times_refused(&self) -> u32 {
        let goal = self.room.plan.as_ref().and_then(|plan| plan.goal.as_ref());
        goal.map_or(0, |goal| goal.refused)
    }

    /// A turn of a goal's own room ended in words.
    pub(super) fn goal_words(&mut self, phase: Phase, words: &Text) {
        match phase {
            Phase::Splitting => {
                let turns = self.room.plan.as_ref().map(|plan| plan.frame.caps.planning_turns);
                self.refuse_split("the model answered in words and wrote no steps");
                if let (Some(Phase::Splitting), Some(turns)) = (self.running_phase(), turns) {
                    if self.times_refused() < MOST_REFUSED {
                        self.nudge(SPLIT_IT.to_owned());
                    }
                    self.emit(Event::PlanningBegan { turns });
                }
            }
            // An answer to a person, who spoke while sidekicks work.
            Phase::Working => {}
            Phase::Joining if is_blank(words.head()) => {
                let Some(plan) = self.room.running_plan() else { return };
                if plan.idle_turns >= plan.frame.caps.idle_turns {
                    return self
                        .fail("nothing was said when its results were asked for".to_owned());
                }
                self.nudge(SAY_IT.to_owned());
            }
            Phase::Joining => {
                let failed_steps = self.failed_steps();
                self.emit(Event::PlanDone { failed_steps, result: Some(words.clone()) });
            }
        }
    }

    /// Whether the plan is one whose results are brought together.
    pub(super) fn is_joined(&self) -> bool {
        self.room.plan.as_ref().is_some_and(|plan| plan.goal.is_some())
    }

    /// Every step has ended: what there is is brought together, if there is anything.
    pub(super) fn join(&mut self) {
        let Some(plan) = self.room.running_plan() else { return };
        if plan.phase() == Some(Phase::Joining) {
            return;
        }
        if plan.steps.iter().any(is_done) {
            return self.emit(Event::SynthesisBegan);
        }
        self.fail("none of its steps could be done".to_owned());
    }

    /// The results could not be brought together: they are given as they are.
    pub(super) fn join_as_it_is(&mut self, why: &str) {
        let Some(lines) = self.room.plan.as_ref().map(lines) else { return };
        let result = Some(Text::from(format!("{why} What came of each step:\n{lines}").as_str()));
        self.sweep("the goal is done", Sweep::End);
        let failed_steps = self.failed_steps();
        self.emit(Event::PlanDone { failed_steps, result });
    }

    /// Ends a goal whose time is over; whether it was.
    pub(super) fn check_goal(&mut self) -> bool {
        let Some(plan) = self.room.running_plan() else { return false };
        let (Some(phase), Some(most)) = (plan.phase(), plan.most_ms()) else { return false };
        if plan.ran_ms(self.now) < most {
            let soon = plan.goal_left_ms(self.now) == Some(0);
            if soon && !plan.caps_warned.contains(GOAL_CAP) {
                self.emit(Event::CapWarned { cap: GOAL_CAP.to_owned() });
            }
            return false;
        }
        let (on_partial, time) = (plan.frame.on_partial, span(plan.frame.caps.timeout_ms));
        match phase {
            Phase::Splitting => {
                self.fail(format!("{time} were over before the goal was split into steps"));
            }
            Phase::Working => return self.run_out(on_partial, &format!("{time} were over")),
            Phase::Joining => self.fail(
                "its results were not brought together in time; they are kept in its steps"
                    .to_owned(),
            ),
        }
        true
    }

    /// Steps under way end with what there is, and no other begins; whether that could be said. One
    /// that is done ends when its changes are taken over, and the goal after it.
    fn run_out(&mut self, on_partial: OnPartial, why: &str) -> bool {
        let Some(plan) = self.room.running_plan() else { return false };
        let under_way: Vec<StepId> = plan.in_progress().map(|step| step.spec.id.clone()).collect();
        let pending = plan.steps.iter().filter(|step| step.state == StepState::Pending);
        let pending: Vec<StepId> = pending.map(|step| step.spec.id.clone()).collect();
        let below = match self.below.take() {
            Some(below) => below,
            None if under_way.is_empty() => Vec::new(),
            // How far they are is known when the time is told.
            None => return false,
        };
        let mut settles = false;
        for step in under_way {
            match below.iter().find(|known| known.step == step) {
                Some(known) if known.settles => settles = true,
                known => {
                    let error = with_words(why, known.and_then(|known| known.so_far.as_deref()));
                    self.emit(Event::StepFailed { step, error });
                }
            }
        }
        let done = |plan: &Plan| plan.steps.iter().all(is_done);
        if on_partial == OnPartial::Fail && !settles && !self.room.plan.as_ref().is_some_and(done) {
            self.fail(why.to_owned());
            return true;
        }
        for step in pending {
            let (cause, reason) = (SkipCause::PlanEnded, why.to_owned());
            self.emit(Event::StepSkipped { step, cause, reason });
        }
        if !settles {
            self.join();
        }
        true
    }

    /// Steps that wait for a person make way for others. Where everything under way waits, that time
    /// does not count. Where nothing else can start and a call beyond the plan is among it, the plan
    /// stands still until something can go on.
    pub(super) fn hold(&mut self, held: Option<Held>, drift: bool, waiting: BTreeSet<StepId>) {
        let stands_still = self.room.is_paused_for(PauseReason::Drift) && self.is_delegated();
        if stands_still && !drift && !self.drifts() {
            return self.go_on();
        }
        let Some(plan) = self.room.running_plan().filter(|plan| plan.frame.delegated) else {
            return;
        };
        let starts = schedule::can_start(plan, &waiting);
        if drift && !starts {
            let reason = PauseReason::Drift;
            return self.emit(Event::Paused { reason, detail: None, until: None, since: None });
        }
        let held = held.filter(|_| !starts);
        if plan.held != held || plan.waiting != waiting {
            self.emit(Event::PlanHeld { held, waiting });
        }
        if starts {
            self.advance();
        }
    }
}

impl Deciding<'_> {
    /// Whether sidekicks do the steps of the plan.
    pub(super) fn is_delegated(&self) -> bool {
        self.room.plan.as_ref().is_some_and(|plan| plan.frame.delegated)
    }
}

fn is_done(step: &Step) -> bool {
    matches!(step.state, StepState::Done { .. })
}

/// Why a step ended, with the best it has.
fn with_words(why: &str, said: Option<&str>) -> String {
    match said.filter(|said| !is_blank(said)) {
        Some(said) => one_line(&on_one_line(&format!("{why}; so far: {said}"))),
        None => why.to_owned(),
    }
}

fn span(ms: u64) -> String {
    if ms.is_multiple_of(1_000) { format!("{} s", ms / 1_000) } else { format!("{ms} ms") }
}
