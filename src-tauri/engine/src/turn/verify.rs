//! The check of a step: through the gate, in the sandbox, on record like any call.

use super::{calls, effects, submit};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use plan::{CallId, Check, Command, Effect, Outcome, Refusal, Verdict, Verify};
use serde_json::{Value, json};
use std::sync::Arc;

/// Makes the check; `None` when the call may no longer run.
pub(crate) async fn check(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    id: CallId,
    verify: &Verify,
) -> Result<Option<Check>, EngineError> {
    let (tool, args): (&str, Value) = match verify {
        Verify::Command(command) => ("shell", json!({ "command": command })),
        Verify::File { file, .. } => ("read_file", json!({ "path": file })),
    };
    let failed = |detail: String| Ok(Some(Check { passed: false, detail }));
    let facts = match calls::facts(engine, live, id, tool, &args) {
        Ok(facts) => facts,
        Err((_, why)) => return failed(why),
    };
    let profile = match calls::judge(engine, live, &facts) {
        Verdict::Allow { profile } | Verdict::Warn { profile, .. } => profile,
        Verdict::Ask { reason, .. } | Verdict::Block { reason, .. } => {
            return failed(format!("the check {verify} may not run: {reason}"));
        }
    };
    let effect: Effect = facts.effect;
    let touches = vec![verify.to_string()];
    match submit(engine, live, Command::BeginCall { call: id, effect, touches }, Vec::new()) {
        Ok(begun) if effect.changes_things() => {
            begun.stored().await?;
        }
        Ok(_) => {}
        Err(EngineError::Refused(
            Refusal::NoSuchCall | Refusal::NotRunning { .. } | Refusal::NotApproved,
        )) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    }
    let done = effects::perform(engine, live, id, tool, &args, profile).await;
    let found = match verify {
        Verify::File { contains: Some(text), .. } => done.text.contains(text.as_str()),
        Verify::File { contains: None, .. } | Verify::Command(_) => true,
    };
    let passed = done.outcome == Outcome::Ok && found;
    let detail = if passed {
        String::new()
    } else if found {
        format!("the check {verify} did not pass: {}", done.text)
    } else {
        format!("the check {verify} did not pass")
    };
    Ok(Some(Check { passed, detail }))
}
