//! What a server's tool does to the world, strongest word first: our own
//! catalogue, the person's override, the hints of a server they trust.

use super::server::{Reach, Server};
use super::tool::McpTool;
use crate::facts::Effect;

/// Who says what a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Our own catalogue.
    Catalogue,
    /// The person, by an override.
    Person,
    /// The server's hints, which the person trusts.
    Server,
    /// Nobody whose word counts.
    Nobody,
}

/// The effect of a tool, and who says so. One that `changed` since it was allowed is nobody's
/// any more: neither the person's word nor the server's is about it.
pub fn effect(server: &Server, tool: &McpTool, changed: bool) -> (Effect, Source) {
    if changed {
        return (Effect::WriteOutside, Source::Nobody);
    }
    if let Some(said) = server.effects.get(&tool.name) {
        return (*said, Source::Person);
    }
    if !server.trusted {
        return (Effect::WriteOutside, Source::Nobody);
    }
    if tool.ours {
        // A program reads where nothing can be written and nothing reached; an
        // address gets to know what the model asks for.
        let effect = match &server.reach {
            Reach::Program { .. } => Effect::Read,
            Reach::Address { .. } => Effect::Network,
        };
        return (effect, Source::Catalogue);
    }
    let effect = match (tool.hints.read_only, tool.hints.open_world) {
        // What is sent to another computer has left this one, whatever it does there.
        (true, false) if server.is_remote() => Effect::Network,
        (true, false) => Effect::Read,
        (true, true) => Effect::Network,
        (false, _) => Effect::WriteOutside,
    };
    (effect, Source::Server)
}

#[cfg(test)]
mod tests {
    use super::super::resources;
    use super::*;
    use serde_json::json;
    use std::collections::BTreeMap;

    fn tool(hints: serde_json::Value) -> McpTool {
        let tool = json!({ "name": "t", "inputSchema": {}, "annotations": hints });
        McpTool::read("s", &serde_json::from_value(tool).unwrap()).unwrap()
    }

    fn server(trusted: bool) -> Server {
        let url = "http://127.0.0.1:1".to_owned();
        Server {
            name: "s".to_owned(),
            reach: Reach::Address { url, headers: BTreeMap::new() },
            share: false,
            trusted,
            effects: BTreeMap::new(),
        }
    }

    #[test]
    fn hints_count_only_where_the_server_is_trusted() {
        let hints = [
            (json!({ "readOnlyHint": true, "openWorldHint": false }), Effect::Read),
            (json!({ "readOnlyHint": true }), Effect::Network),
            (json!({ "readOnlyHint": true, "openWorldHint": true }), Effect::Network),
            (json!({ "destructiveHint": false, "openWorldHint": false }), Effect::WriteOutside),
            (json!({}), Effect::WriteOutside),
        ];
        for (hints, trusted) in hints {
            let said = effect(&server(true), &tool(hints.clone()), false);
            assert_eq!(said, (trusted, Source::Server), "{hints}");
            let nobody = (Effect::WriteOutside, Source::Nobody);
            assert_eq!(effect(&server(false), &tool(hints), false), nobody);
        }
    }

    #[test]
    fn resources_are_as_free_as_their_server_is_trusted() {
        let program = Reach::Program {
            command: "serve".to_owned(),
            args: Vec::new(),
            env: BTreeMap::new(),
            cwd: None,
            read: Vec::new(),
        };
        for tool in resources::tools("s") {
            let nobody = (Effect::WriteOutside, Source::Nobody);
            assert_eq!(effect(&server(false), &tool, false), nobody);
            assert_eq!(effect(&server(true), &tool, false), (Effect::Network, Source::Catalogue));
            let stdio = |trusted| Server { reach: program.clone(), ..server(trusted) };
            assert_eq!(effect(&stdio(false), &tool, false), nobody);
            assert_eq!(effect(&stdio(true), &tool, false), (Effect::Read, Source::Catalogue));
        }
    }

    #[test]
    fn the_person_is_stronger_than_the_server_and_a_change_stronger_than_both() {
        let mut server = server(true);
        server.effects.insert("t".to_owned(), Effect::Write);
        let tool = tool(json!({ "readOnlyHint": true, "openWorldHint": false }));
        assert_eq!(effect(&server, &tool, false), (Effect::Write, Source::Person));
        assert_eq!(effect(&server, &tool, true), (Effect::WriteOutside, Source::Nobody));
    }

    #[test]
    fn what_goes_to_another_computer_is_never_only_read() {
        let mut server = server(true);
        let url = "https://example.org/mcp".to_owned();
        server.reach = Reach::Address { url, headers: BTreeMap::new() };
        let tool = tool(json!({ "readOnlyHint": true, "openWorldHint": false }));
        assert_eq!(effect(&server, &tool, false), (Effect::Network, Source::Server));
    }
}
