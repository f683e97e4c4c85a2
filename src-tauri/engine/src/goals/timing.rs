//! The time a plan may take: when it is over, a goal ends with what there is, and another plan is
//! paused.

use crate::engine::Engine;
use crate::live::LiveRoom;
use crate::turn;
use plan::{Command, RoomId, StepId, Time, UnderWay};
use std::sync::Arc;

/// How long after it was over the time is told again, where steps only have to be merged.
const AGAIN_MS: i64 = 1_000;

/// Watches the time of a room's goal until it has ended, or of another plan while it runs; where
/// that has no cap there is nothing to watch.
pub(crate) fn watch(engine: &Engine, live: &Arc<LiveRoom>) {
    if due(engine, live).is_none() {
        return;
    }
    let (tasks, runtime) = (engine.shared.tasks.clone(), engine.shared.runtime.clone());
    let (engine, live) = (engine.clone(), Arc::clone(live));
    let watching = async move {
        let mut changed = live.changed.subscribe();
        let mut not_before = Time(0);
        loop {
            changed.borrow_and_update();
            let Some(due) = due(&engine, &live) else { return };
            let time = async {
                match due {
                    Some(due) => engine.shared.clock.until(due.max(not_before)).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = engine.shared.stopping.cancelled() => return,
                changed = changed.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    not_before = Time(0);
                }
                () = time => {
                    let tick = Command::Tick { so_far: None, below: below(&engine, &live) };
                    let Ok(told) = turn::submit(&engine, &live, tick, Vec::new()) else { return };
                    if told.events.is_empty() {
                        not_before = Time(engine.shared.clock.now().0 + AGAIN_MS);
                    }
                }
            }
        }
    };
    tasks.spawn_on(watching, &runtime);
}

/// How far the sidekicks are that do its steps.
fn below(engine: &Engine, live: &LiveRoom) -> Vec<UnderWay> {
    let steps: Vec<(StepId, Option<RoomId>)> = {
        let inner = live.lock();
        let steps = inner.room.active_plan().into_iter().flat_map(|plan| plan.in_progress());
        steps.map(|step| (step.spec.id.clone(), step.sidekick)).collect()
    };
    let known = |(step, room): (StepId, Option<RoomId>)| {
        let child = engine.live(room?).ok()?;
        let words = engine.so_far(&child).map(|(words, _)| engine.redact(words));
        let inner = child.lock();
        let said = inner.room.sidekick.as_ref().map(|sidekick| sidekick.said.clone());
        let settles = inner.room.has_work_to_settle();
        Some(UnderWay { step, so_far: words.or(said), settles })
    };
    steps.into_iter().filter_map(known).collect()
}

/// When something follows from the time, as far as it passes; nothing at all once there is nothing
/// to watch.
fn due(engine: &Engine, live: &LiveRoom) -> Option<Option<Time>> {
    let now = engine.shared.clock.now();
    let inner = live.lock();
    let plan = inner.room.active_plan().filter(|_| !inner.broken)?;
    let capped = plan.frame.caps.seconds.is_some() && plan.state.is_running();
    if plan.goal.is_none() && !capped {
        return None;
    }
    let later = |ms: u64| Time(now.0.saturating_add(i64::try_from(ms).unwrap_or(i64::MAX)));
    let left = [plan.goal_left_ms(now), plan.cap_left_ms(now)].into_iter().flatten().min();
    Some(left.map(later))
}
