//! A conversation in plain words, for an agent that keeps its own.

use crate::{Message, ModelError, Protocol, Snapshot};

/// The messages from `from` on, and how many there are in all.
pub(super) fn since(history: &Snapshot, from: usize) -> Result<(Vec<Message>, usize), ModelError> {
    if history.protocol() != Protocol::Acp {
        return Err(ModelError::BadRequest {
            message: "the conversation is kept in another provider's form".into(),
        });
    }
    let lines = history.chunks().iter().flat_map(|chunk| chunk.split(|&byte| byte == b'\n'));
    let lines: Vec<&[u8]> = lines.filter(|line| !line.is_empty()).collect();
    let read = lines.iter().skip(from).map(|line| {
        serde_json::from_slice(line)
            .map_err(|error| ModelError::Malformed { message: error.to_string() })
    });
    Ok((read.collect::<Result<_, _>>()?, lines.len()))
}

/// All that was said, for an agent that hears it for the first time.
pub(super) fn whole(system: &str, messages: &[Message], tail: Option<&str>) -> String {
    let before = messages.iter().rposition(|message| matches!(message, Message::User { .. }));
    let (earlier, now) = messages.split_at(before.unwrap_or(messages.len()));
    let mut text = format!("{system}\n");
    if !earlier.is_empty() {
        text.push_str("\nThe conversation so far:\n");
        for message in earlier {
            tell(&mut text, message);
        }
        text.push_str("\nNow:\n");
    }
    for message in now {
        tell(&mut text, message);
    }
    with_tail(text, tail)
}

/// What was said since the agent last heard something.
pub(super) fn more(messages: &[Message], tail: Option<&str>) -> String {
    let mut text = String::new();
    for message in messages {
        match message {
            Message::User { text: said } | Message::Note { text: said } => {
                text.push_str(said);
                text.push_str("\n\n");
            }
            Message::Assistant { .. } | Message::ToolResult { .. } => tell(&mut text, message),
        }
    }
    if text.trim().is_empty() {
        text.push_str("Go on.\n");
    }
    with_tail(text, tail)
}

fn with_tail(mut text: String, tail: Option<&str>) -> String {
    if let Some(tail) = tail {
        text.push('\n');
        text.push_str(tail);
    }
    text
}

/// How much of a result is told again.
const RESULT: usize = 2_000;

fn tell(text: &mut String, message: &Message) {
    match message {
        Message::User { text: said } => text.push_str(&format!("Person: {said}\n")),
        Message::Note { text: said } => text.push_str(&format!("Note: {said}\n")),
        Message::Assistant { text: said, calls, .. } => {
            if !said.is_empty() {
                text.push_str(&format!("Agent: {said}\n"));
            }
            for call in calls {
                let args: String = call.arguments.chars().take(RESULT).collect();
                text.push_str(&format!("Agent called {} {args}\n", call.name));
            }
        }
        Message::ToolResult { text: said, failed, .. } => {
            let said: String = said.chars().take(RESULT).collect();
            let how = if *failed { "It failed" } else { "It gave" };
            text.push_str(&format!("{how}: {said}\n"));
        }
    }
}
