//! Many writers at once, and what happens when one of a group fails.

use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread;

use rusqlite::Connection;
use tempfile::tempdir;
use uuid::Uuid;

use super::super::files::Files;
use super::super::lock::FolderLock;
use super::super::open::open_db;
use super::super::schema::MIGRATIONS;
use super::super::writer::{Job, Writer};
use super::super::{Append, Chain, Journal, JournalError, SqliteJournal, Ticket};
use super::{event, id, make, open, say, seqs};

type Outcome = Result<(), JournalError>;
type Heads = Vec<(Uuid, u64)>;

/// Queues appends while the writer is held in the listener, so that they are
/// one group, and answers their outcomes with what the listener heard of it.
fn as_one_group(journal: &SqliteJournal, appends: Vec<Append>) -> (Vec<Outcome>, Vec<Heads>) {
    let (open_gate, gate) = mpsc::channel::<()>();
    let (arrived, at_gate) = mpsc::channel();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ear = Arc::clone(&heard);
    journal.on_commit(Box::new(move |commit| {
        ear.lock().unwrap().push(commit.stored.clone());
        arrived.send(()).unwrap();
        // Held for the first commit; after that the sender is gone.
        let _ = gate.recv();
    }));
    let first = journal.append(make(id(999)));
    at_gate.recv().unwrap();
    let tickets: Vec<Ticket> = appends.into_iter().map(|one| journal.append(one)).collect();
    drop(open_gate);
    first.wait().unwrap();
    let outcomes = tickets.into_iter().map(Ticket::wait).collect();
    let heard = heard.lock().unwrap()[1..].to_vec();
    (outcomes, heard)
}

#[test]
fn a_conflict_fails_alone_in_its_group() {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    let (outcomes, heard) = as_one_group(
        &journal,
        vec![
            make(id(1)),
            say(id(1), 1, &["a", "b"]),
            say(id(1), 1, &["too late"]),
            make(id(2)),
            say(id(3), 0, &["no such room"]),
            say(id(1), 3, &["c"]),
        ],
    );
    assert_eq!(
        outcomes,
        [
            Ok(()),
            Ok(()),
            Err(JournalError::Conflict { room: id(1), expected: 1, found: 3 }),
            Ok(()),
            Err(JournalError::NoRoom(id(3))),
            Ok(()),
        ]
    );
    assert_eq!(heard, [vec![(id(1), 4), (id(2), 1)]], "one commit, one call");
    assert_eq!(seqs(&journal, id(1)), [1, 2, 3, 4]);
    assert_eq!(seqs(&journal, id(2)), [1]);
}

#[test]
fn what_builds_on_a_failed_append_fails_even_where_its_sequence_fits() {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    let memory = Chain::default();
    let of_memory = |append| Append { chain: memory.clone(), ..append };
    let (outcomes, heard) = as_one_group(
        &journal,
        vec![
            of_memory(make(id(1))),
            say(id(1), 1, &["someone else"]),
            of_memory(say(id(1), 1, &["too late"])),
            of_memory(say(id(1), 2, &["built on what is not there"])),
            say(id(1), 2, &["built on what is there"]),
        ],
    );
    let stored: Vec<bool> = outcomes.iter().map(Result::is_ok).collect();
    assert_eq!(stored, [true, true, false, false, true], "{outcomes:?}");
    assert_eq!(heard, [vec![(id(1), 3)]]);
    journal.on_commit(Box::new(|_| {}));
    let later = journal.append(of_memory(say(id(1), 3, &["and no more"]))).wait();
    assert!(matches!(later, Err(JournalError::Refused { .. })), "{later:?}");
    assert_eq!(seqs(&journal, id(1)), [1, 2, 3]);
}

#[test]
fn an_append_that_cannot_be_stored_leaves_nothing_and_fails_alone() {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    let mut bad = make(id(1));
    bad.rows.push(super::super::RowChange::Snapshot { seq: u64::MAX, state: Vec::new() });
    let (outcomes, heard) = as_one_group(&journal, vec![bad, make(id(2))]);
    assert!(matches!(outcomes[0], Err(JournalError::Refused { .. })), "{outcomes:?}");
    assert_eq!(outcomes[1], Ok(()));
    assert_eq!(heard, [vec![(id(2), 1)]]);
    assert_eq!(journal.room(id(1)).unwrap(), None);
}

/// Runs a group of two through a writer whose connection was tampered with.
fn with_bad_connection(tamper: impl FnOnce(&mut Connection)) -> Vec<JournalError> {
    let dir = tempdir().unwrap();
    open(dir.path()).append(make(id(1))).wait().unwrap();
    let files = Files::of(dir.path());
    let lock = FolderLock::take(dir.path()).unwrap();
    let mut conn = open_db(&files, MIGRATIONS).unwrap().writer;
    tamper(&mut conn);
    let writer = Writer::start(conn, files).unwrap();
    writer.on_commit(Box::new(|commit| {
        assert!(commit.stored.is_empty(), "nothing was committed");
        assert!(!commit.failed.is_empty(), "the rooms are named");
    }));
    let big = "x".repeat(100_000);
    let first = say(id(1), 1, &[&big]);
    let chain = first.chain.clone();
    let tickets = [
        writer.queue(Job::Append(first)),
        writer.queue(Job::Append(Append { events: vec![event("said", &big)], ..make(id(2)) })),
    ];
    let errors = tickets.into_iter().map(|ticket| ticket.wait().unwrap_err()).collect();
    assert!(chain.is_broken(), "nothing may be built on it");
    drop(writer);
    drop(lock);
    let journal = open(dir.path());
    assert_eq!(seqs(&journal, id(1)), [1], "nothing of it is visible");
    assert_eq!(journal.room(id(2)).unwrap(), None);
    errors
}

#[test]
fn a_failed_commit_fails_its_whole_group() {
    let errors = with_bad_connection(|conn| {
        conn.commit_hook(Some(|| true)).unwrap();
    });
    assert!(errors.iter().all(|error| error.to_string().starts_with("could not commit")));
}

#[test]
fn a_full_disk_is_said_and_leaves_nothing() {
    let errors = with_bad_connection(|conn| {
        conn.pragma_update_and_check(None, "max_page_count", 1, |_| Ok(())).unwrap();
    });
    assert!(matches!(errors[0], JournalError::Full { .. }), "{errors:?}");
}

#[test]
fn a_hundred_rooms_write_at_once() {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    thread::scope(|scope| {
        for room in 0..100 {
            let journal = &journal;
            scope.spawn(move || {
                journal.append(make(id(room))).wait().unwrap();
                for expected in 1..20 {
                    journal.append(say(id(room), expected, &["a"])).wait().unwrap();
                    assert_eq!(journal.read(id(room), expected, 10).unwrap().len(), 1);
                }
            });
        }
    });
    drop(journal);
    let journal = open(dir.path());
    for room in 0..100 {
        assert_eq!(seqs(&journal, id(room)), (1..=20).collect::<Vec<_>>());
    }
}

#[test]
fn of_many_who_race_for_one_place_one_wins() {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    journal.append(make(id(1))).wait().unwrap();
    let won = thread::scope(|scope| {
        let racers: Vec<_> = (0..16)
            .map(|_| scope.spawn(|| journal.append(say(id(1), 1, &["mine"])).wait().is_ok()))
            .collect();
        racers.into_iter().map(|racer| racer.join().unwrap()).filter(|won| *won).count()
    });
    assert_eq!(won, 1);
    assert_eq!(seqs(&journal, id(1)), [1, 2]);
}

#[test]
fn reading_does_not_wait_for_a_write_in_progress() {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    journal.append(make(id(1))).wait().unwrap();
    let other = Connection::open(dir.path().join("plancard.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE; DELETE FROM events").unwrap();
    assert_eq!(seqs(&journal, id(1)), [1]);
    other.execute_batch("ROLLBACK").unwrap();
}
