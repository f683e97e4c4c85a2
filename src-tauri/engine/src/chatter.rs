//! What is said between events: token deltas and progress. It has no sequence,
//! and losing it loses nothing.

use serde::Serialize;
use std::sync::{Mutex, PoisonError};
use tokio::sync::broadcast;

/// One piece of live news.
#[derive(Debug, Clone, Serialize, ts_rs::TS, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Chatter {
    /// The model is being asked: what was streamed before is void.
    Thinking {
        /// The last event it is shown; its answer comes after that.
        after: u64,
    },
    /// Words of the answer.
    Text {
        /// The next piece.
        delta: String,
    },
    /// Words of the model's thoughts.
    Thought {
        /// The next piece.
        delta: String,
    },
    /// The model could not be reached and is asked again.
    Retry {
        /// Which failure this was, from 1.
        attempt: u32,
        /// Milliseconds until the next try.
        in_ms: u64,
        /// Why, in plain words.
        why: String,
    },
}

/// Sends chatter to whoever listens; without listeners it costs nothing.
#[derive(Default)]
pub(crate) struct Channel {
    sender: Mutex<Option<broadcast::Sender<Chatter>>>,
}

impl Channel {
    pub(crate) fn listen(&self) -> broadcast::Receiver<Chatter> {
        let mut sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        sender.get_or_insert_with(|| broadcast::Sender::new(256)).subscribe()
    }

    pub(crate) fn send(&self, chatter: impl FnOnce() -> Chatter) {
        let mut sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        match &*sender {
            Some(open) if open.receiver_count() > 0 => {
                let _ = open.send(chatter());
            }
            Some(_) => *sender = None,
            None => {}
        }
    }
}
