//! What the gate is told of a call to a server.

use super::listed::Listed;
use super::ready::{list, looking};
use super::servers::configured;
use crate::engine::Engine;
use crate::excerpts::Excerpts;
use crate::live::LiveRoom;
use plan::{Detail, Effect, Source, Target};
use serde_json::Value;
use std::sync::Arc;
use tools::mcp::{McpError, McpTool, Server, split};

/// What stands before a hash, in targets, rules and plans.
const SCHEMA: &str = "schema:";

/// What a call to a server does, who says so, and the tool it is.
pub(crate) struct Served {
    pub(crate) effect: Effect,
    pub(crate) source: Source,
    pub(crate) target: Target,
}

/// Looks again what a tool is now: a server may have changed it without a word.
pub(crate) async fn refresh(engine: &Engine, live: &LiveRoom, tool: &str) {
    let (Some((server, _)), Ok(workspace)) =
        (server_of(engine, tool), crate::turn::workspace(live))
    else {
        return;
    };
    list(engine, &server, &looking(&workspace)).await;
}

/// The effect and the target of a call; `None` when it is no server's tool,
/// and an error when its server is not there.
pub(crate) fn facts(
    engine: &Engine,
    live: &LiveRoom,
    tool: &str,
) -> Option<Result<Served, (&'static str, String)>> {
    let (server, name) = server_of(engine, tool)?;
    let Some(found) = find(engine, live, &server.name, &name) else {
        let listed = engine.shared.mcp.listed(live.lock().room.folder());
        let problem = listed.of(&server.name).and_then(|said| said.tools.as_ref().err().cloned());
        if matches!(problem, Some(McpError::NotInstalled { .. })) {
            engine.shared.mcp.questions.missed(live.id, &server.name);
        }
        return problem.map(|error| Err((error.code(), error.to_string())));
    };
    let changed = engine.shared.mcp.pins.is_changed(tool, &found.hash);
    let (effect, source) = tools::mcp::effect(&server, &found, changed);
    let effect = crate::turn::effect_of(effect);
    let source = match source {
        tools::mcp::Source::Catalogue => Source::Catalogue,
        tools::mcp::Source::Person => Source::Person,
        tools::mcp::Source::Server => Source::Server,
        tools::mcp::Source::Nobody => Source::Nobody,
    };
    let target = Target::Tool { schema: schema(&found), changed };
    Some(Ok(Served { effect, source, target }))
}

/// The tools that only read, by what a person or a trusted server says.
pub(crate) fn reading(engine: &Engine, listed: &Listed) -> Listed {
    let servers = configured(&engine.shared.config.current().config, &engine.shared.redactor);
    listed.keep(|name, tool| {
        let changed = engine.shared.mcp.pins.is_changed(&tool.full_name(), &tool.hash);
        let server = servers.iter().find(|server| server.name == name);
        let effect = server.map(|server| tools::mcp::effect(server, tool, changed).0);
        effect == Some(tools::Effect::Read)
    })
}

/// What a person is shown with a question about a call to a server.
pub(crate) fn detail(
    engine: &Engine,
    live: &LiveRoom,
    tool: &str,
    args: &Value,
    shown: &mut Excerpts<'_>,
) -> Vec<Detail> {
    let found = split(tool).and_then(|(server, name)| find(engine, live, server, name));
    let Some(found) = found else { return Vec::new() };
    let hints = format!(
        "{}, {}",
        if found.hints.read_only { "changes nothing" } else { "may change things" },
        if found.hints.open_world { "may reach the world outside" } else { "stays here" },
    );
    vec![
        Detail::new("server", found.server.clone()),
        shown.fact("arguments", args.to_string()),
        shown.fact("description", found.description.as_str()),
        Detail::new("claims", hints),
    ]
}

/// The hash in what the gate was told.
pub(super) fn judged(facts: &plan::Facts) -> Option<&str> {
    facts.targets.iter().find_map(|target| target.words().strip_prefix(SCHEMA))
}

/// The word that stands for a tool's hash.
pub(super) fn schema(tool: &McpTool) -> String {
    format!("{SCHEMA}{}", tool.hash)
}

/// The configured server of a tool, and the tool's name there.
pub(super) fn server_of(engine: &Engine, tool: &str) -> Option<(Server, String)> {
    let (server, name) = split(tool)?;
    let servers = configured(&engine.shared.config.current().config, &engine.shared.redactor);
    let server = servers.into_iter().find(|known| known.name == server)?;
    Some((server, name.to_owned()))
}

fn find(engine: &Engine, live: &LiveRoom, server: &str, name: &str) -> Option<Arc<McpTool>> {
    let listed = engine.shared.mcp.listed(live.lock().room.folder());
    listed.tool(server, name).cloned()
}
