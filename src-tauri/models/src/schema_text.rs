//! A JSON schema as text, with its fields in the order in which they are required. A server that
//! holds a model to a schema has it write the fields in the order of that text, and a model that
//! has to write what a file holds before which file it is writes worse.

use serde_json::{Map, Value};

/// The schema as text, what is required first.
pub(crate) fn ordered(schema: &Value) -> String {
    match schema {
        Value::Object(fields) => object(fields),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(ordered).collect();
            format!("[{}]", items.join(","))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.to_string(),
    }
}

fn object(fields: &Map<String, Value>) -> String {
    let required = fields.get("required").and_then(Value::as_array);
    let required: Vec<&str> = required.into_iter().flatten().filter_map(Value::as_str).collect();
    let each = fields.iter().map(|(name, value)| match value.as_object() {
        Some(properties) if name == "properties" => (name, sorted(properties, &required)),
        Some(_) | None => (name, ordered(value)),
    });
    braced(each)
}

fn sorted(properties: &Map<String, Value>, required: &[&str]) -> String {
    let mut all: Vec<(&String, &Value)> = properties.iter().collect();
    let place = |name: &str| required.iter().position(|one| *one == name);
    all.sort_by_key(|(name, _)| place(name).unwrap_or(required.len()));
    braced(all.into_iter().map(|(name, value)| (name, ordered(value))))
}

fn braced<'a>(fields: impl Iterator<Item = (&'a String, String)>) -> String {
    let fields: Vec<String> =
        fields.map(|(name, text)| format!("{}:{text}", Value::from(name.as_str()))).collect();
    format!("{{{}}}", fields.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_required_comes_first_and_nothing_is_lost() {
        let step = json!({
            "type": "object",
            "properties": { "a": {}, "text": { "type": "string" }, "tool": { "enum": ["b", "a"] } },
            "required": ["text", "tool"]
        });
        let schema = json!({ "type": "array", "items": step });
        let text = ordered(&schema);
        assert!(text.contains(
            r#""properties":{"text":{"type":"string"},"tool":{"enum":["b","a"]},"a":{}}"#
        ));
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), schema);
    }
}
