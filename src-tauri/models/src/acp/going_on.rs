//! How a turn begins in a session that is under way: what came of the agent's calls is its
//! answer, and what else was said is the next prompt.

use serde_json::Value;

use super::asked::Came;
use super::session::{Fault, Open, Session, Waits};
use super::words;
use crate::Message;

/// Answers what waits, and prompts again where there is something to say.
pub(super) async fn go_on(
    session: &mut Session,
    new: &[Message],
    tail: Option<&str>,
) -> Result<(), Fault> {
    let own = own_turn(session, new);
    let results = own.and_then(|at| results(&session.open, &new[at..]));
    let is_known = |at: usize, message: &Message| {
        let result = matches!(message, Message::ToolResult { .. });
        Some(at) == own || (result && results.is_some())
    };
    let rest = new.iter().enumerate().filter(|(at, message)| !is_known(*at, message));
    let rest: Vec<Message> = rest.map(|(_, message)| message.clone()).collect();
    let mut say: Vec<Message> =
        session.notes.drain(..).map(|text| Message::Note { text }).collect();
    match results {
        Some(results) => {
            let refused = answer(session, results).await?;
            say.extend(refused.map(|text| Message::Note { text }));
        }
        None => {
            session.call_off().await?;
            session.open.clear();
        }
    }
    let person = rest.iter().any(|message| matches!(message, Message::User { .. }));
    if session.prompt.is_some() && !person && say.is_empty() {
        let notes = rest.into_iter().filter_map(|message| match message {
            Message::Note { text } => Some(text),
            Message::User { .. } | Message::Assistant { .. } | Message::ToolResult { .. } => None,
        });
        session.notes.extend(notes);
        return Ok(());
    }
    // The protocol has no way to say something in between.
    session.call_off().await?;
    say.extend(rest);
    session.prompt(&words::more(&say, tail)).await
}

/// Where the agent's own last turn is among what is new.
fn own_turn(session: &Session, new: &[Message]) -> Option<usize> {
    if !session.spoke {
        return None;
    }
    new.iter().position(|message| match message {
        Message::Assistant { calls, .. } => {
            let tools = session.open.iter().map(|open| open.tool);
            calls.iter().map(|call| call.name.as_str()).eq(tools)
        }
        Message::User { .. } | Message::ToolResult { .. } | Message::Note { .. } => false,
    })
}

/// What came of each open call, in order; `None` unless all of them ended.
fn results(open: &[Open], new: &[Message]) -> Option<Vec<Came>> {
    let Some(Message::Assistant { calls, .. }) = new.first() else { return None };
    let came = |id: &str| {
        new.iter().find_map(|message| match message {
            Message::ToolResult { call, text, failed, .. } if call == id => {
                Some(Came { text: text.clone(), failed: *failed })
            }
            Message::ToolResult { .. }
            | Message::User { .. }
            | Message::Assistant { .. }
            | Message::Note { .. } => None,
        })
    };
    let results: Option<Vec<Came>> = calls.iter().map(|call| came(&call.id)).collect();
    results.filter(|results| results.len() == open.len())
}

/// Tells the agent what came of its calls. Nobody waits for what became of its list, so
/// a no of the person is given back, to be said.
async fn answer(session: &mut Session, results: Vec<Came>) -> Result<Option<String>, Fault> {
    let mut refused = None;
    for (open, came) in std::mem::take(&mut session.open).into_iter().zip(results) {
        match open.waits {
            Waits::Request { id, asked } => {
                let answer = asked.answer(&came, &mut session.terminals);
                session.peer.answer(id, answer).await?;
            }
            Waits::List => {
                let value: Value = serde_json::from_str(&came.text).unwrap_or_default();
                // Its plan is over, whoever ended it.
                if value["code"] == "PLAN_NOT_FOUND" || value["code"] == "PLAN_OVER" {
                    session.list.forget();
                }
                if value["approved"] == false {
                    session.list.forget();
                    let why = value["reason"].as_str().unwrap_or_default();
                    refused = Some(format!(
                        "The person did not approve your plan: {why}\nMake a new list."
                    ));
                }
            }
        }
    }
    Ok(refused)
}
