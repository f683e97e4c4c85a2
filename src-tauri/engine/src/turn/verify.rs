//! The check of a step: through the gate, in the sandbox, on record like any call.

use super::{Cleared, effects, judging, submit};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use crate::sidekicks::{self, Given};
use plan::{CallId, Check, Command, Effect, Outcome, Refusal, Verdict, Verify};
use serde_json::{Value, json};
use std::sync::Arc;

/// How much of a file is searched.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// Makes the check; `None` when the call may no longer run, or waits for a person's answer.
pub(crate) async fn check(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    id: CallId,
    verify: &Verify,
) -> Result<Option<Check>, EngineError> {
    let (tool, args): (&str, Value) = match verify {
        Verify::Command(command) => ("shell", json!({ "command": command, "folder": "." })),
        Verify::File { file, .. } => ("read_file", json!({ "path": file })),
    };
    let failed = |detail: String| Ok(Some(Check { passed: false, detail }));
    let facts = match judging::facts(engine, live, id, tool, &args) {
        Ok(facts) => facts,
        Err((_, why)) => return failed(why),
    };
    let profile = match judging::judge(engine, live, &facts) {
        Verdict::Allow { profile } | Verdict::Warn { profile, .. } => {
            judging::profile_of(engine, live, profile, &facts)
        }
        Verdict::Ask { kind, reason, beyond } => {
            let reason = format!("A step is done only when its check passed. {reason}");
            judging::ask(engine, live, (id, tool, &args), (kind, reason), beyond, &facts)?;
            return Ok(None);
        }
        Verdict::Block { reason, .. } => {
            return failed(format!("the check {verify} may not run: {reason}"));
        }
    };
    if sidekicks::may_change_files(&facts) {
        match sidekicks::give_copy(engine, live, Some(id)).await? {
            Given::Same | Given::Copy(_) => {}
            Given::Over => return Ok(None),
            Given::Refused(why) => return failed(why),
        }
    }
    if !judging::may_run(engine, live, &facts) {
        return Ok(None);
    }
    let effect: Effect = facts.effect;
    let touches = vec![verify.to_string()];
    let how = plan::how(&live.lock().room, &facts);
    let begin = Command::BeginCall { call: id, effect, touches, how };
    match submit(engine, live, begin, Vec::new()) {
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
    let seen = match verify {
        Verify::Command(_) => {
            let tool = tool.to_owned();
            let cleared = Cleared { id, tool, args, facts, profile, notes: Vec::new() };
            let done = effects::perform(engine, live, &cleared).await;
            if done.outcome == Outcome::Ok { Ok(()) } else { Err(done.text) }
        }
        Verify::File { file, contains } => look(engine, live, file, contains.as_deref()).await,
    };
    let detail = match &seen {
        Ok(()) => String::new(),
        Err(why) => format!("the check did not pass ({verify}): {why}"),
    };
    Ok(Some(Check { passed: seen.is_ok(), detail }))
}

/// Whether a file is there and holds what it should.
async fn look(
    engine: &Engine,
    live: &LiveRoom,
    file: &str,
    contains: Option<&str>,
) -> Result<(), String> {
    let workspace = effects::workspace(live).map_err(|error| error.to_string())?;
    let hidden = Arc::clone(&engine.shared.own_folders);
    let (path, most) = (file.to_owned(), if contains.is_some() { MOST_BYTES } else { 1 });
    let read = tokio::task::spawn_blocking(move || workspace.read(&path, most, &hidden)).await;
    let bytes = match read {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(error)) => return Err(error.to_string()),
        Err(error) => return Err(error.to_string()),
    };
    match contains {
        Some(text) if !String::from_utf8_lossy(&bytes).contains(text) => {
            Err("the text is not in it".to_owned())
        }
        Some(_) | None => Ok(()),
    }
}
