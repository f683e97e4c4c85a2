//! Ends servers that are needed no more.

use super::Mcp;
use crate::engine::Engine;
use crate::live::LiveRoom;
use plan::Event;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

/// How long a server may have nothing to do, and how often that is looked at.
const IDLE: Duration = Duration::from_secs(300);
const EVERY: Duration = Duration::from_secs(60);

impl Mcp {
    /// Takes note of what happened: when a person stops the work, its servers go, too.
    pub(crate) fn heard(&self, live: &LiveRoom, events: &[Event]) -> bool {
        let stops = |event: &Event| {
            let turn = matches!(event, Event::Trouble { code, .. } if code == "STOPPED");
            turn || matches!(event, Event::PlanCancelled { .. })
        };
        let stopped = events.iter().any(stops) && !self.all_listed().is_empty();
        if stopped {
            self.over().insert(live.id);
        }
        stopped
    }

    /// Ends the servers of a room whose work was stopped.
    pub(crate) async fn end_if_over(&self, live: &LiveRoom) {
        if self.over().remove(&live.id) {
            let workspace = PathBuf::from(live.lock().room.workspace.clone());
            self.servers.end_at(&workspace).await;
        }
    }

    /// Ends everything; returns when no process is left.
    pub(crate) async fn end_all(&self) {
        self.servers.end_all().await;
    }

    fn over(&self) -> MutexGuard<'_, std::collections::HashSet<plan::RoomId>> {
        self.over.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
