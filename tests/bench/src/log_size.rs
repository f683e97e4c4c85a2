//! How much a step writes to the log, read from the log itself.

use engine::journal::{Journal, SqliteJournal, StoredEvent};
use std::path::Path;

use crate::Outcome;

/// Steps that are added up at either end.
const STEPS: usize = 100;
const PAGE: usize = 512;
/// Room, sequence, version and time, as SQLite keeps them.
const COLUMNS: usize = 16;

/// Bytes of event rows for each step, without the texts kept beside them.
pub struct Written {
    /// Over the first steps of the room.
    pub first: f64,
    /// Over its last steps.
    pub last: f64,
    /// How many events a step makes.
    pub events: f64,
}

/// Looks at the only room of a log nobody has open.
pub fn per_step(data: &Path) -> Outcome<Written> {
    let said = |error: engine::journal::JournalError| format!("the log: {error}");
    let journal = SqliteJournal::open(data).map_err(said)?.journal;
    let rooms = journal.rooms(None, 1).map_err(said)?;
    let room = rooms.first().ok_or("the log has no room")?.row.id;
    let mut steps = vec![0];
    let (mut events, mut bodies) = (0, 0);
    loop {
        let page = journal.read(room, events, PAGE).map_err(said)?;
        for event in &page {
            bodies += event.body.len() as u64;
            if let Some(step) = steps.last_mut() {
                *step += size(event);
            }
            if event.kind == "step_done" {
                steps.push(0);
            }
        }
        events += page.len() as u64;
        if page.len() < PAGE {
            break;
        }
    }
    let counted = journal.bytes_of_events(room).map_err(said)?;
    if counted != (events, bodies) {
        return Err(format!("the log says {counted:?}, and holds {events} events, {bodies} bytes"));
    }
    // What follows the last step belongs to it.
    let rest = steps.pop().unwrap_or_default();
    if let Some(step) = steps.last_mut() {
        *step += rest;
    }
    let mean = |steps: &[usize]| steps.iter().sum::<usize>() as f64 / steps.len().max(1) as f64;
    Ok(Written {
        first: mean(&steps[..STEPS.min(steps.len())]),
        last: mean(&steps[steps.len().saturating_sub(STEPS)..]),
        events: events as f64 / steps.len().max(1) as f64,
    })
}

fn size(event: &StoredEvent) -> usize {
    event.body.len() + event.kind.len() + COLUMNS
}
