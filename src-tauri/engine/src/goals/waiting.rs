//! Whether everything a plan has under way waits: for a person, a slot or a quota. That time does
//! not count against the plan.

use crate::engine::Engine;
use crate::live::LiveRoom;
use crate::sidekicks::parent_of;
use crate::turn;
use plan::{Command, Held, PauseReason, PlanState, RoomId};
use std::sync::Arc;

/// A sidekick began to work, or stopped: tells the plans above what that means for them.
pub(crate) fn note(engine: &Engine, sidekick: &LiveRoom) {
    let mut parent = parent_of(sidekick);
    while let Some(above) = parent.and_then(|room| engine.live(room).ok()) {
        tell(engine, &above);
        parent = parent_of(&above);
    }
}

fn tell(engine: &Engine, live: &Arc<LiveRoom>) {
    let known = match live.lock().room.running_plan() {
        Some(plan) => plan.held,
        None => return,
    };
    let held = held(engine, live);
    if held == known {
        return;
    }
    // A log that can't be written evicts the room.
    let _ = turn::submit(engine, live, Command::Hold { held }, Vec::new());
}

/// What all that a room's plan has under way waits for.
fn held(engine: &Engine, live: &LiveRoom) -> Option<Held> {
    let rooms: Vec<Option<RoomId>> = {
        let inner = live.lock();
        let plan = inner.room.running_plan().filter(|plan| plan.frame.delegated)?;
        plan.in_progress().map(|step| step.sidekick).collect()
    };
    let mut held = None;
    for room in rooms {
        let child = engine.live(room?).ok()?;
        held = held.max(Some(waits_for(engine, &child)?));
    }
    held
}

/// What a sidekick waits for, if it does.
fn waits_for(engine: &Engine, child: &LiveRoom) -> Option<Held> {
    if engine.shared.slots.is_waiting(child.id) {
        return Some(Held::Slot);
    }
    let state = {
        let inner = child.lock();
        let room = &inner.room;
        if room.is_at_work() {
            return None;
        }
        if room.sidekick.as_ref().is_some_and(|sidekick| sidekick.until.is_some()) {
            return Some(Held::Quota);
        }
        if !room.asks.is_empty() {
            return Some(Held::Answer);
        }
        room.active_plan()?.state.clone()
    };
    match state {
        PlanState::Paused { reason: PauseReason::Quota } => Some(Held::Quota),
        PlanState::Paused { .. } | PlanState::AwaitingApproval | PlanState::Draft { .. } => {
            Some(Held::Answer)
        }
        PlanState::Running { .. } => held(engine, child),
        PlanState::Done | PlanState::Failed | PlanState::Cancelled => None,
    }
}
