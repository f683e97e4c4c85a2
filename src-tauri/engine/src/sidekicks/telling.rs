//! What came of a sidekick is told to the room that asked, once.

use super::steps;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use crate::turn;
use plan::{Actor, Command, Room, RoomKind, SidekickEnd, Told};
use std::sync::Arc;

impl Engine {
    /// Tells the room that asked what came of a sidekick, unless it knows.
    pub(crate) fn report(&self, live: &Arc<LiveRoom>) -> Result<(), EngineError> {
        // First its work has to be where it belongs.
        if self.settle_copy(live) {
            return Ok(());
        }
        let (parent, from, text, unasked) = {
            let inner = live.lock();
            let RoomKind::Sidekick { parent, codename, .. } = &inner.room.kind else {
                return Ok(());
            };
            let ended = inner.room.sidekick.as_ref().and_then(|sidekick| sidekick.ended.as_ref());
            let Some(ended) = ended.filter(|ended| !ended.told) else { return Ok(()) };
            let how = match ended.end {
                SidekickEnd::Completed => "has finished",
                SidekickEnd::Stopped => "was stopped",
                SidekickEnd::Failed => "has failed",
            };
            let text = format!("Sidekick {codename} {how}: {}", ended.words());
            // A plan waits for its steps, and a person who gives work up waits for nothing. What ended
            // before the app stopped is read when the person goes on.
            let before = ended.seq <= live.read_at;
            let unasked = inner.room.serves_step() || ended.is_unwanted() || before;
            (*parent, Told { room: live.id, seq: ended.seq }, text, unasked)
        };
        match self.step_over(live) {
            Ok(true) => return self.told(live),
            Ok(false) => {}
            // The plan is paused; it is told when it goes on.
            Err(error) if steps::is_too_early(&error) => return Ok(()),
            Err(error) => return Err(error),
        }
        // Who has ended does not begin anew because of it; a sidekick that is at work has to go on.
        let quiet = |room: &Room| match &room.sidekick {
            Some(_) => room.open_sidekick().is_none(),
            None => unasked,
        };
        let quiet = self.with_room(parent, quiet).unwrap_or(false);
        match self.submit(parent, &Actor::harness(), Command::Tell { from, text, quiet }) {
            // A room that was deleted need not know.
            Ok(_) | Err(EngineError::NoRoom) => {}
            Err(error) => return Err(error),
        }
        self.told(live)
    }

    fn told(&self, live: &Arc<LiveRoom>) -> Result<(), EngineError> {
        turn::submit(self, live, Command::SidekickReported, Vec::new())?;
        Ok(())
    }
}
