//! Names of servers' tools: in what a model calls, and in what a plan says.

use super::facts::schema;
use super::listed::Listed;
use super::servers::configured;
use crate::engine::Engine;
use plan::{Command, DraftStep, Edit, FullStep, Patch, Room};
use std::sync::Arc;
use tools::mcp::{McpTool, Server, wire_name};

/// `server.tool` for the name that a model used, also while the server is not there; any other
/// name stays.
pub(crate) fn known_as(engine: &Engine, workspace: &str, name: String) -> String {
    let listed = engine.shared.mcp.listed(workspace);
    match listed.tools().get(&name) {
        Some(tool) => tool.full_name(),
        None => of_absent(engine, &listed, &name).unwrap_or(name),
    }
}

/// The tool of a server that is configured and has no tools now.
fn of_absent(engine: &Engine, listed: &Listed, name: &str) -> Option<String> {
    // No tool of ours has such a name.
    if !name.contains("__") {
        return None;
    }
    let servers = configured(&engine.shared.config.current().config, &engine.shared.redactor);
    let is_absent =
        |server: &&Server| listed.of(&server.name).is_none_or(|said| said.tools.is_err());
    servers.iter().filter(is_absent).find_map(|server| {
        // One that was seen before may be called by a name that can't be read backwards.
        let seen = engine.shared.mcp.pins.of(&server.name);
        let seen = seen.into_iter().find(|tool| wire_name(tool) == name);
        seen.or_else(|| {
            let tool =
                format!("{}.{}", server.name, name.strip_prefix(&server.name)?.strip_prefix("__")?);
            (wire_name(&tool) == name).then_some(tool)
        })
    })
}

/// The command with the tools of servers in its steps called by their full
/// names, each with its hash: what is approved is the tool as it is now.
pub(crate) fn name_tools(engine: &Engine, room: &Room, mut command: Command) -> Command {
    let listed = engine.shared.mcp.listed(room.folder());
    if listed.mark().is_none() {
        return command;
    }
    // Every other command has no steps in it.
    if let Command::Write { draft, .. } = &mut command {
        draft.steps.iter_mut().for_each(|step| name_step(&listed, step));
    }
    if let Command::Revise { edits, .. } = &mut command {
        for edit in edits {
            match edit {
                Edit::Add { new, .. } => name_step(&listed, new),
                Edit::Set { step, to } => {
                    let content = room.plan.as_ref().map(|plan| &plan.content);
                    let index = content.and_then(|content| content.find(step));
                    let before = content.zip(index).map(|(content, index)| &content.steps[index]);
                    name_patch(&listed, before.and_then(|step| step.tool.as_deref()), to);
                }
                Edit::Remove { .. } | Edit::Move { .. } => {}
            }
        }
    }
    command
}

fn name_step(listed: &Listed, step: &mut DraftStep) {
    let DraftStep::Full(step) = step else { return };
    let FullStep { tool, target, .. } = &mut **step;
    if let Some(found) = tool.as_deref().and_then(|name| find(listed, name)) {
        *tool = Some(found.full_name());
        *target = Some(with_hash(target.take(), &found));
    }
}

fn name_patch(listed: &Listed, before: Option<&str>, to: &mut Patch) {
    let touched = to.tool.is_some() || to.target.is_some();
    let name = to.tool.as_deref().or(before).filter(|_| touched);
    if let Some(found) = name.and_then(|name| find(listed, name)) {
        if to.tool.is_some() {
            to.tool = Some(found.full_name());
        }
        to.target = Some(with_hash(to.target.take(), &found));
    }
}

fn find(listed: &Listed, name: &str) -> Option<Arc<McpTool>> {
    let tools = listed.tools();
    let by_full_name = || tools.values().find(|tool| tool.full_name() == name);
    tools.get(name).or_else(by_full_name).map(|tool| Arc::clone(tool))
}

/// The target as written, with the tool's hash in it and no other.
fn with_hash(target: Option<String>, tool: &McpTool) -> String {
    let hash = schema(tool);
    let target = target.unwrap_or_default();
    let is_hash = |part: &&str| part.starts_with("schema:");
    let said = target.split(',').map(str::trim).filter(|part| !part.is_empty() && !is_hash(part));
    said.chain([hash.as_str()]).collect::<Vec<_>>().join(", ")
}
