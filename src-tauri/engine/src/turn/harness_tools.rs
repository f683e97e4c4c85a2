//! The tools the harness answers itself: plan, submit_plan, ask_user and sidekick_complete.

use super::calls::{Waits, end, refused};
use super::{completing, plan_tool, submit};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use crate::mcp::Listed;
use models::{Protocol, ToolSet, ToolSpec};
use plan::{Ask, AskId, AskKind, CallId, Command, Detail, Outcome, Refusal};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tools::Toolbox;

/// The tools that the harness answers itself.
pub(crate) const NAMES: [&str; 4] = ["plan", "submit_plan", "ask_user", "sidekick_complete"];

/// Whether the harness answers this tool itself.
pub(crate) fn is_one(tool: &str) -> bool {
    NAMES.contains(&tool)
}

pub(crate) async fn run(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    id: CallId,
    tool: &str,
    args: Value,
) -> Result<Waits, EngineError> {
    if tool == "ask_user" {
        return ask_user(engine, live, id, &args);
    }
    if tool == "sidekick_complete" {
        return completing::sidekick_complete(engine, live, id, &args).await;
    }
    plan_tool::run(engine, live, id, tool, args).await
}

fn ask_user(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    id: CallId,
    args: &Value,
) -> Result<Waits, EngineError> {
    let question = args.get("question").and_then(Value::as_str).unwrap_or("").trim();
    if question.is_empty() {
        let words = refused("BAD_ARGUMENTS", "ask_user needs a question");
        end(engine, live, id, Outcome::Blocked, words)?;
        return Ok(Waits::No);
    }
    let options = args.get("options").and_then(Value::as_array).cloned().unwrap_or_default();
    let ask = {
        let inner = live.lock();
        let plan = inner.room.running_plan();
        Ask {
            id: AskId(crate::fresh_id()),
            kind: AskKind::Question,
            plan_id: plan.map(|plan| plan.id),
            step_id: plan.and_then(|plan| plan.current()).map(|step| step.spec.id.clone()),
            call_id: Some(id),
            text: question.to_owned(),
            detail: options
                .iter()
                .filter_map(Value::as_str)
                .map(|option| Detail::new("option", option))
                .collect(),
            created_at: engine.shared.clock.now(),
        }
    };
    match submit(engine, live, Command::RaiseAsk { ask }, Vec::new()) {
        Ok(_) | Err(EngineError::Refused(Refusal::NoSuchCall)) => Ok(Waits::ForPerson),
        Err(error) => Err(error),
    }
}

/// How many lists of tools are kept.
const MOST: usize = 64;

/// What a list of tools depends on: the protocol, whose room it is, what servers offer.
type Key = (Protocol, bool, Option<blake3::Hash>);

/// The tools as each protocol writes them, encoded once.
#[derive(Default)]
pub(crate) struct ToolSets {
    made: Mutex<HashMap<Key, ToolSet>>,
}

impl ToolSets {
    /// Only what writes a plan, for a model that has to.
    pub(crate) fn to_plan(protocol: Protocol) -> ToolSet {
        let writes = |spec: &ToolSpec| matches!(spec.name.as_str(), "plan" | "submit_plan");
        let specs: Vec<ToolSpec> = own_specs(false).into_iter().filter(writes).collect();
        ToolSet::new(protocol, &specs)
    }

    /// The tools of a room; a sidekick's has one more.
    pub(crate) fn of(
        &self,
        protocol: Protocol,
        sidekick: bool,
        toolbox: &Toolbox,
        served: &Listed,
    ) -> ToolSet {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (protocol, sidekick, served.mark());
        // Servers may change their tools for ever.
        if made.len() >= MOST && !made.contains_key(&key) {
            made.clear();
        }
        let set = made.entry(key).or_insert_with(|| {
            let mut specs = own_specs(sidekick);
            specs.extend(toolbox.specs().iter().map(|spec| ToolSpec {
                name: spec.name.to_owned(),
                description: spec.description.to_owned(),
                schema: spec.schema.clone(),
            }));
            specs.extend(served.tools().into_iter().map(|(name, tool)| ToolSpec {
                name,
                description: format!("[{}] {}", tool.full_name(), tool.description),
                schema: tool.schema.clone(),
            }));
            ToolSet::new(protocol, &specs)
        });
        set.clone()
    }
}

/// The names of all tools, in the order a model is told about them.
#[cfg(test)]
pub(crate) fn tool_names(toolbox: &Toolbox) -> Vec<String> {
    let own = own_specs(true).into_iter().map(|spec| spec.name);
    own.chain(toolbox.specs().iter().map(|spec| spec.name.to_owned())).collect()
}

/// The tool that writes plans in the full form.
pub(crate) fn plan_spec() -> ToolSpec {
    let mut specs = own_specs(false);
    specs.swap_remove(specs.iter().position(|spec| spec.name == "plan").unwrap_or_default())
}

fn own_specs(sidekick: bool) -> Vec<ToolSpec> {
    let step = json!({
        "anyOf": [
            { "type": "string" },
            {
                "type": "object",
                "properties": {
                    "text": { "type": "string", "description": "what is to be done" },
                    "id": { "type": "string", "description": "a short name, [a-z][a-z0-9_-]*" },
                    "needs": {
                        "type": "array",
                        "items": { "type": ["string", "integer"] },
                        "description": "ids or numbers of steps that come first"
                    },
                    "tool": { "type": "string", "description": "the tool it will use" },
                    "target": {
                        "type": "string",
                        "description": "the file, glob, command or host it will touch"
                    },
                    "expected_outcome": { "type": "string" },
                    "verify": {
                        "description": "a command that must exit with 0, or {file, contains}: \
                                        checked before the step counts as done"
                    },
                    "agent": { "type": "string", "description": "who shall do it" },
                    "domain": { "type": "string", "description": "of a goal: its field" },
                    "capabilities": {
                        "type": "array",
                        "items": { "type": "string" },
                        "description": "of a goal: what its agent must be able to do"
                    },
                    "model": { "type": "string" }
                },
                "required": ["text"]
            }
        ]
    });
    let plan = json!({
        "type": "object",
        "properties": {
            "action": {
                "type": "string",
                "enum": ["write", "run", "step_done", "step_failed", "revise", "status", "cancel"]
            },
            "goal": { "type": "string" },
            "title": { "type": "string" },
            "rationale": { "type": "string" },
            "steps": { "type": "array", "items": step },
            "mode": {
                "type": "string",
                "enum": ["sequential", "parallel", "graph"],
                "description": "parallel and graph: sidekicks do the steps, several at once"
            },
            "advance": { "type": "string", "enum": ["auto", "manual"] },
            "venue": {
                "type": "string",
                "enum": ["main", "sidekick"],
                "description": "sidekick: it runs in the background"
            },
            "step": {
                "type": ["string", "integer"],
                "description": "id or number of a step; a sidekick that was handed one leaves it \
                                out in step_failed"
            },
            "result": { "type": "string", "description": "one line" },
            "error": { "type": "string", "description": "one line" },
            "next": { "type": "string", "enum": ["retry", "skip", "revise", "abort"] },
            "edits": {
                "type": "array",
                "description": "for revise: {op:set, step, text?…}, {op:add, after?, new}, \
                                {op:remove, step}, {op:move, step, after?}",
                "items": { "type": "object" }
            },
            "reason": { "type": "string" }
        },
        "required": ["action"]
    });
    let submit_plan = json!({
        "type": "object",
        "properties": {
            "title": { "type": "string" },
            "steps": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "description": { "type": "string" },
                        "tool": { "type": "string" },
                        "target": { "type": "string" },
                        "expected_outcome": { "type": "string" }
                    },
                    "required": ["description"]
                }
            },
            "rationale": { "type": "string" }
        },
        "required": ["title", "steps"]
    });
    let ask_user = json!({
        "type": "object",
        "properties": {
            "question": { "type": "string" },
            "options": { "type": "array", "items": { "type": "string" } }
        },
        "required": ["question"]
    });
    let spec = |name: &str, description: &str, schema: Value| ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        schema,
    };
    let spawn_sidekick = json!({
        "type": "object",
        "properties": {
            "task": { "type": "string", "description": "all it needs to know" },
            "context_mode": {
                "type": "string",
                "enum": ["task_only", "full"],
                "description": "full: it also reads this conversation"
            },
            "model": { "type": "string" },
            "timeout": { "type": "integer", "minimum": 1, "description": "seconds" }
        },
        "required": ["task"]
    });
    let sidekick_complete = json!({
        "type": "object",
        "properties": {
            "summary": { "type": "string", "description": "what came of it; one line, then details" },
            "failed": {
                "type": "boolean",
                "description": "true: the task could not be done; the summary says why"
            },
            "stop_sidekicks": {
                "type": "boolean",
                "description": "true: sidekicks of yours that are still at work are stopped"
            }
        },
        "required": ["summary"]
    });
    let mut specs = vec![
        spec("plan", "Write, follow and change the plan of this room.", plan),
        spec(
            "submit_plan",
            "Put a plan before the person and wait until they approve or reject it.",
            submit_plan,
        ),
        spec("ask_user", "Ask the person something and wait for the answer.", ask_user),
        spec(
            crate::sidekicks::SPAWN,
            "Hand work that stands on its own to a sidekick, who does it in the background. You \
             are told what came of it.",
            spawn_sidekick,
        ),
    ];
    if sidekick {
        let words = "End your task and say what came of it, also when it could not be done \
                     (failed): all that is read of your work. Where your task is a step of a plan, \
                     plan with step_failed also says what the plan is to do without it.";
        specs.push(spec("sidekick_complete", words, sidekick_complete));
    }
    specs
}
