//! A room in memory: its state, its conversation, and who waits for it.

use crate::chatter::Channel;
use crate::error::EngineError;
use crate::history::{Blobs, History, Less, Reader, whole};
use crate::journal::{Chain, Journal, StoredEvent};
use crate::turn::{Mark, Seen};
use models::Protocol;
use plan::{CallId, Event, Room, RoomId, Time};
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;
use tools::{Shell, Workspace};

/// Events between two snapshots of a room's state.
pub(crate) const SNAPSHOT_EVERY: u64 = 256;
/// Events read from the log at once.
const PAGE: usize = 512;

/// A room that is in use.
pub(crate) struct LiveRoom {
    pub(crate) id: RoomId,
    /// The last event when it was read from the log: what happened up to it, happened before.
    pub(crate) read_at: u64,
    /// All this memory sends to the log.
    pub(crate) chain: Chain,
    inner: Mutex<Inner>,
    /// The last event applied in memory.
    pub(crate) changed: watch::Sender<u64>,
    /// The last event on disk: what others may see.
    pub(crate) stored: watch::Sender<u64>,
    pub(crate) chatter: Channel,
    /// Whether a task is at work on this room.
    pub(crate) driving: AtomicBool,
    /// Where its commands stand, and what they left running.
    pub(crate) shell: Shell,
    /// Whether no copy of the workspace could be made for it: that is tried once.
    pub(crate) without_copy: AtomicBool,
    /// Held by whoever merges or removes its copy of the workspace.
    pub(crate) settling: tokio::sync::Mutex<()>,
    /// One call ends after the other, so that each turn counts once for the step above.
    pub(crate) ending: Mutex<()>,
}

/// What the lock guards. It is held for a few lines and never across an await.
pub(crate) struct Inner {
    pub(crate) room: Room,
    pub(crate) history: Option<History>,
    pub(crate) workspace: Option<Workspace>,
    /// Long arguments of open calls, which may not be on disk yet.
    pub(crate) long_args: HashMap<CallId, String>,
    /// When the last call ended, to tell what changed since.
    pub(crate) call_ended: Option<Mark>,
    /// Files that the agent has seen.
    pub(crate) seen: Seen,
    pub(crate) snapshot_seq: u64,
    /// What the end of the app cut off, in words.
    pub(crate) cut: Vec<String>,
    /// Set when the log refused what memory holds already: nothing goes on from here.
    pub(crate) broken: bool,
}

impl LiveRoom {
    /// A room nobody has created yet.
    pub(crate) fn fresh(id: RoomId) -> Self {
        Self::with(id, Room::default(), 0)
    }

    fn with(id: RoomId, room: Room, snapshot_seq: u64) -> Self {
        let seq = room.seq;
        let inner = Inner {
            room,
            history: None,
            workspace: None,
            long_args: HashMap::new(),
            call_ended: None,
            seen: Seen::default(),
            snapshot_seq,
            cut: Vec::new(),
            broken: false,
        };
        Self {
            id,
            read_at: seq,
            chain: Chain::default(),
            inner: Mutex::new(inner),
            changed: watch::Sender::new(seq),
            stored: watch::Sender::new(seq),
            chatter: Channel::default(),
            driving: AtomicBool::new(false),
            shell: Shell::default(),
            without_copy: AtomicBool::new(false),
            settling: tokio::sync::Mutex::default(),
            ending: Mutex::default(),
        }
    }

    /// Reads a room back from the log.
    pub(crate) fn load(id: RoomId, journal: &dyn Journal) -> Result<Option<Self>, EngineError> {
        if journal.room(id.0)?.is_none() {
            return Ok(None);
        }
        let (room, snapshot_seq) = room_at(id, journal, None)?;
        Ok(Some(Self::with(id, room, snapshot_seq)))
    }

    /// Nothing goes on from here: whoever waits is told.
    pub(crate) fn break_off(&self) {
        self.lock().broken = true;
        self.changed.send_modify(|_| {});
        self.stored.send_modify(|_| {});
    }

    /// Returns when an event after `seq` is on disk; `false` when none will come.
    pub(crate) async fn stored_beyond(&self, seq: u64) -> bool {
        let mut stored = self.stored.subscribe();
        loop {
            if *stored.borrow_and_update() > seq {
                return true;
            }
            if self.lock().broken || stored.changed().await.is_err() {
                return false;
            }
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The state of a room right after event `at`, or as it is now; with the
/// sequence of the snapshot it was built from.
pub(crate) fn room_at(
    id: RoomId,
    journal: &dyn Journal,
    at: Option<u64>,
) -> Result<(Room, u64), EngineError> {
    let usable = |seq: u64| at.is_none_or(|at| seq <= at);
    let (mut room, from) = match journal.snapshot(id.0)? {
        Some((seq, state)) if usable(seq) => match read_snapshot(&state) {
            Some(room) => (room, seq),
            // A snapshot is only a short cut; the log is the truth.
            None => (Room::default(), 0),
        },
        Some(_) | None => (Room::default(), 0),
    };
    for_each_event(id, journal, from, |event, stored| {
        if usable(stored.seq) {
            room.apply(event, Time(stored.at));
        }
    })?;
    Ok((room, from))
}

/// The format of snapshots: raised whenever the same bytes would mean something else.
const SNAPSHOT_VERSION: u32 = 1;

/// A room's state as it is stored.
pub(crate) fn write_snapshot(room: &Room) -> Option<Vec<u8>> {
    serde_json::to_vec(&(SNAPSHOT_VERSION, room)).ok()
}

fn read_snapshot(state: &[u8]) -> Option<Room> {
    let (version, room): (u32, Room) = serde_json::from_slice(state).ok()?;
    (version == SNAPSHOT_VERSION).then_some(room)
}

/// Reads every event after `after`, in order.
pub(crate) fn for_each_event(
    id: RoomId,
    journal: &dyn Journal,
    mut after: u64,
    mut take: impl FnMut(&Event, &StoredEvent),
) -> Result<(), EngineError> {
    loop {
        let page = journal.read(id.0, after, PAGE)?;
        for stored in &page {
            take(&decode(stored)?, stored);
            after = stored.seq;
        }
        if page.len() < PAGE {
            return Ok(());
        }
    }
}

/// An event as it was stored.
pub(crate) fn decode(stored: &StoredEvent) -> Result<Event, EngineError> {
    serde_json::from_slice(&stored.body).map_err(|error| EngineError::Unreadable {
        what: "event",
        room: stored.room.to_string(),
        why: error.to_string(),
    })
}

/// The conversation of a room for one model, read from the log without what was refused; what
/// comes later is told in full.
pub(crate) fn read_history(
    id: RoomId,
    journal: &dyn Journal,
    protocol: Protocol,
    reader: Reader,
    less: Less,
) -> Result<History, EngineError> {
    let blobs = JournalBlobs(journal);
    let last = journal.read_kinds(id.0, &["compacted"], None, 1)?;
    let fresh = fresh_start(id, journal, protocol)?;
    let (mut history, after) = match (last.first().map(decode).transpose()?, fresh) {
        (Some(Event::Compacted { summary, upto }), fresh) if fresh.is_none_or(|at| at <= upto) => {
            (History::after(protocol, reader, whole(&summary, &blobs)), upto)
        }
        (_, Some(at)) => (History::fresh(protocol, reader), at),
        (_, None) => (History::new(protocol, reader), 0),
    };
    history.leave_out(less);
    for_each_event(id, journal, after, |event, stored| history.push(stored.seq, event, &blobs))?;
    history.leave_out(Less::default());
    Ok(history)
}

/// The last approval after which the conversation holds only the plan, if there is one.
fn fresh_start(
    id: RoomId,
    journal: &dyn Journal,
    protocol: Protocol,
) -> Result<Option<u64>, EngineError> {
    // The rehearsal knows where it is from all that was said.
    if protocol == Protocol::Rehearsal {
        return Ok(None);
    }
    let mut before = None;
    loop {
        let page = journal.read_kinds(id.0, &["approved"], before, PAGE)?;
        for stored in &page {
            if begins_afresh(&decode(stored)?) {
                return Ok(Some(stored.seq));
            }
        }
        match page.last() {
            Some(oldest) if page.len() == PAGE => before = Some(oldest.seq),
            Some(_) | None => return Ok(None),
        }
    }
}

/// Whether the conversation holds only the plan from here on.
pub(crate) fn begins_afresh(event: &Event) -> bool {
    matches!(event, Event::Approved { approval } if approval.fresh_context)
}

/// Texts beside the log.
pub(crate) struct JournalBlobs<'a>(pub(crate) &'a dyn Journal);

impl Blobs for JournalBlobs<'_> {
    fn bytes(&self, hash: &str) -> Option<Vec<u8>> {
        self.0.blob(hash).ok()?
    }
}
