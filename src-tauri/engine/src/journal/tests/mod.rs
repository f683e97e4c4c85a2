//! The journal on real files.

mod damage;
mod durability;
mod formats;
mod groups;
mod lists;
mod story;

use std::path::Path;

use uuid::Uuid;

use super::{Append, Chain, Journal, NewEvent, RoomRow, RowChange, SqliteJournal};

/// Opens a journal in which nothing had to be repaired.
fn open(dir: &Path) -> SqliteJournal {
    let opened = SqliteJournal::open(dir).unwrap();
    assert_eq!(opened.set_aside, None);
    assert_eq!(opened.migrated_from, None);
    assert_eq!(opened.backup, None);
    opened.journal
}

fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

fn event(kind: &'static str, text: &str) -> NewEvent {
    NewEvent { kind, at: 1_000, body: format!("{{\"text\":\"{text}\"}}").into_bytes() }
}

fn room_row(room: Uuid) -> RoomRow {
    RoomRow {
        id: room,
        title: "A room".to_owned(),
        workspace: "/home/me/work".to_owned(),
        kind: "chat".to_owned(),
        parent: None,
        plan_mode: "strict".to_owned(),
        archived: false,
        created_at: 1,
        updated_at: 2,
        active_plan: None,
        plan_state: None,
    }
}

/// The first append of a room.
fn make(room: Uuid) -> Append {
    Append { rows: vec![RowChange::Room(room_row(room))], ..say(room, 0, &["made"]) }
}

/// Events of kind `said` at an expected sequence.
fn say(room: Uuid, expected: u64, texts: &[&str]) -> Append {
    Append {
        room,
        chain: Chain::default(),
        expected,
        events: texts.iter().map(|text| event("said", text)).collect(),
        rows: Vec::new(),
        blobs: Vec::new(),
    }
}

/// An append without events.
fn rows(room: Uuid, expected: u64, rows: Vec<RowChange>) -> Append {
    Append { rows, ..say(room, expected, &[]) }
}

/// The sequences of a room.
fn seqs(journal: &SqliteJournal, room: Uuid) -> Vec<u64> {
    journal.read(room, 0, usize::MAX).unwrap().iter().map(|event| event.seq).collect()
}
