//! Logs that released versions wrote, one file a room. Each still means what it meant: it replays
//! to the view that was recorded beside it, and its events are written as they were.
//!
//! `UPDATE_LOGS=1` records the views anew. That is right for a new file, and wrong for an old one:
//! a changed meaning is a new type of event.

use plan::{Event, Room, Time, view};
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Line {
    at: i64,
    kind: String,
    body: Value,
}

fn logs() -> Vec<PathBuf> {
    let releases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/logs");
    let entries = |folder: PathBuf| {
        let entries = std::fs::read_dir(folder).expect("a folder of logs");
        entries.map(|entry| entry.expect("a file").path())
    };
    let mut logs: Vec<PathBuf> = entries(releases)
        .flat_map(entries)
        .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
        .collect();
    logs.sort();
    logs
}

fn lines(log: &Path) -> Vec<Line> {
    let text = std::fs::read_to_string(log).expect("a log");
    text.lines().map(|line| serde_json::from_str(line).expect("an event")).collect()
}

#[test]
fn recorded_logs_replay_to_what_was_seen_then() {
    for log in logs() {
        let mut room = Room::default();
        for line in lines(&log) {
            let event: Event = serde_json::from_value(line.body).unwrap();
            room.apply(&event, Time(line.at));
        }
        let seen = serde_json::to_value(view(&room)).unwrap();
        let file = log.with_extension("view.json");
        if std::env::var_os("UPDATE_LOGS").is_some() {
            std::fs::write(&file, serde_json::to_string_pretty(&seen).unwrap() + "\n").unwrap();
        }
        let recorded = std::fs::read_to_string(&file).unwrap();
        let recorded: Value = serde_json::from_str(&recorded).unwrap();
        assert_eq!(seen, recorded, "{}", log.display());
    }
}

#[test]
fn recorded_events_are_written_as_they_were() {
    for log in logs() {
        for line in lines(&log) {
            let event: Event = serde_json::from_value(line.body.clone()).unwrap();
            assert_eq!(event.kind(), line.kind);
            assert_eq!(serde_json::to_value(&event).unwrap(), line.body, "{}", log.display());
        }
    }
}
