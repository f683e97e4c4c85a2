//! The door out: following a room's log.

use crate::chatter::Chatter;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::journal::StoredEvent;
use crate::live::{LiveRoom, decode};
use plan::Event;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

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

    /// Live news of the same room, from the beginning of the turn under way.
    pub fn chatter(&self) -> Listener {
        let (so_far, later) = self.live.chatter.listen();
        Listener { live: Arc::clone(&self.live), so_far: so_far.into(), later }
    }
}

/// Hears what is said in a room between its events.
pub struct Listener {
    live: Arc<LiveRoom>,
    so_far: VecDeque<Chatter>,
    later: broadcast::Receiver<Chatter>,
}

impl Listener {
    /// What can be told without waiting.
    pub fn so_far(&mut self) -> impl Iterator<Item = Chatter> {
        self.so_far.drain(..)
    }

    /// The next piece; none when the room is gone. Who was too slow is told the turn anew.
    pub async fn next(&mut self) -> Option<Chatter> {
        loop {
            if let Some(piece) = self.so_far.pop_front() {
                return Some(piece);
            }
            match self.later.recv().await {
                Ok(piece) => return Some(piece),
                Err(RecvError::Closed) => return None,
                Err(RecvError::Lagged(_)) => {
                    let (so_far, later) = self.live.chatter.listen();
                    (self.so_far, self.later) = (so_far.into(), later);
                }
            }
        }
    }
}
