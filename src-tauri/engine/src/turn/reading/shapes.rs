//! The tools whose arguments are plain fields: which there are, what kind each is, and the other
//! names that models give them.

use super::fields::{Fields, plain, text};
use super::{Misread, Understood, unwrapped};
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
    /// Fields that there are not and that would mean something else if they were left out.
    refused: &'static [&'static str],
}

const fn must(name: &'static str, kind: Kind, also: &'static [&'static str]) -> Field {
    Field { name, kind, required: true, also }
}

const fn may(name: &'static str, kind: Kind, also: &'static [&'static str]) -> Field {
    Field { name, kind, required: false, also }
}

const FILE: &[&str] = &["file_path", "filepath", "filename", "file", "file_name"];
const FOLDER: &[&str] =
    &["dir", "directory", "folder", "dir_path", "directory_path", "folder_path"];
const ANY: &[&str] =
    &["file_path", "filepath", "filename", "file", "file_name", "dir", "directory", "folder"];
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
        refused: &[],
    },
    Shape { tool: "list_dir", fields: &[may("path", Kind::Text, ANY)], refused: &[] },
    Shape {
        tool: "glob",
        fields: &[
            must("pattern", Kind::Text, &["glob", "glob_pattern"]),
            may("path", Kind::Text, FOLDER),
        ],
        refused: &[],
    },
    Shape {
        tool: "search",
        fields: &[
            must("pattern", Kind::Text, &["query", "regex"]),
            may("path", Kind::Text, ANY),
            may("glob", Kind::Text, &["include"]),
        ],
        refused: &[],
    },
    Shape {
        tool: "write_file",
        fields: &[
            must("path", Kind::Text, FILE),
            must("content", Kind::Content, &["contents", "text", "data", "file_content"]),
        ],
        refused: &[
            "append",
            "mode",
            "overwrite",
            "insert",
            "line",
            "start_line",
            "end_line",
            "insert_line",
            "position",
            "offset",
            "old",
            "new",
        ],
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
        refused: &["line", "start_line", "end_line", "insert_line", "regex", "is_regex", "edits"],
    },
    Shape {
        tool: "create_directory",
        fields: &[must("path", Kind::Text, FOLDER)],
        refused: &["file", "content"],
    },
    Shape {
        tool: "move_file",
        fields: &[must("from", Kind::Text, &[]), must("to", Kind::Text, &[])],
        refused: &["overwrite", "copy"],
    },
    Shape {
        tool: "delete_file",
        fields: &[must("path", Kind::Text, ANY)],
        refused: &["recursive", "pattern", "paths", "except"],
    },
    Shape {
        tool: "shell",
        fields: &[
            must("command", Kind::Command, &["cmd", "script", "bash", "code"]),
            may("timeout_seconds", Kind::Number, &[]),
            may("network", Kind::Hosts, &[]),
            may("background", Kind::Flag, &["run_in_background", "is_background"]),
            may("folder", Kind::Text, &[]),
        ],
        refused: &[
            "args",
            "arguments",
            "argv",
            "params",
            "commands",
            "workdir",
            "work_dir",
            "cwd",
            "working_directory",
            "working_dir",
            "dir",
            "directory",
            "path",
            "env",
            "environment",
            "stdin",
            "input",
            "timeout",
            "timeout_ms",
            "language",
            "lang",
            "interpreter",
            "shell",
            "user",
            "sudo",
            "host",
            "hosts",
        ],
    },
    Shape {
        tool: "job_output",
        fields: &[
            must("job", Kind::Integer, &["job_id", "id"]),
            may("wait_seconds", Kind::Number, &[]),
        ],
        refused: &[],
    },
    Shape {
        tool: "job_stop",
        fields: &[must("job", Kind::Integer, &["job_id", "id"])],
        refused: &[],
    },
    Shape {
        tool: "read_output",
        fields: &[
            must("id", Kind::Text, &["output_id"]),
            may("start_line", Kind::Integer, &[]),
            may("line_count", Kind::Integer, &[]),
            may("start_byte", Kind::Integer, &[]),
        ],
        refused: &[],
    },
    Shape {
        tool: "fetch",
        fields: &[must("url", Kind::Text, &["uri"])],
        refused: &["method", "body", "data", "headers", "payload", "params"],
    },
    Shape {
        tool: "ask_user",
        fields: &[
            must("question", Kind::Words, SAID),
            may("options", Kind::Texts, &["choices", "answers"]),
        ],
        refused: &[],
    },
    Shape {
        tool: crate::sidekicks::SPAWN,
        fields: &[
            must("task", Kind::Words, &["prompt", "description", "instructions", "instruction"]),
            may("context_mode", Kind::Choice(&["task_only", "full"]), &[]),
            may("model", Kind::Text, &[]),
            may("timeout", Kind::Integer, &[]),
        ],
        refused: &[],
    },
    Shape {
        tool: "sidekick_complete",
        fields: &[
            must("summary", Kind::Words, &["result", "results", "output", "message", "text"]),
            may("failed", Kind::Flag, &[]),
            may("stop_sidekicks", Kind::Flag, &[]),
        ],
        refused: &["error"],
    },
    Shape {
        tool: plan::council::ANSWER,
        fields: &[
            must("content", Kind::Words, &["answer", "text", "proposal", "message", "result"]),
            may("steps", Kind::Any, &["plan", "tasks"]),
        ],
        refused: &[],
    },
    Shape {
        tool: plan::council::VOTE,
        fields: &[
            must("agent_id", Kind::Words, &["agent", "id", "member", "for", "vote", "choice"]),
            may("reason", Kind::Words, &["why", "rationale", "explanation"]),
        ],
        refused: &[],
    },
    Shape { tool: plan::council::SUBMIT, fields: &[], refused: &[] },
    Shape {
        tool: plan::council::RESTART,
        fields: &[
            must("reason", Kind::Words, &["why", "problem"]),
            may("instructions", Kind::Words, &["instruction", "next"]),
        ],
        refused: &[],
    },
    Shape {
        tool: crate::council::START,
        fields: &[must("task", Kind::Words, &["prompt", "goal", "description", "message"])],
        refused: &[],
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
        outcome(&mut given)?;
    }
    let mut args = Map::new();
    let mut warnings = Vec::new();
    for field in shape.fields {
        let Some(value) = given.take(field.name, field.also)? else { continue };
        if let Some(value) = read_field(field, value, sent, &mut warnings)? {
            args.insert(field.name.to_owned(), value);
        }
    }
    // What it was sent instead of may be the reason that a field is missing.
    let rest = given.rest();
    let refused = rest.iter().find(|(key, value)| {
        let key = plain(key);
        shape.refused.contains(&key.as_str()) && !says_nothing(&key, value)
    });
    if let Some((key, _)) = refused {
        let names: Vec<String> =
            shape.fields.iter().map(|field| format!("`{}`", field.name)).collect();
        let problem = format!("there is no `{key}`; it takes {}", names.join(", "));
        return Err(Misread { field: Some(key.clone()), ..Misread::whole(problem) });
    }
    let missing =
        shape.fields.iter().find(|field| field.required && !args.contains_key(field.name));
    if let Some(field) = missing {
        return Err(Misread::missing(field.name));
    }
    if !rest.is_empty() {
        let keys: Vec<String> = rest.iter().map(|(key, _)| format!("`{key}`")).collect();
        warnings.push(format!("{tool} has no {}, so it was left out", keys.join(", ")));
    }
    Ok(Understood { args: Value::Object(args), warnings })
}

/// Whether a field that there is not says what is so anyway.
fn says_nothing(key: &str, value: &Value) -> bool {
    let said = value.as_str().map(plain);
    match key {
        "overwrite" | "recursive" => flag(value) == Some(true),
        "append" | "copy" | "regex" | "is_regex" | "sudo" => flag(value) == Some(false),
        "mode" => matches!(said.as_deref(), Some("w" | "write" | "overwrite")),
        "language" | "lang" | "interpreter" | "shell" => {
            matches!(said.as_deref(), Some("bash" | "sh" | "shell"))
        }
        _ => false,
    }
}

/// How a task ended, where it is said in another way than by `failed`.
fn outcome(given: &mut Fields) -> Result<(), Misread> {
    let success = given.take("success", &["succeeded"])?;
    let status = given.take("status", &["outcome"])?;
    let status = status.as_ref().and_then(Value::as_str).map(plain);
    let failed = match (success.as_ref().and_then(flag), status.as_deref()) {
        (Some(success), _) => Some(!success),
        (None, Some("done" | "complete" | "completed" | "success" | "ok")) => Some(false),
        (None, Some("failed" | "failure" | "error")) => Some(true),
        (None, Some(_) | None) => None,
    };
    if (success.is_some() || status.is_some()) && failed.is_none() {
        let problem = "whether it failed is said by `failed`, which is true or false";
        return Err(Misread::of("failed", problem));
    }
    if let Some(failed) = failed.filter(|_| !given.has(&["failed"])) {
        given.put("failed", failed.into());
    }
    Ok(())
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
    let quoted: Option<Vec<String>> = words.iter().map(|word| word.as_str().map(quoted)).collect();
    quoted.filter(|words| !words.is_empty()).map(|words| words.join(" "))
}

fn quoted(word: &str) -> String {
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
mod tests;
