//! Talks to language models: one file per wire protocol, one stream of [`ModelEvent`] out.

mod body;
mod error;
mod event;
mod http;
mod message;
mod openai_chat;
mod rehearsal;
mod request;
mod retry;
mod retry_header;
mod sse;
mod tls;
mod transcript;

use async_trait::async_trait;

pub use error::{ModelError, Reach};
pub use event::{ModelEvent, ModelStream, Stop, Usage};
pub use http::http_client;
pub use message::{CallRequest, Message, Protocol};
pub use openai_chat::{OpenAiChat, OpenAiChatConfig};
pub use rehearsal::{Pace, Rehearsal, Scenario, sample_files};
pub use request::{Request, ToolSet, ToolSpec};
pub use retry::{MAX_ATTEMPTS, retry_after};
pub use transcript::{Snapshot, Transcript};

/// Something that answers a conversation, piece by piece.
#[async_trait]
pub trait Model: Send + Sync {
    /// The protocol a [`Transcript`] and a [`ToolSet`] for this model are encoded in.
    fn protocol(&self) -> Protocol;

    /// Asks for the next turn. Dropping the stream cancels it and closes its connection.
    ///
    /// A good stream ends with exactly one [`ModelEvent::Done`]; after an error nothing follows.
    async fn stream(&self, request: Request) -> Result<ModelStream, ModelError>;
}
