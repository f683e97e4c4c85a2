//! Sidekicks below a plan: what a person says of one counts for the plan above, and within it.

use super::{parent_of, root_of};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use plan::{Actor, Command, Event, Refusal, RoomKind};

impl Engine {
    /// What a person always allows a sidekick, they allow in the room where they work; and what
    /// they add to the plan above, there.
    pub(crate) fn keep_above(&self, live: &LiveRoom, events: &[Event]) {
        for event in events {
            if let Event::RuleRaised { rule, by } = event {
                let (root, keep) = (root_of(self, live), Command::KeepRule { rule: rule.clone() });
                // They are asked again.
                if let Err(error) = self.submit(root, by, keep) {
                    tracing::error!(room = %root, %error, "a rule could not be kept");
                }
            }
            if let Event::Granted { plan: Some(plan), step, grant, by } = event {
                let (plan, step, grant) = (*plan, step.clone(), grant.clone());
                self.grant_above(live, by, Command::Grant { plan, step, grant });
            }
        }
    }

    /// What a person adds to a plan for a sidekick, they add in the room of that plan.
    fn grant_above(&self, live: &LiveRoom, by: &Actor, grant: Command) {
        let mut parent = parent_of(live);
        while let Some(room) = parent {
            // Any other plan than the one that is meant stays as it is.
            if let Err(error) = self.submit(room, by, grant.clone()) {
                tracing::error!(%room, %error, "nothing could be added to the plan above");
                return;
            }
            parent = self.live(room).ok().and_then(|above| parent_of(&above));
        }
    }

    /// What a person says to a sidekick that carries a whole plan out, they say of that plan.
    pub(super) fn refill_above(&self, live: &LiveRoom, events: &[Event]) {
        let said = events.iter().find_map(|event| {
            let Event::Said { by, .. } = event else { return None };
            Some(by)
        });
        let venue_of = match live.lock().room.kind {
            RoomKind::Sidekick { whole: true, parent, .. } => Some(parent),
            RoomKind::Sidekick { .. } | RoomKind::Chat | RoomKind::Member { .. } => None,
        };
        if let (Some(by), Some(room)) = (said, venue_of)
            && let Err(error) = self.submit(room, by, Command::Refill)
        {
            tracing::error!(%room, %error, "a plan above could not be refilled");
        }
    }

    /// Who refuses a sidekick's call and wants a stop wants the plan above to stop, too.
    pub(super) fn stop_above(&self, live: &LiveRoom, events: &[Event]) {
        let stopped = events.iter().find_map(|event| {
            let Event::AskAnswered { answer, by, .. } = event else { return None };
            (answer == "refuse_stop").then_some(by)
        });
        let serves = {
            let room = &live.lock().room;
            room.serves_step() && room.active_plan().is_none()
        };
        if let (Some(by), Some(parent)) = (stopped.filter(|_| serves), parent_of(live))
            && let Err(error) = self.submit(parent, by, Command::Pause)
        {
            tracing::debug!(room = %parent, %error, "there was nothing to pause");
        }
    }
}

/// Refuses to put a sidekick's plan before a person while no yes of theirs could count, because a
/// room above may change nothing itself.
pub(crate) fn refuse_vain_approval(
    engine: &Engine,
    live: &LiveRoom,
    submitted: bool,
) -> Result<(), EngineError> {
    if !submitted && !live.lock().room.asks_for_plans() {
        return Ok(());
    }
    let mut parent = parent_of(live);
    while let Some(above) = parent.map(|room| engine.live(room)).transpose()? {
        if !above.lock().room.may_change_below() {
            return Err(Refusal::NotApprovedAbove.into());
        }
        parent = parent_of(&above);
    }
    Ok(())
}
