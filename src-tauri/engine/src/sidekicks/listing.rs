//! Which sidekicks a room has.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use plan::{Refusal, RoomId, SidekickView};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Engine {
    /// The sidekicks of a room, newest first.
    pub fn sidekicks(&self, parent: RoomId) -> Result<Vec<SidekickView>, EngineError> {
        self.live(parent)?;
        let stored = self.journal().sidekicks(Some(parent.0))?;
        let mut rooms: BTreeSet<RoomId> =
            stored.into_iter().map(|stored| RoomId(stored.row.id)).collect();
        // The newest may not be on disk yet.
        rooms.extend(self.live_below(parent).iter().map(|live| live.id));
        let mut found = Vec::with_capacity(rooms.len());
        for room in rooms.into_iter().rev() {
            match self.view(room) {
                Ok(view) => found.extend(view.sidekick),
                // It is being made, or was deleted a moment ago.
                Err(EngineError::NoRoom) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }

    /// A sidekick of a room by its codename or id.
    pub fn sidekick(&self, parent: RoomId, name: &str) -> Result<SidekickView, EngineError> {
        let named = |known: &SidekickView| known.codename == name || known.id.to_string() == name;
        let found = self.sidekicks(parent)?.into_iter().find(named);
        found.ok_or(EngineError::Refused(Refusal::NoSidekick))
    }

    /// The sidekicks of a room, those that are not in memory included.
    pub(crate) fn children(&self, parent: RoomId) -> Vec<Arc<LiveRoom>> {
        let mut found = self.live_below(parent);
        let stored = self.shared.journal.sidekicks(Some(parent.0)).unwrap_or_default();
        for stored in stored {
            let id = RoomId(stored.row.id);
            if !found.iter().any(|live| live.id == id) {
                found.extend(self.live(id).ok());
            }
        }
        found
    }
}
