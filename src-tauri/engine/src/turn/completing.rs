//! How a sidekick ends its own task: done, failed, or with what the plan is to do without its step.

use super::calls::{Waits, end, refused};
use super::{plan_tool, verify};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use crate::sidekicks::{self, Handed};
use plan::{AfterFailure, CallId, Command, GiveUp, Outcome, SidekickEnd, StepRef};
use serde_json::{Value, json};
use std::sync::Arc;

/// The sidekick says what came of its task; nothing more runs in its room.
pub(super) async fn sidekick_complete(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    id: CallId,
    args: &Value,
) -> Result<Waits, EngineError> {
    let is_set = |name: &str| args.get(name).and_then(Value::as_bool).unwrap_or(false);
    let (failed, stops) = (is_set("failed"), is_set("stop_sidekicks"));
    if let Some((code, words)) = too_early(engine, live, stops) {
        end(engine, live, id, Outcome::Blocked, refused(code, &words))?;
        return Ok(Waits::No);
    }
    let how = if failed { SidekickEnd::Failed } else { SidekickEnd::Completed };
    let check = if failed { None } else { sidekicks::check_of(engine, live) };
    let checked = check.is_some();
    if let Some(check) = check {
        let Some(seen) = verify::check(engine, live, id, &check).await? else {
            return Ok(Waits::No);
        };
        if !seen.passed {
            sidekicks::check_failed(engine, live, &seen.detail);
            end(engine, live, id, Outcome::Failed, refused("CHECK_FAILED", &seen.detail))?;
            return Ok(Waits::No);
        }
    }
    let said = args.get("summary").and_then(Value::as_str).unwrap_or("").to_owned();
    end_itself(engine, live, id, how, said, checked, None)
}

/// A sidekick without a plan of its own says that a step failed: the one it was handed.
pub(super) fn step_failed(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    id: CallId,
    step: Option<&StepRef>,
    error: String,
    next: AfterFailure,
) -> Result<Waits, EngineError> {
    let refuse = |code: &str, words: &str| {
        end(engine, live, id, Outcome::Blocked, refused(code, words))?;
        Ok(Waits::No)
    };
    let Some(handed) = sidekicks::handed(engine, live) else {
        let words = "no step of a plan was handed to you. If your task can't be done, call \
                     sidekick_complete with failed=true and say why";
        return refuse("NO_STEP", words);
    };
    if step.is_some_and(|step| !is_named(&handed, step)) {
        let words = format!("your step is number {}; leave step out", handed.number);
        return refuse("STEP_NOT_FOUND", &words);
    }
    let error = match error.trim() {
        "" => "no reason was given".to_owned(),
        _ => error,
    };
    let next = match next {
        // It counts as any other attempt that failed.
        AfterFailure::Retry => {
            sidekicks::erred(engine, live, &error);
            let words = format!("{error}. Try again in another way");
            end(engine, live, id, Outcome::Failed, refused("STEP_FAILED", &words))?;
            return Ok(Waits::No);
        }
        AfterFailure::Skip => GiveUp::Skip,
        AfterFailure::Revise => GiveUp::Revise,
        AfterFailure::Abort => GiveUp::Abort,
    };
    // What its own sidekicks have done is not lost: a person is asked about it.
    end_itself(engine, live, id, SidekickEnd::Failed, error, false, Some(next))
}

/// A sidekick that never had a plan of its own says that a step is done: the one it was handed. The
/// same as that it has completed its task.
pub(super) async fn step_done(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    id: CallId,
    step: Option<&StepRef>,
    result: &str,
    handed: &Handed,
) -> Result<Waits, EngineError> {
    if step.is_some_and(|step| !is_named(handed, step)) {
        let words = format!("your step is number {}; the others are not yours", handed.number);
        end(engine, live, id, Outcome::Blocked, refused("STEP_NOT_FOUND", &words))?;
        return Ok(Waits::No);
    }
    sidekick_complete(engine, live, id, &json!({ "summary": result })).await
}

fn is_named(handed: &Handed, step: &StepRef) -> bool {
    match step {
        StepRef::Number(number) => usize::try_from(*number).is_ok_and(|n| n == handed.number),
        StepRef::Id(id) => *id == handed.step.0 || *id == handed.number.to_string(),
    }
}

/// Why a sidekick may not say yet that it is done: what its own do would be lost with it.
fn too_early(engine: &Engine, live: &LiveRoom, stops: bool) -> Option<(&'static str, String)> {
    if let Some(codename) = sidekicks::settling_below(engine, live) {
        let words = format!(
            "{codename} is done, but what it changed is still to be taken over; call nothing and \
             say that you wait, you will hear of it"
        );
        return Some(("SIDEKICK_NOT_SETTLED", words));
    }
    let below = sidekicks::at_work_below(engine, live);
    if stops || below.is_empty() {
        return None;
    }
    let words = format!(
        "still at work for you: {}. Call nothing and say that you wait, you will hear what came of \
         it. Or do without: sidekick_complete with stop_sidekicks=true stops what is at work",
        below.join(", ")
    );
    Some(("SIDEKICKS_AT_WORK", words))
}

fn end_itself(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    id: CallId,
    end: SidekickEnd,
    said: String,
    checked: bool,
    next: Option<GiveUp>,
) -> Result<Waits, EngineError> {
    let mut result = said;
    let stopped = sidekicks::at_work_below(engine, live);
    // Nothing is said for one that says nothing.
    if !stopped.is_empty() && !result.trim().is_empty() {
        result += &format!("\n\nIts own sidekicks were stopped: {}.", stopped.join(", "));
    }
    let result = engine.shared.redactor.clean(result);
    let (told, given_up, call) = (false, false, Some(id));
    let command = Command::EndSidekick { end, result, told, checked, given_up, next, call };
    let actor = plan_tool::agent(live);
    let ended = engine.submit_live(live, &actor, command, Vec::new()).map(drop);
    plan_tool::answer_call(engine, live, id, ended, |_| Value::Null)
}
