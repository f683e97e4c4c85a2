//! The time a goal may take: when it is over, the goal ends with what there is.

use crate::engine::Engine;
use crate::live::LiveRoom;
use crate::turn;
use plan::{Command, Time};
use std::sync::Arc;

/// Watches the time of a room's goal until it has ended; elsewhere there is nothing to watch.
pub(crate) fn watch(engine: &Engine, live: &Arc<LiveRoom>) {
    if live.lock().room.phase().is_none() {
        return;
    }
    let (tasks, runtime) = (engine.shared.tasks.clone(), engine.shared.runtime.clone());
    let (engine, live) = (engine.clone(), Arc::clone(live));
    let watching = async move {
        let mut changed = live.changed.subscribe();
        loop {
            changed.borrow_and_update();
            let Some(due) = due(&engine, &live) else { return };
            let time = async {
                match due {
                    Some(due) => engine.shared.clock.until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = engine.shared.stopping.cancelled() => return,
                changed = changed.changed() => if changed.is_err() { return },
                () = time => {
                    if turn::submit(&engine, &live, Command::Tick { so_far: None }, Vec::new()).is_err() {
                        return;
                    }
                }
            }
        }
    };
    tasks.spawn_on(watching, &runtime);
}

/// When its time is over, as far as it passes; nothing at all once the goal has ended.
fn due(engine: &Engine, live: &LiveRoom) -> Option<Option<Time>> {
    let now = engine.shared.clock.now();
    let inner = live.lock();
    let plan = inner.room.active_plan().filter(|plan| plan.goal.is_some() && !inner.broken)?;
    let later = |ms: u64| Time(now.0.saturating_add(i64::try_from(ms).unwrap_or(i64::MAX)));
    Some(plan.left_ms(now).map(later))
}
