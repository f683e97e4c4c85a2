//! The `plan` and `submit_plan` tools: from a model's words to commands, and back.

use super::calls::{Waits, end, refused};
use super::reading::{self, PlanCall, Wish};
use super::{choosing, completing, harness_tools, received, scene, verify};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::goals;
use crate::live::LiveRoom;
use crate::sidekicks::{self, refuse_vain_approval};
use plan::{
    Actor, AskId, CallId, CallState, Command, Draft, DraftStep, Edit, Frame, OnPartial, Origin,
    Outcome, ParentStep, PlanId, Refusal, Room, RoomKind, RunMode, StepRef, Venue, answer,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(crate) async fn run(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    id: CallId,
    tool: &str,
    args: Value,
) -> Result<Waits, EngineError> {
    let PlanCall { mut wish, origin, mut warnings } = match read(engine, live, tool, &args).await? {
        Ok(call) => call,
        Err((misread, words)) => {
            end(engine, live, id, Outcome::Failed, refused(misread.code, &words))?;
            goals::refused(engine, live, misread.problem)?;
            return Ok(Waits::No);
        }
    };
    warnings.extend(unusable(engine, live, &mut wish));
    warn(engine, live, id, &warnings)?;
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
            let own = step.is_some() && live.lock().room.plan.is_some();
            if let Some(handed) = sidekicks::handed(engine, live).filter(|_| !own) {
                let step = step.as_ref();
                return completing::step_done(engine, live, id, step, &result, &handed).await;
            }
            let Some(step) = step else { return no_step(engine, live, id) };
            return step_done(engine, live, id, step, result).await;
        }
        Wish::Write(draft) => return write(engine, live, id, origin, draft, &warnings),
        Wish::Run => {
            fits = refuse_vain_approval(engine, live, false);
            (Command::Run { ask: AskId(crate::fresh_id()), call: Some(id) }, answer::short)
        }
        Wish::StepFailed { step, error, next } if works_for_another(live) => {
            return completing::step_failed(engine, live, id, step.as_ref(), error, next);
        }
        Wish::StepFailed { step: None, .. } => return no_step(engine, live, id),
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
    answer_with(engine, live, id, fits.and_then(submit), told_of, &warnings)
}

/// Reads a call; what is wrong with it, and what the model is told.
async fn read(
    engine: &Engine,
    live: &LiveRoom,
    tool: &str,
    args: &Value,
) -> Result<Result<PlanCall, (reading::Misread, String)>, EngineError> {
    let message = scene::message(engine, live, args).await?;
    // What is split has its goal.
    let goal = || live.lock().room.active_plan().map(|plan| plan.content.goal.clone());
    let message = message.or_else(goal);
    let is_command = scene::is_command(engine, live);
    let mut scene = scene::of(live, message, &is_command);
    if !live.lock().room.means_current() {
        scene.steps.iter_mut().for_each(|step| step.in_progress = false);
    }
    let read = reading::read_plan(tool, args.clone(), &scene);
    Ok(read.map_err(|misread| {
        let before = live.lock().room.stuck.misread.of(tool);
        let words = reading::words(tool, &misread, Some(args), &scene.steps, before);
        (misread, words)
    }))
}

/// Takes out of steps what there is not: a model that nobody knows, and says so of a tool, which
/// allows nothing as it stands. What stands before a tool's own name goes, as in calls.
fn unusable(engine: &Engine, live: &LiveRoom, wish: &mut Wish) -> Vec<String> {
    let config = engine.shared.config.current();
    let agent = choosing::agent_of(&config.config, &live.lock().room);
    let listed = engine.shared.mcp.listed(live.lock().room.folder());
    let served = listed.tools();
    let is_tool =
        |name: &str| received::own_tools(engine).contains(&name) || served.contains_key(name);
    let mut warnings = Vec::new();
    let mut look = |step: String, tool: Option<&mut String>, model: &mut Option<String>| {
        if let Some(name) = model.take_if(|name| config.config.model(name, Some(&agent)).is_err()) {
            let name = reading::short(&name);
            warnings.push(format!("{step}: there is no model called {name}, so it was left out"));
        }
        let Some(tool) = tool.filter(|tool| !tool.trim().is_empty() && !is_tool(tool)) else {
            return;
        };
        match models::tool_name::rest(tool).filter(|rest| is_tool(rest)) {
            Some(rest) => *tool = rest.to_owned(),
            // A server's tool may be told by its full name, before the server has come up.
            None if tools::mcp::split(tool)
                .is_some_and(|(server, _)| config.config.mcp_servers.contains_key(server)) => {}
            None => {
                let known = received::own_tools(engine);
                let known: Vec<&str> =
                    known.into_iter().filter(|own| !harness_tools::is_one(own)).collect();
                let words = reading::unknown(tool, &known, 0);
                warnings.push(format!("{step}: `tool` allows nothing, since {words}"));
            }
        }
    };
    match wish {
        Wish::Write(draft) => {
            for (at, step) in draft.steps.iter_mut().enumerate() {
                if let DraftStep::Full(step) = step {
                    look(format!("step {}", at + 1), step.tool.as_mut(), &mut step.model);
                }
            }
        }
        Wish::Revise { edits, .. } => {
            for edit in edits {
                match edit {
                    Edit::Add { new: DraftStep::Full(step), .. } => {
                        look("the new step".to_owned(), step.tool.as_mut(), &mut step.model);
                    }
                    Edit::Set { to, .. } => {
                        look("the changed step".to_owned(), to.tool.as_mut(), &mut to.model);
                    }
                    Edit::Add { new: DraftStep::Words(_), .. }
                    | Edit::Remove { .. }
                    | Edit::Move { .. } => {}
                }
            }
        }
        Wish::Run
        | Wish::StepDone { .. }
        | Wish::StepFailed { .. }
        | Wish::Status
        | Wish::Cancel { .. } => {}
    }
    warnings
}

/// A report of a step by one who has none.
fn no_step(engine: &Engine, live: &Arc<LiveRoom>, id: CallId) -> Result<Waits, EngineError> {
    let words = "no step of a plan was handed to you. End your task with sidekick_complete";
    end(engine, live, id, Outcome::Blocked, refused("NO_STEP", words))?;
    Ok(Waits::No)
}

/// Shows what was read in another way than it was written.
fn warn(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    id: CallId,
    warnings: &[String],
) -> Result<(), EngineError> {
    if warnings.is_empty() {
        return Ok(());
    }
    let text = engine.shared.redactor.clean(warnings.join("; "));
    match super::submit(engine, live, Command::Warn { call: id, text }, Vec::new()) {
        // Nobody waits for the call any more.
        Ok(_) | Err(EngineError::Refused(Refusal::NoSuchCall)) => Ok(()),
        Err(error) => Err(error),
    }
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
    warnings: &[String],
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
    let waits = answer_with(engine, live, id, done, answer::written, warnings)?;
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
    warn(engine, live, id, &[text])
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
    answer_with(engine, live, id, done, told_of, &[])
}

/// The same, with what was read in another way than it was written.
fn answer_with(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    id: CallId,
    done: Result<(), EngineError>,
    told_of: fn(&Room) -> Value,
    warnings: &[String],
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
            let mut told = told_of(&live.lock().room);
            if !warnings.is_empty() && told.is_object() {
                let own = told["warnings"].as_array().cloned().unwrap_or_default();
                let all = own.into_iter().chain(warnings.iter().map(|warning| json!(warning)));
                told["warnings"] = all.collect();
            }
            end(engine, live, id, Outcome::Ok, told.to_string())?;
            Ok(Waits::No)
        }
        Err(EngineError::Refused(refusal)) => {
            // Refused plan calls are no attempts at the step; a failed check is one.
            let checked = matches!(refusal, Refusal::CheckFailed { .. });
            let outcome = if checked { Outcome::Failed } else { Outcome::Blocked };
            let alone = works_for_another(live);
            let mut words = json!({
                "code": refusal.code(),
                "message": refusal.to_string(),
                "fallbacks": fallbacks(&refusal, alone),
            });
            let taught = {
                let room = &live.lock().room;
                let before = room.stuck.misread.of(plan::STEP_DONE);
                reading::after_refusal(refusal.code(), &scene::steps(room), before)
            };
            if let Some(taught) = taught {
                words["example"] = json!(taught);
            }
            end(engine, live, id, outcome, words.to_string())?;
            Ok(Waits::No)
        }
        Err(error) => Err(error),
    }
}

/// Who speaks in a room's turns.
pub(super) fn agent(live: &LiveRoom) -> Actor {
    let inner = live.lock();
    match &inner.room.kind {
        RoomKind::Chat | RoomKind::Member { .. } => Actor::agent(inner.room.speaker()),
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
