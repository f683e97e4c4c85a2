//! Sidekicks as others see them: in their own room, in the step they do, in the list.

use super::is_held;
use crate::engine::Engine;
use crate::live::LiveRoom;
use plan::{Action, Room, RoomId, RoomView, SidekickView, Time, WaitsFor, asks, sidekick_view};

impl Engine {
    /// A sidekick as others see it: one that works, but of which nothing was heard for a while, is
    /// stalled.
    pub(crate) fn as_heard(&self, mut sidekick: SidekickView) -> SidekickView {
        let now = self.shared.clock.now();
        let caps = &self.shared.config.current().config.caps;
        let most = u64::from(caps.stalled_seconds) * 1_000;
        let silent = sidekick.progress_at.is_some_and(|at| now.since(at) >= most);
        if sidekick.state == "running" && silent {
            sidekick.state = "stalled".to_owned();
        }
        sidekick
    }

    /// A room with what only the engine knows of it, and with what its sidekicks ask, theirs
    /// included: one record, shown in both places.
    pub(crate) fn as_seen(&self, live: &LiveRoom, mut room: RoomView) -> RoomView {
        if let Some(sidekick) = &mut room.sidekick {
            self.show_progress(live, sidekick);
        }
        let mut below = self.live_below(room.id);
        while let Some(child) = below.pop() {
            {
                let seen = &child.lock().room;
                show_in_step(&mut room, child.id, seen);
                room.asks.extend(asks(seen));
            }
            below.extend(self.live_below(child.id));
        }
        room
    }

    /// Words that come in are progress, and who does not work waits for something.
    pub(crate) fn show_progress(&self, live: &LiveRoom, sidekick: &mut SidekickView) {
        match sidekick.state.as_str() {
            "running" => {
                let heard = live.chatter.heard_ago().map(|ago| {
                    let ago = i64::try_from(ago.as_millis()).unwrap_or(i64::MAX);
                    let at = self.shared.clock.now().0.saturating_sub(ago);
                    // To the second, so that two looks see the same.
                    Time(at - at.rem_euclid(1_000))
                });
                sidekick.progress_at = sidekick.progress_at.max(heard);
            }
            "queued" if is_held(self, live) => sidekick.waits_for = Some(WaitsFor::Plan),
            // It has a place and does not work.
            "queued" if self.shared.slots.holds(live.id) => {
                sidekick.waits_for = Some(WaitsFor::Provider);
            }
            _ => {}
        }
    }
}

/// A step shows how its sidekick stands.
fn show_in_step(room: &mut RoomView, id: RoomId, child: &Room) {
    let Some(plan) = &mut room.plan else { return };
    let mut steps = plan.steps.iter_mut().filter(|step| step.status == "in_progress");
    let Some(step) = steps.find(|step| step.sidekick == Some(id)) else { return };
    step.waiting |= !child.asks.is_empty();
    step.queued |= sidekick_view(child).is_some_and(|sidekick| sidekick.state == "queued");
    // Once it is taken as done, its check is no question any more.
    if child.sidekick.as_ref().is_some_and(|own| own.ended.is_some()) {
        step.check_failed = None;
        if plan.steps.iter().all(|step| step.check_failed.is_none()) {
            plan.actions.retain(|action| *action != Action::Override);
        }
    }
}
