//! Damaged files are set aside whole, and a new journal begins.

use std::fs;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use tempfile::{TempDir, tempdir};

use super::super::{FolderLock, Journal, JournalError, SqliteJournal};
use super::{id, make, open, say, seqs};

fn db(dir: &Path) -> PathBuf {
    dir.join("plancard.db")
}

/// A folder with a journal of some size, closed in order.
fn filled() -> TempDir {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    journal.append(make(id(1))).wait().unwrap();
    let text = "x".repeat(1_000);
    for expected in 1..200 {
        drop(journal.append(say(id(1), expected, &[&text])));
    }
    drop(journal);
    assert!(!dir.path().join("plancard.db-wal").exists(), "closing empties the log");
    dir
}

/// Opens a folder whose file is damaged and checks that every byte was kept.
fn is_set_aside(dir: &Path) {
    let bytes = fs::read(db(dir)).unwrap();
    let opened = SqliteJournal::open(dir).unwrap();
    let aside = opened.set_aside.expect("the file is damaged");
    assert!(aside.starts_with(dir));
    assert!(aside.file_name().unwrap().to_str().unwrap().starts_with("plancard.db.corrupt-"));
    assert!(fs::read(&aside).unwrap() == bytes, "the bytes are kept");
    assert_eq!(opened.journal.rooms(None, 10).unwrap(), []);
    opened.journal.append(make(id(2))).wait().unwrap();
    drop(opened.journal);
    assert_eq!(seqs(&open(dir), id(2)), [1]);
    assert!(aside.exists());
}

#[test]
fn a_file_that_is_no_database_is_set_aside() {
    let dir = tempdir().unwrap();
    fs::write(db(dir.path()), "these are not the bytes you are looking for".repeat(500)).unwrap();
    is_set_aside(dir.path());
}

#[test]
fn a_few_stray_bytes_are_set_aside() {
    let dir = tempdir().unwrap();
    fs::write(db(dir.path()), "oops").unwrap();
    is_set_aside(dir.path());
}

#[test]
fn a_truncated_file_is_set_aside() {
    for keep in [50, 3] {
        let dir = filled();
        let file = fs::OpenOptions::new().write(true).open(db(dir.path())).unwrap();
        let length = file.metadata().unwrap().len();
        file.set_len(length * keep / 100).unwrap();
        is_set_aside(dir.path());
    }
}

#[test]
fn damage_after_a_kill_is_found_and_the_log_is_kept_with_the_file() {
    let dir = filled();
    overwrite_pages(dir.path());
    fs::write(dir.path().join("plancard.db-wal"), "a log").unwrap();
    is_set_aside(dir.path());
    let kept = fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_str().unwrap().ends_with("-wal"))
        .expect("the log is kept");
    assert_eq!(fs::read(kept).unwrap(), b"a log");
}

#[test]
fn damage_that_a_read_meets_is_found_at_the_next_start() {
    let dir = filled();
    overwrite_pages(dir.path());
    let opened = SqliteJournal::open(dir.path()).unwrap();
    assert_eq!(opened.set_aside, None, "closed in order, so not every page is read");
    let read = opened.journal.read(id(1), 0, usize::MAX);
    assert!(matches!(read, Err(JournalError::Corrupt { .. })), "{read:?}");
    drop(opened.journal);
    is_set_aside(dir.path());
}

#[test]
fn a_log_without_its_database_is_set_aside() {
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("plancard.db-wal"), "a log").unwrap();
    let opened = SqliteJournal::open(dir.path()).unwrap();
    let mut aside = opened.set_aside.unwrap().into_os_string();
    aside.push("-wal");
    assert_eq!(fs::read(aside).unwrap(), b"a log");
}

#[test]
fn an_empty_file_is_a_new_journal() {
    let dir = tempdir().unwrap();
    fs::write(db(dir.path()), "").unwrap();
    open(dir.path()).append(make(id(1))).wait().unwrap();
    assert_eq!(seqs(&open(dir.path()), id(1)), [1]);
}

#[test]
fn one_engine_per_folder() {
    let dir = tempdir().unwrap();
    let journal = open(dir.path());
    let pid = Some(std::process::id());
    let locked = JournalError::Locked { dir: dir.path().to_owned(), pid };
    assert_eq!(SqliteJournal::open(dir.path()).err(), Some(locked.clone()));
    assert_eq!(FolderLock::take(dir.path()).err(), Some(locked));
    drop(journal);
    let lock = FolderLock::take(dir.path()).unwrap();
    assert!(SqliteJournal::open(dir.path()).is_err());
    assert!(SqliteJournal::open_in(lock).is_ok());
}

#[test]
fn a_folder_is_free_at_once_even_while_tools_are_started() {
    let dir = tempdir().unwrap();
    let done = AtomicBool::new(false);
    let taken: Vec<_> = thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                Command::new("true").status().unwrap();
            }
        });
        let taken = (0..2_000).map(|_| FolderLock::take(dir.path()).map(drop)).collect();
        done.store(true, Ordering::Relaxed);
        taken
    });
    assert_eq!(taken, vec![Ok(()); 2_000]);
}

#[test]
fn only_the_owner_can_look() {
    let top = tempdir().unwrap();
    let dir = top.path().join("plancard");
    let journal = open(&dir);
    journal.append(make(id(1))).wait().unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&dir), 0o700);
    for name in ["plancard.db", "plancard.db-wal", "plancard.db-shm"] {
        assert_eq!(mode(&dir.join(name)), 0o600, "{name}");
    }
}

/// Writes over the end of the file, which the first pages know nothing of.
fn overwrite_pages(dir: &Path) {
    let file = fs::OpenOptions::new().write(true).open(db(dir)).unwrap();
    let length = file.metadata().unwrap().len();
    file.write_all_at(&vec![0xAB; 100_000], length - 100_000).unwrap();
}
