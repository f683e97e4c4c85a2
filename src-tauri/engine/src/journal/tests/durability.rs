//! What was acknowledged survives `kill -9`.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use tempfile::tempdir;
use uuid::Uuid;

use super::super::{Journal, SqliteJournal};
use super::{id, make, open, say, seqs};

const CHILD: &str = "PLANCARD_JOURNAL_TEST_CHILD";
const ROOMS: u128 = 4;
const KILLS: usize = 40;

#[test]
fn kill_9_loses_nothing_that_was_acknowledged() {
    let dir = tempdir().unwrap();
    let mut acknowledged: HashMap<Uuid, u64> = HashMap::new();
    for round in 0..KILLS {
        for (room, seq) in run_and_kill(dir.path(), random() % 60) {
            let last = acknowledged.entry(room).or_default();
            *last = seq.max(*last);
        }
        // Every other time the next child opens what the kill left.
        if round % 2 == 0 {
            continue;
        }
        let journal = open(dir.path());
        for (room, last) in &acknowledged {
            let found = seqs(&journal, *room);
            assert!(found.len() as u64 >= *last, "{last} acknowledged, {} found", found.len());
            assert_eq!(found, (1..=found.len() as u64).collect::<Vec<_>>(), "no gap");
        }
    }
    assert!(acknowledged.values().sum::<u64>() > KILLS as u64);
}

/// Starts a child, kills it after some acknowledgements and at no moment in
/// particular, and answers all that it acknowledged.
fn run_and_kill(dir: &Path, after: u64) -> Vec<(Uuid, u64)> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "journal::tests::durability::child_that_appends", "--nocapture"])
        .env(CHILD, dir)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut acknowledged = Vec::new();
    while (acknowledged.len() as u64) < after {
        let line = lines.next().expect("the child goes on until it is killed").unwrap();
        acknowledged.extend(parse(&line));
    }
    for _ in 0..random() % 100_000 {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    acknowledged.extend(lines.map_while(Result::ok).filter_map(|line| parse(&line)));
    acknowledged
}

/// Reads `ack <room> <seq>.`; a line cut short by the kill has no full stop.
fn parse(line: &str) -> Option<(Uuid, u64)> {
    let (room, seq) = line.strip_prefix("ack ")?.strip_suffix('.')?.split_once(' ')?;
    Some((room.parse().ok()?, seq.parse().ok()?))
}

/// The process that is killed. Run as a test it does nothing.
#[test]
fn child_that_appends() {
    let Some(dir) = std::env::var_os(CHILD) else {
        return;
    };
    let opened = SqliteJournal::open(Path::new(&dir)).unwrap();
    assert_eq!(opened.set_aside, None);
    let journal = &opened.journal;
    println!();
    thread::scope(|scope| {
        for room in 1..=ROOMS {
            scope.spawn(move || append_for_ever(journal, id(room)));
        }
    });
}

fn append_for_ever(journal: &SqliteJournal, room: Uuid) {
    let mut last = journal.room(room).unwrap().map_or(0, |room| room.last);
    let text = "x".repeat(500);
    loop {
        let append = if last == 0 { make(room) } else { say(room, last, &[&text, &text]) };
        let count = append.events.len() as u64;
        journal.append(append).wait().unwrap();
        last += count;
        let line = format!("ack {room} {last}.\n");
        std::io::stdout().lock().write_all(line.as_bytes()).unwrap();
    }
}

fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}
