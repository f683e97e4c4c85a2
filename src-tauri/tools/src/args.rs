//! Reads a tool's arguments, and says in words what is wrong with them.

use crate::error::ToolError;
use crate::toolbox::ToolSpec;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads the arguments of a call into the tool's own type.
pub(crate) fn read<T: DeserializeOwned>(spec: &ToolSpec, args: &Value) -> Result<T, ToolError> {
    T::deserialize(args).map_err(|problem| bad(spec, problem.to_string()))
}

/// An error about arguments that lists what the tool takes.
pub(crate) fn bad(spec: &ToolSpec, problem: impl Into<String>) -> ToolError {
    ToolError::BadArguments {
        tool: spec.name,
        problem: problem.into(),
        allowed: allowed(&spec.schema),
    }
}

fn allowed(schema: &Value) -> String {
    let required = schema["required"].as_array();
    let is_required =
        |name: &str| required.is_some_and(|names| names.iter().any(|other| other == name));
    let Some(properties) = schema["properties"].as_object() else {
        return "no arguments".into();
    };
    let described = properties.iter().map(|(name, property)| {
        let kind = property["type"].as_str().unwrap_or("value");
        match is_required(name) {
            true => format!("{name} ({kind}, required)"),
            false => format!("{name} ({kind})"),
        }
    });
    described.collect::<Vec<_>>().join(", ")
}
