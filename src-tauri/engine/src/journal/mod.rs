//! The journal: one append-only log per room, with the state rows that follow
//! from it, in one file.
//!
//! It knows the order of events and nothing of their meaning. An append that
//! was acknowledged is on disk; one that was not leaves no trace. SQL lives
//! here and nowhere else, behind [`Journal`], so that a shared server can be a
//! second implementation.

mod append;
mod error;
mod files;
mod lock;
mod open;
mod queued_blobs;
mod read;
mod readers;
mod rows;
mod schema;
mod sqlite;
#[cfg(test)]
mod tests;
mod ticket;
mod write;
mod writer;

use uuid::Uuid;

pub use append::{Append, Chain, EVENT_VERSION, NewEvent, RoomKey, StoredEvent};
pub use error::JournalError;
pub use lock::FolderLock;
pub use rows::{
    ANSWER_LIFE_MS, Answer, AskRow, PlanRow, RoomRow, RowChange, StoredRoom, UsageAdd, UsageOf,
    UsageSum,
};
pub use sqlite::{Opened, SqliteJournal};
pub use ticket::Ticket;
pub use writer::{Commit, CommitListener};

/// Where events are kept. Writing queues and hands out a [`Ticket`]; reading
/// blocks for as long as the disk takes, and sees every acknowledged write.
pub trait Journal: Send + Sync {
    /// Queues events with what follows from them. Appends are committed in
    /// the order they were queued, and none after another of its [`Chain`] failed.
    fn append(&self, append: Append) -> Ticket;

    /// Keeps the answer to a request for a day. Of two answers to one key the
    /// first stands.
    fn remember(&self, answer: Answer) -> Ticket;

    /// Deletes a room with its events, plans, asks and the blobs that no other
    /// room names. What it used stays in the sums of its days.
    fn forget(&self, room: RoomKey) -> Ticket;

    /// The events of a room that come after a sequence, oldest first.
    fn read(
        &self,
        room: RoomKey,
        after: u64,
        limit: usize,
    ) -> Result<Vec<StoredEvent>, JournalError>;

    /// The events of some kinds that come before a sequence, newest first.
    fn read_kinds(
        &self,
        room: RoomKey,
        kinds: &[&str],
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<StoredEvent>, JournalError>;

    /// How many events a room has, and the bytes of their bodies.
    fn bytes_of_events(&self, room: RoomKey) -> Result<(u64, u64), JournalError>;

    /// One room.
    fn room(&self, id: RoomKey) -> Result<Option<StoredRoom>, JournalError>;

    /// How many bytes of texts are stored for this room alone: deleting it frees them.
    fn bytes_of_room(&self, room: RoomKey) -> Result<u64, JournalError>;

    /// Rooms in the order they were made, newest first; `before` is the
    /// number of the last room of the page before.
    fn rooms(&self, before: Option<u64>, limit: usize) -> Result<Vec<StoredRoom>, JournalError>;

    /// The folder of every room.
    fn workspaces(&self) -> Result<Vec<String>, JournalError>;

    /// The rooms worth showing, newest first: those with an active plan or an open question,
    /// and of the others the `most` conversations and sidekicks in which something last happened.
    fn shown_rooms(&self, most: usize) -> Result<Vec<StoredRoom>, JournalError>;

    /// The sidekicks of a room, or all of them, newest first.
    fn sidekicks(&self, parent: Option<RoomKey>) -> Result<Vec<StoredRoom>, JournalError>;

    /// The rooms whose plan is in one of these states, newest first.
    fn live_rooms(&self, states: &[&str]) -> Result<Vec<StoredRoom>, JournalError>;

    /// The room's last snapshot and the sequence it was taken at.
    fn snapshot(&self, room: RoomKey) -> Result<Option<(u64, Vec<u8>)>, JournalError>;

    /// One plan.
    fn plan(&self, id: Uuid) -> Result<Option<PlanRow>, JournalError>;

    /// The plans of a room, newest first; `before` is the last plan of the
    /// page before.
    fn plans(
        &self,
        room: RoomKey,
        before: Option<Uuid>,
        limit: usize,
    ) -> Result<Vec<PlanRow>, JournalError>;

    /// One ask, open or not.
    fn ask(&self, id: Uuid) -> Result<Option<AskRow>, JournalError>;

    /// Every open ask, newest first.
    fn open_asks(&self) -> Result<Vec<AskRow>, JournalError>;

    /// A large text by its hash, also one that is only queued.
    fn blob(&self, hash: &str) -> Result<Option<Vec<u8>>, JournalError>;

    /// What was used, added up for each model.
    fn usage(&self, of: UsageOf<'_>) -> Result<Vec<UsageSum>, JournalError>;

    /// The answer kept under a key. One older than [`ANSWER_LIFE_MS`] may
    /// still be there until the next is kept; `at` tells.
    fn recall(&self, key: &str) -> Result<Option<Answer>, JournalError>;
}
