//! The `plan` and `submit_plan` tools: from a model's words to commands, and back.

use super::calls::{Waits, end, refused};
use super::{completing, verify};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::goals;
use crate::live::LiveRoom;
use crate::sidekicks::{self, refuse_vain_approval};
use plan::{
    Actor, AfterFailure, AskId, CallId, CallState, Command, Draft, DraftStep, Edit, Frame,
    OnPartial, Origin, Outcome, ParentStep, PlanId, Refusal, Room, RoomKind, RunMode, StepRef,
    Venue, answer,
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

#[derive(Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
enum Wish {
    Write(Draft),
    Run,
    StepDone {
        step: StepRef,
        #[serde(default)]
        result: String,
    },
    StepFailed {
        /// Who was handed a step has no other.
        #[serde(default)]
        step: Option<StepRef>,
        #[serde(default)]
        error: String,
        next: AfterFailure,
    },
    Revise {
        edits: Vec<Edit>,
        #[serde(default)]
        reason: Option<String>,
    },
    Status,
    Cancel {
        #[serde(default)]
        reason: String,
    },
}

#[derive(Deserialize)]
struct SubmitPlan {
    title: String,
    steps: Vec<DraftStep>,
    #[serde(default)]
    rationale: Option<String>,
}

pub(crate) async fn run(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    id: CallId,
    tool: &str,
    args: Value,
) -> Result<Waits, EngineError> {
    let (wish, origin) = match read(tool, args) {
        Ok(wish) => wish,
        Err(why) => {
            end(engine, live, id, Outcome::Blocked, refused("BAD_ARGUMENTS", &why))?;
            goals::refused(engine, live, why)?;
            return Ok(Waits::No);
        }
    };
    let mut fits = Ok(());
    let (command, told_of): (Command, fn(&Room) -> Value) = match wish {
        Wish::Status => {
            let words = told(live, |room| {
                room.plan.as_ref().map_or(json!({ "plan": null }), answer::whole)
            });
            end(engine, live, id, Outcome::Ok, words)?;
            return Ok(Waits::No);
        }
        Wish::StepDone { step, result } => {
            let own = live.lock().room.plan.is_some();
            if let Some(handed) = sidekicks::handed(engine, live).filter(|_| !own) {
                return completing::step_done(engine, live, id, &step, &result, &handed).await;
            }
            return step_done(engine, live, id, step, result).await;
        }
        Wish::Write(draft) => return write(engine, live, id, origin, draft),
        Wish::Run => {
            fits = refuse_vain_approval(engine, live, false);
            (Command::Run { ask: AskId(crate::fresh_id()), call: Some(id) }, answer::short)
        }
        Wish::StepFailed { step, error, next } if works_for_another(live) => {
            return completing::step_failed(engine, live, id, step.as_ref(), error, next);
        }
        Wish::StepFailed { step: None, .. } => {
            let words = refused("BAD_ARGUMENTS", "step_failed needs the id or number of a step");
            end(engine, live, id, Outcome::Blocked, words)?;
            return Ok(Waits::No);
        }
        Wish::StepFailed { step: Some(step), error, next } => {
            (Command::StepFailed { step, error, next, call: Some(id) }, answer::short)
        }
        Wish::Revise { edits, reason } => {
            fits = refuse_vain_approval(engine, live, false);
            let named = edits.iter().filter_map(|edit| match edit {
                Edit::Add { new, .. } => agent_named(new),
                Edit::Set { to, .. } => to.agent.as_deref(),
                Edit::Remove { .. } | Edit::Move { .. } => None,
            });
            warn_of_unknown(engine, live, id, named)?;
            let ask = AskId(crate::fresh_id());
            (Command::Revise { edits, reason, seen: None, ask, call: Some(id) }, answer::written)
        }
        Wish::Cancel { reason } => (Command::Cancel { reason, call: Some(id) }, answer::short),
    };
    let submit = |()| engine.submit_live(live, &agent(live), command, Vec::new()).map(drop);
    answer_call(engine, live, id, fits.and_then(submit), told_of)
}

/// Whether a sidekick has no plan of its own, so that what it says of a step is meant for the room
/// above.
fn works_for_another(live: &LiveRoom) -> bool {
    let room = &live.lock().room;
    room.sidekick.is_some() && room.active_plan().is_none()
}

/// Writes a plan, or the steps of a goal.
fn write(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    id: CallId,
    origin: Origin,
    mut draft: Draft,
) -> Result<Waits, EngineError> {
    warn_of_unknown(engine, live, id, draft.steps.iter().filter_map(agent_named))?;
    goals::shape(engine, live, &mut draft);
    let frame = frame(engine, live, origin, &draft);
    let deep = if frame.delegated { goals::refuse_too_deep(engine, live) } else { Ok(()) };
    let submitted = origin == Origin::Submitted;
    let fits = deep.and_then(|()| refuse_vain_approval(engine, live, submitted));
    let command = Command::Write {
        plan: PlanId(crate::fresh_id()),
        ask: AskId(crate::fresh_id()),
        call: Some(id),
        frame,
        draft,
    };
    let submit = |()| engine.submit_live(live, &agent(live), command, Vec::new()).map(drop);
    let done = fits.and_then(submit);
    let why = match &done {
        Err(EngineError::Refused(refusal)) => Some(refusal.to_string()),
        Err(_) | Ok(()) => None,
    };
    let waits = answer_call(engine, live, id, done, answer::written)?;
    if let Some(why) = why {
        goals::refused(engine, live, why)?;
    }
    Ok(waits)
}

fn agent_named(step: &DraftStep) -> Option<&str> {
    match step {
        DraftStep::Full(full) => full.agent.as_deref(),
        DraftStep::Words(_) => None,
    }
}

/// Says so where steps name agents that there are not.
fn warn_of_unknown<'a>(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    id: CallId,
    named: impl Iterator<Item = &'a str>,
) -> Result<(), EngineError> {
    let config = engine.shared.config.current();
    let unknown = |name: &&str| !name.trim().is_empty() && config.config.agent(name).is_none();
    let unknown: BTreeSet<&str> = named.filter(unknown).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let names = unknown.into_iter().collect::<Vec<_>>().join(", ");
    let text = format!("there is no agent called {names}; others do the steps that name it");
    match super::submit(engine, live, Command::Warn { call: id, text }, Vec::new()) {
        // Nobody waits for the call any more.
        Ok(_) | Err(EngineError::Refused(Refusal::NoSuchCall)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// A step with a check is done only when the harness has seen the check pass.
async fn step_done(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    id: CallId,
    step: StepRef,
    result: String,
) -> Result<Waits, EngineError> {
    let done = |check| Command::StepDone {
        step: step.clone(),
        result: result.clone(),
        check,
        call: Some(id),
    };
    let actor = agent(live);
    let mut ended = engine.submit_live(live, &actor, done(None), Vec::new());
    if let Err(EngineError::Refused(Refusal::CheckMissing { verify, .. })) = &ended {
        let Some(check) = verify::check(engine, live, id, verify).await? else {
            return Ok(Waits::No);
        };
        ended = engine.submit_live(live, &actor, done(Some(check)), Vec::new());
    }
    if let Err(EngineError::Refused(Refusal::CheckFailed { step, detail })) = &ended {
        let found = Command::CheckFailed { step: step.clone(), detail: detail.clone() };
        super::submit(engine, live, found, Vec::new())?;
    }
    answer_call(engine, live, id, ended.map(|_| ()), answer::short)
}

/// Ends the call with what came of it, unless it waits for a person now.
pub(super) fn answer_call(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    id: CallId,
    done: Result<(), EngineError>,
    told_of: fn(&Room) -> Value,
) -> Result<Waits, EngineError> {
    match done {
        Ok(()) => {
            let waits = live
                .lock()
                .room
                .call(id)
                .is_some_and(|call| matches!(call.state, CallState::Asking(_)));
            if waits {
                return Ok(Waits::ForPerson);
            }
            end(engine, live, id, Outcome::Ok, told(live, told_of))?;
            Ok(Waits::No)
        }
        Err(EngineError::Refused(refusal)) => {
            // Refused plan calls are no attempts at the step; a failed check is one.
            let checked = matches!(refusal, Refusal::CheckFailed { .. });
            let outcome = if checked { Outcome::Failed } else { Outcome::Blocked };
            let alone = works_for_another(live);
            let words = json!({
                "code": refusal.code(),
                "message": refusal.to_string(),
                "fallbacks": fallbacks(&refusal, alone),
            });
            end(engine, live, id, outcome, words.to_string())?;
            Ok(Waits::No)
        }
        Err(error) => Err(error),
    }
}

fn read(tool: &str, mut args: Value) -> Result<(Wish, Origin), String> {
    if tool == "submit_plan" {
        let plan: SubmitPlan = serde_json::from_value(args).map_err(said)?;
        let draft = Draft {
            goal: plan.title.clone(),
            title: Some(plan.title),
            rationale: plan.rationale,
            steps: plan.steps,
            ..Draft::default()
        };
        return Ok((Wish::Write(draft), Origin::Submitted));
    }
    // Models fill in what they leave out with null.
    if let Value::Object(fields) = &mut args {
        fields.retain(|_, value| !value.is_null());
    }
    let wish = serde_json::from_value(args).map_err(said)?;
    Ok((wish, Origin::Chat))
}

/// What is wrong with the arguments, in words that help.
fn said(error: serde_json::Error) -> String {
    let no_match = "data did not match any variant of untagged enum ";
    error
        .to_string()
        .replace(&format!("{no_match}DraftStep"), "a step must be words or an object with `text`")
        .replace(&format!("{no_match}StepRef"), "a step is named by its id or its number")
        .replace(&format!("{no_match}Verify"), "verify must be a command or {file, contains}")
}

/// Who speaks in a room's turns.
pub(super) fn agent(live: &LiveRoom) -> Actor {
    let inner = live.lock();
    match &inner.room.kind {
        RoomKind::Chat => Actor::agent(&inner.room.agent),
        RoomKind::Sidekick { codename, .. } => Actor::sidekick(codename),
    }
}

/// A plan runs in its room, one step at a time, unless sidekicks do its steps.
fn frame(engine: &Engine, live: &LiveRoom, origin: Origin, draft: &Draft) -> Frame {
    let caps = engine.shared.config.current().config.caps.clone();
    let mode = draft.run_mode();
    // What a step of a goal is split into runs as the goal does.
    let goal = goals::goal_above(engine, live.id);
    let at_once = goal.as_ref().map_or(caps.sidekicks_per_plan, |goal| goal.lanes);
    let lanes = match mode {
        RunMode::Sequential => 1,
        RunMode::Parallel | RunMode::Graph => at_once.min(caps.sidekicks),
    };
    Frame {
        origin,
        lanes,
        on_partial: goal.map_or(OnPartial::Fail, |goal| goal.on_partial),
        venue_room: live.id,
        parent: parent_step(engine, live),
        nested: live.lock().room.sidekick.is_some(),
        delegated: mode != RunMode::Sequential || draft.venue == Venue::Sidekick,
        synthesis: None,
        caps,
    }
}

/// The step above that a sidekick's own plan belongs to.
fn parent_step(engine: &Engine, live: &LiveRoom) -> Option<ParentStep> {
    let RoomKind::Sidekick { parent, step: Some(step), .. } = live.lock().room.kind.clone() else {
        return None;
    };
    let plan = engine.with_room(parent, |room| room.active_plan().map(|plan| plan.id)).ok()??;
    Some(ParentStep { room: parent, plan, step })
}

fn told(live: &LiveRoom, told_of: impl FnOnce(&Room) -> Value) -> String {
    told_of(&live.lock().room).to_string()
}

fn fallbacks(refusal: &Refusal, for_another: bool) -> &'static [&'static str] {
    match refusal.code() {
        "PLAN_NOT_FOUND" if for_another => &["sidekick_complete", "plan(action=\"write\")"],
        "PLAN_ACTIVE" => &["plan(action=\"revise\")", "plan(action=\"cancel\")"],
        "TOO_MANY_STEPS" => &["join small steps", "plan the first part only"],
        "PLAN_NOT_FOUND" => &["plan(action=\"write\")"],
        "PLAN_OVER" if for_another => &["sidekick_complete"],
        "PLAN_OVER" => &["answer the person in words"],
        "PLAN_SENT_BACK" => {
            &["plan(action=\"write\") with a new revision", "plan(action=\"cancel\")"]
        }
        "PLAN_UNCHANGED" => {
            &["plan(action=\"write\") with another plan", "plan(action=\"cancel\")"]
        }
        "PLAN_STEPS_STAY" => &["plan(action=\"revise\") with edits of what was spoken of only"],
        "STEP_NOT_RUNNING" | "STEP_NOT_FOUND" => &["plan(action=\"status\")"],
        "CHECK_FAILED" => &["fix what the check found, then step_done again"],
        _ => &[],
    }
}
