//! A ticket for something queued: await it, or block on it, or drop it.
//!
//! Made here rather than taken from an async runtime, so that the journal
//! needs none and `wait` is allowed on any thread.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use super::JournalError;

/// Resolves when what was queued is on disk, or says why it is not. Dropping
/// it cancels nothing.
#[derive(Debug)]
#[must_use = "what was queued is on disk only once its ticket says so"]
pub struct Ticket(Arc<Slot>);

/// The writer's end of a [`Ticket`].
#[derive(Debug)]
pub(super) struct Promise(Arc<Slot>);

#[derive(Debug, Default)]
struct Slot {
    state: Mutex<State>,
    settled: Condvar,
}

#[derive(Debug, Default)]
struct State {
    outcome: Option<Result<(), JournalError>>,
    waker: Option<Waker>,
}

/// A ticket and the promise that settles it.
pub(super) fn ticket() -> (Promise, Ticket) {
    let slot = Arc::new(Slot::default());
    (Promise(Arc::clone(&slot)), Ticket(slot))
}

impl Ticket {
    /// Blocks this thread until the outcome is known.
    pub fn wait(self) -> Result<(), JournalError> {
        let mut state = self.0.lock();
        loop {
            if let Some(outcome) = &state.outcome {
                return outcome.clone();
            }
            state = self.0.settled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Future for Ticket {
    type Output = Result<(), JournalError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.0.lock();
        if let Some(outcome) = &state.outcome {
            return Poll::Ready(outcome.clone());
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Promise {
    /// Tells whoever holds the ticket how it went.
    pub(super) fn settle(self, outcome: Result<(), JournalError>) {
        self.0.settle(outcome);
    }
}

impl Drop for Promise {
    /// A promise that nobody will keep must not leave its ticket waiting.
    fn drop(&mut self) {
        self.0.settle(Err(JournalError::Closed));
    }
}

impl Slot {
    /// The first outcome stands.
    fn settle(&self, outcome: Result<(), JournalError>) {
        let waker = {
            let mut state = self.lock();
            if state.outcome.is_some() {
                return;
            }
            state.outcome = Some(outcome);
            state.waker.take()
        };
        self.settled.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
