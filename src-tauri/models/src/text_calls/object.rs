//! A call as an object: its tool's name and its arguments, under the names that formats give them.

use serde_json::{Map, Value};

use super::TextCall;
use crate::{Whole, repair};

/// The names of the arguments.
const ARGUMENTS: [&str; 4] = ["arguments", "parameters", "args", "input"];
/// What else may stand beside them.
const BESIDE: [&str; 4] = ["type", "id", "function", "call_id"];

/// Where an object stands, and so how much it takes to be a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Inside marks that are for calls.
    Marked,
    /// Anywhere: it has to look like nothing else.
    Bare,
}

/// The calls in one JSON text: an object, or a list of them.
pub(super) fn read(json: &str, place: Place, whole: Whole) -> Option<Vec<TextCall>> {
    let value: Value = serde_json::from_str(&repair(json, whole).ok()?).ok()?;
    match value.as_array() {
        Some(list) if list.is_empty() => None,
        Some(list) => list.iter().map(|item| call(item, place)).collect(),
        None => Some(vec![call(&value, place)?]),
    }
}

fn call(value: &Value, place: Place) -> Option<TextCall> {
    let object = value.as_object()?;
    // `{"type": "function", "function": {"name": …}}`
    if let Some(Value::Object(inner)) = object.get("function") {
        return named(inner, inner.get("name")?, place);
    }
    let name = object.get("name").or_else(|| object.get("function"));
    let name = name.or_else(|| object.get("tool").filter(|_| place == Place::Marked))?;
    named(object, name, place)
}

fn named(object: &Map<String, Value>, name: &Value, place: Place) -> Option<TextCall> {
    let given: Vec<&Value> = ARGUMENTS.iter().filter_map(|key| object.get(*key)).collect();
    let arguments = match given[..] {
        [one] => self::arguments(one)?,
        [] if place == Place::Marked => "{}".to_owned(),
        _ => return None,
    };
    let is_known = |key: &String| {
        let key = key.as_str();
        matches!(key, "name" | "tool") || ARGUMENTS.contains(&key) || BESIDE.contains(&key)
    };
    if place == Place::Bare && !object.keys().all(is_known) {
        return None;
    }
    Some(TextCall { name: name.as_str()?.to_owned(), arguments })
}

fn arguments(value: &Value) -> Option<String> {
    let text = match value {
        Value::Object(_) => value.to_string(),
        Value::Null => "{}".to_owned(),
        Value::String(text) => repair(text, Whole::Yes).ok()?,
        Value::Bool(_) | Value::Number(_) | Value::Array(_) => return None,
    };
    text.starts_with('{').then_some(text)
}
