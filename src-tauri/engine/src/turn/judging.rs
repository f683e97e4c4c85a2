//! What is known of a call before it runs, and what the gate says to it.

use super::{effects, harness_tools, submit};
use crate::config::Permissions;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::excerpts::{Excerpts, FACT};
use crate::live::LiveRoom;
use crate::mcp::Served;
use plan::{
    Ask, AskId, AskKind, CallId, CallState, Command, Detail, Effect, Facts, PlanId, Profile,
    Refusal, Room, RoomKind, Rule, RuleAction, SimpleCommand, Source, Standing, StepId, Target,
    Verdict, gate,
};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::Arc;

/// Why a call can't be carried out here, whatever the gate says.
pub(super) fn impossible(facts: &Facts) -> Option<(&'static str, &'static str)> {
    if facts.known && facts.is_loose() {
        let words = "programs can't be confined on this machine, so none are run";
        return Some(("NO_SANDBOX", words));
    }
    // What a server does outside is its own affair, and so is an agent's mode.
    if facts.is_served() || facts.tool == models::PERMISSION {
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
        also: Vec::new(),
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
        return crate::agents::facts(engine, &workspace, args, facts);
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
        tools::Target::Command { text, simple } => {
            Target::Command { text, simple: simple.map(commands) }
        }
        tools::Target::Host { host } => Target::Host(host),
    };
    (effect, found.targets.into_iter().map(target).collect())
}

/// Simple commands as the gate knows them.
pub(crate) fn commands(found: Vec<tools::SimpleCommand>) -> Vec<SimpleCommand> {
    let command =
        |tools::SimpleCommand { folder, argv, literal }| SimpleCommand { folder, argv, literal };
    found.into_iter().map(command).collect()
}

/// A tool of the harness's own, as the gate sees it.
pub(super) fn control(tool: &str) -> Facts {
    Facts {
        tool: tool.to_owned(),
        also: Vec::new(),
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

/// What allows the calls of a room now, as a text that is another one when any of it changes.
pub(super) fn allowed_by(engine: &Engine, live: &LiveRoom) -> Arc<str> {
    let (agent, room) = {
        let room = &live.lock().room;
        let plan = room.active_plan().map(|plan| (&plan.id, plan.revision, &plan.approval));
        (room.agent.clone(), format!("{plan:?} {:?} {:?}", room.mode, room.rules))
    };
    format!("{room} {:?}", permissions(engine, &agent)).into()
}

/// The same, as the gate reads them.
fn rules(engine: &Engine, agent: &str, folder: &str) -> Vec<Rule> {
    let permissions = permissions(engine, agent);
    let of = |action: RuleAction, texts: Vec<String>| {
        let parsed = texts.into_iter().filter_map(move |text| Rule::parse(action, &text));
        parsed.map(|rule| rule.in_workspace(folder))
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
    let own = rules(engine, &inner.room.agent, inner.room.folder());
    let mut standings = vec![Standing { room: &inner.room, rules: &own, step: None }];
    // Who speaks for another agent keeps to the rules of both.
    let speakers = rules(engine, inner.room.speaker(), inner.room.folder());
    if inner.room.speaker() != inner.room.agent {
        standings.push(Standing { room: &inner.room, rules: &speakers, step: None });
    }
    // Where a council does the work, the room's agent only looks and calls it.
    let config = engine.shared.config.current();
    if (facts.effect.changes_things() || harness_tools::is_plan(&facts.tool))
        && crate::council::is_called_for(&config.config, &inner.room)
    {
        let reason =
            "a council does the work here: call start_council with the whole task".to_owned();
        return Verdict::Block { code: "COUNCIL", reason };
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
    loop {
        let (parent, step) = match kind {
            RoomKind::Sidekick { parent, step, .. } => (parent, step),
            RoomKind::Member { parent, .. } => (parent, None),
            RoomKind::Chat => return Ok(found),
        };
        let room = engine.live(parent)?.lock().room.clone();
        kind = room.kind.clone();
        let rules = rules(engine, &room.agent, room.folder());
        found.push(Above { room, rules, step });
    }
}

/// The whole address of what is to be fetched: what leaves with it does not show in the host's name.
fn address(tool: &str, args: &Value, shown: &mut Excerpts<'_>) -> Option<Detail> {
    let address = args["url"].as_str().filter(|_| tool == "fetch")?;
    Some(shown.fact("arguments", address))
}

/// Puts a question about a call.
pub(super) fn ask(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    call: (CallId, &str, &Value),
    (kind, text): (AskKind, String),
    beyond: Option<(PlanId, Option<StepId>)>,
    facts: &Facts,
) -> Result<(), EngineError> {
    let (id, tool, args) = call;
    let mut shown = Excerpts::new(&engine.shared.redactor);
    let mut ask = question(engine, live, id, (kind, text), beyond, facts, &mut shown);
    ask.detail.extend(crate::mcp::detail(engine, live, tool, args, &mut shown));
    ask.detail.extend(crate::agents::detail(tool, args, &mut shown));
    ask.detail.extend(address(tool, args, &mut shown));
    match submit(engine, live, Command::RaiseAsk { ask }, shown.blobs) {
        Ok(_) | Err(EngineError::Refused(Refusal::NoSuchCall)) => Ok(()),
        Err(error) => Err(error),
    }
}

fn question(
    engine: &Engine,
    live: &LiveRoom,
    call: CallId,
    (kind, text): (AskKind, String),
    beyond: Option<(PlanId, Option<StepId>)>,
    facts: &Facts,
    shown: &mut Excerpts<'_>,
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
    let redactor = &engine.shared.redactor;
    detail.extend(facts.targets.iter().map(|target| shown.fact("target", target.words())));
    // What is kept was shown to the letter, so it must be short enough to show and hold no secret.
    let exactly = |facts: &Facts| {
        let rule = Rule::exactly(RuleAction::Allow, facts)?.to_string();
        // A rule may write the same words in another way.
        let targets = || facts.targets.iter().map(Target::words);
        let is_secret = targets().chain([rule.as_str()]).any(|words| redactor.knows(words));
        (rule.chars().count() <= FACT && !is_secret).then_some(rule)
    };
    detail.extend(exactly(facts).map(|rule| Detail::new("rule", rule)));
    // It is added to one step, or to none.
    let parts = step_id.iter().flat_map(|_| facts.parts()).filter(|part| !part.is_cd());
    let grants: Option<Vec<String>> = parts.map(|part| exactly(&part)).collect();
    detail.extend(grants.unwrap_or_default().into_iter().map(|one| Detail::new("grant", one)));
    let (text, whole) = shown.question(text, &facts.targets);
    detail.extend(whole);
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
