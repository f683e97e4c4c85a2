//! What sidekicks use counts in every room above them, so that the caps of a plan hold for all that
//! is done for it.

use super::parent_of;
use super::serving::step_of;
use crate::engine::Engine;
use crate::live::LiveRoom;
use crate::turn;
use plan::{Command, Plan};

impl Engine {
    /// Tells the room above what a sidekick and those below it have used so far: at once where a
    /// plan above has a cap on that, else when it has ended. The room above tells it on.
    pub(super) fn tell_spent(&self, child: &LiveRoom) {
        let Some(parent) = parent_of(child).and_then(|parent| self.live(parent).ok()) else {
            return;
        };
        let (usage, ended) = {
            let room = &child.lock().room;
            let Some(sidekick) = &room.sidekick else { return };
            // What a person asked for is no part of what goes on above.
            if sidekick.by_person {
                return;
            }
            (room.used_in_all(), sidekick.ended.is_some())
        };
        let room = child.id;
        let spent = match step_of(&parent, room) {
            // The end of a step says what it used.
            Some(step) if self.is_capped_above(child) => Command::StepSpent { step, room, usage },
            None if ended || self.is_capped_above(child) => Command::SpentBelow { room, usage },
            Some(_) | None => return,
        };
        if let Err(error) = turn::submit(self, &parent, spent, Vec::new()) {
            tracing::error!(room = %parent.id, %error, "what a sidekick used could not be told");
        }
    }

    /// Whether a plan above a room has a cap on tokens or money.
    fn is_capped_above(&self, live: &LiveRoom) -> bool {
        let money = |plan: &Plan| plan.frame.caps.cost_micros.is_some();
        self.has_tokens_above(live) || self.is_any_above(live, money)
    }

    /// Whether a plan above a room has a cap on tokens.
    pub(super) fn has_tokens_above(&self, live: &LiveRoom) -> bool {
        self.is_any_above(live, |plan| plan.frame.caps.tokens.is_some())
    }

    fn is_any_above(&self, live: &LiveRoom, capped: impl Fn(&Plan) -> bool) -> bool {
        let mut parent = parent_of(live);
        while let Some(above) = parent.and_then(|room| self.live(room).ok()) {
            if above.lock().room.active_plan().is_some_and(&capped) {
                return true;
            }
            parent = parent_of(&above);
        }
        false
    }
}
