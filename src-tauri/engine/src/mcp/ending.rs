//! Ends servers that are needed no more.

use super::Mcp;
use crate::engine::Engine;
use crate::live::LiveRoom;
use plan::{Event, RoomId};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a server may have nothing to do, and how often that is looked at.
const IDLE: Duration = Duration::from_secs(300);
const EVERY: Duration = Duration::from_secs(60);

/// Which servers of a room are to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Which {
    /// Those that may write.
    Writing,
    /// Every one.
    All,
}

impl Mcp {
    /// Takes note of what happened: when a person stops the work, its servers go, too. Those that
    /// may write go when the plan is over, and when what they may is `void`.
    pub(crate) fn heard(
        &self,
        engine: &Engine,
        live: &Arc<LiveRoom>,
        events: &[Event],
        void: bool,
    ) -> bool {
        self.questions.heard(live.id, events);
        let stops = |event: &Event| {
            let turn = matches!(event, Event::Trouble { code, .. } if code == "STOPPED");
            turn || matches!(event, Event::PlanCancelled { .. })
        };
        let over =
            |event: &Event| matches!(event, Event::PlanDone { .. } | Event::PlanFailed { .. });
        let which = match events.iter().any(stops) {
            true => Which::All,
            false if void || events.iter().any(over) => Which::Writing,
            false => return false,
        };
        if self.all_listed().is_empty() {
            return false;
        }
        self.over().entry(live.id).and_modify(|known| *known = which.max(*known)).or_insert(which);
        if void {
            // One that has nothing to do is not waited for.
            let (servers, folder) = (self.servers.clone(), workspace(live));
            let end = async move { servers.end_writing_at(&folder).await };
            engine.shared.tasks.spawn_on(end, &engine.shared.runtime);
        }
        true
    }

    /// Ends the servers of a room whose work is over.
    pub(crate) async fn end_if_over(&self, live: &LiveRoom) {
        let which = self.over().remove(&live.id);
        match which {
            Some(Which::All) => self.servers.end_at(&workspace(live)).await,
            Some(Which::Writing) => self.servers.end_writing_at(&workspace(live)).await,
            None => {}
        }
    }

    /// Ends what runs in a folder that is about to go, and forgets it.
    pub(crate) async fn leave(&self, folder: &str) {
        self.servers.end_at(Path::new(folder)).await;
        self.all_listed().remove(Path::new(folder));
    }

    /// Ends everything; returns when no process is left.
    pub(crate) async fn end_all(&self) {
        self.servers.end_all().await;
    }

    fn over(&self) -> MutexGuard<'_, HashMap<RoomId, Which>> {
        self.over.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn workspace(live: &LiveRoom) -> PathBuf {
    PathBuf::from(live.lock().room.folder())
}

/// Looks now and then for servers with nothing to do, until the engine stops.
pub(super) fn sweep(engine: &Engine) {
    let shared = &engine.shared;
    if shared.mcp.sweeping.swap(true, Ordering::AcqRel) {
        return;
    }
    let (servers, stopping) = (shared.mcp.servers.clone(), shared.stopping.clone());
    let sweep = async move {
        loop {
            tokio::select! {
                () = tokio::time::sleep(EVERY) => servers.end_idle(IDLE).await,
                () = stopping.cancelled() => return,
            }
        }
    };
    shared.tasks.spawn_on(sweep, &shared.runtime);
}
