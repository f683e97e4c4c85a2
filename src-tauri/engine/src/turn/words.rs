//! A sidekick that answers in words. It is sent on, for it is done when it says so by its tool; when
//! it insists, a person decides: about the plan whose step it does, else about the sidekick. Only who
//! has no such tool is taken at its word.

use super::asking::Asked;
use super::submit;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use crate::sidekicks::{self, parent_of};
use models::Protocol;
use plan::{Command, PauseReason, SidekickEnd};
use std::sync::Arc;

/// Turns in words after which one is taken at its word that has no tool of ours to say that it is
/// done.
const WITHOUT_TOOL: u32 = 2;

/// What follows from a turn that was nothing but words.
pub(super) fn heard(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    asked: &Asked,
    words: &str,
) -> Result<(), EngineError> {
    let (times, said) = {
        let room = &live.lock().room;
        // One that was not sent on talks with a person, or waits for others.
        let sent_on = room.owes && room.below.is_empty() && room.active_plan().is_none();
        match room.sidekick.as_ref().filter(|own| sent_on && own.ended.is_none()) {
            Some(own) => (own.idle, own.said.clone()),
            None => return Ok(()),
        }
    };
    let words = if words.trim().is_empty() { &said } else { words };
    if !can_complete(asked.model.protocol()) {
        if times < WITHOUT_TOOL || words.is_empty() {
            return Ok(());
        }
        let (end, result) = (SidekickEnd::Completed, engine.redact(words.to_owned()));
        let (told, checked, given_up, next, call) = (false, false, false, None, None);
        let end = Command::EndSidekick { end, result, told, checked, given_up, next, call };
        submit(engine, live, end, Vec::new())?;
        return Ok(());
    }
    let Some(handed) = sidekicks::handed(engine, live) else {
        return match times < asked.config.config.caps.idle_turns {
            true => Ok(()),
            false => engine.ask_about_words(live, times, words),
        };
    };
    let Some(above) = parent_of(live).and_then(|room| engine.live(room).ok()) else {
        return Ok(());
    };
    let most = above.lock().room.active_plan().map(|plan| plan.frame.caps.idle_turns);
    if most.is_some_and(|most| times >= most) {
        let (reason, code) = (PauseReason::Attempts, "IDLE".to_owned());
        let text = format!(
            "the sidekick of step {} answered {times} times in words and did not say that it is \
             done: {said}",
            handed.number
        );
        submit(engine, &above, Command::Trouble { reason, code, text, until: None }, Vec::new())?;
    }
    Ok(())
}

/// Whether a model can call the tool that says that it is done: a program has tools of its own, and
/// the rehearsal plays what was written before.
fn can_complete(protocol: Protocol) -> bool {
    match protocol {
        Protocol::OpenAiChat
        | Protocol::OpenAiResponses
        | Protocol::Anthropic
        | Protocol::Gemini => true,
        Protocol::Rehearsal | Protocol::Acp => false,
    }
}
