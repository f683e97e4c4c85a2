//! The calls that are under way at a server, and what it says during them.

use rmcp::model::ProgressToken;
use serde_json::Value;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// News that may wait to be heard; progress beyond that is lost, which loses nothing.
const BEHIND: usize = 64;

/// When to stop a call.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The longest it may take, times in which a person is asked left out.
    pub timeout: Duration,
    /// Stops it.
    pub cancel: CancellationToken,
}

/// How far a call is, in the server's words.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// How much is done.
    pub done: f64,
    /// Of how much, if it is known.
    pub total: Option<f64>,
    /// What is being done.
    pub text: Option<String>,
}

/// Something a server wants to know from a person.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The question, in the server's words.
    pub message: String,
    /// What is to be filled in.
    pub fields: Vec<Field>,
}

/// One thing to fill in.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// `string`, `number`, `integer` or `boolean`.
    pub kind: String,
    /// Whether it may not be left out.
    pub required: bool,
    /// What it is, in the server's words.
    pub about: String,
    /// The values it takes; empty when any will do.
    pub options: Vec<String>,
}

/// What a person said to a question.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The fields, filled in.
    Given(Value),
    /// They would not say.
    Declined,
}

/// Hears what a server says during a call.
pub trait Listener: Send + Sync {
    /// It is this far.
    fn progress(&self, progress: Progress);
    /// It wants to know something; dropped when the call ends first.
    fn asked<'a>(
        &'a self,
        question: &'a Question,
    ) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>>;
}

/// What the protocol's task tells a call.
pub(super) enum News {
    Progress(Progress),
    Asked { question: Question, reply: oneshot::Sender<Answer> },
}

/// The calls under way, oldest first.
#[derive(Default)]
pub(super) struct Calls {
    open: Mutex<Opened>,
}

#[derive(Default)]
struct Opened {
    next: u64,
    calls: BTreeMap<u64, Open>,
}

struct Open {
    token: Option<ProgressToken>,
    news: mpsc::Sender<News>,
}

/// A call that is under way until this is dropped.
pub(super) struct Entry {
    calls: Arc<Calls>,
    number: u64,
}

impl Calls {
    pub(super) fn begin(self: &Arc<Self>) -> (Entry, mpsc::Receiver<News>) {
        let (news, heard) = mpsc::channel(BEHIND);
        let mut open = self.lock();
        let number = open.next;
        open.next += 1;
        open.calls.insert(number, Open { token: None, news });
        (Entry { calls: Arc::clone(self), number }, heard)
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.lock().calls.len()
    }

    /// Tells the call with this token. Calls that have ended and tokens that
    /// nobody gave out are no one's.
    pub(super) fn progress(&self, token: &ProgressToken, progress: Progress) {
        let open = self.lock();
        let call = open.calls.values().find(|call| call.token.as_ref() == Some(token));
        if let Some(call) = call {
            // Too much of it is dropped.
            let _ = call.news.try_send(News::Progress(progress));
        }
    }

    /// The call a question belongs to. The protocol does not say which; the
    /// oldest has waited longest.
    pub(super) fn oldest(&self) -> Option<mpsc::Sender<News>> {
        self.lock().calls.values().next().map(|call| call.news.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Opened> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    pub(super) fn is_known_as(&self, token: ProgressToken) {
        if let Some(call) = self.calls.lock().calls.get_mut(&self.number) {
            call.token = Some(token);
        }
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.calls.lock().calls.remove(&self.number);
    }
}
