//! What arrives from a Chat Completions server, as loosely as real servers write it.

use serde::Deserialize;
use serde_json::Value;

use super::content;
use crate::reading::or_default;

/// One piece of a streamed answer.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Chunk {
    #[serde(default, deserialize_with = "or_default")]
    pub choices: Vec<Choice>,
    #[serde(default)]
    pub usage: Option<ChunkUsage>,
    /// Servers that fail in mid-answer say so here.
    #[serde(default)]
    pub error: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Choice {
    #[serde(default, deserialize_with = "or_default")]
    pub delta: Delta,
    #[serde(default)]
    pub finish_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Delta {
    #[serde(default, deserialize_with = "content::read")]
    pub content: Vec<content::Part>,
    /// Words of a model that declines.
    #[serde(default)]
    pub refusal: Option<String>,
    /// Reasoning as DeepSeek, vLLM and llama.cpp name it.
    #[serde(default)]
    pub reasoning_content: Option<String>,
    /// Reasoning as OpenRouter and Ollama name it.
    #[serde(default)]
    pub reasoning: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub tool_calls: Vec<CallDelta>,
    /// One call, as older servers send it.
    #[serde(default)]
    pub function_call: Option<FunctionDelta>,
}

#[derive(Debug, Deserialize)]
pub(super) struct CallDelta {
    #[serde(default)]
    pub index: Option<usize>,
    #[serde(default)]
    pub id: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub function: FunctionDelta,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct FunctionDelta {
    #[serde(default)]
    pub name: Option<String>,
    /// Text, or with some servers the JSON itself.
    #[serde(default)]
    pub arguments: Option<Value>,
}

impl FunctionDelta {
    /// Whether it adds nothing to a call.
    pub(super) fn is_empty(&self) -> bool {
        let is_nothing = |value: &Value| value.is_null() || value.as_str() == Some("");
        self.name.as_ref().is_none_or(String::is_empty)
            && self.arguments.as_ref().is_none_or(is_nothing)
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct ChunkUsage {
    #[serde(default, deserialize_with = "or_default")]
    pub prompt_tokens: u64,
    #[serde(default, deserialize_with = "or_default")]
    pub completion_tokens: u64,
    #[serde(default, deserialize_with = "or_default")]
    pub total_tokens: u64,
    #[serde(default)]
    pub prompt_tokens_details: Option<PromptDetails>,
    #[serde(default)]
    pub completion_tokens_details: Option<CompletionDetails>,
}

#[derive(Debug, Deserialize)]
pub(super) struct CompletionDetails {
    #[serde(default, deserialize_with = "or_default")]
    pub reasoning_tokens: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct PromptDetails {
    #[serde(default, deserialize_with = "or_default")]
    pub cached_tokens: u64,
    /// Named by OpenRouter only.
    #[serde(default, deserialize_with = "or_default")]
    pub cache_write_tokens: u64,
}
