//! What is said about what a model can do: by a person, by the table, or by its name.

use models::{CallForm, Profile};

use super::section::Section;

/// The words a file uses for the forms of tool calls.
const FORMS: [(&str, CallForm); 3] =
    [("native", CallForm::Native), ("text", CallForm::Text), ("none", CallForm::None)];

/// What is said about one model; `None` where nothing is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Abilities {
    /// How its tool calls arrive.
    pub tools: Option<CallForm>,
    /// Whether it does better with few tools, each with few fields.
    pub simple: Option<bool>,
    /// Whether it makes several calls in one answer.
    pub parallel: Option<bool>,
    /// Whether its answer can be held to a JSON schema.
    pub schema: Option<bool>,
    /// Whether a tool can be forced on it.
    pub forced_tool: Option<bool>,
    /// Whether it thinks before it answers.
    pub thinks: Option<bool>,
}

impl Abilities {
    pub(super) fn read(section: &Section<'_>) -> Self {
        Self {
            tools: section.choice("tools", &FORMS),
            simple: section.flag("simple"),
            parallel: section.flag("parallel"),
            schema: section.flag("schema"),
            forced_tool: section.flag("forced_tool"),
            thinks: section.flag("thinks"),
        }
    }

    /// What is said here, with the gaps filled from others.
    pub fn or(self, others: Self) -> Self {
        Self {
            tools: self.tools.or(others.tools),
            simple: self.simple.or(others.simple),
            parallel: self.parallel.or(others.parallel),
            schema: self.schema.or(others.schema),
            forced_tool: self.forced_tool.or(others.forced_tool),
            thinks: self.thinks.or(others.thinks),
        }
    }

    /// Whether anything is said.
    pub fn is_some(&self) -> bool {
        *self != Self::default()
    }

    /// A profile in which these count more than what it says.
    pub fn over(self, profile: Profile) -> Profile {
        Profile {
            calls: self.tools.unwrap_or(profile.calls),
            simple: self.simple.unwrap_or(profile.simple),
            parallel: self.parallel.unwrap_or(profile.parallel),
            schema: self.schema.unwrap_or(profile.schema),
            forced_tool: self.forced_tool.unwrap_or(profile.forced_tool),
            thinks: self.thinks.unwrap_or(profile.thinks),
            window: profile.window,
        }
    }
}

/// The word a file uses for a form of tool calls.
pub(crate) fn form_word(form: CallForm) -> &'static str {
    match form {
        CallForm::Native => "native",
        CallForm::Text => "text",
        CallForm::None => "none",
    }
}
