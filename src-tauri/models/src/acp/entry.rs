//! One entry of an agent's list: words, and in brackets at their end the tool and target, if
//! the agent names them.

use serde_json::{Value, json};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub(super) text: String,
    tool: Option<String>,
    target: Option<String>,
    pub(super) status: Status,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Open,
    Begun,
    Done,
}

/// What the brackets may name.
const TOOLS: [&str; 6] =
    ["write_file", "edit_file", "create_directory", "move_file", "delete_file", "shell"];

impl Entry {
    /// Reads an entry as it was sent.
    pub(super) fn read(sent: &Value) -> Option<Self> {
        let content = sent["content"].as_str()?.trim();
        let status = match sent["status"].as_str() {
            Some("completed") => Status::Done,
            Some("in_progress") => Status::Begun,
            Some(_) | None => Status::Open,
        };
        let (text, named) = named(content).unwrap_or((content, None));
        let (tool, target) = named.unzip();
        (!text.is_empty()).then(|| Self { text: text.to_owned(), tool, target, status })
    }

    /// An entry of which only the words are known.
    pub(super) fn of(text: &str) -> Self {
        Self { text: text.to_owned(), tool: None, target: None, status: Status::Open }
    }

    /// The entry as a step of a plan.
    pub(super) fn step(&self, number: usize) -> Value {
        let mut step = json!({ "id": id(number), "text": self.text });
        if let (Some(tool), Some(target)) = (&self.tool, &self.target) {
            step["tool"] = json!(tool);
            step["target"] = json!(target);
        }
        step
    }
}

/// The id of the step that an entry becomes, by its place from 1.
pub(super) fn id(number: usize) -> String {
    format!("s{number}")
}

/// The words before the brackets, and the tool and target in them.
fn named(content: &str) -> Option<(&str, Option<(String, String)>)> {
    let (text, inside) = content.strip_suffix(']')?.rsplit_once('[')?;
    let (tool, target) = inside.trim().split_once(' ')?;
    let (text, target) = (text.trim(), target.trim());
    let fits = TOOLS.contains(&tool) && !target.is_empty() && !text.is_empty();
    fits.then(|| (text, Some((tool.to_owned(), target.to_owned()))))
}
