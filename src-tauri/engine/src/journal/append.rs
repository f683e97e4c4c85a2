//! What is appended and what is read back.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use uuid::Uuid;

use super::rows::RowChange;

/// The id of a room.
pub type RoomKey = Uuid;

/// The version every new event is stored with. It says how the body is
/// written, not what it means; the reader uses it to read old logs for ever.
pub const EVENT_VERSION: u16 = 1;

/// An event about to be stored. The journal gives it its sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    /// The name of the event, which the journal can list by.
    pub kind: &'static str,
    /// When it happened, in milliseconds since 1970.
    pub at: i64,
    /// The event as JSON.
    pub body: Vec<u8>,
}

/// An event as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    /// The room it belongs to.
    pub room: RoomKey,
    /// Its place in the room, counted from 1 without gaps.
    pub seq: u64,
    /// The [`EVENT_VERSION`] it was stored with.
    pub version: u16,
    /// The name of the event.
    pub kind: String,
    /// When it happened, in milliseconds since 1970.
    pub at: i64,
    /// The event as JSON.
    pub body: Vec<u8>,
}

/// Appends that build on one another. Once one of them fails, none after it is
/// stored: its sequence may fit by then, but what it builds on is not there.
#[derive(Debug, Clone, Default)]
pub struct Chain(Arc<AtomicBool>);

impl Chain {
    /// Whether one of its appends has failed.
    pub fn is_broken(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    pub(crate) fn snap(&self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Events of one room with everything that changes because of them: stored
/// in one transaction or not at all. A new room begins with an append that
/// expects 0 and brings its [`RowChange::Room`].
#[derive(Debug, Clone)]
pub struct Append {
    /// The room the events belong to.
    pub room: RoomKey,
    /// The appends it builds on.
    pub chain: Chain,
    /// The last sequence of the room before these events.
    pub expected: u64,
    /// The events, oldest first.
    pub events: Vec<NewEvent>,
    /// The state rows that follow from them.
    pub rows: Vec<RowChange>,
    /// Large texts the events name, as (blake3 in hex, bytes). One that is
    /// there already is not stored again.
    pub blobs: Vec<(String, Vec<u8>)>,
}
