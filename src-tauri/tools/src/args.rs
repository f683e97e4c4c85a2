//! Reads a tool's arguments, and says in words what is wrong with them.

use crate::error::ToolError;
use crate::toolbox::ToolSpec;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// As much of what was sent is said again, in characters.
const SHOWN: usize = 200;

/// Reads the arguments of a call into the tool's own type.
pub(crate) fn read<T: DeserializeOwned>(spec: &ToolSpec, args: &Value) -> Result<T, ToolError> {
    T::deserialize(args).map_err(|_| bad(spec, problem(&spec.schema, args)))
}

/// What is wrong with arguments that can't be read: the first field that does not fit.
fn problem(schema: &Value, args: &Value) -> String {
    let Some(fields) = args.as_object() else { return "the arguments are no object".into() };
    let properties = schema["properties"].as_object();
    let known = |name: &str| properties.and_then(|properties| properties.get(name));
    if let Some(name) = fields.keys().find(|name| known(name).is_none()) {
        return format!("there is no argument `{name}`");
    }
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for name in required {
        if fields.get(name).is_none_or(Value::is_null) {
            return format!("`{name}` is missing");
        }
    }
    let wrong = fields.iter().find_map(|(name, value)| {
        let kind = known(name)?["type"].as_str()?;
        (!fits(kind, value)).then(|| format!("`{name}` has to be {}", in_words(kind)))
    });
    wrong.unwrap_or_else(|| "the arguments do not fit".into())
}

fn fits(kind: &str, value: &Value) -> bool {
    match kind {
        "string" => value.is_string(),
        "integer" => value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
        _ => true,
    }
}

/// A kind of value as people call it.
fn in_words(kind: &str) -> &str {
    match kind {
        "string" => "text",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        "array" => "a list of texts",
        _ => kind,
    }
}

/// An error about arguments that lists what the tool takes.
pub(crate) fn bad(spec: &ToolSpec, problem: impl Into<String>) -> ToolError {
    ToolError::BadArguments {
        tool: spec.name,
        problem: problem.into(),
        allowed: allowed(&spec.schema),
    }
}

/// What was sent, short enough to be said again.
pub(crate) fn shown(sent: &str) -> String {
    let sent: String = sent.chars().filter(|c| !c.is_control()).collect();
    match sent.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("`{}…`", &sent[..end]),
        None => format!("`{sent}`"),
    }
}

/// What is said of a field that is no glob.
pub(crate) fn no_glob(field: &str, sent: &str) -> String {
    format!(
        "`{field}` is no glob, in which every [ and {{ is closed and a \\ stands before what means \
         itself: {}",
        shown(sent)
    )
}

fn allowed(schema: &Value) -> String {
    let required = schema["required"].as_array();
    let is_required =
        |name: &str| required.is_some_and(|names| names.iter().any(|other| other == name));
    let Some(properties) = schema["properties"].as_object() else {
        return "no arguments".into();
    };
    let described = properties.iter().map(|(name, property)| {
        let kind = in_words(property["type"].as_str().unwrap_or("value"));
        match is_required(name) {
            true => format!("{name} ({kind}, required)"),
            false => format!("{name} ({kind})"),
        }
    });
    described.collect::<Vec<_>>().join(", ")
}
