//! What is said between events: token deltas and progress. It has no sequence,
//! and losing it loses nothing.

use serde::Serialize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::broadcast;

/// Pieces that a slow listener may lie behind before it is told from the beginning.
const BEHIND: usize = 256;

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
    /// A call under way is this far, in the words of its MCP server.
    Progress {
        /// The call.
        call: plan::CallId,
        /// How much is done.
        done: f64,
        /// Of how much, if it is known.
        total: Option<f64>,
        /// What is being done.
        text: Option<String>,
    },
    /// The model is no longer asked: what became of its words is in the log.
    Quiet {
        /// The last event of that; until it is there, the words stay.
        after: u64,
    },
}

/// Sends chatter to whoever listens, and tells who comes later what was said so far.
#[derive(Default)]
pub(crate) struct Channel(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    sender: Option<broadcast::Sender<Chatter>>,
    /// What was said since the model was asked, neighbouring words joined.
    so_far: Vec<Chatter>,
    retry_said: Option<Instant>,
    /// When the last words or news of a call came.
    heard: Option<Instant>,
}

impl Channel {
    /// What was said so far in this turn, and what will be.
    pub(crate) fn listen(&self) -> (Vec<Chatter>, broadcast::Receiver<Chatter>) {
        let mut inner = self.lock();
        let waited = inner.retry_said.map_or(Duration::ZERO, |said| said.elapsed());
        let so_far = inner.so_far.iter().map(|piece| piece.after_waiting(waited)).collect();
        let sender = inner.sender.get_or_insert_with(|| broadcast::Sender::new(BEHIND));
        (so_far, sender.subscribe())
    }

    /// What was said so far in this turn.
    pub(crate) fn so_far(&self) -> Vec<Chatter> {
        self.lock().so_far.clone()
    }

    /// How long ago the last words or news of a call came.
    pub(crate) fn heard_ago(&self) -> Option<Duration> {
        self.lock().heard.map(|heard| heard.elapsed())
    }

    pub(crate) fn send(&self, piece: Chatter) {
        let mut inner = self.lock();
        match piece {
            Chatter::Text { .. } | Chatter::Thought { .. } | Chatter::Progress { .. } => {
                inner.heard = Some(Instant::now());
            }
            Chatter::Thinking { .. } | Chatter::Retry { .. } | Chatter::Quiet { .. } => {}
        }
        inner.remember(&piece);
        match &inner.sender {
            Some(open) if open.receiver_count() > 0 => {
                let _ = open.send(piece);
            }
            Some(_) => inner.sender = None,
            None => {}
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn remember(&mut self, piece: &Chatter) {
        match (piece, self.so_far.last_mut()) {
            (Chatter::Quiet { .. }, _) => self.so_far.clear(),
            // The next one says more.
            (Chatter::Progress { .. }, _) => {}
            (Chatter::Thinking { .. }, _) => self.so_far = vec![piece.clone()],
            (Chatter::Text { delta }, Some(Chatter::Text { delta: said }))
            | (Chatter::Thought { delta }, Some(Chatter::Thought { delta: said })) => {
                said.push_str(delta);
            }
            (Chatter::Text { .. } | Chatter::Thought { .. }, _) => self.so_far.push(piece.clone()),
            (Chatter::Retry { .. }, _) => {
                self.so_far.push(piece.clone());
                self.retry_said = Some(Instant::now());
            }
        }
    }
}

impl Chatter {
    /// The same for someone who hears it later.
    fn after_waiting(&self, waited: Duration) -> Self {
        let mut piece = self.clone();
        if let Self::Retry { in_ms, .. } = &mut piece {
            *in_ms = in_ms.saturating_sub(u64::try_from(waited.as_millis()).unwrap_or(u64::MAX));
        }
        piece
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(piece: &Chatter) -> String {
        match piece {
            Chatter::Thinking { after } => format!("thinking {after}"),
            Chatter::Text { delta } => format!("text {delta}"),
            Chatter::Thought { delta } => format!("thought {delta}"),
            Chatter::Retry { attempt, .. } => format!("retry {attempt}"),
            Chatter::Progress { done, .. } => format!("progress {done}"),
            Chatter::Quiet { after } => format!("quiet {after}"),
        }
    }

    fn said(channel: &Channel) -> Vec<String> {
        channel.listen().0.iter().map(words).collect()
    }

    #[test]
    fn who_comes_later_hears_the_turn_from_its_beginning_and_nothing_twice() {
        let channel = Channel::default();
        assert!(said(&channel).is_empty());
        for piece in ["one ", "two "] {
            channel.send(Chatter::Text { delta: piece.to_owned() });
        }
        channel.send(Chatter::Thinking { after: 4 });
        channel.send(Chatter::Thought { delta: "hm".to_owned() });
        channel.send(Chatter::Text { delta: "three ".to_owned() });
        let (so_far, mut later) = channel.listen();
        channel.send(Chatter::Text { delta: "four".to_owned() });
        assert_eq!(
            so_far.iter().map(words).collect::<Vec<_>>(),
            ["thinking 4", "thought hm", "text three "]
        );
        assert_eq!(words(&later.try_recv().expect("it was sent")), "text four");
        assert!(later.try_recv().is_err());
        assert_eq!(said(&channel), ["thinking 4", "thought hm", "text three four"]);
        channel.send(Chatter::Quiet { after: 5 });
        assert!(said(&channel).is_empty());
    }

    #[test]
    fn a_wait_that_has_begun_is_told_with_what_is_left_of_it() {
        let retry = Chatter::Retry { attempt: 1, in_ms: 5_000, why: String::new() };
        let told = retry.after_waiting(Duration::from_millis(1_200));
        assert!(matches!(told, Chatter::Retry { in_ms: 3_800, .. }), "{told:?}");
    }
}
