//! The step above that a sidekick serves: which it is, and what counts for it.

use super::parent_of;
use crate::engine::Engine;
use crate::live::LiveRoom;
use crate::turn;
use plan::{
    CallId, Command, Event, Outcome, PlanId, Room, RoomId, RoomKind, StepId, Tried, Verify,
};

/// A step of a plan above that a sidekick does.
pub(crate) struct Handed {
    pub(crate) step: StepId,
    /// The number of it in the plan.
    pub(crate) number: usize,
}

/// The step of a plan above that waits for a sidekick.
pub(crate) fn handed(engine: &Engine, child: &LiveRoom) -> Option<Handed> {
    let parent = engine.live(parent_of(child)?).ok()?;
    let step = step_of(&parent, child.id)?;
    let number = parent.lock().room.plan.as_ref()?.number(&step);
    Some(Handed { step, number })
}

/// Whether a sidekick does a step of a plan above, which waits for it.
pub(crate) fn does_step(engine: &Engine, child: &LiveRoom) -> bool {
    handed(engine, child).is_some()
}

/// The check of the step that a sidekick does.
pub(crate) fn check_of(engine: &Engine, child: &LiveRoom) -> Option<Verify> {
    let parent = engine.live(parent_of(child)?).ok()?;
    let step = step_of(&parent, child.id)?;
    let inner = parent.lock();
    inner.room.plan.as_ref()?.step(&step)?.spec.verify.clone()
}

/// Tells the room above what the check of the step found.
pub(crate) fn check_failed(engine: &Engine, child: &LiveRoom, detail: &str) {
    let Some(parent) = parent_of(child).and_then(|room| engine.live(room).ok()) else { return };
    let Some(step) = step_of(&parent, child.id) else { return };
    let found = Command::CheckFailed { step, detail: detail.to_owned() };
    // A plan that was paused or ended meanwhile need not know.
    let _ = turn::submit(engine, &parent, found, Vec::new());
}

/// Tells the room above what went wrong with the step.
pub(crate) fn erred(engine: &Engine, child: &LiveRoom, error: &str) {
    let Some(parent) = parent_of(child).and_then(|room| engine.live(room).ok()) else { return };
    let Some(step) = step_of(&parent, child.id) else { return };
    let error = engine.redact(error.to_owned());
    // A plan that was paused or ended meanwhile need not know.
    let _ = turn::submit(engine, &parent, Command::ReportError { step, error }, Vec::new());
}

/// An answer of a sidekick repeated itself without end: a failed attempt at the step that it does,
/// unless a plan of its own counts it.
pub(crate) fn repeated_itself(engine: &Engine, child: &LiveRoom) {
    let plans = {
        let room = &child.lock().room;
        room.active_plan().is_some() || room.planning.is_some()
    };
    let Some(parent) = parent_of(child).and_then(|room| engine.live(room).ok()) else { return };
    let Some(step) = step_of(&parent, child.id).filter(|_| !plans) else { return };
    erred(engine, child, "its answer repeated itself and was cut off");
    let tried = Tried {
        outcome: Outcome::Failed,
        fingerprint: "repetition".to_owned(),
        counted: false,
        last: false,
    };
    // A plan that was paused or ended meanwhile need not know.
    let counts = Command::StepTried { step, room: child.id, tried };
    let _ = turn::submit(engine, &parent, counts, Vec::new());
}

/// Counts how a call of a sidekick ended for the step that it does; what the model is told of it.
pub(crate) fn tried(
    engine: &Engine,
    child: &LiveRoom,
    call: CallId,
    outcome: Outcome,
) -> Option<String> {
    let parent = engine.live(parent_of(child)?).ok()?;
    let step = step_of(&parent, child.id)?;
    let tried = child.lock().room.tried(call, outcome)?;
    let command = Command::StepTried { step: step.clone(), room: child.id, tried };
    let counted = match turn::submit(engine, &parent, command, Vec::new()) {
        Ok(done) => done.events,
        Err(error) => {
            tracing::error!(room = %parent.id, %error, "an attempt could not be counted");
            return None;
        }
    };
    let failed = outcome == Outcome::Failed
        || counted.iter().any(|event| matches!(event, Event::AttemptFailed { .. }));
    let inner = parent.lock();
    let plan = inner.room.active_plan().filter(|_| failed)?;
    let attempts = plan.step(&step)?.attempts;
    (attempts > 0).then(|| plan.attempt_words(&step, attempts))
}

/// The step above that a call serves, with the room of its plan.
pub(crate) fn served_step(engine: &Engine, child: &LiveRoom) -> Option<(Room, Option<StepId>)> {
    let (parent, step) = match &child.lock().room.kind {
        RoomKind::Sidekick { parent, step, whole, .. } if step.is_some() || *whole => {
            (*parent, step.clone())
        }
        RoomKind::Sidekick { .. } | RoomKind::Chat | RoomKind::Member { .. } => return None,
    };
    let parent = engine.live(parent).ok()?;
    let room = parent.lock().room.clone();
    Some((room, step))
}

/// The plan and the step that a sidekick's work belongs to, its own or that of the room above.
pub(super) fn part_of(engine: &Engine, child: &LiveRoom) -> Option<(PlanId, StepId)> {
    let parent = engine.live(parent_of(child)?).ok()?;
    let own = {
        let named = match &child.lock().room.kind {
            RoomKind::Sidekick { step, .. } => step.clone(),
            RoomKind::Chat | RoomKind::Member { .. } => None,
        };
        let inner = parent.lock();
        let plan = inner.room.plan.as_ref();
        plan.and_then(|plan| {
            let done = plan.steps.iter().rfind(|step| step.sidekick == Some(child.id));
            let step = done.or_else(|| plan.step(named.as_ref()?))?;
            Some((plan.id, step.spec.id.clone()))
        })
    };
    own.or_else(|| part_of(engine, &parent))
}

/// The step under way that was handed to this sidekick.
pub(super) fn step_of(parent: &LiveRoom, child: RoomId) -> Option<StepId> {
    let inner = parent.lock();
    let plan = inner.room.active_plan().filter(|plan| plan.frame.delegated)?;
    let mut steps = plan.in_progress();
    steps.find(|step| step.sidekick == Some(child)).map(|step| step.spec.id.clone())
}

/// The last step that was handed to this sidekick, once it has ended.
pub(super) fn ended_step_of(parent: &LiveRoom, child: RoomId) -> Option<StepId> {
    let inner = parent.lock();
    let plan = inner.room.plan.as_ref().filter(|plan| plan.frame.delegated)?;
    let step = plan.steps.iter().rfind(|step| step.sidekick == Some(child))?;
    step.state.is_terminal().then(|| step.spec.id.clone())
}
