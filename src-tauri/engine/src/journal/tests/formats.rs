//! Older files are copied and changed; newer ones are left alone.

use std::fs;

use rusqlite::Connection;
use tempfile::tempdir;

use super::super::schema::MIGRATIONS;
use super::super::{FolderLock, Journal, JournalError, SqliteJournal};
use super::{id, make, open, say, seqs};

const LATER: &[&str] = &[MIGRATIONS[0], "ALTER TABLE rooms ADD COLUMN colour TEXT;"];

#[test]
fn an_older_file_is_copied_and_then_changed() {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    journal.append(make(id(1))).wait().unwrap();
    journal.append(say(id(1), 1, &["a"])).wait().unwrap();
    drop(journal);

    let lock = FolderLock::take(dir.path()).unwrap();
    let opened = SqliteJournal::open_with(lock, LATER).unwrap();
    assert_eq!(opened.set_aside, None);
    assert_eq!(opened.migrated_from, Some(1));
    let backup = opened.backup.unwrap();
    assert_eq!(backup, dir.path().join("plancard.db.v1.bak"));
    assert_eq!(seqs(&opened.journal, id(1)), [1, 2]);
    drop(opened.journal);
    let version = |path| -> u32 {
        let conn = Connection::open(path).unwrap();
        conn.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    };
    assert_eq!(version(dir.path().join("plancard.db")), 2);
    assert_eq!(version(backup.clone()), 1);

    // The copy is a journal: put back, it opens as it was.
    let restored = tempdir().unwrap();
    fs::copy(&backup, restored.path().join("plancard.db")).unwrap();
    assert_eq!(seqs(&open(restored.path()), id(1)), [1, 2]);

    // Migrated once, it is not copied again.
    let lock = FolderLock::take(dir.path()).unwrap();
    let opened = SqliteJournal::open_with(lock, LATER).unwrap();
    assert_eq!((opened.migrated_from, opened.backup), (None, None));
}

#[test]
fn a_copy_holds_what_is_still_in_the_log() {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    journal.append(make(id(1))).wait().unwrap();
    // What a kill leaves: the files as they are while the journal is open.
    let killed = tempdir().unwrap();
    for name in ["plancard.db", "plancard.db-wal"] {
        fs::copy(dir.path().join(name), killed.path().join(name)).unwrap();
    }
    let lock = FolderLock::take(killed.path()).unwrap();
    let opened = SqliteJournal::open_with(lock, LATER).unwrap();
    assert_eq!(opened.migrated_from, Some(1));
    let restored = tempdir().unwrap();
    fs::copy(opened.backup.unwrap(), restored.path().join("plancard.db")).unwrap();
    assert_eq!(seqs(&open(restored.path()), id(1)), [1]);
}

#[test]
fn a_migration_that_fails_changes_nothing() {
    let dir = tempdir().unwrap();
    open(dir.path()).append(make(id(1))).wait().unwrap();
    let broken = [MIGRATIONS[0], "CREATE TABLE extra (a); SELECT nonsense FROM nowhere;"];
    for _ in 0..2 {
        let lock = FolderLock::take(dir.path()).unwrap();
        assert!(SqliteJournal::open_with(lock, &broken).is_err());
    }
    assert_eq!(seqs(&open(dir.path()), id(1)), [1]);
}

#[test]
fn a_newer_file_is_refused_and_left_alone() {
    let dir = tempdir().unwrap();
    let lock = FolderLock::take(dir.path()).unwrap();
    drop(SqliteJournal::open_with(lock, LATER).unwrap());
    let file = dir.path().join("plancard.db");
    let before = fs::read(&file).unwrap();
    let refused = SqliteJournal::open(dir.path()).err().unwrap();
    assert_eq!(refused, JournalError::Newer { file: file.clone(), found: 2, known: 1 });
    assert!(refused.to_string().contains("written by a newer Plancard"));
    assert!(fs::read(&file).unwrap() == before);
    let names: Vec<_> =
        fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "the file and the lock: {names:?}");
}

#[test]
fn a_newer_file_is_refused_even_when_only_the_log_knows() {
    let dir = tempdir().unwrap();
    open(dir.path());
    let killed = tempdir().unwrap();
    let conn = Connection::open(dir.path().join("plancard.db")).unwrap();
    conn.pragma_update(None, "user_version", 2).unwrap();
    for name in ["plancard.db", "plancard.db-wal"] {
        fs::copy(dir.path().join(name), killed.path().join(name)).unwrap();
    }
    let log = fs::read(killed.path().join("plancard.db-wal")).unwrap();
    let refused = SqliteJournal::open(killed.path()).err().unwrap();
    assert!(matches!(refused, JournalError::Newer { found: 2, known: 1, .. }), "{refused}");
    assert!(fs::read(killed.path().join("plancard.db-wal")).unwrap() == log);
}
