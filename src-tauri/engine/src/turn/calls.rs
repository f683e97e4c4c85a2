//! The calls of one reply: reads in parallel, the rest in order, each through the gate.

use super::asking::SECRET_ARGS;
use super::{effects, harness_tools, submit};
use crate::config::Permissions;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::history::whole;
use crate::live::{JournalBlobs, LiveRoom};
use crate::mcp::Served;
use futures::future::join_all;
use plan::{
    Ask, AskId, CallId, CallState, Command, Detail, Effect, Facts, Outcome, PlanId, Profile,
    Refusal, Room, RoomKind, Rule, RuleAction, Source, Standing, StepId, Target, Text, Verdict,
    gate,
};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::Arc;

/// The longest fact shown with a question, in characters.
const DETAIL_CHARS: usize = 1_000;

/// A call that passed the gate.
pub(crate) struct Cleared {
    pub(crate) id: CallId,
    pub(crate) tool: String,
    pub(crate) args: Value,
    pub(crate) facts: Facts,
    pub(crate) profile: tools::Profile,
}

pub(crate) async fn run(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    ids: Vec<CallId>,
) -> Result<(), EngineError> {
    let mut reads: Vec<Cleared> = Vec::new();
    for id in ids {
        let Some((tool, args)) = open_call(engine, live, id) else { break };
        let args = match args {
            Ok(args) => args,
            Err(why) => {
                let words = format!("the arguments are not a JSON object: {why}");
                end(engine, live, id, Outcome::Failed, refused("BAD_ARGUMENTS", &words))?;
                continue;
            }
        };
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
        match clear(engine, live, id, tool, args)? {
            Gated::Cleared(call) if is_beside_others(&call) => reads.push(call),
            Gated::Cleared(call) => {
                run_reads(engine, live, &mut reads).await?;
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
) -> Option<(String, Result<Value, String>)> {
    if crate::sidekicks::is_held(engine, live) {
        return None;
    }
    let (tool, args) = {
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
        (request.tool.clone(), args)
    };
    let args = whole(&args, &JournalBlobs(&*engine.shared.journal));
    let args = match serde_json::from_str(&args) {
        _ if args == SECRET_ARGS => Err("they held a secret; work without it".to_owned()),
        Ok(Value::Object(args)) => Ok(Value::Object(args)),
        Ok(_) => Err("another kind of value was given".to_owned()),
        Err(error) => Err(error.to_string()),
    };
    Some((tool, args))
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
) -> Result<Gated, EngineError> {
    let facts = match facts(engine, live, id, &tool, &args) {
        Ok(facts) => facts,
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
            Ok(Gated::Cleared(Cleared { id, tool, args, facts, profile }))
        }
        Verdict::Warn { profile, reason } => {
            submit(engine, live, Command::Warn { call: id, text: reason }, Vec::new())?;
            let profile = profile_of(engine, live, profile, &facts);
            Ok(Gated::Cleared(Cleared { id, tool, args, facts, profile }))
        }
        Verdict::Block { code, reason } => {
            end(engine, live, id, Outcome::Blocked, refused(code, &reason))?;
            Ok(Gated::Ended)
        }
        Verdict::Ask { kind, reason, beyond } => {
            let mut ask = ask(engine, live, id, kind, reason, beyond, &facts);
            ask.detail.extend(crate::mcp::detail(engine, live, &tool, &args));
            ask.detail.extend(crate::agents::detail(&tool, &args));
            match submit(engine, live, Command::RaiseAsk { ask }, Vec::new()) {
                Ok(_) | Err(EngineError::Refused(Refusal::NoSuchCall)) => Ok(Gated::Asked),
                Err(error) => Err(error),
            }
        }
    }
}

/// Why a call can't be carried out here, whatever the gate says.
fn impossible(facts: &Facts) -> Option<(&'static str, &'static str)> {
    if facts.known && facts.is_loose() {
        let words = "programs can't be confined on this machine, so none are run";
        return Some(("NO_SANDBOX", words));
    }
    // What a server does outside is its own affair.
    if facts.is_served() {
        return None;
    }
    match facts.reach() {
        Effect::WriteOutside if facts.known => {
            Some(("OUTSIDE_WORKSPACE", "tools change nothing outside the workspace"))
        }
        Effect::Network if facts.tool == "shell" && !tools::sandbox::has_network() => {
            Some(("NO_NETWORK", "commands have no network here; work without it"))
        }
        Effect::Read
        | Effect::Write
        | Effect::WriteOutside
        | Effect::Exec
        | Effect::Network
        | Effect::Delegate
        | Effect::Control => None,
    }
}

/// An effect as the gate knows it.
pub(crate) fn effect_of(effect: tools::Effect) -> Effect {
    match effect {
        tools::Effect::Read => Effect::Read,
        tools::Effect::Write => Effect::Write,
        tools::Effect::WriteOutside => Effect::WriteOutside,
        tools::Effect::Exec => Effect::Exec,
        tools::Effect::Network => Effect::Network,
    }
}

/// What is known of a call before it runs. Any error here blocks the call.
pub(crate) fn facts(
    engine: &Engine,
    live: &LiveRoom,
    id: CallId,
    tool: &str,
    args: &Value,
) -> Result<Facts, (&'static str, String)> {
    let allowed = {
        let inner = live.lock();
        inner.room.call(id).is_some_and(|call| call.state == CallState::Allowed)
    };
    let mut facts = Facts {
        tool: tool.to_owned(),
        known: engine.shared.toolbox.knows(tool),
        effect: Effect::WriteOutside,
        source: Source::Catalogue,
        targets: Vec::new(),
        sandbox: true,
        allowed,
    };
    if tool == crate::sidekicks::SPAWN {
        return Ok(Facts { known: true, effect: Effect::Delegate, ..facts });
    }
    if let Some(served) = crate::mcp::facts(engine, live, tool) {
        let Served { effect, source, target } = served?;
        return Ok(Facts { known: true, effect, source, targets: vec![target], ..facts });
    }
    let asks = tool == models::PERMISSION;
    if !facts.known && !asks {
        return Ok(facts);
    }
    let workspace = effects::workspace(live).map_err(|error| (error.code(), error.to_string()))?;
    if asks {
        return crate::agents::facts(engine, &workspace, args, facts)
            .map_err(|error| (error.code(), error.to_string()));
    }
    let found = engine
        .shared
        .toolbox
        .facts(tool, &begun_in(live, tool, args), &workspace)
        .map_err(|error| (error.code(), error.to_string()))?;
    (facts.effect, facts.targets) = known_facts(found);
    // Asked only where it matters: the answer costs a process the first time.
    if tool == "shell" {
        facts.sandbox =
            matches!(tools::sandbox::availability(), tools::sandbox::Availability::Available);
    }
    Ok(facts)
}

/// The arguments, with the folder that a command begins in where they do not say.
fn begun_in<'a>(live: &LiveRoom, tool: &str, args: &'a Value) -> Cow<'a, Value> {
    let folder = live.shell.folder();
    if tool != "shell" || folder.as_os_str().is_empty() || args.get("folder").is_some() {
        return Cow::Borrowed(args);
    }
    let mut args = args.clone();
    args["folder"] = json!(folder.to_string_lossy());
    Cow::Owned(args)
}

/// What a tool of ours says of a call, in the words of the gate.
pub(crate) fn known_facts(found: tools::Facts) -> (Effect, Vec<Target>) {
    let effect = effect_of(found.effect);
    let target = |target| match target {
        tools::Target::Path { path, outside, .. } => Target::Path { path, outside },
        tools::Target::Command { text, simple } => Target::Command { text, simple },
        tools::Target::Host { host } => Target::Host(host),
    };
    (effect, found.targets.into_iter().map(target).collect())
}

/// A tool of the harness's own, as the gate sees it.
fn control(tool: &str) -> Facts {
    Facts {
        tool: tool.to_owned(),
        known: true,
        effect: Effect::Control,
        source: Source::Catalogue,
        targets: Vec::new(),
        sandbox: true,
        allowed: false,
    }
}

/// How far a call that may run reaches: as the gate says, or as a person opened it by a rule, for
/// the room's agent and for those of all rooms above.
pub(crate) fn profile_of(
    engine: &Engine,
    live: &LiveRoom,
    profile: Profile,
    facts: &Facts,
) -> tools::Profile {
    let opened = |text: &String| {
        Rule::parse(RuleAction::Allow, text).is_some_and(|rule| rule.matches(facts))
    };
    let opens = |agent: &str| permissions(engine, agent).open.iter().any(opened);
    let is_open = || {
        let above = above(engine, live).ok()?;
        let (agent, speaker) = {
            let room = &live.lock().room;
            (room.agent.clone(), room.speaker().to_owned())
        };
        let mut agents = above.iter().map(|above| above.room.agent.as_str());
        Some(opens(&agent) && opens(&speaker) && agents.all(opens))
    };
    match profile {
        Profile::Look => tools::Profile::Look,
        Profile::Work if is_open() == Some(true) => tools::Profile::Open,
        Profile::Work => tools::Profile::Work,
    }
}

/// The rules of a room's agent. One that is no longer configured keeps working under the
/// default one's.
fn permissions(engine: &Engine, agent: &str) -> Permissions {
    let config = engine.shared.config.current();
    let agent = config.config.agent(agent).cloned();
    agent.unwrap_or_else(|| config.config.default_agent()).permissions
}

/// The same, as the gate reads them.
fn rules(engine: &Engine, agent: &str) -> Vec<Rule> {
    let permissions = permissions(engine, agent);
    let of = |action: RuleAction, texts: Vec<String>| {
        texts.into_iter().filter_map(move |text| Rule::parse(action, &text))
    };
    of(RuleAction::Deny, permissions.deny)
        .chain(of(RuleAction::Ask, permissions.ask))
        .chain(of(RuleAction::Allow, permissions.allow))
        .collect()
}

/// What the gate says in this room and in those above it, with the person's rules.
pub(crate) fn judge(engine: &Engine, live: &LiveRoom, facts: &Facts) -> Verdict {
    let above = match above(engine, live) {
        Ok(above) => above,
        Err(error) => {
            let (code, reason) = ("NO_ROOM", format!("the room above can't be read: {error}"));
            return Verdict::Block { code, reason };
        }
    };
    let inner = live.lock();
    let own = rules(engine, &inner.room.agent);
    let mut standings = vec![Standing { room: &inner.room, rules: &own, step: None }];
    // Who speaks for another agent keeps to the rules of both.
    let speakers = rules(engine, inner.room.speaker());
    if inner.room.speaker() != inner.room.agent {
        standings.push(Standing { room: &inner.room, rules: &speakers, step: None });
    }
    standings.extend(above.iter().map(|above| Standing {
        room: &above.room,
        rules: &above.rules,
        step: above.step.as_ref(),
    }));
    gate(&standings, facts)
}

/// Whether the gate still lets a call pass that it let pass before.
pub(crate) fn may_run(engine: &Engine, live: &LiveRoom, facts: &Facts) -> bool {
    match judge(engine, live, facts) {
        Verdict::Allow { .. } | Verdict::Warn { .. } => true,
        Verdict::Ask { .. } | Verdict::Block { .. } => false,
    }
}

/// A room above a sidekick's, as it is now.
struct Above {
    room: Room,
    rules: Vec<Rule>,
    step: Option<StepId>,
}

/// The rooms that a sidekick works for, nearest first.
fn above(engine: &Engine, live: &LiveRoom) -> Result<Vec<Above>, EngineError> {
    let mut found = Vec::new();
    let mut kind = live.lock().room.kind.clone();
    while let RoomKind::Sidekick { parent, step, .. } = kind {
        let room = engine.live(parent)?.lock().room.clone();
        kind = room.kind.clone();
        let rules = rules(engine, &room.agent);
        found.push(Above { room, rules, step });
    }
    Ok(found)
}

pub(super) fn ask(
    engine: &Engine,
    live: &LiveRoom,
    call: CallId,
    kind: plan::AskKind,
    text: String,
    beyond: Option<(PlanId, Option<StepId>)>,
    facts: &Facts,
) -> Ask {
    let (plan_id, step_id) = match beyond {
        Some((plan, step)) => (Some(plan), step),
        None => {
            let inner = live.lock();
            let plan = inner.room.running_plan();
            let step = plan.and_then(|plan| plan.current()).map(|step| step.spec.id.clone());
            (plan.map(|plan| plan.id), step)
        }
    };
    let mut detail = vec![Detail::new("tool", facts.tool.clone())];
    let cut = |words: &str| words.chars().take(DETAIL_CHARS).collect::<String>();
    detail.extend(facts.targets.iter().map(|target| Detail::new("target", cut(target.words()))));
    // What is kept was shown to the letter, so it must be short enough to show.
    let exactly = |facts: &Facts| {
        let rule = Rule::exactly(RuleAction::Allow, facts)?.to_string();
        (rule.chars().count() <= DETAIL_CHARS).then_some(rule)
    };
    detail.extend(exactly(facts).map(|rule| Detail::new("rule", rule)));
    // It is added to one step, or to none.
    let parts = step_id.iter().flat_map(|_| facts.parts());
    let grants: Option<Vec<String>> = parts.map(|part| exactly(&part)).collect();
    detail.extend(grants.unwrap_or_default().into_iter().map(|one| Detail::new("grant", one)));
    Ask {
        id: AskId(crate::fresh_id()),
        kind,
        plan_id,
        step_id,
        call_id: Some(call),
        text,
        detail,
        created_at: engine.shared.clock.now(),
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
    let _one = live.ending.lock();
    let nudge = crate::sidekicks::tried(engine, live, call, outcome);
    let command = Command::EndCall { call, outcome, result, nudge, changed, images, ms: 0 };
    match submit(engine, live, command, blob.into_iter().collect()) {
        Ok(_) | Err(EngineError::Refused(Refusal::NoSuchCall)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// A refusal as the model reads it.
pub(crate) fn refused(code: &str, message: &str) -> String {
    json!({ "code": code, "message": message }).to_string()
}
