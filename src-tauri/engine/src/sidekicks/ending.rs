//! How a sidekick is ended by others: by a person, or with what it was for.

use super::parent_of;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use crate::turn;
use plan::{Actor, Command, RoomId, RoomKind, SidekickEnd, Told};
use std::sync::Arc;

/// What becomes of changes of a sidekick that is done and only has to be merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finished {
    /// They are merged all the same.
    Kept,
    /// Nobody wants them any more.
    Dropped,
}

impl Engine {
    /// Stops a sidekick, with its own sidekicks and everything that runs there.
    pub async fn stop_sidekick(&self, room: RoomId, actor: &Actor) -> Result<(), EngineError> {
        let live = self.live(room)?;
        let result = "stopped by a person".to_owned();
        // One that waits with what it has done is done with it, too.
        if live.lock().room.has_work_to_settle() {
            let drop = Command::DropCopy { problem: Some(result) };
            turn::submit(self, &live, drop, Vec::new())?.stored().await?;
            return Ok(());
        }
        // Neither is what its own have done wanted any more.
        self.submit_live(&live, actor, stopped(result, false, true), Vec::new())?.stored().await?;
        Ok(())
    }

    /// The room that asked is done with it.
    pub(crate) fn end_for_room(&self, child: &Arc<LiveRoom>, finished: Finished) {
        let (open, has_copy, untold) = {
            let room = &child.lock().room;
            if finished == Finished::Kept && room.has_work_to_settle() {
                return;
            }
            let ended = room.sidekick.as_ref().and_then(|sidekick| sidekick.ended.as_ref());
            let untold = ended.is_some_and(|ended| !ended.told);
            (room.open_sidekick().is_some(), room.has_copy_to_settle(), untold)
        };
        let mut result = "the room that asked stopped it".to_owned();
        if let Some((said, _)) = self.so_far(child).filter(|_| open) {
            result += &format!("; so far: {}", self.redact(said));
        }
        let given_up = finished == Finished::Dropped;
        let command = match (open, has_copy) {
            (true, _) => stopped(result, true, given_up),
            (false, true) if given_up => Command::DropCopy { problem: None },
            // There may be finished work in it.
            (false, true) => {
                self.settle_copy(child);
                return;
            }
            (false, false) => return,
        };
        if let Err(error) = turn::submit(self, child, command, Vec::new()) {
            tracing::error!(room = %child.id, %error, "a sidekick could not be stopped");
        }
        match open {
            true => self.note_cut_off(child),
            // It is told of when it is known what was taken over.
            false if untold => return,
            false => {}
        }
        self.wait_no_more(child);
    }

    /// A room that waits for a sidekick which was stopped does so no more.
    fn wait_no_more(&self, child: &LiveRoom) {
        let Some(parent) = parent_of(child).and_then(|parent| self.live(parent).ok()) else {
            return;
        };
        let (from, text) = {
            let inner = child.lock();
            let RoomKind::Sidekick { codename, .. } = &inner.room.kind else { return };
            let text = format!("Sidekick {codename} was stopped with what it was for.");
            (Told { room: child.id, seq: inner.room.seq }, text)
        };
        let quiet = {
            let room = &parent.lock().room;
            if !room.below.contains(&child.id) {
                return;
            }
            // In a room where a person speaks, nobody has to answer to that.
            room.sidekick.is_none()
        };
        let tell = Command::Tell { from, text, quiet };
        if let Err(error) = turn::submit(self, &parent, tell, Vec::new()) {
            tracing::error!(room = %parent.id, %error, "a room could not be told");
        }
    }
}

/// The command that stops a sidekick.
fn stopped(result: String, told: bool, given_up: bool) -> Command {
    let (end, checked) = (SidekickEnd::Stopped, false);
    Command::EndSidekick { end, result, told, checked, given_up, next: None, call: None }
}

/// The sidekicks of a room that have not ended, by name.
pub(crate) fn at_work_below(engine: &Engine, live: &LiveRoom) -> Vec<String> {
    let below = engine.live_below(live.id);
    let names = below.iter().filter_map(|child| {
        let inner = child.lock();
        match &inner.room.kind {
            RoomKind::Sidekick { codename, .. } if inner.room.open_sidekick().is_some() => {
                Some(codename.clone())
            }
            RoomKind::Sidekick { .. } | RoomKind::Chat | RoomKind::Member { .. } => None,
        }
    });
    names.collect()
}

/// A sidekick of a room that is done, but whose changes are not taken over yet.
pub(crate) fn settling_below(engine: &Engine, live: &LiveRoom) -> Option<String> {
    engine.children(live.id).iter().find_map(|child| {
        let inner = child.lock();
        match &inner.room.kind {
            RoomKind::Sidekick { codename, .. } if inner.room.has_work_to_settle() => {
                Some(codename.clone())
            }
            RoomKind::Sidekick { .. } | RoomKind::Chat | RoomKind::Member { .. } => None,
        }
    })
}
