//! The time a sidekick may take: told when it is near, ended when it is over.

use crate::engine::Engine;
use crate::live::LiveRoom;
use crate::turn;
use plan::{Command, Time};
use std::sync::Arc;
use tokio::task::JoinHandle;

/// Watches the time for as long as a room is driven.
pub(crate) struct Watching(Option<JoinHandle<()>>);

impl Drop for Watching {
    fn drop(&mut self) {
        if let Some(task) = &self.0 {
            task.abort();
        }
    }
}

/// Watches a sidekick's time; in another room there is nothing to watch.
pub(crate) fn watch(engine: &Engine, live: &Arc<LiveRoom>) -> Watching {
    if live.lock().room.sidekick.is_none() {
        return Watching(None);
    }
    let runtime = engine.shared.runtime.clone();
    let (engine, live) = (engine.clone(), Arc::clone(live));
    Watching(Some(runtime.spawn(async move {
        let mut changed = live.changed.subscribe();
        loop {
            changed.borrow_and_update();
            let Some(due) = due(&engine, &live) else {
                if changed.changed().await.is_err() {
                    return;
                }
                continue;
            };
            engine.shared.clock.until(due).await;
            // What it says right now is part of its best result.
            let said = engine.so_far(&live).map(|(words, _)| engine.redact(words));
            let tick = Command::Tick { so_far: said, below: Vec::new() };
            // It may have waited meanwhile: then nothing follows from the time.
            if turn::submit(&engine, &live, tick, Vec::new()).is_err() {
                return;
            }
        }
    })))
}

/// When the next thing follows from the time alone.
fn due(engine: &Engine, live: &LiveRoom) -> Option<Time> {
    let now = engine.shared.clock.now();
    let inner = live.lock();
    let sidekick = inner.room.open_sidekick()?;
    sidekick.working_since?;
    let most = u64::from(sidekick.limits.seconds) * 1_000;
    let at = if sidekick.warned { most } else { most - most / 5 };
    let left = at.saturating_sub(sidekick.ran_ms(now));
    Some(Time(now.0.saturating_add(i64::try_from(left).unwrap_or(i64::MAX))))
}
