//! What a model can do, so that it is asked in the way it does best.

use serde::{Deserialize, Serialize};

/// What a model can do at one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Profile {
    /// How its tool calls arrive.
    pub calls: CallForm,
    /// Whether it does better with few tools, each with few fields.
    pub simple: bool,
    /// Whether it makes several calls in one answer.
    pub parallel: bool,
    /// Whether its answer can be held to a JSON schema.
    pub schema: bool,
    /// Whether a tool can be forced on it.
    pub forced_tool: bool,
    /// Whether it thinks before it answers.
    pub thinks: bool,
    /// Tokens it can hold at once.
    pub window: Option<u64>,
}

/// How a model's tool calls arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallForm {
    /// In the protocol's own fields.
    Native,
    /// Also in its words, where the server passes them through.
    Text,
    /// Not at all.
    None,
}

impl Default for Profile {
    /// A model that nothing is known of is taken to be an able one.
    fn default() -> Self {
        Self {
            calls: CallForm::Native,
            simple: false,
            parallel: true,
            schema: false,
            forced_tool: false,
            thinks: false,
            window: None,
        }
    }
}
