//! The part of JSON Schema that Gemini takes; it refuses a tool with anything else in it.

use serde_json::{Map, Value, json};

/// The words it knows, apart from those that hold schemas.
const PLAIN: [&str; 12] = [
    "type",
    "format",
    "title",
    "description",
    "enum",
    "required",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "$ref",
    "$anchor",
];

/// The schema without what would be refused.
pub(super) fn clean(schema: &Value) -> Value {
    let Some(fields) = schema.as_object() else {
        // `true` allows anything, and so does a schema that says nothing.
        return json!({});
    };
    let mut kept = Map::new();
    for (name, value) in fields {
        match name.as_str() {
            "properties" | "$defs" => {
                let inner = value.as_object().into_iter().flatten();
                let inner = inner.map(|(name, schema)| (name.clone(), clean(schema)));
                kept.insert(name.clone(), Value::Object(inner.collect()));
            }
            "items" => drop(kept.insert(name.clone(), clean(value))),
            "anyOf" | "oneOf" | "prefixItems" => {
                let inner = value.as_array().into_iter().flatten().map(clean);
                kept.insert(name.clone(), inner.collect());
            }
            "const" => drop(kept.insert("enum".to_owned(), json!([value]))),
            "additionalProperties" if value.is_boolean() => {
                kept.insert(name.clone(), value.clone());
            }
            name if PLAIN.contains(&name) => drop(kept.insert(name.to_owned(), value.clone())),
            _ => {}
        }
    }
    Value::Object(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_gemini_refuses_is_left_out_at_every_depth() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "pattern": { "type": "string", "pattern": "^a", "default": "a", "minLength": 1 },
                "kind": { "const": "x" },
                "any": true,
                "list": { "type": "array", "items": {
                    "anyOf": [{ "type": "string", "examples": ["a"] }, { "type": ["null", "integer"] }],
                } },
            },
            "required": ["kind"],
        });
        let expected = json!({
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "pattern": { "type": "string" },
                "kind": { "enum": ["x"] },
                "any": {},
                "list": { "type": "array", "items": {
                    "anyOf": [{ "type": "string" }, { "type": ["null", "integer"] }],
                } },
            },
            "required": ["kind"],
        });
        assert_eq!(clean(&schema), expected);
    }
}
