//! The tools the harness answers itself.

use super::calls::Waits;
use super::{completing, plan_tool, submit};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use plan::{Ask, AskId, AskKind, CallId, Command, Detail, Refusal};
use serde_json::Value;
use std::sync::Arc;

/// The tools that the harness answers itself.
pub(crate) const NAMES: [&str; 12] = [
    "plan",
    "submit_plan",
    "write_plan",
    "step_done",
    "step_failed",
    "ask_user",
    "sidekick_complete",
    plan::council::ANSWER,
    plan::council::VOTE,
    plan::council::SUBMIT,
    plan::council::RESTART,
    crate::council::START,
];

/// Whether the harness answers this tool itself.
pub(crate) fn is_one(tool: &str) -> bool {
    NAMES.contains(&tool)
}

/// Whether a tool is about the plan of the room.
pub(crate) fn is_plan(tool: &str) -> bool {
    matches!(tool, "plan" | "submit_plan" | "write_plan" | "step_done" | "step_failed")
}

pub(crate) async fn run(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    id: CallId,
    tool: &str,
    args: Value,
) -> Result<Waits, EngineError> {
    if crate::council::is_tool(tool) {
        crate::council::called(engine, live, id, tool, &args)?;
        return Ok(Waits::No);
    }
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
    let question = args.get("question").and_then(Value::as_str).unwrap_or_default().trim();
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
