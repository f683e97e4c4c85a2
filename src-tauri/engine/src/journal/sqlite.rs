//! The journal in an SQLite file.

use std::path::{Path, PathBuf};

use uuid::Uuid;

use super::append::{Append, StoredEvent};
use super::files::Files;
use super::lock::FolderLock;
use super::open::open_db;
use super::readers::Readers;
use super::rows::{Answer, AskRow, PlanRow, StoredRoom, UsageOf, UsageSum};
use super::schema::MIGRATIONS;
use super::ticket::Ticket;
use super::writer::{CommitListener, Job, Writer};
use super::{Journal, JournalError, read};

type Result<T> = std::result::Result<T, JournalError>;

/// A journal in `plancard.db`, written by one thread and read from a few
/// connections. Dropping it writes what is queued and closes the file.
pub struct SqliteJournal {
    // Dropped in this order: the writer is the last to close the database,
    // which empties its log, and only then may another engine have it.
    readers: Readers,
    writer: Writer,
    _lock: FolderLock,
}

/// A journal that was opened, and what had to be done for it.
pub struct Opened {
    /// The journal.
    pub journal: SqliteJournal,
    /// Where a damaged file is now; the journal is then a new one.
    pub set_aside: Option<PathBuf>,
    /// The format the file had before, if it was an older one.
    pub migrated_from: Option<u32>,
    /// The copy in that older format.
    pub backup: Option<PathBuf>,
}

impl SqliteJournal {
    /// Takes the folder and opens the journal in it.
    pub fn open(dir: &Path) -> Result<Opened> {
        Self::open_in(FolderLock::take(dir)?)
    }

    /// Opens the journal of a folder that was taken before.
    pub fn open_in(lock: FolderLock) -> Result<Opened> {
        Self::open_with(lock, MIGRATIONS)
    }

    pub(super) fn open_with(lock: FolderLock, migrations: &[&str]) -> Result<Opened> {
        let files = Files::of(lock.dir());
        let db = open_db(&files, migrations)?;
        let writer = Writer::start(db.writer, files.clone())?;
        let journal = Self { readers: Readers::of(files), writer, _lock: lock };
        Ok(Opened {
            journal,
            set_aside: db.set_aside,
            migrated_from: db.migrated.from,
            backup: db.migrated.backup,
        })
    }

    /// Sets who is told after each commit, in place of whoever was told
    /// before. The listener runs on the writing thread: it hands on and
    /// returns, and it holds no owner of the journal.
    pub fn on_commit(&self, listener: CommitListener) {
        self.writer.on_commit(listener);
    }
}

impl Journal for SqliteJournal {
    fn append(&self, append: Append) -> Ticket {
        self.writer.queue(Job::Append(append))
    }

    fn remember(&self, answer: Answer) -> Ticket {
        self.writer.queue(Job::Remember(answer))
    }

    fn forget(&self, room: Uuid) -> Ticket {
        self.writer.queue(Job::Forget(room))
    }

    fn read(&self, room: Uuid, after: u64, limit: usize) -> Result<Vec<StoredEvent>> {
        self.readers.read(|conn| read::events_after(conn, room, after, limit))
    }

    fn read_kinds(
        &self,
        room: Uuid,
        kinds: &[&str],
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<StoredEvent>> {
        self.readers.read(|conn| read::events_of_kinds(conn, room, kinds, before, limit))
    }

    fn bytes_of_events(&self, room: Uuid) -> Result<(u64, u64)> {
        self.readers.read(|conn| read::size_of_events(conn, room))
    }

    fn room(&self, id: Uuid) -> Result<Option<StoredRoom>> {
        self.readers.read(|conn| read::room(conn, id))
    }

    fn bytes_of_room(&self, room: Uuid) -> Result<u64> {
        self.readers.read(|conn| read::bytes_of_room(conn, room))
    }

    fn rooms(&self, before: Option<u64>, limit: usize) -> Result<Vec<StoredRoom>> {
        self.readers.read(|conn| read::rooms(conn, before, limit))
    }

    fn workspaces(&self) -> Result<Vec<String>> {
        self.readers.read(read::workspaces)
    }

    fn shown_rooms(&self, most: usize) -> Result<Vec<StoredRoom>> {
        self.readers.read(|conn| read::shown_rooms(conn, most))
    }

    fn sidekicks(&self, parent: Option<Uuid>) -> Result<Vec<StoredRoom>> {
        self.readers.read(|conn| read::sidekicks(conn, parent))
    }

    fn live_rooms(&self, states: &[&str]) -> Result<Vec<StoredRoom>> {
        self.readers.read(|conn| read::live_rooms(conn, states))
    }

    fn snapshot(&self, room: Uuid) -> Result<Option<(u64, Vec<u8>)>> {
        self.readers.read(|conn| read::snapshot(conn, room))
    }

    fn plan(&self, id: Uuid) -> Result<Option<PlanRow>> {
        self.readers.read(|conn| read::plan(conn, id))
    }

    fn plans(&self, room: Uuid, before: Option<Uuid>, limit: usize) -> Result<Vec<PlanRow>> {
        self.readers.read(|conn| read::plans(conn, room, before, limit))
    }

    fn ask(&self, id: Uuid) -> Result<Option<AskRow>> {
        self.readers.read(|conn| read::ask(conn, id))
    }

    fn open_asks(&self) -> Result<Vec<AskRow>> {
        self.readers.read(read::open_asks)
    }

    fn blob(&self, hash: &str) -> Result<Option<Vec<u8>>> {
        // In this order: what is no longer queued is on disk.
        match self.writer.queued_blob(hash) {
            Some(bytes) => Ok(Some(bytes)),
            None => self.readers.read(|conn| read::blob(conn, hash)),
        }
    }

    fn usage(&self, of: UsageOf<'_>) -> Result<Vec<UsageSum>> {
        self.readers.read(|conn| read::usage(conn, of))
    }

    fn recall(&self, key: &str) -> Result<Option<Answer>> {
        self.readers.read(|conn| read::answer(conn, key))
    }
}
