//! What the rehearsal says and does, read from a file.

use serde::Deserialize;
use serde_json::Value;

use crate::ModelError;

/// A part to play: replies given one after the other.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    pub(super) name: String,
    /// Words that call for this scenario; `?` means a message that ends in one.
    #[serde(default)]
    when: Vec<String>,
    pub(super) replies: Vec<Reply>,
}

/// One turn of the model.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reply {
    #[serde(default)]
    pub text: String,
    #[serde(default)]
    pub calls: Vec<Scripted>,
    /// How long the reply takes at a real pace.
    pub pace_ms: Option<u64>,
}

/// A tool call of a reply.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scripted {
    pub name: String,
    pub arguments: Value,
    /// Whether the scenario ends, with words, when this call is refused.
    #[serde(default)]
    pub needed: bool,
    /// Whether it may fail: the scenario goes on as if nothing had happened.
    #[serde(default)]
    pub may_fail: bool,
}

impl Scenario {
    /// Reads a scenario file.
    pub fn from_json(text: &str) -> Result<Self, ModelError> {
        serde_json::from_str(text).map_err(|error| ModelError::Malformed {
            message: format!("the scenario file has a mistake: {error}"),
        })
    }

    /// A scenario that no words call for.
    pub(super) fn without_words(name: &str, replies: Vec<Reply>) -> Self {
        Self { name: name.to_owned(), when: Vec::new(), replies }
    }

    /// The scenario's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn wants(&self, message: &str) -> bool {
        let message = message.trim().to_lowercase();
        self.when.iter().any(|word| match word.as_str() {
            "?" => message.ends_with('?'),
            word => message.split(|c: char| !c.is_alphanumeric()).any(|said| said == word),
        })
    }
}

/// The scenarios that come with the app; the last one is the default.
pub(super) fn built_in() -> Vec<Scenario> {
    [
        include_str!("../../scenarios/answer.json"),
        include_str!("../../scenarios/failing.json"),
        include_str!("../../scenarios/tour.json"),
    ]
    .into_iter()
    .map(|text| Scenario::from_json(text).expect("built-in scenarios are checked by a test"))
    .collect()
}

/// The scenario a message opens: the first that wants it, else the last.
pub(super) fn pick<'a>(scenarios: &'a [Scenario], message: &str) -> Option<&'a Scenario> {
    scenarios.iter().find(|scenario| scenario.wants(message)).or(scenarios.last())
}
