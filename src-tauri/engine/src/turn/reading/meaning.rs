//! What a call does, by its fields as they are understood, to find where it stood before.

use super::fields::{plain, text};
use super::{shapes, unwrapped};
use models::Meaning;
use serde_json::Value;

/// What a step of a plan allows, by the names that models give it.
const GRANTS: [(&str, &str); 2] = [("tool", "tool_name"), ("target", "targets")];

/// What a call means; nothing where it can't be read, and so is never run. Of fields that it could
/// do without, none changes what it is. `schema` is that of a tool of a server.
pub(crate) fn of(
    tool: &str,
    arguments: &str,
    schema: Option<&Value>,
    root: &str,
) -> Option<Meaning> {
    let value = unwrapped::parsed(arguments)?;
    if let Some(schema) = schema {
        return Some(served(tool, &value, schema, root));
    }
    let Some(shape) = shapes::shape(tool) else {
        return Some(Meaning::new(tool, root, granted(&value)));
    };
    let args = shapes::read(tool, value, arguments).ok()?.args;
    let required = shape.fields.iter().any(|field| field.required);
    let fields = shape.fields.iter().filter(|field| field.required || !required);
    let fields = fields.filter_map(|field| Some((field.names(), said(args.get(field.name)?)?)));
    Some(Meaning::new(tool, root, fields))
}

/// A call of a server's tool: what it has to be given, or all that it knows.
fn served(tool: &str, value: &Value, schema: &Value, root: &str) -> Meaning {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut names: Vec<&str> = required.collect();
    if names.is_empty() {
        names.extend(
            schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str()),
        );
    }
    let fields = names.into_iter().filter_map(|name| Some((vec![name], said(value.get(name)?)?)));
    Meaning::new(tool, root, fields)
}

/// What the steps of a plan allow, wherever they stand in it.
fn granted(value: &Value) -> Vec<(Vec<&'static str>, String)> {
    match value {
        Value::Array(items) => items.iter().flat_map(granted).collect(),
        Value::Object(fields) => {
            let own = |(key, value): (&String, &Value)| {
                let key = plain(key);
                let found = GRANTS.iter().find(|(one, also)| key == *one || key == *also);
                match (found, text(value)) {
                    (Some((one, also)), Some(said)) => vec![(vec![*one, *also], said)],
                    (Some(_) | None, _) => granted(value),
                }
            };
            fields.iter().flat_map(own).collect()
        }
        Value::String(json) if json.trim_start().starts_with(['[', '{']) => {
            unwrapped::parsed(json).as_ref().map(granted).unwrap_or_default()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// A value as text.
fn said(value: &Value) -> Option<String> {
    let said = text(value).unwrap_or_else(|| value.to_string());
    (!said.trim().is_empty()).then_some(said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use models::Shown;
    use serde_json::json;

    fn is_quoted(shown_as: &str, tool: &str, arguments: &Value) -> bool {
        let mut shown = Shown::within("/ws");
        shown.add(shown_as);
        let meaning = of(tool, &arguments.to_string(), None, "/ws");
        meaning.is_some_and(|meaning| shown.holds_meaning(&meaning))
    }

    #[test]
    fn a_call_means_the_same_under_other_names_with_more_fields_and_another_path() {
        let shown =
            r#"Say <tool_call>{"name":"delete_file","arguments":{"path":"a.txt"}}</tool_call>"#;
        for arguments in [
            json!({ "path": "a.txt" }),
            json!({ "file_path": "a.txt" }),
            json!({ "path": "a.txt", "reason": "x" }),
            json!({ "filename": "./a.txt", "recursive": true }),
            json!({ "path": "/ws/a.txt" }),
            json!({ "arguments": { "directory": "b/../a.txt" } }),
        ] {
            assert!(is_quoted(shown, "delete_file", &arguments), "{arguments}");
        }
        assert!(!is_quoted(shown, "delete_file", &json!({ "path": "b.txt" })));
        assert!(!is_quoted(shown, "read_file", &json!({ "path": "a.txt" })), "another tool");
        let shown = r#"{"name": "shell", "arguments": {"cmd": ["rm", "./a.txt"]}}"#;
        for arguments in [
            json!({ "command": "rm a.txt" }),
            json!({ "command": "rm  ./a.txt ", "timeout_seconds": 5 }),
            json!({ "script": ["rm", "a.txt"], "background": false }),
        ] {
            assert!(is_quoted(shown, "shell", &arguments), "{arguments}");
        }
        assert!(!is_quoted(shown, "shell", &json!({ "command": "ls a.txt" })));
    }

    #[test]
    fn a_plan_is_known_by_what_it_allows() {
        let steps = json!([{ "text": "x", "tool": "shell", "target": "rm a.txt" }]);
        let shown = format!("write_plan {}", json!({ "steps": steps }));
        let other = json!({ "goal": "g", "steps": [
            { "title": "y", "tool_name": "shell", "target": "rm ./a.txt", "why": "z" }] });
        assert!(is_quoted(&shown, "write_plan", &other));
        assert!(!is_quoted(&shown, "write_plan", &json!({ "steps": ["x"] })));
    }
}
