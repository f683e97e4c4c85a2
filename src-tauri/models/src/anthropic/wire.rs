//! What arrives from Anthropic's Messages.

use serde::Deserialize;
use serde_json::Value;

use crate::reading::or_default;

/// One event of a streamed answer.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Event {
    MessageStart {
        message: Start,
    },
    ContentBlockStart {
        index: usize,
        content_block: Block,
    },
    ContentBlockDelta {
        index: usize,
        delta: Delta,
    },
    MessageDelta {
        #[serde(default, deserialize_with = "or_default")]
        delta: End,
        #[serde(default)]
        usage: Option<Tokens>,
    },
    MessageStop,
    Error {
        error: Value,
    },
    /// Pings, ends of blocks, and what is new.
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
pub(super) struct Start {
    #[serde(default)]
    pub usage: Option<Tokens>,
}

/// A block as it begins.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block {
    Text {
        #[serde(default)]
        text: String,
    },
    Thinking {
        #[serde(default)]
        thinking: String,
        #[serde(default)]
        signature: String,
    },
    RedactedThinking {
        data: String,
    },
    ToolUse {
        id: String,
        name: String,
        #[serde(default)]
        input: Value,
    },
    #[serde(other)]
    Other,
}

/// More of a block.
#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub(super) enum Delta {
    #[serde(rename = "text_delta")]
    Text { text: String },
    #[serde(rename = "thinking_delta")]
    Thinking { thinking: String },
    #[serde(rename = "signature_delta")]
    Signature { signature: String },
    #[serde(rename = "input_json_delta")]
    Input { partial_json: String },
    #[serde(other)]
    Other,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct End {
    #[serde(default)]
    pub stop_reason: Option<String>,
}

/// Tokens so far; what is not said has not changed.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Tokens {
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    pub cache_creation_input_tokens: Option<u64>,
    pub cache_read_input_tokens: Option<u64>,
}
