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
use tokio::sync::Mutex;

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
}

impl Acp {
    /// An agent that is not running yet.
    pub fn new(name: &str, launch: Arc<dyn Launch>) -> Self {
        Self { name: name.to_owned(), launch, session: Arc::default() }
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
        let turn = Turn::new(slot, self.name.clone(), Arc::clone(&self.launch), request);
        Ok(Box::pin(stream::unfold(turn, |mut turn| async move {
            let next = turn.next().await?;
            Some((next, turn))
        })))
    }
}
