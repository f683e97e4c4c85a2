//! The content of a piece: a text, or a list of parts such as Mistral sends while a model thinks.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A part of the content that can be shown.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part {
    Words(String),
    Thinking(String),
}

/// Reads content in either form. Parts of other kinds, such as references, are skipped.
pub(super) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Part>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(Vec::new()),
        Value::String(words) => Ok(vec![Part::Words(words)]),
        Value::Array(parts) => Ok(parts.iter().filter_map(part).collect()),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
            Err(D::Error::custom("expected a string or a list of parts"))
        }
    }
}

fn part(part: &Value) -> Option<Part> {
    match part.get("type")?.as_str()? {
        "text" => Some(Part::Words(part.get("text")?.as_str()?.to_owned())),
        "thinking" => Some(Part::Thinking(thoughts(part.get("thinking")?))),
        _ => None,
    }
}

/// Thinking is a string, or a list of texts.
fn thoughts(thinking: &Value) -> String {
    let text = |one: &Value| one.get("text").and_then(Value::as_str).map(str::to_owned);
    match thinking {
        Value::String(thinking) => thinking.clone(),
        Value::Array(all) => all.iter().filter_map(text).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}
