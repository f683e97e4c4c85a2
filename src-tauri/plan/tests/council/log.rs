//! One room with its log, which replays to the same room.

use plan::*;

/// One room with its log.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) room: Room,
    /// The same room, built from the events as they are stored.
    stored: Room,
    pub(crate) events: Vec<Event>,
    times: Vec<Time>,
    /// Whether it is replayed only at the end, where many walks would take too long.
    pub(crate) quick: bool,
}

impl Log {
    pub(crate) fn new(quick: bool) -> Self {
        Self { quick, ..Self::default() }
    }

    pub(crate) fn submit(
        &mut self,
        command: Command,
        actor: &Actor,
        now: Time,
    ) -> Result<Vec<Event>, Refusal> {
        let events = decide(&self.room, command, actor, now)?;
        for event in &events {
            self.room.apply(event, now);
            self.events.push(event.clone());
            self.times.push(now);
            if !self.quick {
                again(&mut self.stored, event, now);
            }
        }
        assert!(self.quick || self.stored == self.room, "the log replays to the same room");
        Ok(events)
    }

    /// Rooms are stored as a whole, too, and are shown the same afterwards.
    pub(crate) fn replay(&self) {
        let mut stored = Room::default();
        for (event, now) in self.events.iter().zip(&self.times) {
            again(&mut stored, event, *now);
        }
        assert_eq!(stored, self.room, "the log replays to the same room");
        let bytes = serde_json::to_vec(&self.room).expect("rooms serialise");
        let read: Room = serde_json::from_slice(&bytes).expect("and read back");
        assert_eq!(read, self.room);
        assert_eq!(councils(&read), councils(&stored));
    }
}

/// Applies an event as it is stored and read back.
fn again(room: &mut Room, event: &Event, now: Time) {
    let bytes = serde_json::to_vec(event).expect("events serialise");
    room.apply(&serde_json::from_slice(&bytes).expect("and read back"), now);
}
