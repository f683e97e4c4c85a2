//! What a model is asked in one turn: history and ledger, the tools that fit, and what the answer
//! may be.

use super::asking::Asked;
use super::offer::Offer;
use super::{files_here, forcing, prompt};
use crate::config::{AgentConfig, Config, Part};
use crate::engine::Engine;
use crate::live::LiveRoom;
use crate::outputs::OutputForm;
use models::{Protocol, Request, Thinking};
use plan::ledger;

/// What a model is asked, and the last event it is shown; nothing while the conversation is not in
/// memory.
pub(super) fn of(engine: &Engine, live: &LiveRoom, asked: &Asked) -> Option<(Request, u64)> {
    let form = OutputForm::by(asked.model.protocol());
    let outputs = crate::goals::outputs(engine, live, form);
    let profile = engine.profile(&asked.name);
    let files = forcing::can_be_led(&profile, asked.model.protocol());
    let files = files.then(|| files_here::words(engine, live)).flatten();
    let mut inner = live.lock();
    let history = inner.history.as_mut()?.shown();
    let room = &inner.room;
    let agent = asked.config.config.agent(room.speaker());
    let protocol = asked.model.protocol();
    let instructions = agent.and_then(|agent| agent.instructions.as_deref());
    let jobs = !live.shell.running().is_empty();
    let council = crate::council::is_called_for(&asked.config.config, room);
    let offer = Offer::of(room, &profile, jobs, instructions, council);
    let mut served = engine.shared.mcp.listed(room.folder());
    if room.member.is_some() {
        // Members only look, and are told of nothing else.
        served = crate::mcp::reading(engine, &served);
    }
    let tools = engine.shared.tool_sets.of(protocol, offer, &engine.shared.toolbox, &served);
    let note = || {
        let led = forcing::is_led(&profile, &tools);
        let small = led.then(|| prompt::next(room)).flatten();
        prompt::note(room, &asked.config.config, &profile).or(small)
    };
    let request = Request {
        model: asked.config.config.name_at_provider(&asked.name).to_owned(),
        system: prompt::system(room, protocol, &profile, instructions, council),
        history,
        tail: joined(files, joined(ledger(room), outputs.or_else(note))),
        force: forcing::force(room, &profile, &tools),
        tools,
        max_output: output_limit(asked),
        thinking: thinking(&asked.config.config, agent, asked.part),
    };
    Some((request, room.seq))
}

/// The most a model may write, where a protocol has to be told.
fn output_limit(asked: &Asked) -> Option<u32> {
    match asked.model.protocol() {
        Protocol::Anthropic => {
            let most = asked.config.config.facts(&asked.name).max_output?;
            u32::try_from(most).ok()
        }
        Protocol::OpenAiChat
        | Protocol::OpenAiResponses
        | Protocol::Gemini
        | Protocol::Rehearsal
        | Protocol::Acp => None,
    }
}

/// How much the model may think, by the part it has: to plan or to execute.
fn thinking(config: &Config, agent: Option<&AgentConfig>, part: Part) -> Option<Thinking> {
    match agent {
        Some(agent) => agent.thinking_in(part),
        None => config.default_agent().thinking_in(part),
    }
}

/// What is told after the conversation.
pub(super) fn joined(first: Option<String>, second: Option<String>) -> Option<String> {
    match (first, second) {
        (Some(first), Some(second)) => Some(format!("{first}\n{second}")),
        (first, second) => first.or(second),
    }
}
