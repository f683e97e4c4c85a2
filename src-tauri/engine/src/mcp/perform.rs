//! Carries a call to a server out.

use super::facts::{judged, server_of};
use super::listener::InRoom;
use crate::engine::Engine;
use crate::live::LiveRoom;
use crate::turn::{Cleared, Performed, doomed, refused, time_limit};
use plan::Outcome;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tools::Profile;
use tools::mcp::{Limits, McpError, Place};

/// Calls the tool that was judged, and no other.
pub(crate) async fn perform(engine: &Engine, live: &Arc<LiveRoom>, call: &Cleared) -> Performed {
    let (Some((server, name)), Some(hash)) = (server_of(engine, &call.tool), judged(&call.facts))
    else {
        let tool = call.tool.clone();
        return failed(&McpError::NoTool { server: String::new(), tool });
    };
    let workspace = match crate::turn::workspace(live) {
        Ok(workspace) => workspace,
        Err(error) => return Performed::failed(refused(error.code(), &error.to_string())),
    };
    // Servers have no network of their own, whatever a rule opens for commands.
    let profile = match call.profile.may_write() {
        true => Profile::Work,
        false => Profile::Look,
    };
    // It passed the gate as it is now.
    engine.shared.mcp.pins.allow(&call.tool, hash);
    let place = Place { workspace, profile };
    let limits =
        Limits { timeout: time_limit(engine, live, &call.tool), cancel: CancellationToken::new() };
    let nothing = serde_json::Map::new();
    let args = call.args.as_object().unwrap_or(&nothing);
    let listener = InRoom { engine: engine.clone(), live: Arc::clone(live), call: call.id };
    let servers = &engine.shared.mcp.servers;
    let run = servers.call(&server, &place, &name, hash, args, &limits, &listener);
    tokio::pin!(run);
    let ran = tokio::select! {
        ran = &mut run => ran,
        () = doomed(engine, live, call.id) => {
            limits.cancel.cancel();
            run.await
        }
    };
    match ran {
        Ok(output) => Performed::of(output),
        Err(error) => failed(&error),
    }
}

fn failed(error: &McpError) -> Performed {
    let words = refused(error.code(), &error.to_string());
    let outcome = match error {
        McpError::Cancelled => Outcome::Cancelled,
        McpError::NoSandbox { .. }
        | McpError::NotInstalled { .. }
        | McpError::NeedsHost { .. }
        | McpError::NotStarted { .. }
        | McpError::Starting { .. }
        | McpError::Resting { .. }
        | McpError::NeedsLogin { .. }
        | McpError::LoginFailed { .. }
        | McpError::Gone { .. }
        | McpError::TooLong { .. }
        | McpError::NoTool { .. }
        | McpError::Changed { .. }
        | McpError::Refused { .. }
        | McpError::TimedOut { .. } => Outcome::Failed,
    };
    Performed { outcome, ..Performed::failed(words) }
}
