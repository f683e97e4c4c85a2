//! What a conversation is made of, before a protocol turns it into bytes.

use serde::{Deserialize, Serialize};

/// How messages are written on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// OpenAI's Chat Completions, which most local and hosted servers speak.
    OpenAiChat,
    /// One JSON line per message, read back by the built-in offline model.
    Rehearsal,
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
    },
    /// What a tool call gave back.
    ToolResult {
        /// The id of the [`CallRequest`] this answers.
        call: String,
        /// The outcome in words.
        text: String,
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
    /// The arguments as raw JSON text, kept exactly as the model wrote them.
    pub arguments: String,
}
