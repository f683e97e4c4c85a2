//! A server's tool as it is shown to a model, and the hash it is known by.

use serde_json::{Map, Value, json};

/// The longest description a model is shown, in characters.
const DESCRIPTION: usize = 4_000;
/// The largest schema that is taken, in bytes.
const SCHEMA: usize = 64 * 1024;
/// Characters of a hash.
const HASH: usize = 16;

/// One tool of a server.
#[derive(Clone, Debug, PartialEq)]
pub struct McpTool {
    /// The server.
    pub server: String,
    /// The tool's name at the server.
    pub name: String,
    /// What it does, in the server's words.
    pub description: String,
    /// JSON schema of its arguments.
    pub schema: Value,
    /// What the server claims of it.
    pub hints: Hints,
    /// Of its name, description, schema and hints: another hash is another tool.
    pub hash: String,
    /// Whether it is one that we add for the server's resources.
    pub(super) ours: bool,
}

/// What a server claims of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: bool,
    /// It reaches the world outside.
    pub open_world: bool,
}

impl McpTool {
    /// `server.tool`, as the gate and people know it.
    pub fn full_name(&self) -> String {
        format!("{}.{}", self.server, self.name)
    }

    /// The tool as the server lists it; `Err` says why no model can be shown it.
    pub(super) fn read(server: &str, tool: &rmcp::model::Tool) -> Result<Self, String> {
        let name = tool.name.as_ref();
        if name.is_empty() || name.len() > 256 || name.chars().any(char::is_control) {
            return Err("a tool has no usable name".to_owned());
        }
        let mut schema: Map<String, Value> = tool.input_schema.as_ref().clone();
        // A provider refuses the whole request for one schema of another kind.
        let kind = schema.entry("type").or_insert_with(|| json!("object"));
        if *kind != "object" {
            return Err(format!("the schema of `{name}` is {kind}, not an object"));
        }
        if !schema.entry("properties").or_insert_with(|| json!({})).is_object() {
            return Err(format!("the schema of `{name}` has properties that are no map"));
        }
        let schema = Value::Object(schema);
        if schema.to_string().len() > SCHEMA {
            return Err(format!("the schema of `{name}` has more than {SCHEMA} bytes"));
        }
        let said = tool.annotations.as_ref();
        // As the protocol says what a missing hint means.
        let hints = Hints {
            read_only: said.and_then(|said| said.read_only_hint).unwrap_or(false),
            open_world: said.and_then(|said| said.open_world_hint).unwrap_or(true),
        };
        let whole = tool.description.as_deref().unwrap_or_default();
        let hash = hash(&json!({
            "server": server, "name": name, "title": tool.title, "description": whole,
            "schema": tool.input_schema, "annotations": tool.annotations,
        }));
        let description = whole.chars().take(DESCRIPTION).collect();
        let (server, name) = (server.to_owned(), name.to_owned());
        Ok(Self { server, name, description, schema, hints, hash, ours: false })
    }
}

/// A hash that does not depend on the order of keys.
pub(super) fn hash(value: &Value) -> String {
    let hex = blake3::hash(sorted(value).to_string().as_bytes()).to_hex();
    hex[..HASH].to_owned()
}

/// The value as text parts in a fixed order, whatever order its maps keep.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut pairs: Vec<(&String, Value)> =
                map.iter().map(|(key, value)| (key, sorted(value))).collect();
            pairs.sort_by(|one, other| one.0.cmp(other.0));
            Value::Array(pairs.into_iter().map(|(key, value)| json!([key, value])).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(value: Value) -> Result<McpTool, String> {
        McpTool::read("s", &serde_json::from_value(value).unwrap())
    }

    #[test]
    fn the_hash_follows_what_a_person_would_call_a_change() {
        let of = |value: Value| tool(value).unwrap().hash;
        let base = || json!({ "name": "t", "description": "d", "inputSchema": { "type": "object", "properties": { "a": {}, "b": {} } } });
        let same = json!({ "inputSchema": { "properties": { "b": {}, "a": {} }, "type": "object" }, "description": "d", "name": "t" });
        assert_eq!(of(base()), of(same));
        for (key, value) in [
            ("description", json!("D")),
            ("inputSchema", json!({ "type": "object" })),
            ("annotations", json!({ "readOnlyHint": true })),
            ("title", json!("x")),
        ] {
            let mut other = base();
            other[key] = value;
            assert_ne!(of(base()), of(other), "{key}");
        }
    }

    #[test]
    fn a_schema_that_a_provider_would_refuse_is_refused_here() {
        assert!(tool(json!({ "name": "t", "inputSchema": {} })).is_ok());
        for schema in [json!({ "type": "array" }), json!({ "type": 3 }), json!({ "properties": 1 })]
        {
            assert!(tool(json!({ "name": "t", "inputSchema": schema })).is_err());
        }
        let long = json!({ "type": "object", "title": "x".repeat(SCHEMA) });
        assert!(tool(json!({ "name": "t", "inputSchema": long })).is_err());
        assert!(tool(json!({ "name": "", "inputSchema": {} })).is_err());
    }

    #[test]
    fn a_missing_hint_is_taken_as_the_worse_one() {
        let hints = tool(json!({ "name": "t", "inputSchema": {} })).unwrap().hints;
        assert_eq!(hints, Hints { read_only: false, open_world: true });
    }
}
