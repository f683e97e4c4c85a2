//! The calls of one reply: reads in parallel, the rest in order, each through the gate.

use super::asking::SECRET_ARGS;
use super::judging::{ask, control, facts, impossible, judge, profile_of};
use super::offer::Stage;
use super::reading::{self, Cut, Understood};
use super::reply::UNREAD_CALL;
use super::{effects, harness_tools, received, repeated, scene, submit, unseen};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::history::whole;
use crate::live::{JournalBlobs, LiveRoom};
use crate::sidekicks;
use crate::submit::Submitted;
use futures::future::join_all;
use plan::{BAD_ARGUMENTS, CallId, Command, Effect, Facts, Outcome, Refusal, Text, Verdict};
use serde_json::{Value, json};
use std::sync::Arc;

/// A call that passed the gate.
pub(crate) struct Cleared {
    pub(crate) id: CallId,
    pub(crate) tool: String,
    pub(crate) args: Value,
    pub(crate) facts: Facts,
    pub(crate) profile: tools::Profile,
    /// How its arguments were read, where that has to be told.
    pub(crate) notes: Vec<String>,
}

/// Said instead of making a call with a secret in it.
const HELD_SECRET: &str = "the call was not made: its arguments held a secret, which is not passed \
                           on or repeated; work without its value";

pub(crate) async fn run(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    ids: Vec<CallId>,
) -> Result<(), EngineError> {
    let mut reads: Vec<Cleared> = Vec::new();
    for id in ids {
        let Some((tool, args)) = open_call(engine, live, id) else { break };
        let Understood { args, warnings } = match args {
            Ok(understood) => understood,
            Err(why) => {
                unread(engine, live, id, &tool, &why)?;
                continue;
            }
        };
        // The same one may still be under way.
        if reads.iter().any(|read| read.tool == tool && read.args == args) {
            run_reads(engine, live, &mut reads).await?;
        }
        if repeated::is_one(live, id, &tool) {
            end(engine, live, id, Outcome::AlreadyDone, repeated::words(live))?;
            continue;
        }
        if harness_tools::is_one(&tool) {
            run_reads(engine, live, &mut reads).await?;
            if let Verdict::Block { code, reason } = judge(engine, live, &control(&tool)) {
                end(engine, live, id, Outcome::Blocked, refused(code, &reason))?;
                continue;
            }
            match harness_tools::run(engine, live, id, &tool, args).await? {
                Waits::No => continue,
                Waits::ForPerson => break,
            }
        }
        if tools::mcp::split(&tool).is_some() {
            tokio::select! {
                () = crate::mcp::refresh(engine, live, &tool) => {}
                () = effects::doomed(engine, live, id) => {}
            }
        }
        // What only looks may move to another folder, and the next command begins there.
        if tool == "shell" && reads.iter().any(may_move) {
            run_reads(engine, live, &mut reads).await?;
        }
        match clear(engine, live, id, tool, args, warnings)? {
            Gated::Cleared(call) if is_beside_others(&call) => reads.push(call),
            Gated::Cleared(call) => {
                run_reads(engine, live, &mut reads).await?;
                if let Some(why) = unseen::why(engine, live, &call).await {
                    end(engine, live, id, Outcome::Failed, refused("NOT_READ", &why))?;
                    continue;
                }
                effects::run(engine, live, call).await?;
                // One that may not begin any more is judged anew, before those that follow.
                if live.lock().room.call(id).is_some() {
                    break;
                }
            }
            Gated::Ended => {}
            Gated::Asked => break,
        }
    }
    run_reads(engine, live, &mut reads).await?;
    Ok(())
}

/// Whether a call may run beside those before and after it: it only looks, and ends nothing that
/// another one looks at.
fn is_beside_others(call: &Cleared) -> bool {
    call.facts.effect == Effect::Read && call.tool != "job_stop"
}

/// Whether a command may end in another folder than it began in.
fn may_move(call: &Cleared) -> bool {
    let command = call.args.get("command").and_then(Value::as_str).unwrap_or_default();
    call.tool == "shell" && ["cd", "pushd", "popd"].iter().any(|word| command.contains(word))
}

/// Whether a call goes on only after a person's answer.
pub(crate) enum Waits {
    No,
    ForPerson,
}

async fn run_reads(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    reads: &mut Vec<Cleared>,
) -> Result<(), EngineError> {
    let reads = std::mem::take(reads);
    let runs = reads.into_iter().map(|call| effects::run(engine, live, call));
    for run in join_all(runs).await {
        run?;
    }
    Ok(())
}

/// A call that may still be looked at, with its arguments.
fn open_call(
    engine: &Engine,
    live: &LiveRoom,
    id: CallId,
) -> Option<(String, Result<Understood, Unread>)> {
    if sidekicks::is_held(engine, live) {
        return None;
    }
    let (tool, args, cut) = {
        let inner = live.lock();
        match plan::work::next(&inner.room) {
            plan::Work::Calls(ready) if ready.contains(&id) => {}
            plan::Work::Calls(_) | plan::Work::None | plan::Work::Model => return None,
        }
        let request = &inner.room.call(id)?.request;
        let args = match inner.long_args.get(&id) {
            Some(args) => Text::Inline(args.clone()),
            None => request.args.clone(),
        };
        let cut = match (request.cut, inner.room.turn.repeats) {
            (false, _) => Cut::No,
            (true, false) => Cut::Length,
            (true, true) => Cut::Repetition,
        };
        (request.tool.clone(), args, cut)
    };
    let args = whole(&args, &JournalBlobs(&*engine.shared.journal));
    let args = read(live, &tool, &args, cut);
    Some((tool, args))
}

/// Why a call's arguments can't be used, and what the model is told.
struct Unread {
    why: String,
    words: String,
}

/// The arguments under their own names. Those of a plan are read where it is written, since they
/// mean different things at different times.
fn read(live: &LiveRoom, tool: &str, sent: &str, cut: Cut) -> Result<Understood, Unread> {
    if sent == SECRET_ARGS {
        return Err(Unread { why: HELD_SECRET.to_owned(), words: HELD_SECRET.to_owned() });
    }
    let mut given = None;
    let mut read = || {
        let value = reading::json(sent, cut)?;
        given = Some(value.clone());
        if harness_tools::is_plan(tool) {
            return Ok(Understood { args: value, warnings: Vec::new() });
        }
        reading::read_fields(tool, value, sent)
    };
    read().map_err(|misread| {
        let room = &live.lock().room;
        let (steps, before) = (scene::steps(room), room.stuck.misread.of(tool));
        let words = reading::words(tool, &misread, given.as_ref(), &steps, before);
        Unread { why: misread.problem, words }
    })
}

/// What is told of a call of no tool that can be told.
const UNREAD_WORDS: &str = "your call could not be read, so nothing was done. A call names one tool, \
                            and its arguments are one JSON object in which every string and bracket \
                            is closed. Example: read_file {\"path\":\"path/to/file\"}. Send one \
                            short call";

/// A call that can't be read is a failed attempt, and its model hears how to do better.
fn unread(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    id: CallId,
    tool: &str,
    unread: &Unread,
) -> Result<(), EngineError> {
    let served = tools::mcp::split(tool).is_some() || tool == models::PERMISSION;
    if tool == UNREAD_CALL {
        return end(engine, live, id, Outcome::Failed, refused(BAD_ARGUMENTS, UNREAD_WORDS));
    }
    if !served && !received::own_tools(engine).contains(&tool) {
        let words = refused("UNKNOWN_TOOL", &unknown(engine, live, tool));
        return end(engine, live, id, Outcome::Blocked, words);
    }
    end(engine, live, id, Outcome::Failed, refused(BAD_ARGUMENTS, &unread.words))?;
    match harness_tools::is_plan(tool) {
        true => crate::goals::refused(engine, live, unread.why.clone()),
        false => Ok(()),
    }
}

/// What a tool itself says of arguments that it can't use, with the shortest call that would do.
pub(super) fn bad_arguments(live: &LiveRoom, tool: &str, why: &str, args: &Value) -> String {
    let before = live.lock().room.stuck.misread.of(tool);
    refused(BAD_ARGUMENTS, &reading::after_tool(tool, why, args, before))
}

/// What is said of a tool that there is not.
fn unknown(engine: &Engine, live: &LiveRoom, tool: &str) -> String {
    let listed = engine.shared.mcp.listed(live.lock().room.folder());
    let served: Vec<String> = listed.tools().into_keys().collect();
    let mut known = received::own_tools(engine);
    known.retain(|tool| can_work(live, tool));
    known.extend(served.iter().map(String::as_str));
    let before = live.lock().room.stuck.misread.of(tool);
    reading::unknown(tool, &known, before)
}

/// Whether a tool of ours can do anything in a room now.
fn can_work(live: &LiveRoom, tool: &str) -> bool {
    let stage = Stage::of(&live.lock().room);
    match tool {
        plan::council::ANSWER | plan::council::VOTE => matches!(stage, Stage::Member(_)),
        plan::council::SUBMIT | plan::council::RESTART => stage == Stage::Review,
        "sidekick_complete" => matches!(stage, Stage::Task { .. }),
        "step_done" | "step_failed" => matches!(stage, Stage::Step { .. } | Stage::Task { .. }),
        "job_output" | "job_stop" => !live.shell.running().is_empty(),
        // Each is said in another way, too.
        "write_plan" | "submit_plan" | crate::council::START => false,
        _ => true,
    }
}

/// What the gate did with a call.
enum Gated {
    Cleared(Cleared),
    Ended,
    Asked,
}

fn clear(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    id: CallId,
    tool: String,
    args: Value,
    notes: Vec<String>,
) -> Result<Gated, EngineError> {
    let facts = match facts(engine, live, id, &tool, &args) {
        Ok(facts) => facts,
        Err((BAD_ARGUMENTS, why)) => {
            let words = bad_arguments(live, &tool, &why, &args);
            end(engine, live, id, Outcome::Failed, words)?;
            return Ok(Gated::Ended);
        }
        Err((code, why)) => {
            end(engine, live, id, Outcome::Failed, refused(code, &why))?;
            return Ok(Gated::Ended);
        }
    };
    let verdict = judge(engine, live, &facts);
    // Nobody is asked for what no tool here can do.
    if let (Some((code, words)), false) =
        (impossible(&facts), matches!(verdict, Verdict::Block { .. }))
    {
        end(engine, live, id, Outcome::Failed, refused(code, words))?;
        return Ok(Gated::Ended);
    }
    match verdict {
        Verdict::Allow { profile } => {
            let profile = profile_of(engine, live, profile, &facts);
            Ok(Gated::Cleared(Cleared { id, tool, args, facts, profile, notes }))
        }
        Verdict::Warn { profile, reason } => {
            let text = engine.shared.redactor.clean(reason);
            match submit(engine, live, Command::Warn { call: id, text }, Vec::new()) {
                Ok(_) => {}
                // Nobody waits for the call any more.
                Err(EngineError::Refused(Refusal::NoSuchCall)) => return Ok(Gated::Ended),
                Err(error) => return Err(error),
            }
            let profile = profile_of(engine, live, profile, &facts);
            Ok(Gated::Cleared(Cleared { id, tool, args, facts, profile, notes }))
        }
        Verdict::Block { code, reason } => {
            let reason = match code {
                "UNKNOWN_TOOL" => unknown(engine, live, &tool),
                _ => reason,
            };
            end(engine, live, id, Outcome::Blocked, refused(code, &reason))?;
            Ok(Gated::Ended)
        }
        Verdict::Ask { kind, reason, beyond } => {
            ask(engine, live, (id, &tool, &args), (kind, reason), beyond, &facts)?;
            Ok(Gated::Asked)
        }
    }
}

/// Ends a call with an answer of ours. A call that has ended meanwhile is left alone.
pub(crate) fn end(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    call: CallId,
    outcome: Outcome,
    words: String,
) -> Result<(), EngineError> {
    let (result, blob) = Text::split(engine.shared.redactor.clean(words));
    let (changed, images) = (Vec::new(), Vec::new());
    let end = |nudge| Command::EndCall { call, outcome, result, nudge, changed, images, ms: 0 };
    match end_one(engine, live, call, outcome, end, blob.into_iter().collect()) {
        Ok(_) | Err(EngineError::Refused(Refusal::NoSuchCall)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Ends a call: it counts for the step above, and what that pauses begins nothing more here.
pub(super) fn end_one(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    call: CallId,
    outcome: Outcome,
    end: impl FnOnce(Option<String>) -> Command,
    blobs: Vec<(String, Vec<u8>)>,
) -> Result<Submitted, EngineError> {
    let ended = {
        let _one = live.ending.lock();
        let nudge = sidekicks::tried(engine, live, call, outcome);
        let end = end(nudge);
        let mark = repeated::Mark::after(live, call, &end);
        if outcome == Outcome::Ok {
            unseen::went_well(live, call);
        }
        let ended = submit(engine, live, end, blobs);
        if outcome != Outcome::AlreadyDone {
            live.lock().call_ended = Some(mark);
        }
        ended
    };
    sidekicks::hold_back(engine, live);
    ended
}

/// A refusal as the model reads it.
pub(crate) fn refused(code: &str, message: &str) -> String {
    json!({ "code": code, "message": message }).to_string()
}
