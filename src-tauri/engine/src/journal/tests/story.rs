//! One room, one writer: what goes in comes out.

use std::sync::{Arc, Mutex};

use tempfile::tempdir;

use super::super::{
    Answer, Append, EVENT_VERSION, Journal, JournalError, RoomRow, RowChange, StoredEvent,
    StoredRoom,
};
use super::{event, id, make, open, room_row, rows, say, seqs};

#[test]
fn what_was_appended_is_read_back_after_a_restart() {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    let first = Append {
        rows: vec![
            RowChange::Room(room_row(id(1))),
            RowChange::Snapshot { seq: 2, state: b"state".to_vec() },
        ],
        events: vec![event("made", "a"), event("said", "b")],
        ..say(id(1), 0, &[])
    };
    journal.append(first).wait().unwrap();
    drop(journal);

    let journal = open(dir.path());
    let stored = |seq, kind: &str, text: &str| StoredEvent {
        room: id(1),
        seq,
        version: EVENT_VERSION,
        kind: kind.to_owned(),
        at: 1_000,
        body: format!("{{\"text\":\"{text}\"}}").into_bytes(),
    };
    assert_eq!(
        journal.read(id(1), 0, 10).unwrap(),
        [stored(1, "made", "a"), stored(2, "said", "b")]
    );
    assert_eq!(
        journal.room(id(1)).unwrap(),
        Some(StoredRoom {
            row: RoomRow { updated_at: 1_000, ..room_row(id(1)) },
            last: 2,
            number: 1
        }),
        "a room was last touched by its last event"
    );
    assert_eq!(journal.snapshot(id(1)).unwrap(), Some((2, b"state".to_vec())));
    assert_eq!(journal.bytes_of_events(id(1)).unwrap(), (2, 24));
    assert_eq!(journal.room(id(2)).unwrap(), None);
    assert_eq!(journal.snapshot(id(2)).unwrap(), None);
    assert_eq!(journal.bytes_of_events(id(2)).unwrap(), (0, 0));
}

#[test]
fn sequences_have_no_gaps_and_reading_pages_through_them() {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    let mut tickets = vec![journal.append(make(id(1)))];
    for round in 0..40 {
        tickets.push(journal.append(say(id(1), 1 + round * 3, &["a", "b", "c"])));
    }
    for ticket in tickets {
        ticket.wait().unwrap();
    }
    assert_eq!(seqs(&journal, id(1)), (1..=121).collect::<Vec<_>>());
    let page = journal.read(id(1), 100, 5).unwrap();
    assert_eq!(page.iter().map(|event| event.seq).collect::<Vec<_>>(), [101, 102, 103, 104, 105]);
    assert_eq!(journal.read(id(1), 121, 5).unwrap(), []);
}

#[test]
fn a_room_begins_with_its_row() {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    let nothing = journal.append(say(id(1), 0, &["lost"])).wait();
    assert_eq!(nothing, Err(JournalError::NoRoom(id(1))));
    let late = journal.append(Append { expected: 4, ..make(id(1)) }).wait();
    assert_eq!(late, Err(JournalError::Conflict { room: id(1), expected: 4, found: 0 }));
    assert_eq!(journal.rooms(None, 10).unwrap(), []);
}

#[test]
fn a_ticket_can_be_awaited_and_dropping_one_cancels_nothing() {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    drop(journal.append(make(id(1))));
    block_on(journal.append(say(id(1), 1, &["awaited"]))).unwrap();
    drop(journal.append(say(id(1), 2, &["left behind"])));
    // Dropping the journal writes what is still queued.
    drop(journal);
    assert_eq!(seqs(&open(dir.path()), id(1)), [1, 2, 3]);
}

#[test]
fn the_listener_hears_of_a_commit_before_its_tickets() {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ear = Arc::clone(&heard);
    journal
        .on_commit(Box::new(move |commit| ear.lock().unwrap().extend_from_slice(&commit.stored)));
    journal.append(make(id(1))).wait().unwrap();
    assert_eq!(*heard.lock().unwrap(), [(id(1), 1)]);
    journal.append(say(id(1), 1, &["a", "b"])).wait().unwrap();
    assert_eq!(*heard.lock().unwrap(), [(id(1), 1), (id(1), 3)]);
    journal.append(say(id(1), 1, &["late"])).wait().unwrap_err();
    assert_eq!(heard.lock().unwrap().len(), 2);
}

#[test]
fn an_answer_is_recalled_for_a_day() {
    const HOUR: i64 = 60 * 60 * 1000;
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    let answer = |key: &str, response: &str, at| Answer {
        key: key.to_owned(),
        request_hash: "hash".to_owned(),
        response: response.as_bytes().to_vec(),
        at,
    };
    journal.remember(answer("a", "first", 0)).wait().unwrap();
    journal.remember(answer("a", "second", HOUR)).wait().unwrap();
    assert_eq!(journal.recall("a").unwrap(), Some(answer("a", "first", 0)));
    // With the events it belongs to.
    let mut append = make(id(1));
    append.rows.push(RowChange::Answer(answer("b", "made", 2 * HOUR)));
    journal.append(append).wait().unwrap();
    assert_eq!(journal.recall("b").unwrap(), Some(answer("b", "made", 2 * HOUR)));
    // A day later the first is gone and its key is free.
    journal.remember(answer("c", "later", 25 * HOUR)).wait().unwrap();
    assert_eq!(journal.recall("a").unwrap(), None);
    assert!(journal.recall("b").unwrap().is_some());
}

#[test]
fn deleting_a_room_frees_what_only_it_used() {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    let with = |room, hashes: &[&str]| Append {
        blobs: hashes.iter().map(|hash| ((*hash).to_owned(), b"text".to_vec())).collect(),
        ..make(room)
    };
    journal.append(with(id(1), &["mine", "ours"])).wait().unwrap();
    journal.append(with(id(2), &["ours"])).wait().unwrap();
    journal.forget(id(1)).wait().unwrap();
    assert_eq!(journal.room(id(1)).unwrap(), None);
    assert_eq!(seqs(&journal, id(1)), [0; 0]);
    assert_eq!(journal.blob("mine").unwrap(), None);
    assert_eq!(journal.blob("ours").unwrap(), Some(b"text".to_vec()));
    assert_eq!(journal.forget(id(1)).wait(), Err(JournalError::NoRoom(id(1))));
    // The number of a deleted room is not used again.
    journal.append(make(id(3))).wait().unwrap();
    journal.forget(id(3)).wait().unwrap();
    journal.append(make(id(4))).wait().unwrap();
    assert_eq!(journal.room(id(4)).unwrap().unwrap().number, 4);
    journal.append(rows(id(2), 1, vec![])).wait().unwrap();
}

/// Polls on this thread and parks until woken.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut context = std::task::Context::from_waker(&waker);
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            std::task::Poll::Ready(output) => return output,
            std::task::Poll::Pending => std::thread::park(),
        }
    }
}
