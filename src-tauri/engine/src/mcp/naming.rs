//! Names of servers' tools: in what a model calls, and in what a plan says.

use super::facts::schema;
use super::listed::Listed;
use super::servers::configured;
use crate::engine::Engine;
use plan::{Command, DraftStep, Edit, Event, FullStep, Patch, Refusal, Room, StepSpec, scope};
use std::sync::Arc;
use tools::mcp::{McpTool, Server, split, wire_name};

/// `server.tool` for the name that a model used, also while the server is not there; any other
/// name stays.
pub(crate) fn known_as(engine: &Engine, workspace: &str, name: String) -> String {
    let listed = engine.shared.mcp.listed(workspace);
    match listed.tools().get(&name) {
        Some(tool) => tool.full_name(),
        None => of_absent(engine, &listed, &name).unwrap_or(name),
    }
}

/// Whether a name is that of a server's tool as it is written, or begins like one.
pub(crate) fn is_served(engine: &Engine, workspace: &str, name: &str) -> bool {
    let listed = engine.shared.mcp.listed(workspace);
    if find(&listed, name).is_some() {
        return true;
    }
    let servers = configured(&engine.shared.config.current().config, &engine.shared.redactor);
    servers.iter().any(|server| {
        let rest = name.strip_prefix(&server.name);
        rest.is_some_and(|rest| rest.starts_with('.') || rest.starts_with("__"))
    })
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
    // Every other command has no steps in it.
    if let Command::Write { draft, .. } = &mut command {
        draft.steps.iter_mut().for_each(|step| name_step(&listed, room, step));
    }
    if let Command::Revise { edits, .. } = &mut command {
        for edit in edits {
            match edit {
                Edit::Add { new, .. } => name_step(&listed, room, new),
                Edit::Set { step, to } => {
                    let content = room.plan.as_ref().map(|plan| &plan.content);
                    let index = content.and_then(|content| content.find(step));
                    let before = content.zip(index).map(|(content, index)| &content.steps[index]);
                    name_patch(&listed, room, before.map(AsRef::as_ref), to);
                }
                Edit::Remove { .. } | Edit::Move { .. } => {}
            }
        }
    }
    command
}

/// Refuses a plan that names a tool by a hash that is not ours: whoever wrote it could have a tool
/// approved that nobody has seen yet.
pub(crate) fn refuse_foreign(
    engine: &Engine,
    room: &Room,
    events: &[Event],
) -> Result<(), Refusal> {
    let written = |event: &Event| {
        let (Event::PlanWritten { content, .. } | Event::PlanRevised { content, .. }) = event
        else {
            return None;
        };
        Some(Arc::clone(content))
    };
    let Some(content) = events.iter().find_map(written) else { return Ok(()) };
    let listed = engine.shared.mcp.listed(room.folder());
    for step in &content.steps {
        let (Some(tool), Some(target)) = (of_server(step.tool.as_deref()), &step.target) else {
            continue;
        };
        if !scope::schemas(target).all(|hash| is_ours(&listed, room, tool, hash)) {
            let (step, tool) = (step.id.clone(), tool.to_owned());
            return Err(Refusal::ForeignTool { step, tool });
        }
    }
    Ok(())
}

/// Whether the tool has this hash now, or had it when the room's plan was written.
fn is_ours(listed: &Listed, room: &Room, tool: &str, hash: &str) -> bool {
    let steps = room.active_plan().map(|plan| &plan.content.steps);
    let before = steps.into_iter().flatten().filter(|step| step.tool.as_deref() == Some(tool));
    find(listed, tool).is_some_and(|found| schema(&found) == hash)
        || before
            .filter_map(|step| step.target.as_deref())
            .any(|target| scope::schemas(target).any(|known| known == hash))
}

fn name_step(listed: &Listed, room: &Room, step: &mut DraftStep) {
    let DraftStep::Full(step) = step else { return };
    let FullStep { tool, target, .. } = &mut **step;
    if let Some(found) = tool.as_deref().and_then(|name| find(listed, name)) {
        *tool = Some(found.full_name());
        *target = Some(with_hash(target.take(), &found));
    } else if let (Some(tool), Some(target)) = (of_server(tool.as_deref()), target) {
        *target = without_foreign(listed, room, tool, target);
    }
}

fn name_patch(listed: &Listed, room: &Room, before: Option<&StepSpec>, to: &mut Patch) {
    let touched = to.tool.is_some() || to.target.is_some();
    let name = to.tool.as_deref().or(before.and_then(|step| step.tool.as_deref()));
    let Some(name) = name.filter(|_| touched) else { return };
    if let Some(found) = find(listed, name) {
        if to.tool.is_some() {
            to.tool = Some(found.full_name());
        }
        to.target = Some(with_hash(to.target.take(), &found));
    } else if let Some(tool) = of_server(Some(name)) {
        let target = to.target.as_deref().or(before.and_then(|step| step.target.as_deref()));
        to.target = target.map(|target| without_foreign(listed, room, tool, target));
    }
}

fn find(listed: &Listed, name: &str) -> Option<Arc<McpTool>> {
    let tools = listed.tools();
    let by_full_name = || tools.values().find(|tool| tool.full_name() == name);
    tools.get(name).or_else(by_full_name).map(|tool| Arc::clone(tool))
}

/// The name of a tool, where it is a server's.
fn of_server(tool: Option<&str>) -> Option<&str> {
    tool.filter(|tool| split(tool).is_some())
}

/// The target as written, with the tool's hash in it and no other.
fn with_hash(target: Option<String>, tool: &McpTool) -> String {
    let hash = schema(tool);
    let said = scope::without_schemas(&target.unwrap_or_default(), |_| false);
    if said.is_empty() { hash } else { format!("{said}, {hash}") }
}

/// The target of a tool that is not there now, with no hash that anyone else put into it.
fn without_foreign(listed: &Listed, room: &Room, tool: &str, target: &str) -> String {
    scope::without_schemas(target, |hash| is_ours(listed, room, tool, hash))
}
