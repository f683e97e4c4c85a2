//! What a conversation is made of, before a protocol turns it into bytes.

use serde::{Deserialize, Serialize};

use crate::{Image, Kept};

/// How messages are written on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// OpenAI's Chat Completions, which most local and hosted servers speak.
    OpenAiChat,
    /// OpenAI's Responses.
    OpenAiResponses,
    /// Anthropic's Messages.
    Anthropic,
    /// Google's Gemini.
    Gemini,
    /// One JSON line per message, read back by the built-in offline model.
    Rehearsal,
    /// One JSON line per message, told in words to an agent that keeps its own conversation.
    Acp,
}

impl Protocol {
    /// Whether a history holds what only one model can use, so that another needs its own.
    pub fn is_bound_to_model(self) -> bool {
        match self {
            Self::OpenAiResponses | Self::Anthropic | Self::Gemini => true,
            Self::OpenAiChat | Self::Rehearsal | Self::Acp => false,
        }
    }
}

/// One entry of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// Words of the person.
    User {
        /// What was said.
        text: String,
    },
    /// One turn of the model.
    Assistant {
        /// What was said, possibly nothing.
        text: String,
        /// The tools it asked for, in order.
        calls: Vec<CallRequest>,
        /// What the provider wants to see again; only for the model that gave it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kept: Option<Kept>,
    },
    /// What a tool call gave back.
    ToolResult {
        /// The id of the [`CallRequest`] this answers.
        call: String,
        /// The outcome in words.
        text: String,
        /// What it showed; the rehearsal has no eyes.
        #[serde(skip)]
        images: Vec<Image>,
        /// Whether the call did not do what it should.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        failed: bool,
    },
    /// Words of the harness in mid-conversation.
    Note {
        /// What the harness says.
        text: String,
    },
}

/// A tool call the model asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallRequest {
    /// Pairs the call with its [`Message::ToolResult`].
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text, as the model wrote them; or, where they can't be read, its
    /// words.
    pub arguments: String,
    /// What the model wrote, where that had to be put right to be JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<String>,
}

impl CallRequest {
    /// A call as it was made.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self { id: id.into(), name: name.into(), arguments: arguments.into(), sent: None }
    }
}
