//! One room with its log, which replays to the same room.

use plan::*;

/// One room with its log.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) room: Room,
    /// The same room, built from the events as they are stored.
    stored: Room,
    pub(crate) events: Vec<Event>,
    /// Whether it is not replayed, where many walks would take too long.
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
            if self.quick {
                continue;
            }
            let bytes = serde_json::to_vec(event).expect("events serialise");
            self.stored.apply(&serde_json::from_slice(&bytes).expect("and read back"), now);
        }
        assert!(self.quick || self.stored == self.room, "the log replays to the same room");
        Ok(events)
    }

    /// Rooms are stored as a whole, too, and are shown the same afterwards.
    pub(crate) fn replay(&self) {
        if self.quick {
            return;
        }
        let bytes = serde_json::to_vec(&self.room).expect("rooms serialise");
        let read: Room = serde_json::from_slice(&bytes).expect("and read back");
        assert_eq!(read, self.room);
        assert_eq!(councils(&read), councils(&self.stored));
    }
}
