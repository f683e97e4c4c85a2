//! When a conversation nears the model's window it is replaced by a summary.
//! The plan ledger lives outside it and is told in full at every turn.

use super::asking::{self, Asked};
use super::{reply, request, submit};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::history::History;
use crate::live::{JournalBlobs, LiveRoom, decode};
use models::Protocol;
use plan::{Command, Event, Text, ledger};
use std::sync::Arc;

/// The window of a model nobody told us about, in tokens.
const USUAL_WINDOW: u64 = 128_000;
/// The last words of the person that are kept as they are, and as many bytes of each.
const LAST_WORDS: usize = 3;
const LAST_BYTES: usize = 16 * 1024;
/// What is looked at to find them.
const LOOKED_AT: usize = 60;
const SAID_AND_COUNCILS: [&str; 5] =
    ["said", "council_started", "council_restarted", "council_handed_over", "council_ended"];

/// Messages and results that a digest names.
const DIGEST: usize = 40;

const ASK: &str = "The conversation above is about to be replaced by your summary. Write what \
    is needed to go on: what the person wants, what was found out (with names of files and \
    values), what was done and what failed, and what is open. Use plain text and call no tool.";

/// Whether the conversation fills most of the model's window.
pub(crate) fn is_due(engine: &Engine, live: &LiveRoom, asked: &Asked) -> bool {
    // It keeps its own conversation, and shortens that itself.
    if asked.model.protocol() == Protocol::Acp {
        return false;
    }
    let window = engine.profile(&asked.name).window.unwrap_or(USUAL_WINDOW);
    let inner = live.lock();
    inner.history.as_ref().is_some_and(|history| {
        let tokens = history.estimated_tokens();
        history.can_shrink() && tokens.saturating_mul(5) > window.saturating_mul(4)
    })
}

/// Whether a summary would make the conversation shorter.
pub(crate) fn can_help(live: &LiveRoom) -> bool {
    live.lock().history.as_ref().is_some_and(History::can_shrink)
}

/// Replaces the conversation so far by a summary of it.
pub(crate) async fn compact(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    asked: &Asked,
) -> Result<(), EngineError> {
    let Some((mut request, upto)) = request::of(engine, live, asked) else { return Ok(()) };
    request.force = None;
    request.tail = request::joined(ledger(&live.lock().room), Some(ASK.to_owned()));
    let heard = tokio::select! {
        heard = reply::listen(asked, request, None) => heard,
        () = asking::no_longer_wanted(engine, live, upto) => return Ok(()),
    };
    let (words, usage) = match heard {
        Ok(said) => {
            let usage = reply::cost(asked, said.usage());
            let words = if said.repeats() { String::new() } else { said.text };
            (words, Some(usage))
        }
        Err(_) => (String::new(), None),
    };
    // Too long even for the summary, or none came: the beginnings of what was
    // said last have to do.
    let words = if words.trim().is_empty() { digest(engine, live)? } else { words };
    let summary = format!(
        "Summary of the conversation so far:\n{words}\n\nThe person's last messages:\n{}",
        last_words(engine, live)?
    );
    if let Some(usage) = usage {
        let model = asked.name.to_string();
        submit(engine, live, Command::Spend { model, usage }, Vec::new())?;
    }
    let (summary, blob) = Text::split(engine.shared.redactor.clean(summary));
    submit(engine, live, Command::Compact { summary, upto }, blob.into_iter().collect())?;
    Ok(())
}

/// How each of the last messages and results begins.
fn digest(engine: &Engine, live: &LiveRoom) -> Result<String, EngineError> {
    let kinds = ["said", "replied", "call_ended"];
    let stored = engine.shared.journal.read_kinds(live.id.0, &kinds, None, DIGEST)?;
    let mut lines = Vec::new();
    for stored in stored.iter().rev() {
        let event = decode(stored)?;
        let (Event::Said { text, .. }
        | Event::Replied { text, .. }
        | Event::CallEnded { result: text, .. }) = &event
        else {
            continue;
        };
        let head: String = text.head().chars().take(200).collect();
        if !head.is_empty() {
            lines.push(format!("{}: {head}", stored.kind));
        }
    }
    Ok(lines.join("\n"))
}

/// What would fill the window again is cut.
fn beginning(mut words: String) -> String {
    let whole = words.len();
    if whole > LAST_BYTES {
        words.truncate(words.floor_char_boundary(LAST_BYTES));
        words.push_str(&format!("… (cut: {whole} bytes in all)"));
    }
    words
}

fn last_words(engine: &Engine, live: &LiveRoom) -> Result<String, EngineError> {
    let journal = &*engine.shared.journal;
    let stored = journal.read_kinds(live.id.0, &SAID_AND_COUNCILS, None, LOOKED_AT)?;
    let events = stored.iter().rev().map(decode).collect::<Result<Vec<_>, _>>()?;
    let said = said_to_agent(&events);
    let last = said.iter().skip(said.len().saturating_sub(LAST_WORDS));
    let words = last.map(|text| beginning(crate::history::whole(text, &JournalBlobs(journal))));
    Ok(words.collect::<Vec<_>>().join("\n\n"))
}

/// What the person said to the room's agent; the rest was for the members of a council.
fn said_to_agent(events: &[Event]) -> Vec<&Text> {
    let (mut said, mut talks) = (Vec::new(), false);
    for event in events {
        if let Event::Said { text, .. } = event
            && !talks
        {
            said.push(text);
        }
        let begins = matches!(event, Event::CouncilStarted { .. } | Event::CouncilRestarted { .. });
        let ends = matches!(event, Event::CouncilHandedOver { .. } | Event::CouncilEnded { .. });
        talks = begins || talks && !ends;
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::{Actor, AskId, CouncilEnd, MessageId, PlanId, Surface};

    fn said(words: &str) -> Event {
        let (message, by) = (MessageId(crate::fresh_id()), Actor::person("me", Surface::Window));
        Event::Said { message, text: Text::from(words), by }
    }

    #[test]
    fn what_was_said_to_a_council_is_none_of_the_agents_last_words() {
        let begins = || Event::CouncilRestarted {
            reason: String::new(),
            instructions: String::new(),
            result: String::new(),
            members: Vec::new(),
            plan: PlanId(crate::fresh_id()),
            ask: AskId(crate::fresh_id()),
        };
        let events = [
            said("before"),
            begins(),
            said("hurry"),
            Event::CouncilHandedOver { text: Text::from("won") },
            said("to the winner"),
            begins(),
            said("hurry more"),
            Event::CouncilEnded { state: CouncilEnd::Failed, reason: String::new() },
            said("after"),
        ];
        let heard: Vec<&str> = said_to_agent(&events).into_iter().map(Text::head).collect();
        assert_eq!(heard, ["before", "to the winner", "after"]);
    }
}
