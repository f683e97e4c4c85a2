//! What was said in a room, as a text for a sidekick to read.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::history::whole;
use crate::live::{JournalBlobs, LiveRoom, decode, for_each_event};
use plan::{Event, Text};
use std::sync::Arc;

/// The longest conversation that is handed on, in characters; of a longer one the end is.
const MOST_CHARS: usize = 60_000;
/// How much of a tool's answer is told.
const RESULT_CHARS: usize = 600;

const HEAD: &str = "This was said in the room that asks you. It is there for you to know, not to \
answer.";

/// The conversation of a room, from its last summary on.
pub(crate) async fn of(engine: &Engine, live: &Arc<LiveRoom>) -> Result<String, EngineError> {
    let seq = live.lock().room.seq;
    live.stored_beyond(seq.saturating_sub(1)).await;
    let (journal, id) = (Arc::clone(&engine.shared.journal), live.id);
    let read = move || -> Result<String, EngineError> {
        let blobs = JournalBlobs(&*journal);
        let mut lines: Vec<(u64, String)> = Vec::new();
        let mut after = 0;
        let last = journal.read_kinds(id.0, &["compacted"], None, 1)?;
        if let Some(Event::Compacted { summary, upto }) = last.first().map(decode).transpose()? {
            lines.push((0, whole(&summary, &blobs)));
            after = upto;
        }
        for_each_event(id, &*journal, after, |event, stored| {
            let Some(line) = line(event, &blobs) else { return };
            // What came while the agent answered stands after its answer, as it was shown there.
            let mut place = lines.len();
            if let Event::Replied { seen, .. } = event {
                place = lines.partition_point(|(seq, _)| seq <= seen);
            }
            lines.insert(place, (stored.seq, line));
        })?;
        let lines: Vec<String> = lines.into_iter().map(|(_, line)| line).collect();
        Ok(end_of(&lines.join("\n")))
    };
    match tokio::task::spawn_blocking(read).await {
        Ok(text) => Ok(format!("{HEAD}\n\n{}", text?)),
        Err(_) => Err(EngineError::Stopping),
    }
}

fn line(event: &Event, blobs: &JournalBlobs<'_>) -> Option<String> {
    if let Event::Said { text, .. } | Event::Briefed { task: text, .. } = event {
        return Some(format!("Person: {}", whole(text, blobs)));
    }
    if let Event::Nudged { text, .. } = event {
        return Some(format!("Harness: {text}"));
    }
    if let Event::Replied { text, calls, .. } = event {
        let calls = calls.iter().map(|call| format!("[{} {}]", call.tool, head(&call.args)));
        let said = whole(text, blobs);
        let words: Vec<String> =
            Some(said).filter(|said| !said.is_empty()).into_iter().chain(calls).collect();
        return Some(format!("Agent: {}", words.join(" ")));
    }
    if let Event::CallEnded { result, .. } = event {
        return Some(format!("Tool: {}", head(result)));
    }
    None
}

fn head(text: &Text) -> String {
    text.head().chars().take(RESULT_CHARS).collect()
}

fn end_of(text: &str) -> String {
    let skip = text.chars().count().saturating_sub(MOST_CHARS);
    text.chars().skip(skip).collect()
}
