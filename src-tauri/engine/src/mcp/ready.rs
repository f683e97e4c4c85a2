//! Makes sure that a room knows the tools of its servers.

use super::listed::OfServer;
use super::servers::configured;
use crate::engine::Engine;
use crate::live::LiveRoom;
use crate::redact::Redactor;
use futures::future::join_all;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tools::mcp::{McpError, McpTool, Place, Server};
use tools::{Profile, Workspace};

/// How long a turn waits for servers that are new; they have longer than that to come up.
const SOON: Duration = Duration::from_secs(3);

/// Lists the tools of every server that is new here or has news. The first
/// time the room waits for it, but not long; one that is late or failed is
/// tried again beside the work.
pub(crate) async fn ready(engine: &Engine, live: &Arc<LiveRoom>) {
    let servers = configured(&engine.shared.config.current().config, &engine.shared.redactor);
    let mcp = &engine.shared.mcp;
    if servers.is_empty() && mcp.all_listed().is_empty() {
        return;
    }
    let Ok(workspace) = crate::turn::workspace(live) else { return };
    forget_others(engine, &servers).await;
    let place = looking(&workspace);
    let mut first = Vec::new();
    for server in servers.clone() {
        let listed = mcp.listed(&workspace.root().to_string_lossy());
        let known = listed.of(&server.name);
        let failed = known.is_some_and(|said| said.tools.is_err());
        if known.is_some_and(|said| said.is_late()) {
            // Whoever began to list it still waits for it.
            continue;
        }
        if known.is_some() && !failed && !mcp.servers.is_stale(&server, &place) {
            continue;
        }
        let (engine, live, place) = (engine.clone(), Arc::clone(live), place.clone());
        // Beside the work, so that a turn which is given up loses nothing.
        let task = tokio::spawn(async move {
            if let Some(McpError::NotInstalled { .. }) = list(&engine, &server, &place).await {
                super::installing::offer(&engine, &live, &server, &place);
            }
        });
        if !failed {
            first.push(task);
        }
    }
    if tokio::time::timeout(SOON, join_all(first)).await.is_err() {
        for server in &servers {
            is_late(engine, server, workspace.root());
        }
    }
    super::ending::sweep(engine);
}

/// Says once that a server from which nothing was heard is not waited for.
fn is_late(engine: &Engine, server: &Server, folder: &Path) {
    let mcp = &engine.shared.mcp;
    let mut listed = mcp.all_listed();
    let here = listed.entry(folder.to_owned()).or_default();
    if here.of(&server.name).is_some() {
        return;
    }
    let error = McpError::Starting { server: server.name.clone() };
    tracing::warn!(server = server.name, %error, "an MCP server is late");
    mcp.servers.note(&server.name, &error.to_string());
    let said = OfServer { reach: server.reach.clone(), tools: Err(error) };
    *here = here.with(server.name.clone(), said);
}

/// Lists one server's tools and remembers them for the folder; gives what went wrong.
pub(super) async fn list(engine: &Engine, server: &Server, place: &Place) -> Option<McpError> {
    let mcp = &engine.shared.mcp;
    let tools = mcp.servers.list(server, place).await;
    let before = mcp.listed(&place.workspace.root().to_string_lossy());
    let before = before.of(&server.name).and_then(|said| said.tools.as_ref().err());
    if let Err(error) = &tools
        && before.is_none_or(|before| before.code() != error.code())
    {
        tracing::warn!(server = server.name, %error, "an MCP server is not there");
    }
    let tools = tools.map(|tools| {
        let shown = tools.into_iter().map(|tool| Arc::new(shown(&engine.shared.redactor, tool)));
        shown.collect::<Vec<_>>()
    });
    if let Ok(tools) = &tools {
        mcp.pins.see(tools.iter().map(|tool| (tool.full_name(), tool.hash.as_str())));
    }
    let problem = tools.as_ref().err().cloned();
    let said = OfServer { reach: server.reach.clone(), tools };
    let mut listed = mcp.all_listed();
    let here = listed.entry(place.workspace.root().to_owned()).or_default();
    *here = here.with(server.name.clone(), said);
    problem
}

/// A tool as it is shown. Its hash stays that of what the server said.
fn shown(redactor: &Redactor, mut tool: McpTool) -> McpTool {
    tool.description = redactor.clean(tool.description);
    tool.schema = redactor.clean_value(tool.schema);
    tool
}

/// Where tools are listed: nothing can be written there.
pub(super) fn looking(workspace: &Workspace) -> Place {
    Place { workspace: workspace.clone(), profile: Profile::Look }
}

/// Ends servers that are configured no longer, or otherwise.
async fn forget_others(engine: &Engine, servers: &[Server]) {
    let mcp = &engine.shared.mcp;
    let stays = |name: &str, reach: &tools::mcp::Reach| {
        servers.iter().any(|server| server.name == name && server.reach == *reach)
    };
    for here in mcp.all_listed().values_mut() {
        *here = here.only(stays);
    }
    mcp.servers.keep_only(servers).await;
}
