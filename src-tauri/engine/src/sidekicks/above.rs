//! The rooms above a sidekick.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use crate::turn;
use plan::{Call, CallState, Command, PauseReason, Plan, RoomId, RoomKind};
use std::sync::{Arc, TryLockError};

impl Engine {
    /// How many rooms are above this one.
    pub(crate) fn depth(&self, live: &LiveRoom) -> Result<u32, EngineError> {
        let mut depth = 0;
        let mut parent = parent_of(live);
        while let Some(room) = parent {
            depth += 1;
            parent = parent_of(&*self.live(room)?);
        }
        Ok(depth)
    }
}

/// The room that asked for this one.
pub(crate) fn parent_of(live: &LiveRoom) -> Option<RoomId> {
    match live.lock().room.kind {
        RoomKind::Chat => None,
        RoomKind::Sidekick { parent, .. } | RoomKind::Member { parent, .. } => Some(parent),
    }
}

/// The room at the top, where a person works.
pub(crate) fn root_of(engine: &Engine, live: &LiveRoom) -> RoomId {
    let mut root = live.id;
    while let Some(parent) = engine.live(root).ok().and_then(|room| parent_of(&room)) {
        root = parent;
    }
    root
}

/// Whether a plan above is paused, or the council that the room's member sits in does not go on:
/// nothing starts below it.
pub(crate) fn is_held(engine: &Engine, live: &LiveRoom) -> bool {
    is_below(engine, live, |plan| plan.state.is_paused()) || crate::council::is_held(engine, live)
}

/// Whether what was called for here is not run any more, because a plan above is paused. A pause
/// that ends with an answer, or was none of anyone's, lets it wait.
fn is_void(engine: &Engine, live: &LiveRoom) -> bool {
    is_below(engine, live, |plan| match plan.state.pause_reason() {
        None | Some(PauseReason::Drift | PauseReason::Interrupted) => false,
        Some(
            PauseReason::Supervisor
            | PauseReason::AutoBudget
            | PauseReason::Attempts
            | PauseReason::Revise
            | PauseReason::Cap
            | PauseReason::Quota
            | PauseReason::Provider
            | PauseReason::Manual,
        ) => true,
    })
}

fn is_below(engine: &Engine, live: &LiveRoom, such: impl Fn(&Plan) -> bool) -> bool {
    let mut parent = parent_of(live);
    while let Some(above) = parent.and_then(|room| engine.live(room).ok()) {
        if above.lock().room.active_plan().is_some_and(&such) {
            return true;
        }
        parent = parent_of(&above);
    }
    false
}

/// Ends what a sidekick's model has called for and has not begun, where a plan above is paused.
pub(crate) fn hold_back(engine: &Engine, live: &Arc<LiveRoom>) {
    let waits = |call: &Call| matches!(call.state, CallState::Waiting | CallState::Allowed);
    if !live.lock().room.calls.iter().any(waits) || !is_void(engine, live) {
        return;
    }
    // Who ends a call right now comes here behind it.
    let _one = match live.ending.try_lock() {
        Err(TryLockError::WouldBlock) => return,
        free => free,
    };
    if let Err(error) = turn::submit(engine, live, Command::HoldBack, Vec::new()) {
        tracing::error!(room = %live.id, %error, "a sidekick could not be held back");
    }
}
