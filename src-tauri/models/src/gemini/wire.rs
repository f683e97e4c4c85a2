//! What arrives from Gemini.

use serde::Deserialize;
use serde_json::Value;

use crate::reading::or_default;

/// One piece of a streamed answer.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Chunk {
    #[serde(default, deserialize_with = "or_default")]
    pub candidates: Vec<Candidate>,
    #[serde(default)]
    pub usage_metadata: Option<Tokens>,
    #[serde(default)]
    pub prompt_feedback: Option<Feedback>,
    #[serde(default)]
    pub error: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Candidate {
    #[serde(default, deserialize_with = "or_default")]
    pub content: Content,
    #[serde(default)]
    pub finish_reason: Option<String>,
    /// What was wrong, where a call could not be read.
    #[serde(default)]
    pub finish_message: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Content {
    #[serde(default, deserialize_with = "or_default")]
    pub parts: Vec<Part>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Part {
    #[serde(default)]
    pub text: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub thought: bool,
    #[serde(default)]
    pub thought_signature: Option<String>,
    #[serde(default)]
    pub function_call: Option<Call>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Call {
    #[serde(default, deserialize_with = "or_default")]
    pub id: String,
    #[serde(default, deserialize_with = "or_default")]
    pub name: String,
    #[serde(default)]
    pub args: Option<Value>,
}

/// Why a question was not even looked at.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Feedback {
    #[serde(default)]
    pub block_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Tokens {
    #[serde(default, deserialize_with = "or_default")]
    pub prompt_token_count: u64,
    #[serde(default, deserialize_with = "or_default")]
    pub tool_use_prompt_token_count: u64,
    #[serde(default, deserialize_with = "or_default")]
    pub candidates_token_count: u64,
    #[serde(default, deserialize_with = "or_default")]
    pub thoughts_token_count: u64,
    #[serde(default, deserialize_with = "or_default")]
    pub cached_content_token_count: u64,
}
