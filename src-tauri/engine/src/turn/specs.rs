//! The harness's own tools as models are told about them.

use models::ToolSpec;
use plan::{Phase, Room};
use serde_json::{Value, json};

/// What the steps of a plan look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum StepForm {
    /// Words are enough.
    Words,
    /// Each says what it will touch, for that is what a person approves.
    Targets,
    /// Each says which others it needs, and who should do it.
    Graph,
}

impl StepForm {
    /// What a plan of this room needs to say of its steps.
    pub(crate) fn of(room: &Room) -> Self {
        match room.phase() {
            Some(Phase::Splitting) => Self::Graph,
            Some(Phase::Working | Phase::Joining) | None if room.asks_for_plans() => Self::Targets,
            Some(Phase::Working | Phase::Joining) | None => Self::Words,
        }
    }
}

/// The plan tool with all its actions.
pub(crate) fn plan(form: StepForm) -> ToolSpec {
    let schema = json!({
        "type": "object",
        "properties": {
            "action": {
                "type": "string",
                "enum": ["write", "run", "step_done", "step_failed", "revise", "status", "cancel"]
            },
            "goal": { "type": "string" },
            "title": { "type": "string" },
            "rationale": { "type": "string" },
            "steps": { "type": "array", "items": step(form) },
            "mode": {
                "type": "string",
                "enum": ["sequential", "parallel", "graph"],
                "description": "parallel, graph: sidekicks do them at once"
            },
            "advance": { "type": "string", "enum": ["auto", "manual"] },
            "venue": {
                "type": "string",
                "enum": ["main", "sidekick"],
                "description": "sidekick: it runs in the background"
            },
            "step": {
                "type": ["string", "integer"],
                "description": "id or number; the current step when left out"
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
    spec("plan", "Write, follow and change the plan of this room.", schema)
}

fn step(form: StepForm) -> Value {
    let mut fields = json!({
        "text": { "type": "string", "description": "what to do" },
        "id": { "type": "string", "description": "a short name, [a-z][a-z0-9_-]*" },
        "needs": {
            "type": "array",
            "items": { "type": ["string", "integer"] },
            "description": "steps that come first"
        },
        "tool": { "type": "string" },
        "target": { "type": "string", "description": "file, glob, host or exact command" },
        "expected_outcome": { "type": "string" },
        "verify": {
            "description": "a command that must exit with 0, or {file, contains}"
        },
        "model": { "type": "string" }
    });
    if form == StepForm::Graph {
        fields["agent"] = json!({ "type": "string" });
        fields["domain"] = json!({ "type": "string", "description": "its field" });
        fields["capabilities"] = json!({ "type": "array", "items": { "type": "string" } });
    }
    let full = json!({ "type": "object", "properties": fields, "required": ["text"] });
    json!({ "anyOf": [{ "type": "string" }, full] })
}

/// The plan tool's writing alone, for models that do better with few fields.
pub(crate) fn write_plan(form: StepForm) -> ToolSpec {
    let words = "Write the plan: the steps in order, each one sentence. Call it once.";
    spec("write_plan", words, write_plan_schema(form))
}

/// What a plan in its simple form has to be. Its goal is what the person said.
pub(crate) fn write_plan_schema(form: StepForm) -> Value {
    let text = json!({ "type": "string" });
    // The name of a tool alone says nothing to whoever does the step.
    let sentence = json!({ "type": "string", "minLength": 12 });
    let step = match form {
        StepForm::Words => sentence,
        StepForm::Targets => json!({
            "type": "object",
            "properties": { "text": sentence, "tool": text, "target": text },
            "required": ["text", "tool", "target"]
        }),
        StepForm::Graph => json!({
            "type": "object",
            "properties": {
                "id": text,
                "text": sentence,
                "needs": { "type": "array", "items": text }
            },
            "required": ["id", "text"]
        }),
    };
    json!({
        "type": "object",
        "properties": { "steps": { "type": "array", "items": step } },
        "required": ["steps"]
    })
}

pub(crate) fn step_done() -> ToolSpec {
    let words = "Report that the current step is done. The next one starts by itself.";
    spec("step_done", words, step_done_schema())
}

/// What a report of a step that is done has to be.
pub(crate) fn step_done_schema() -> Value {
    json!({
        "type": "object",
        "properties": { "result": { "type": "string", "description": "one line" } },
        "required": ["result"]
    })
}

/// What the end of a sidekick's task has to be.
pub(crate) fn summary_schema() -> Value {
    json!({
        "type": "object",
        "properties": { "summary": { "type": "string" }, "failed": { "type": "boolean" } },
        "required": ["summary"]
    })
}

/// A report in the simple form. Who is offered it has no tool to revise a plan with.
pub(crate) fn step_failed() -> ToolSpec {
    let schema = json!({
        "type": "object",
        "properties": {
            "error": { "type": "string", "description": "one line" },
            "next": { "type": "string", "enum": ["retry", "skip", "abort"] }
        },
        "required": ["error"]
    });
    spec("step_failed", "Report that the current step can't be done.", schema)
}

pub(crate) fn submit_plan() -> ToolSpec {
    let schema = json!({
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
    let words = "Put a plan before the person and wait until they approve or reject it.";
    spec("submit_plan", words, schema)
}

pub(crate) fn ask_user() -> ToolSpec {
    let schema = json!({
        "type": "object",
        "properties": {
            "question": { "type": "string" },
            "options": { "type": "array", "items": { "type": "string" } }
        },
        "required": ["question"]
    });
    spec("ask_user", "Ask the person something and wait for the answer.", schema)
}

pub(crate) fn spawn_sidekick() -> ToolSpec {
    let schema = json!({
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
    let words = "Hand work that stands on its own to a sidekick, who does it in the background. \
                 You are told what it found.";
    spec(crate::sidekicks::SPAWN, words, schema)
}

pub(crate) fn sidekick_complete() -> ToolSpec {
    let schema = json!({
        "type": "object",
        "properties": {
            "summary": { "type": "string", "description": "one line, then details" },
            "failed": { "type": "boolean", "description": "true: it could not be done" },
            "stop_sidekicks": {
                "type": "boolean",
                "description": "true: stops sidekicks of yours that still work"
            }
        },
        "required": ["summary"]
    });
    let words = "End your task, done or failed. The summary is all that is read of your work.";
    spec("sidekick_complete", words, schema)
}

pub(crate) fn new_answer() -> ToolSpec {
    let schema = json!({
        "type": "object",
        "properties": {
            "content": { "type": "string", "description": "your whole proposal; a title first" },
            "steps": {
                "type": "array",
                "items": step(StepForm::Targets),
                "description": "the plan that it comes to"
            }
        },
        "required": ["content"]
    });
    spec(plan::council::ANSWER, "Give your answer to the council and end your turn.", schema)
}

pub(crate) fn vote() -> ToolSpec {
    let schema = json!({
        "type": "object",
        "properties": {
            "agent_id": { "type": "string", "description": "agent1, agent2, …" },
            "reason": { "type": "string" }
        },
        "required": ["agent_id", "reason"]
    });
    spec(plan::council::VOTE, "Vote for the best answer and end your turn.", schema)
}

pub(crate) fn submit() -> ToolSpec {
    let schema = json!({ "type": "object", "properties": {} });
    spec(plan::council::SUBMIT, "Say that the task is solved.", schema)
}

pub(crate) fn restart() -> ToolSpec {
    let schema = json!({
        "type": "object",
        "properties": {
            "reason": { "type": "string", "description": "what is missing" },
            "instructions": { "type": "string", "description": "what to do otherwise" }
        },
        "required": ["reason", "instructions"]
    });
    spec(plan::council::RESTART, "Let the council try again.", schema)
}

pub(crate) fn start_council() -> ToolSpec {
    let schema = json!({
        "type": "object",
        "properties": { "task": { "type": "string", "description": "all it has to know" } },
        "required": ["task"]
    });
    let words = "Hand work that changes something to the council: several agents propose and vote, \
                 and the winner does it. Plain questions you answer yourself.";
    spec(crate::council::START, words, schema)
}

fn spec(name: &str, description: &str, schema: Value) -> ToolSpec {
    ToolSpec { name: name.to_owned(), description: description.to_owned(), schema }
}
