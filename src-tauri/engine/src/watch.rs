//! The door out: following a room's log.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::journal::StoredEvent;
use crate::live::{LiveRoom, decode};
use plan::Event;
use std::sync::Arc;

/// Follows a room's log. Nothing is left out and nothing comes twice.
pub struct Watch {
    pub(crate) engine: Engine,
    pub(crate) live: Arc<LiveRoom>,
    pub(crate) after: u64,
}

impl Watch {
    /// The next events, in order; waits until there are some.
    pub async fn next(&mut self) -> Result<Vec<(StoredEvent, Event)>, EngineError> {
        loop {
            let engine = self.engine.clone();
            let (room, after) = (self.live.id, self.after);
            let read = move || engine.shared.journal.read(room.0, after, 256);
            let page = tokio::task::spawn_blocking(read).await.unwrap_or(Ok(Vec::new()))?;
            if let Some(last) = page.last() {
                self.after = last.seq;
                return page
                    .into_iter()
                    .map(|stored| decode(&stored).map(|event| (stored, event)))
                    .collect();
            }
            if !self.live.stored_beyond(self.after).await {
                return Err(EngineError::Stopping);
            }
        }
    }

    /// Live news of the same room.
    pub fn chatter(&self) -> tokio::sync::broadcast::Receiver<crate::Chatter> {
        self.live.chatter.listen()
    }
}
