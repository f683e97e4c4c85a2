//! The tools whose arguments are plain fields: which there are, what kind each is, and the other
//! names that models give them.

use super::fields::{Fields, plain, text};
use super::unknown_fields::{self, quoted};
use super::{Misread, Understood, outcome, unwrapped};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};
use std::collections::HashMap;

/// The kind of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Whatever it is; whoever uses it reads it.
    Any,
    /// Text, exactly as it was written.
    Text,
    /// What is put into a file: any text, also none.
    Content,
    /// A command, or its words.
    Command,
    /// Something said; a number is written out.
    Words,
    Integer,
    Number,
    Flag,
    /// A list of texts.
    Texts,
    /// Hosts, as a list or a single one.
    Hosts,
    /// One of a few words.
    Choice(&'static [&'static str]),
}

/// One field of a tool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) required: bool,
    also: &'static [&'static str],
}

impl Field {
    /// Every name that it goes by.
    pub(super) fn names(&self) -> Vec<&'static str> {
        [self.name].iter().chain(self.also).copied().collect()
    }
}

/// A tool and its fields.
pub(super) struct Shape {
    pub(super) tool: &'static str,
    pub(super) fields: &'static [Field],
    extra: Extra,
}

/// What becomes of fields that a tool does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extra {
    /// They are left out, and whoever called is told: nothing is changed by the call.
    LeftOut,
    /// The call is not made, unless it means the same without them.
    Refused,
}

const fn must(name: &'static str, kind: Kind, also: &'static [&'static str]) -> Field {
    Field { name, kind, required: true, also }
}

const fn may(name: &'static str, kind: Kind, also: &'static [&'static str]) -> Field {
    Field { name, kind, required: false, also }
}

/// The names of a sidekick's task, other than its description.
const TASK: [&str; 4] = ["task", "prompt", "instructions", "instruction"];
const FILE: &[&str] = &["file_path", "filepath", "filename", "file", "file_name"];
const FOLDER: &[&str] =
    &["dir", "directory", "folder", "dir_path", "directory_path", "folder_path"];
const ANY: &[&str] =
    &["file_path", "filepath", "filename", "file", "file_name", "dir", "directory", "folder"];
const FROM: &[&str] = &["source", "src", "source_path", "from_path", "old_path"];
const TO: &[&str] = &["destination", "dest", "dst", "destination_path", "to_path", "new_path"];
const SAID: &[&str] = &["text", "prompt", "message", "query"];

/// Every such tool.
pub(super) const SHAPES: &[Shape] = &[
    Shape {
        tool: "read_file",
        fields: &[
            must("path", Kind::Text, FILE),
            may("start_line", Kind::Integer, &[]),
            may("line_count", Kind::Integer, &[]),
            may("start_byte", Kind::Integer, &[]),
        ],
        extra: Extra::LeftOut,
    },
    Shape { tool: "list_dir", fields: &[may("path", Kind::Text, ANY)], extra: Extra::LeftOut },
    Shape {
        tool: "glob",
        fields: &[
            must("pattern", Kind::Text, &["glob", "glob_pattern"]),
            may("path", Kind::Text, FOLDER),
        ],
        extra: Extra::LeftOut,
    },
    Shape {
        tool: "search",
        fields: &[
            must("pattern", Kind::Text, &["query", "regex"]),
            may("path", Kind::Text, ANY),
            may("glob", Kind::Text, &["include"]),
        ],
        extra: Extra::LeftOut,
    },
    Shape {
        tool: "write_file",
        fields: &[
            must("path", Kind::Text, FILE),
            must("content", Kind::Content, &["contents", "text", "data", "file_content"]),
        ],
        extra: Extra::Refused,
    },
    Shape {
        tool: "edit_file",
        fields: &[
            must("path", Kind::Text, FILE),
            must("old", Kind::Content, &["old_string", "old_str", "old_text", "search", "find"]),
            must(
                "new",
                Kind::Content,
                &["new_string", "new_str", "new_text", "replace", "replacement", "replace_with"],
            ),
            may("all", Kind::Flag, &["replace_all"]),
        ],
        extra: Extra::Refused,
    },
    Shape {
        tool: "create_directory",
        fields: &[must("path", Kind::Text, FOLDER)],
        extra: Extra::Refused,
    },
    Shape {
        tool: "move_file",
        fields: &[must("from", Kind::Text, FROM), must("to", Kind::Text, TO)],
        extra: Extra::Refused,
    },
    Shape { tool: "delete_file", fields: &[must("path", Kind::Text, ANY)], extra: Extra::Refused },
    Shape {
        tool: "shell",
        fields: &[
            must("command", Kind::Command, &["cmd", "script", "bash", "code"]),
            may("timeout_seconds", Kind::Number, &[]),
            may("network", Kind::Hosts, &[]),
            may("background", Kind::Flag, &["run_in_background", "is_background"]),
            may("folder", Kind::Text, &[]),
        ],
        extra: Extra::Refused,
    },
    Shape {
        tool: "job_output",
        fields: &[
            must("job", Kind::Integer, &["job_id", "id"]),
            may("wait_seconds", Kind::Number, &[]),
        ],
        extra: Extra::LeftOut,
    },
    Shape {
        tool: "job_stop",
        fields: &[must("job", Kind::Integer, &["job_id", "id"])],
        extra: Extra::Refused,
    },
    Shape {
        tool: "read_output",
        fields: &[
            must("id", Kind::Text, &["output_id"]),
            may("start_line", Kind::Integer, &[]),
            may("line_count", Kind::Integer, &[]),
            may("start_byte", Kind::Integer, &[]),
        ],
        extra: Extra::LeftOut,
    },
    Shape { tool: "fetch", fields: &[must("url", Kind::Text, &["uri"])], extra: Extra::Refused },
    Shape {
        tool: "ask_user",
        fields: &[
            must("question", Kind::Words, SAID),
            may("options", Kind::Texts, &["choices", "answers"]),
        ],
        extra: Extra::LeftOut,
    },
    Shape {
        tool: crate::sidekicks::SPAWN,
        fields: &[
            must("task", Kind::Words, &["prompt", "description", "instructions", "instruction"]),
            may("context_mode", Kind::Choice(&["task_only", "full"]), &[]),
            may("model", Kind::Text, &[]),
            may("timeout", Kind::Integer, &[]),
        ],
        extra: Extra::Refused,
    },
    Shape {
        tool: "sidekick_complete",
        fields: &[
            must("summary", Kind::Words, &["result", "results", "output", "message", "text"]),
            may("failed", Kind::Flag, &[]),
            may("stop_sidekicks", Kind::Flag, &[]),
        ],
        extra: Extra::Refused,
    },
    Shape {
        tool: plan::council::ANSWER,
        fields: &[
            must("content", Kind::Words, &["answer", "text", "proposal", "message", "result"]),
            may("steps", Kind::Any, &["plan", "tasks"]),
        ],
        extra: Extra::LeftOut,
    },
    Shape {
        tool: plan::council::VOTE,
        fields: &[
            must("agent_id", Kind::Words, &["agent", "id", "member", "for", "vote", "choice"]),
            may("reason", Kind::Words, &["why", "rationale", "explanation"]),
        ],
        extra: Extra::LeftOut,
    },
    Shape { tool: plan::council::SUBMIT, fields: &[], extra: Extra::Refused },
    Shape {
        tool: plan::council::RESTART,
        fields: &[
            must("reason", Kind::Words, &["why", "problem"]),
            may("instructions", Kind::Words, &["instruction", "next"]),
        ],
        extra: Extra::Refused,
    },
    Shape {
        tool: crate::council::START,
        fields: &[must("task", Kind::Words, &["prompt", "goal", "description", "message"])],
        extra: Extra::Refused,
    },
];

pub(super) fn shape(tool: &str) -> Option<&'static Shape> {
    SHAPES.iter().find(|shape| shape.tool == tool)
}

/// The arguments of such a tool under their own names. `sent` is the JSON they are from.
pub(crate) fn read(tool: &str, value: Value, sent: &str) -> Result<Understood, Misread> {
    let Some(shape) = shape(tool) else {
        let args = unwrapped::fields(tool, value)?;
        return Ok(Understood { args: Value::Object(args), warnings: Vec::new() });
    };
    let mut given = Fields::of(unwrapped::fields(tool, value)?);
    if tool == "sidekick_complete" {
        let problem = "whether it failed is said by `failed`, which is true or false";
        if let Some(failed) = outcome::failed(&mut given, &Misread::of("failed", problem))? {
            given.put("failed", failed.into());
        }
    }
    let mut args = Map::new();
    let mut warnings = Vec::new();
    if tool == crate::sidekicks::SPAWN && given.has(&TASK) {
        // A description beside the task is its title.
        given.take("description", &[])?;
    }
    for field in shape.fields {
        let Some(value) = given.take(field.name, field.also)? else { continue };
        if let Some(value) = read_field(field, value, sent, &mut warnings)? {
            args.insert(field.name.to_owned(), value);
        }
    }
    let rest = given.rest();
    let unknown = unknown_fields::telling(tool, &rest);
    let missing =
        shape.fields.iter().find(|field| field.required && !args.contains_key(field.name));
    match (missing, unknown.first()) {
        (Some(field), None) => return Err(Misread::missing(field.name)),
        // What it was sent instead of may be the reason that a field is missing.
        (Some(field), Some(_)) => {
            let problem =
                format!("`{}` is missing, and there is no {}", field.name, quoted(&unknown));
            return Err(Misread::of(field.name, problem));
        }
        (None, Some(first)) if shape.extra == Extra::Refused => {
            let problem = format!(
                "there is no {}, and without it the call may do more than you want, so nothing was \
                 done",
                quoted(&unknown)
            );
            return Err(Misread::of(first, problem));
        }
        (None, _) => {}
    }
    if !rest.is_empty() {
        let keys: Vec<String> = rest.into_iter().map(|(key, _)| key).collect();
        warnings.push(format!("{tool} has no {}, so it was left out", quoted(&keys)));
    }
    Ok(Understood { args: Value::Object(args), warnings })
}

/// The value of a field in its kind; `None` where an empty one says nothing.
fn read_field(
    field: &Field,
    value: Value,
    sent: &str,
    warnings: &mut Vec<String>,
) -> Result<Option<Value>, Misread> {
    let wrong =
        |needed: &str| Misread::of(field.name, format!("`{}` has to be {needed}", field.name));
    let empty = || Misread::of(field.name, format!("`{}` is empty", field.name));
    let read = match field.kind {
        Kind::Text | Kind::Words => {
            let words = field.kind == Kind::Words;
            let text = if words { text(&value) } else { value.as_str().map(str::to_owned) };
            let text = text.ok_or_else(|| wrong("text"))?;
            match (text.trim().is_empty(), field.required) {
                (true, true) => return Err(empty()),
                (true, false) => return Ok(None),
                (false, _) => text.into(),
            }
        }
        Kind::Content => match text(&value) {
            Some(text) => text.into(),
            None if field.name == "content" => {
                warnings
                    .push("`content` was JSON and no text; it is written as it was sent".into());
                as_sent(field, &value, sent).into()
            }
            None => return Err(wrong("text")),
        },
        Kind::Command => {
            let command = match &value {
                Value::String(command) => command.clone(),
                Value::Array(words) => joined(words).ok_or_else(|| wrong("text"))?,
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
                    return Err(wrong("text"));
                }
            };
            if command.trim().is_empty() {
                return Err(empty());
            }
            command.into()
        }
        Kind::Integer => integer(&value).ok_or_else(|| wrong("a whole number"))?.into(),
        Kind::Number => Value::Number(number(&value).ok_or_else(|| wrong("a number"))?),
        Kind::Flag => flag(&value).ok_or_else(|| wrong("true or false"))?.into(),
        Kind::Any => value,
        Kind::Texts => texts(value).ok_or_else(|| wrong("a list of texts"))?.into(),
        Kind::Hosts => {
            let hosts = match value {
                Value::String(host) if !host.contains([',', ' ']) => vec![host],
                Value::Array(hosts) => strings(&hosts).ok_or_else(|| wrong("a list of hosts"))?,
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Object(_) => return Err(wrong("a list of hosts")),
            };
            if hosts.is_empty() {
                return Ok(None);
            }
            hosts.into()
        }
        Kind::Choice(words) => {
            let said = value.as_str().map(plain).unwrap_or_default();
            let found = words.iter().find(|word| **word == said);
            let choice = || format!("one of {}", words.join(", "));
            (*found.ok_or_else(|| wrong(&choice()))?).into()
        }
    };
    Ok(Some(read))
}

/// JSON that should have been text, as it stands in what was sent.
fn as_sent(field: &Field, value: &Value, sent: &str) -> String {
    let fields: HashMap<String, &RawValue> = serde_json::from_str(sent).unwrap_or_default();
    let is = |key: &str| key == field.name || field.also.contains(&plain(key).as_str());
    let found = fields.iter().find(|(key, _)| is(key)).map(|(_, raw)| raw.get().to_owned());
    found.unwrap_or_else(|| value.to_string())
}

/// Words as one command: each stays one word, whatever is in it.
/// A command that came as a list of its words, on one line.
pub(super) fn joined(words: &[Value]) -> Option<String> {
    let quoted: Option<Vec<String>> =
        words.iter().map(|word| word.as_str().map(in_quotes)).collect();
    quoted.filter(|words| !words.is_empty()).map(|words| words.join(" "))
}

fn in_quotes(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@+%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// A whole number, also as `2.0` or as text.
pub(super) fn integer(value: &Value) -> Option<u64> {
    let whole = |number: f64| {
        // Exact up to here.
        let fits = number.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&number);
        fits.then_some(number as u64)
    };
    match value {
        Value::Number(number) => number.as_u64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => text.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn number(value: &Value) -> Option<Number> {
    match value {
        Value::Number(number) => Some(number.clone()),
        Value::String(text) => serde_json::from_str(text.trim()).ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

pub(super) fn flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" => Some(true),
            "false" | "no" | "" => Some(false),
            _ => None,
        },
        Value::Number(number) => match number.as_u64() {
            Some(0) => Some(false),
            Some(1) => Some(true),
            Some(_) | None => None,
        },
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn strings(items: &[Value]) -> Option<Vec<String>> {
    items.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

/// A list of things said; each may be an object with a label.
fn texts(value: Value) -> Option<Vec<String>> {
    let label = |item: &Value| match item.as_object() {
        Some(item) => {
            ["label", "text", "title", "value", "name"].iter().find_map(|key| text(item.get(*key)?))
        }
        None => text(item),
    };
    match value {
        Value::Array(items) => items.iter().map(label).collect(),
        Value::String(one) => Some(vec![one]),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
#[path = "shapes_tests.rs"]
pub(super) mod tests;
