//! A server's resources, as two tools of that server.

use super::error::McpError;
use super::tool::{Hints, McpTool, hash};
use serde_json::{Map, Value, json};

/// Lists what there is.
pub(super) const LIST: &str = "resources_list";
/// Reads one of them.
pub(super) const READ: &str = "resources_read";

/// The two tools; they are ours, so a server's own of these names are left out.
pub(super) fn tools(server: &str) -> [McpTool; 2] {
    let tool = |name: &str, description: String, schema: Value| McpTool {
        server: server.to_owned(),
        name: name.to_owned(),
        hash: hash(&json!({ "ours": name, "server": server })),
        description,
        schema,
        hints: Hints { read_only: true, open_world: false },
        ours: true,
    };
    let uri = json!({ "type": "string", "description": "an address from resources_list" });
    let nothing = json!({ "type": "object", "properties": {} });
    let one = json!({ "type": "object", "properties": { "uri": uri }, "required": ["uri"] });
    [
        tool(LIST, format!("List the resources of the server {server}."), nothing),
        tool(READ, format!("Read a resource of the server {server}."), one),
    ]
}

/// The resource that a call names.
pub(super) fn uri(server: &str, args: &Map<String, Value>) -> Result<String, McpError> {
    match args.get("uri").and_then(Value::as_str) {
        Some(uri) => Ok(uri.to_owned()),
        None => Err(McpError::Refused {
            server: server.to_owned(),
            message: format!("{READ} needs `uri`, an address from {LIST}"),
        }),
    }
}
