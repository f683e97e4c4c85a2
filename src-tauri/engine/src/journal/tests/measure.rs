//! Numbers, not tests:
//! `cargo test --release -p engine measure -- --ignored --nocapture`

use std::time::{Duration, Instant};

use tempfile::tempdir;

use super::super::{Journal, SqliteJournal, Ticket};
use super::{id, make, open, say};

#[test]
#[ignore = "a measurement"]
fn measure_one_append_at_a_time() {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    journal.append(make(id(1))).wait().unwrap();
    let text = "x".repeat(300);
    let mut took: Vec<Duration> = (1..=2_000)
        .map(|expected| {
            let start = Instant::now();
            journal.append(say(id(1), expected, &[&text])).wait().unwrap();
            start.elapsed()
        })
        .collect();
    took.sort_unstable();
    println!("one at a time: median {:?}, 99th {:?}", took[1_000], took[1_980]);
}

#[test]
#[ignore = "a measurement"]
fn measure_a_hundred_rooms() {
    const EACH: u64 = 200;
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    let text = "x".repeat(300);
    for room in 0..100 {
        journal.append(make(id(room))).wait().unwrap();
    }
    let start = Instant::now();
    std::thread::scope(|scope| {
        for room in 0..100 {
            let (journal, text) = (&journal, text.as_str());
            scope.spawn(move || {
                for expected in 1..=EACH {
                    journal.append(say(id(room), expected, &[text])).wait().unwrap();
                }
            });
        }
    });
    let took = start.elapsed();
    println!("100 rooms: {:.0} appends/s", (100 * EACH) as f64 / took.as_secs_f64());
}

#[test]
#[ignore = "a measurement"]
fn measure_a_million_events() {
    const EVENTS: u64 = 1_000_000;
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    let text = "x".repeat(300);
    let texts = vec![text.as_str(); 100];
    journal.append(make(id(1))).wait().unwrap();
    let start = Instant::now();
    for expected in (1..EVENTS).step_by(10_000) {
        let tickets: Vec<Ticket> = (expected..expected + 10_000)
            .step_by(100)
            .map(|expected| journal.append(say(id(1), expected, &texts)))
            .collect();
        for ticket in tickets {
            ticket.wait().unwrap();
        }
    }
    println!("a million events queued by the hundred: {:?}", start.elapsed());
    println!("resident while writing: {} kB", resident_kb());
    drop(journal);
    let file = dir.path().join("plancard.db");
    println!("file: {} MB", std::fs::metadata(&file).unwrap().len() / 1_000_000);

    for _ in 0..3 {
        let start = Instant::now();
        let journal = open(dir.path());
        println!("open: {:?}", start.elapsed());
        let start = Instant::now();
        let found = journal.read(id(1), EVENTS - 300, 1_000).unwrap().len();
        println!("read the last {found}: {:?}", start.elapsed());
        let start = Instant::now();
        journal.read_kinds(id(1), &["said", "answered"], None, 50).unwrap();
        println!("50 newest of two kinds: {:?}", start.elapsed());
        let start = Instant::now();
        journal.rooms(None, 50).unwrap();
        println!("rooms: {:?}", start.elapsed());
    }
    // What a kill leaves behind: a log beside the database.
    let journal = open(dir.path());
    journal.append(make(id(2))).wait().unwrap();
    let killed = tempdir().unwrap();
    for name in ["plancard.db", "plancard.db-wal"] {
        std::fs::copy(dir.path().join(name), killed.path().join(name)).unwrap();
    }
    let start = Instant::now();
    let opened = SqliteJournal::open(killed.path()).unwrap();
    println!("open after a kill: {:?}", start.elapsed());
    drop(opened.journal);
    std::fs::write(killed.path().join("plancard.db.suspect"), "").unwrap();
    let start = Instant::now();
    drop(SqliteJournal::open(killed.path()).unwrap().journal);
    println!("open with every page checked: {:?}", start.elapsed());
}

fn resident_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or(0)
}
