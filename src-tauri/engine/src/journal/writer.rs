//! The one thread that writes.
//!
//! ```text
//!  append ─┐                ┌─ conflict: this one fails, and all that builds on it
//!  append ─┼─► queue ─► group ─► COMMIT (one fsync) ─► listener ─► tickets
//!  append ─┘                └─ disk error: the whole group fails
//! ```
//!
//! While one group waits for the disk the next one gathers, so that many
//! rooms share the cost of an fsync and a lone append never waits for company.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rusqlite::{Connection, Transaction, TransactionBehavior};
use uuid::Uuid;

use super::JournalError;
use super::append::Append;
use super::error::Doing;
use super::files::Files;
use super::queued_blobs::QueuedBlobs;
use super::rows::Answer;
use super::ticket::{Promise, Ticket, ticket};
use super::write;

/// Enough to share an fsync widely, few enough that the first of a group
/// does not wait long for the last.
const GROUP: usize = 512;

const COMMITTING: &str = "commit to the journal";

/// How a group went, told before any of its tickets resolves.
#[derive(Debug, Default)]
pub struct Commit {
    /// Rooms that changed, with the last sequence of each.
    pub stored: Vec<(Uuid, u64)>,
    /// Rooms of which something could not be stored.
    pub failed: Vec<Uuid>,
}

/// Called after each group.
pub type CommitListener = Box<dyn Fn(&Commit) + Send>;

/// Something to write.
#[derive(Debug)]
pub(super) enum Job {
    Append(Append),
    Remember(Answer),
    Forget(Uuid),
}

impl Job {
    /// The large texts it brings.
    fn blobs(&self) -> &[(String, Vec<u8>)] {
        match self {
            Self::Append(append) => &append.blobs,
            Self::Remember(_) | Self::Forget(_) => &[],
        }
    }

    /// Lets nothing be stored that builds on this.
    fn fail(&self) {
        if let Self::Append(append) = self {
            append.chain.snap();
        }
    }
}

/// A handle to the writing thread. Dropping it writes what is queued, tidies
/// the files and waits for the thread to end.
pub(super) struct Writer {
    queue: Option<Sender<(Job, Promise)>>,
    thread: Option<JoinHandle<()>>,
    listener: Arc<Mutex<Option<CommitListener>>>,
    blobs: Arc<QueuedBlobs>,
}

impl Writer {
    pub(super) fn start(conn: Connection, files: Files) -> Result<Self, JournalError> {
        let (queue, jobs) = mpsc::channel();
        let (listener, blobs) = (Arc::default(), Arc::<QueuedBlobs>::default());
        let state =
            State { conn, files, listener: Arc::clone(&listener), blobs: Arc::clone(&blobs) };
        let thread = thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || state.run(&jobs))
            .doing("start the journal")?;
        Ok(Self { queue: Some(queue), thread: Some(thread), listener, blobs })
    }

    pub(super) fn queue(&self, job: Job) -> Ticket {
        let (promise, ticket) = ticket();
        if let Some(queue) = &self.queue {
            self.blobs.add(job.blobs());
            // A job that cannot be sent is dropped with its promise, and the
            // ticket then says that the journal is closed.
            let _ = queue.send((job, promise));
        }
        ticket
    }

    /// A large text that is queued.
    pub(super) fn queued_blob(&self, hash: &str) -> Option<Vec<u8>> {
        self.blobs.get(hash)
    }

    pub(super) fn on_commit(&self, listener: CommitListener) {
        *self.listener.lock().unwrap_or_else(PoisonError::into_inner) = Some(listener);
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Without a sender the thread ends once the queue is empty.
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What the thread owns.
struct State {
    conn: Connection,
    files: Files,
    listener: Arc<Mutex<Option<CommitListener>>>,
    blobs: Arc<QueuedBlobs>,
}

/// How one job of a group went: for an append, its room and last sequence.
type Written = Result<Option<(Uuid, u64)>, JournalError>;

impl State {
    fn run(mut self, jobs: &Receiver<(Job, Promise)>) {
        while let Ok(first) = jobs.recv() {
            let rest = jobs.try_iter().take(GROUP - 1);
            let (group, promises): (Vec<_>, Vec<_>) = std::iter::once(first).chain(rest).unzip();
            let written = match write_group(&mut self.conn, &group) {
                Ok(written) => written,
                Err(error) => {
                    if error.is_damage() {
                        self.files.mark_suspect();
                    }
                    group.iter().for_each(Job::fail);
                    vec![Err(error); group.len()]
                }
            };
            group.iter().for_each(|job| self.blobs.remove(job.blobs()));
            self.tell(&group, &written);
            for (promise, written) in promises.into_iter().zip(written) {
                promise.settle(written.map(|_| ()));
            }
        }
        // Nothing is lost if this fails: the next start reads the log.
        let _ = self.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    }

    fn tell(&self, group: &[Job], written: &[Written]) {
        let mut commit = Commit::default();
        for (job, written) in group.iter().zip(written) {
            match (job, written) {
                (_, Ok(Some((room, seq)))) => {
                    match commit.stored.iter_mut().find(|(known, _)| known == room) {
                        Some(head) => head.1 = *seq,
                        None => commit.stored.push((*room, *seq)),
                    }
                }
                (Job::Append(append), Err(_)) => commit.failed.push(append.room),
                (Job::Append(_) | Job::Remember(_) | Job::Forget(_), _) => {}
            }
        }
        let listener = self.listener.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listener) = listener.as_ref() {
            listener(&commit);
        }
    }
}

/// Writes a group in one transaction. An error means that nothing of it was
/// kept, whatever the single jobs would have answered.
fn write_group(conn: &mut Connection, group: &[Job]) -> Result<Vec<Written>, JournalError> {
    let mut transaction =
        conn.transaction_with_behavior(TransactionBehavior::Immediate).doing(COMMITTING)?;
    let mut written = Vec::with_capacity(group.len());
    for job in group {
        match write_job(&mut transaction, job) {
            Err(error) if error.is_its_own_fault() => {
                job.fail();
                written.push(Err(error));
            }
            other => written.push(Ok(other?)),
        }
    }
    transaction.commit().doing(COMMITTING)?;
    Ok(written)
}

/// Writes one job inside a savepoint, so that it can fail alone.
fn write_job(transaction: &mut Transaction<'_>, job: &Job) -> Written {
    let savepoint = transaction.savepoint().doing(COMMITTING)?;
    let head = match job {
        Job::Append(append) => Some((append.room, write::append(&savepoint, append)?)),
        Job::Remember(answer) => {
            write::remember(&savepoint, answer)?;
            None
        }
        Job::Forget(room) => {
            write::forget(&savepoint, *room)?;
            None
        }
    };
    savepoint.commit().doing(COMMITTING)?;
    Ok(head)
}
