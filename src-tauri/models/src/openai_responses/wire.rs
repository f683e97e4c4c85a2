//! What arrives from OpenAI's Responses.

use serde::Deserialize;
use serde_json::Value;

use crate::reading::or_default;

/// One event of a streamed answer.
#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub(super) enum Event {
    #[serde(rename = "response.output_text.delta", alias = "response.refusal.delta")]
    Words { delta: String },
    #[serde(
        rename = "response.reasoning_summary_text.delta",
        alias = "response.reasoning_text.delta"
    )]
    Thought { delta: String },
    #[serde(rename = "response.output_item.added")]
    Begun { item: Value },
    /// Of a call, which comes as a whole again when it ends, unless it is cut.
    #[serde(
        rename = "response.function_call_arguments.delta",
        alias = "response.custom_tool_call_input.delta",
        alias = "response.mcp_call_arguments.delta"
    )]
    Arguments { delta: String },
    /// A new paragraph of the summary.
    #[serde(rename = "response.reasoning_summary_part.added")]
    Paragraph {
        #[serde(default)]
        summary_index: u64,
    },
    #[serde(rename = "response.output_item.done")]
    Item { item: Value },
    #[serde(rename = "response.completed", alias = "response.incomplete", alias = "response.done")]
    End { response: Ended },
    #[serde(rename = "response.failed")]
    Failed { response: Ended },
    #[serde(rename = "error")]
    Error(Value),
    /// Beginnings and ends of parts, and what is new.
    #[serde(other)]
    Other,
}

/// The whole answer, of which most has been told.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Ended {
    #[serde(default)]
    pub error: Option<Value>,
    #[serde(default)]
    pub incomplete_details: Option<Incomplete>,
    #[serde(default)]
    pub usage: Option<Tokens>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Incomplete {
    #[serde(default)]
    pub reason: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Tokens {
    #[serde(default, deserialize_with = "or_default")]
    pub input_tokens: u64,
    #[serde(default, deserialize_with = "or_default")]
    pub output_tokens: u64,
    #[serde(default)]
    pub input_tokens_details: Option<Cached>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Cached {
    #[serde(default, deserialize_with = "or_default")]
    pub cached_tokens: u64,
    #[serde(default, deserialize_with = "or_default")]
    pub cache_write_tokens: u64,
}
