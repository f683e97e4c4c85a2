//! Talks to language models: one file per wire protocol, one stream of [`ModelEvent`] out.

mod acp;
mod anthropic;
mod arguments;
mod body;
mod endpoint;
mod error;
mod event;
mod gemini;
mod http;
mod image;
mod kept;
mod message;
mod openai_chat;
mod openai_responses;
mod patience;
mod plain;
mod post;
mod profile;
mod reading;
mod refusal;
mod rehearsal;
mod repair;
mod request;
mod retry;
mod retry_header;
mod runaway;
mod said;
mod schema_text;
mod sse;
mod text_calls;
mod thinking;
mod tls;
pub mod tool_name;
mod transcript;
mod version;

use async_trait::async_trait;

pub use acp::{Acp, AgentTrouble, Launch, Launched, PERMISSION, Program};
pub use anthropic::Anthropic;
pub use arguments::delivered;
pub use endpoint::Endpoint;
pub use error::{ModelError, Reach, Unread};
pub use event::{ModelEvent, ModelStream, Stop, Usage};
pub use gemini::Gemini;
pub use http::{http_builder, http_client};
pub use image::Image;
pub use kept::Kept;
pub use message::{CallRequest, Message, Protocol};
pub use openai_chat::OpenAiChat;
pub use openai_responses::OpenAiResponses;
pub use patience::{Patience, SILENCE};
pub use profile::{CallForm, Profile};
pub use reading::LONGEST_ANSWER;
pub use rehearsal::{Pace, Rehearsal, Scenario, sample_files};
pub use repair::{Unreadable, Whole, repair};
pub use request::{ANSWER, Force, OneCall, Request, ToolSet, ToolSpec};
pub use retry::{MAX_ATTEMPTS, retry_after};
pub use runaway::without_repetition;
pub use text_calls::{Meaning, Shown, TextCall, TextCalls, text_calls};
pub use thinking::Thinking;
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
