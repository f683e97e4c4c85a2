//! When a sidekick works, and when it waits: for a slot, its provider or a plan above.

use super::{is_held, parent_of, root_of};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::goals;
use crate::live::LiveRoom;
use crate::slots::Wish;
use crate::turn;
use plan::{Command, PlanId};
use std::collections::VecDeque;
use std::sync::Arc;

impl Engine {
    /// Gives a sidekick's slot to whoever is next.
    pub(crate) fn free_slot(&self, live: &LiveRoom) {
        if parent_of(live).is_none() {
            return;
        }
        let most = self.shared.config.current().config.caps.sidekicks;
        let mut next = VecDeque::from(self.shared.slots.give_back(live.id, most));
        while let Some(room) = next.pop_front() {
            match self.live(room) {
                Ok(room) => self.drive(&room),
                // It is gone: another one may have its slot.
                Err(_) => next.extend(self.shared.slots.give_back(room, most)),
            }
        }
    }
}

/// Whether a room may work now: a sidekick needs a slot, or waits for one. Another room always may.
pub(crate) fn may_work(engine: &Engine, live: &Arc<LiveRoom>) -> Result<bool, EngineError> {
    let (urgent, had) = {
        let inner = live.lock();
        let Some(sidekick) = &inner.room.sidekick else { return Ok(true) };
        (sidekick.awaited, sidekick.slot)
    };
    let root = root_of(engine, live);
    let most = engine.shared.config.current().config.caps.sidekicks;
    // What a goal has at once counts together, however deep it is.
    let of_goal = goals::goal_above(engine, root).map_or(most, |frame| frame.lanes);
    let pool = pool_of(engine, live);
    let wish = Wish { room: live.id, root, urgent, most: of_goal, pool };
    let got = engine.shared.slots.take(wish, most);
    match (got, had) {
        (true, false) => drop(turn::submit(engine, live, Command::StartSidekick, Vec::new())?),
        (false, true) => drop(turn::submit(engine, live, Command::QueueSidekick, Vec::new())?),
        (true, true) | (false, false) => {}
    }
    if !got || !had {
        goals::note(engine, live);
    }
    Ok(got)
}

/// The plan that a sidekick works for, and how many may at once; nothing where a person asked for it.
fn pool_of(engine: &Engine, live: &LiveRoom) -> Option<(PlanId, u32)> {
    if live.lock().room.sidekick.as_ref()?.by_person {
        return None;
    }
    let parent = engine.live(parent_of(live)?).ok()?;
    let (plan, most) = {
        let inner = parent.lock();
        let plan = inner.room.active_plan()?;
        (plan.id, plan.frame.caps.sidekicks_per_plan)
    };
    let goal = goals::goal_above(engine, parent.id);
    Some((plan, goal.map_or(most, |goal| goal.lanes)))
}

/// A sidekick waits, with its slot: that time counts for nothing.
pub(crate) fn rest(engine: &Engine, live: &Arc<LiveRoom>) -> Result<(), EngineError> {
    turn::submit(engine, live, Command::QueueSidekick, Vec::new())?;
    goals::note(engine, live);
    Ok(())
}

/// A sidekick that rested works on.
pub(crate) fn work_on(engine: &Engine, live: &Arc<LiveRoom>) -> Result<(), EngineError> {
    turn::submit(engine, live, Command::StartSidekick, Vec::new())?;
    goals::note(engine, live);
    Ok(())
}

/// A sidekick that a paused plan above holds back is not at work.
pub(crate) fn put_off(engine: &Engine, live: &Arc<LiveRoom>) {
    let works = {
        let inner = live.lock();
        let has_slot = inner.room.sidekick.as_ref().is_some_and(|sidekick| sidekick.slot);
        has_slot && inner.room.is_at_work()
    };
    if works && is_held(engine, live) {
        // A log that can't be written evicts the room.
        let _ = turn::submit(engine, live, Command::QueueSidekick, Vec::new());
    }
}
