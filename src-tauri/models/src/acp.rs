//! Agents that are programs of their own, over the Agent Client Protocol.
//!
//! Such an agent keeps its own conversation and has tools of its own. We are its client: what it
//! asks of us becomes an ordinary call of the turn, and the result is its answer. So whoever
//! judges calls judges these, too.

mod asked;
mod choice;
mod entry;
mod going_on;
mod launch;
mod list;
mod peer;
mod session;
mod terminals;
mod tool_calls;
mod trouble;
mod turn;
mod update;
mod words;

use std::sync::Arc;

use async_trait::async_trait;
use futures::stream;
use tokio::sync::{Mutex, watch};

use crate::{Model, ModelError, ModelStream, Protocol, Request};
pub use asked::PERMISSION;
pub use launch::{Launch, Launched, Program};
use session::Session;
pub use trouble::AgentTrouble;
use turn::Turn;

/// An agent in one room. Its program is started when it is first asked.
pub struct Acp {
    name: String,
    launch: Arc<dyn Launch>,
    session: Arc<Mutex<Option<Session>>>,
    /// Set once it may not go on, whatever it is doing.
    recalled: watch::Sender<bool>,
}

impl Acp {
    /// An agent that is not running yet.
    pub fn new(name: &str, launch: Arc<dyn Launch>) -> Self {
        let recalled = watch::Sender::new(false);
        Self { name: name.to_owned(), launch, session: Arc::default(), recalled }
    }

    /// Ends its program at once, also in the middle of a turn, which then fails; it is never
    /// started again. Returns when no process of it is left.
    pub async fn recall(&self) {
        self.recalled.send_replace(true);
        self.end().await;
    }

    /// Ends its program; returns when no process of it is left.
    pub async fn end(&self) {
        let session = self.session.lock().await.take();
        if let Some(session) = session {
            session.end().await;
        }
    }
}

#[async_trait]
impl Model for Acp {
    fn protocol(&self) -> Protocol {
        Protocol::Acp
    }

    async fn stream(&self, request: Request) -> Result<ModelStream, ModelError> {
        let slot = Arc::clone(&self.session).lock_owned().await;
        let (name, launch) = (self.name.clone(), Arc::clone(&self.launch));
        let turn = Turn::new(slot, name, launch, request, self.recalled.subscribe());
        Ok(Box::pin(stream::unfold(turn, |mut turn| async move {
            let next = turn.next().await?;
            Some((next, turn))
        })))
    }
}
