//! Plans whose steps sidekicks do: one for each step, or one for all of them.

use super::merging::is_quiet;
use super::serving::{ended_step_of, step_of};
use super::{ContextMode, Finished, NewSidekick, parent_of};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use crate::outputs::OutputForm;
use crate::turn;
use plan::{
    Actor, Command, Ended, Plan, PlanState, Refusal, Room, RoomId, RoomKind, RunMode, SidekickEnd,
    SkipCause, Step, StepId, StepState, Used, Venue, schedule,
};
use std::fmt::Write;
use std::sync::Arc;

impl Engine {
    /// Hands the steps under way to sidekicks, where that is how the plan runs. When it was
    /// resumed, those who were interrupted go on.
    pub(super) fn hand_steps(&self, live: &Arc<LiveRoom>, resumed: Option<&Actor>) {
        let steps: Vec<(StepId, Option<RoomId>)> = {
            let inner = live.lock();
            let Some(plan) = delegated(&inner.room) else { return };
            plan.in_progress().map(|step| (step.spec.id.clone(), step.sidekick)).collect()
        };
        for (step, sidekick) in steps {
            match (sidekick, resumed) {
                (None, _) => self.hand_step(live, &step, None),
                (Some(room), Some(by)) => match self.live(room) {
                    Ok(child) => self.take_up(live, &step, &child, by),
                    // The app stopped before there was a room.
                    Err(EngineError::NoRoom) => self.hand_step(live, &step, Some(room)),
                    Err(error) => {
                        tracing::error!(%room, %error, "a sidekick could not go on");
                    }
                },
                // It is at work, or its room is being made.
                (Some(_), None) => {}
            }
        }
    }

    /// A step that was handed over before a pause.
    fn take_up(&self, live: &Arc<LiveRoom>, step: &StepId, child: &Arc<LiveRoom>, by: &Actor) {
        let ended = {
            let inner = child.lock();
            let open = inner.room.open_sidekick().is_some();
            let ended = inner.room.sidekick.as_ref().and_then(|sidekick| sidekick.ended.as_ref());
            ended.filter(|_| !open).map(|ended| ended.told)
        };
        let done = match ended {
            // Its end was not for this step any more: it is done anew.
            Some(true) => return self.hand_step(live, step, Some(child.id)),
            Some(false) => self.report(child),
            None => {
                let go_on = Command::GoOn { by: by.clone() };
                turn::submit(self, child, go_on, Vec::new()).map(drop)
            }
        };
        if let Err(error) = done {
            tracing::error!(room = %child.id, %error, "a sidekick could not go on");
        }
        self.drive(child);
        self.go_on_below(child, by);
    }

    /// Those that the agent of a plan asked for go on with it when a person resumes it.
    pub(super) fn go_on_beside(&self, live: &Arc<LiveRoom>, by: &Actor) {
        let part = {
            let inner = live.lock();
            inner.room.running_plan().map(|plan| plan.sidekicks.clone()).unwrap_or_default()
        };
        if by.is_person() && !part.is_empty() {
            self.let_go_on(live, by, |child| part.contains(&child));
        }
    }

    /// Those that a sidekick asked for, beside the steps of a plan of its own, go on with it.
    fn go_on_below(&self, live: &Arc<LiveRoom>, by: &Actor) {
        self.let_go_on(live, by, |_| true);
    }

    fn let_go_on(&self, live: &Arc<LiveRoom>, by: &Actor, these: impl Fn(RoomId) -> bool) {
        for child in self.children(live.id) {
            let open = child.lock().room.open_sidekick().is_some();
            if !open || !these(child.id) || step_of(live, child.id).is_some() {
                continue;
            }
            let go_on = Command::GoOn { by: by.clone() };
            if let Err(error) = turn::submit(self, &child, go_on, Vec::new()) {
                tracing::error!(room = %child.id, %error, "a sidekick could not go on");
            }
            self.drive(&child);
            self.go_on_below(&child, by);
        }
    }

    fn hand_step(&self, live: &Arc<LiveRoom>, step: &StepId, instead_of: Option<RoomId>) {
        let known = self.one_for_all(live);
        let id = known.as_ref().map_or_else(|| RoomId(crate::fresh_id()), |known| known.id);
        let hand = Command::HandStep { step: step.clone(), room: id, instead_of };
        if let Err(error) = turn::submit(self, live, hand, Vec::new()) {
            // It ended, or the plan did, a moment ago; or another was faster.
            tracing::debug!(room = %live.id, %error, "a step was not handed over");
            return;
        }
        let Some(new) = self.wish(live, step, id) else { return };
        let by = Actor::harness();
        let begun = match known {
            Some(known) => self.brief(&known, &by, new, None).map(|_| known),
            None => self.begin_sidekick(live, &by, new, None).map(|(child, _)| child),
        };
        match begun {
            Ok(child) => self.end_if_stray(live, &child),
            Err(error) => self.not_begun(live, step, id, &error),
        }
    }

    /// There is no sidekick that could do a step.
    fn not_begun(&self, live: &Arc<LiveRoom>, step: &StepId, room: RoomId, error: &EngineError) {
        let ended = Ended {
            end: SidekickEnd::Failed,
            result: error.to_string(),
            summary: None,
            remarks: String::new(),
            seq: 0,
            told: true,
            checked: false,
            given_up: false,
            next: None,
        };
        let (step, used) = (step.clone(), Used::default());
        let over = Command::StepOver { step, room, from: None, ended, used };
        let _ = turn::submit(self, live, over, Vec::new());
    }

    /// The sidekick that does all of a plan, once there is one that can go on.
    fn one_for_all(&self, live: &LiveRoom) -> Option<Arc<LiveRoom>> {
        let room = {
            let inner = live.lock();
            let plan = delegated(&inner.room).filter(|plan| is_whole(plan))?;
            plan.steps.iter().rev().find_map(|step| step.sidekick)?
        };
        self.live(room).ok()
    }

    /// What the sidekick of a step is told.
    fn wish(&self, live: &LiveRoom, id: &StepId, room: RoomId) -> Option<NewSidekick> {
        let inner = live.lock();
        let plan = delegated(&inner.room)?;
        let step = plan.step(id)?;
        let before: Vec<Step> = before(plan, id).cloned().collect();
        let whole = is_whole(plan);
        let agent = step.spec.agent.clone().unwrap_or_else(|| inner.room.agent.clone());
        let mut new = NewSidekick {
            task: words(plan, step),
            context_mode: ContextMode::TaskOnly,
            model: step.spec.model.clone().or_else(|| turn::approved(&inner.room)),
            step: (!whole).then(|| id.clone()),
            number: number(plan, id),
            whole,
            agent: step.spec.agent.clone(),
            id: Some(room),
            timeout: None,
        };
        drop(inner);
        // One that does all of it knows what it did before.
        if !before.is_empty() && !whole {
            let form = OutputForm::to(self, &agent, new.model.as_deref());
            new.task.push_str("\n\nWhat came of the steps before it:");
            for step in before {
                let what = form.of(self, &step).unwrap_or_else(|| outcome(&step));
                let _ = write!(new.task, "\n- {}: {what}", step.spec.text);
            }
        }
        Some(new)
    }

    /// Tells the plan what came of a step; whether the sidekick was one of a step.
    pub(super) fn step_over(&self, child: &LiveRoom) -> Result<bool, EngineError> {
        let Some(parent) = parent_of(child).and_then(|parent| self.live(parent).ok()) else {
            return Ok(false);
        };
        let step = step_of(&parent, child.id).or_else(|| ended_step_of(&parent, child.id));
        let Some(step) = step else { return Ok(false) };
        let over = {
            let inner = child.lock();
            let Some(sidekick) = &inner.room.sidekick else { return Ok(false) };
            let Some(ended) = sidekick.ended.clone() else { return Ok(false) };
            let used = Used {
                usage: inner.room.used_in_all(),
                changed: sidekick.changed.iter().cloned().collect(),
                deeds: sidekick.deeds.clone(),
            };
            let from = match &inner.room.kind {
                RoomKind::Sidekick { codename, .. } => Some(codename.clone()),
                RoomKind::Chat | RoomKind::Member { .. } => None,
            };
            Command::StepOver { step, room: child.id, from, ended, used }
        };
        match turn::submit(self, &parent, over, Vec::new()) {
            Ok(_) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// What a sidekick changed that was stopped with its step is known when nothing runs there any
    /// more.
    pub(super) fn note_cut_off(&self, child: &Arc<LiveRoom>) {
        if !child.lock().room.serves_step() {
            return;
        }
        let (engine, child) = (self.clone(), Arc::clone(child));
        let work = async move {
            let over = |parent: RoomId| {
                let parent = engine.live(parent).ok();
                parent.is_some_and(|parent| ended_step_of(&parent, child.id).is_some())
            };
            if is_quiet(&engine, &child).await
                && parent_of(&child).is_some_and(over)
                && let Err(error) = engine.step_over(&child)
            {
                tracing::error!(room = %child.id, %error, "a step's changes could not be told");
            }
        };
        self.shared.tasks.spawn_on(work, &self.shared.runtime);
    }

    /// Ends sidekicks whose step is no longer under way, or another's.
    pub(super) fn end_strays(&self, live: &Arc<LiveRoom>) {
        // Also when it has just ended with its last step.
        let plan = live.lock().room.plan.as_ref().is_some_and(|plan| plan.frame.delegated);
        if !plan {
            return;
        }
        for child in self.live_below(live.id) {
            self.end_if_stray(live, &child);
        }
    }

    fn end_if_stray(&self, live: &Arc<LiveRoom>, child: &Arc<LiveRoom>) {
        let serves = {
            let inner = child.lock();
            // Who goes on with one that has ended talks with it.
            let fresh = inner.room.sidekick.as_ref().is_some_and(|own| own.ended.is_none());
            inner.room.serves_step() && (fresh || inner.room.has_copy_to_settle())
        };
        if serves && step_of(live, child.id).is_none() {
            self.end_for_room(child, finished(live, child.id));
        }
    }
}

/// What becomes of changes for a step that ended before they were merged: who skips it or does it
/// anew does without them.
fn finished(parent: &LiveRoom, child: RoomId) -> Finished {
    let inner = parent.lock();
    let Some(plan) = &inner.room.plan else { return Finished::Dropped };
    let step = plan.steps.iter().find(|step| step.sidekick == Some(child));
    let kept = step.is_some_and(|step| match &step.state {
        StepState::Done { .. } | StepState::Failed { .. } => true,
        StepState::Skipped { cause, .. } => {
            *cause == SkipCause::PlanEnded && plan.state == PlanState::Failed
        }
        StepState::Pending | StepState::InProgress { .. } => false,
    });
    if kept { Finished::Kept } else { Finished::Dropped }
}

/// A step's number, as it is told.
pub(super) fn number(plan: &Plan, id: &StepId) -> Option<u32> {
    u32::try_from(plan.number(id)).ok()
}

/// The plan, while sidekicks do its steps.
fn delegated(room: &Room) -> Option<&Plan> {
    room.running_plan().filter(|plan| plan.frame.delegated)
}

/// Whether one sidekick does all of it.
fn is_whole(plan: &Plan) -> bool {
    plan.content.venue == Venue::Sidekick && plan.content.mode == RunMode::Sequential
}

/// The steps that come right before one.
fn before<'a>(plan: &'a Plan, id: &StepId) -> impl Iterator<Item = &'a Step> + use<'a> {
    let index = plan.number(id).saturating_sub(1);
    schedule::needs(plan, index).into_iter().filter_map(|need| plan.steps.get(need))
}

fn outcome(step: &Step) -> String {
    match &step.state {
        StepState::Done { result } => result.clone(),
        StepState::Failed { error } => format!("failed: {error}"),
        StepState::Skipped { reason, .. } => format!("left out: {reason}"),
        StepState::Pending | StepState::InProgress { .. } => "not done yet".to_owned(),
    }
}

/// A step as its sidekick is told it.
fn words(plan: &Plan, step: &Step) -> String {
    let spec = &step.spec;
    let mut text = spec.text.clone();
    let number = plan.number(&spec.id);
    let goal = &plan.content.goal;
    let _ = write!(text, "\n\nThis is step {number} of {} of a plan: {goal}", plan.steps.len());
    let uses: Vec<&str> =
        [spec.tool.as_deref(), spec.target.as_deref()].into_iter().flatten().collect();
    if !uses.is_empty() {
        let _ = write!(text, "\nIt uses {}.", uses.join(" "));
    }
    if let Some(outcome) = &spec.expected_outcome {
        let _ = write!(text, "\nExpected: {outcome}");
    }
    if let Some(verify) = &spec.verify {
        let _ = write!(text, "\nIt is done when {verify}.");
    }
    text
}

/// Whether a step may not be told to the plan now, but later.
pub(super) fn is_too_early(error: &EngineError) -> bool {
    matches!(error, EngineError::Refused(Refusal::NotRunning { .. }))
}
