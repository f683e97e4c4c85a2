//! The calls a model makes to Plancard's own tools, one function each.

use serde_json::{Value, json};

use crate::Reply;

/// `plan` with action `write`: a goal and steps given as plain words.
pub fn plan_write(goal: &str, steps: &[&str]) -> Reply {
    plan_write_with(goal, json!(steps), json!({}))
}

/// `plan` with action `write`: steps as strings or objects, and more fields such as `mode`.
pub fn plan_write_with(goal: &str, steps: Value, more: Value) -> Reply {
    let mut arguments = json!({ "action": "write", "goal": goal, "steps": steps });
    if let (Some(into), Value::Object(more)) = (arguments.as_object_mut(), more) {
        into.extend(more);
    }
    Reply::call("plan", arguments)
}

/// `plan` with action `run`.
pub fn plan_run() -> Reply {
    Reply::call("plan", json!({ "action": "run" }))
}

/// `plan` with action `step_done`.
pub fn step_done(step: &str, result: &str) -> Reply {
    Reply::call("plan", json!({ "action": "step_done", "step": step, "result": result }))
}

/// `plan` with action `step_failed`; `next` is `retry`, `skip`, `revise` or `abort`.
pub fn step_failed(step: &str, error: &str, next: &str) -> Reply {
    Reply::call(
        "plan",
        json!({ "action": "step_failed", "step": step, "error": error, "next": next }),
    )
}

/// `plan` with action `revise`; the fields of the edit are given as they are.
pub fn plan_revise(edit: Value, reason: &str) -> Reply {
    let mut arguments = json!({ "action": "revise", "reason": reason });
    if let (Some(into), Value::Object(edit)) = (arguments.as_object_mut(), edit) {
        into.extend(edit);
    }
    Reply::call("plan", arguments)
}

/// `plan` with action `status`.
pub fn plan_status() -> Reply {
    Reply::call("plan", json!({ "action": "status" }))
}

/// `plan` with action `cancel`.
pub fn plan_cancel(reason: &str) -> Reply {
    Reply::call("plan", json!({ "action": "cancel", "reason": reason }))
}

/// `submit_plan`; each step is `{description, tool, target, expected_outcome}`.
pub fn submit_plan(title: &str, steps: Value, rationale: &str) -> Reply {
    Reply::call("submit_plan", json!({ "title": title, "steps": steps, "rationale": rationale }))
}

/// `spawn_sidekick` with a task and nothing else.
pub fn spawn_sidekick(task: &str) -> Reply {
    Reply::call("spawn_sidekick", json!({ "task": task }))
}

/// `sidekick_complete`.
pub fn sidekick_complete(summary: &str) -> Reply {
    Reply::call("sidekick_complete", json!({ "summary": summary }))
}

/// `ask_user`, with options or none.
pub fn ask_user(question: &str, options: &[&str]) -> Reply {
    Reply::call("ask_user", json!({ "question": question, "options": options }))
}
