//! A call as it arrives: under the name of its tool, without secrets, and with what was really sent
//! where that is something else.

use super::asking::SECRET_ARGS;
use super::{harness_tools, reading};
use crate::engine::Engine;
use models::{Whole, repair};
use plan::{CallId, Sent, Text};

/// The call as it is stored. `cut` is whether the answer reached its limit.
pub(super) fn call(
    engine: &Engine,
    workspace: &str,
    call: models::CallRequest,
    cut: bool,
    keep: &mut impl FnMut(String) -> Text,
) -> plan::CallRequest {
    let (tool, spelled) = tool(engine, workspace, &call.name);
    let cut = cut && repair(&call.arguments, Whole::Unknown).is_err();
    let sent = match call.sent {
        None if spelled => Some(call.arguments.clone()),
        sent => sent,
    };
    let sent = sent.map(|args| {
        let args = keep(without_secrets(engine, args));
        Box::new(Sent { tool: call.name, args })
    });
    plan::CallRequest {
        id: CallId(crate::fresh_id()),
        provider_id: call.id,
        tool,
        args: keep(without_secrets(engine, call.arguments)),
        sent,
        cut,
    }
}

/// The tool that a name means, and whether that is only its spelling. A server's tool goes before
/// ours where the name is as written.
pub(super) fn tool(engine: &Engine, workspace: &str, name: &str) -> (String, bool) {
    let known = crate::mcp::known_as(engine, workspace, name.to_owned());
    if known != name || crate::mcp::is_served(engine, workspace, name) {
        return (known, false);
    }
    match reading::own_name(name, own_tools(engine).into_iter()) {
        Some(own) if own != name => (own.to_owned(), true),
        Some(_) | None => (known, false),
    }
}

/// Every tool of ours.
pub(super) fn own_tools(engine: &Engine) -> Vec<&str> {
    let built_in = engine.shared.toolbox.specs().iter().map(|spec| spec.name);
    harness_tools::NAMES.into_iter().chain([crate::sidekicks::SPAWN]).chain(built_in).collect()
}

/// The arguments, unless they hold a known secret: a call with other arguments
/// than the model gave must not run, so it gets none.
fn without_secrets(engine: &Engine, arguments: String) -> String {
    let clean = engine.shared.redactor.clean(arguments.clone());
    if clean == arguments { arguments } else { SECRET_ARGS.to_owned() }
}
