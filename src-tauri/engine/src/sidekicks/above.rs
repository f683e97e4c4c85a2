//! The rooms above a sidekick.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use plan::{RoomId, RoomKind};

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
        RoomKind::Sidekick { parent, .. } => Some(parent),
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

/// Whether a plan above is paused: nothing starts below it.
pub(crate) fn is_held(engine: &Engine, live: &LiveRoom) -> bool {
    let mut parent = parent_of(live);
    while let Some(above) = parent.and_then(|room| engine.live(room).ok()) {
        if above.lock().room.active_plan().is_some_and(|plan| plan.state.is_paused()) {
            return true;
        }
        parent = parent_of(&above);
    }
    false
}
