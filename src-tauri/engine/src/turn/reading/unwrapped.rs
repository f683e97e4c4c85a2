//! Arguments that came inside something else: an object named after them, a whole call, a list.

use super::Misread;
use super::fields::plain;
use super::names::own_name;
use models::{Whole, repair};
use serde_json::{Map, Value};

/// Names that mean "the arguments".
const WRAPS: [&str; 6] = ["arguments", "parameters", "args", "input", "properties", "kwargs"];
/// What stands beside them in a whole call.
const BESIDE: [&str; 4] = ["type", "id", "name", "tool"];

/// The fields of a call of this tool.
pub(super) fn fields(tool: &str, value: Value) -> Result<Map<String, Value>, Misread> {
    match value {
        Value::Object(object) => unwrap(tool, object),
        Value::Null => Ok(Map::new()),
        Value::Array(mut list) if list.len() == 1 && list[0].is_object() => {
            fields(tool, list.swap_remove(0))
        }
        Value::String(text) => match parsed(&text) {
            Some(value @ (Value::Object(_) | Value::Array(_))) => fields(tool, value),
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | None => {
                Err(no_object())
            }
        },
        Value::Array(_) | Value::Bool(_) | Value::Number(_) => Err(no_object()),
    }
}

fn unwrap(tool: &str, object: Map<String, Value>) -> Result<Map<String, Value>, Misread> {
    let is = |key: &String, names: &[&str]| names.contains(&plain(key).as_str());
    let wraps = object.keys().filter(|key| is(key, &WRAPS)).count();
    let others = object.keys().filter(|key| !is(key, &WRAPS) && !is(key, &BESIDE)).count();
    if wraps != 1 || others > 0 {
        return Ok(object);
    }
    let inner = object.iter().find(|(key, _)| is(key, &WRAPS)).map(|(_, value)| value);
    let inner = match inner {
        Some(Value::Object(inner)) => inner.clone(),
        Some(Value::String(text)) => match parsed(text) {
            Some(Value::Object(inner)) => inner,
            Some(_) | None => return Ok(object),
        },
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_)) | None => {
            return Ok(object);
        }
    };
    // A whole call: of this tool, or nothing is run.
    let named = object.iter().filter(|(key, _)| is(key, &["name", "tool"]));
    for (_, name) in named {
        let name = name.as_str().unwrap_or_default();
        if own_name(name, [tool].into_iter()).is_none() {
            let problem = format!("it is a call of {tool}, and its arguments are one of `{name}`");
            return Err(Misread::whole(problem));
        }
    }
    Ok(inner)
}

/// JSON in a string.
pub(super) fn parsed(text: &str) -> Option<Value> {
    serde_json::from_str(&repair(text, Whole::Yes).ok()?).ok()
}

fn no_object() -> Misread {
    Misread::whole("the arguments have to be a JSON object")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_around_the_arguments_is_taken_off() {
        let expected = json!({ "path": "a" });
        for wrapped in [
            json!({ "path": "a" }),
            json!({ "arguments": { "path": "a" } }),
            json!({ "parameters": "{'path': 'a'}" }),
            json!({ "name": "functions.read_file", "arguments": { "path": "a" } }),
            json!([{ "path": "a" }]),
            json!("{\"path\": \"a\"}"),
        ] {
            let read = fields("read_file", wrapped.clone()).map(Value::Object);
            assert_eq!(read, Ok(expected.clone()), "{wrapped}");
        }
        let other = json!({ "name": "delete_file", "arguments": { "path": "a" } });
        assert!(fields("read_file", other).is_err());
        for wrong in [json!(42), json!(["a", "b"]), json!("words"), json!(true)] {
            assert!(fields("read_file", wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_object_with_more_in_it_is_not_taken_apart() {
        let both = json!({ "path": "a", "input": { "path": "b" } });
        assert_eq!(fields("read_file", both.clone()).map(Value::Object), Ok(both));
    }
}
