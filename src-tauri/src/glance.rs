//! Everything at a glance, looked up once for all who follow it: window, tray, notices.

use engine::{Engine, EngineError, Overview, RoomSummary};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The least time between two looks.
const PAUSE: Duration = Duration::from_millis(80);

/// The latest overview.
pub struct Glance {
    seen: watch::Receiver<Arc<Overview>>,
}

impl Glance {
    /// Looks now, and again whenever something is stored. Must be called in a tokio runtime.
    pub fn begin(engine: &Engine) -> Result<Self, EngineError> {
        let mut changes = engine.changes();
        changes.mark_changed();
        let (tell, seen) = watch::channel(Arc::new(engine.overview()?));
        let engine = engine.clone();
        tokio::spawn(async move {
            while changes.changed().await.is_ok() {
                match engine.overview() {
                    Ok(now) => {
                        tell.send_if_modified(|shown| {
                            let other = **shown != now;
                            if other {
                                *shown = Arc::new(now);
                            }
                            other
                        });
                    }
                    Err(error) => tracing::warn!(%error, "the overview can't be read"),
                }
                tokio::time::sleep(PAUSE).await;
            }
        });
        Ok(Self { seen })
    }

    /// What was seen last.
    pub fn now(&self) -> Arc<Overview> {
        Arc::clone(&self.seen.borrow())
    }

    /// Every later look; the value it starts with counts as seen.
    pub fn follow(&self) -> watch::Receiver<Arc<Overview>> {
        let mut seen = self.seen.clone();
        seen.mark_unchanged();
        seen
    }
}

/// Whether a room is at work without a plan: neither its own, nor one above that holds it.
pub fn works_alone(room: &RoomSummary, overview: &Overview) -> bool {
    let above =
        |room: &RoomSummary| overview.rooms.iter().find(|other| Some(other.id) == room.parent);
    let mut line = std::iter::successors(Some(room), |room| above(room));
    room.busy && line.all(|room| room.active_plan.is_none())
}

/// Whether a plan is paused in a room that was not put away.
pub fn is_paused(room: &RoomSummary) -> bool {
    !room.archived && room.plan.as_ref().is_some_and(|plan| plan.state == "paused")
}
