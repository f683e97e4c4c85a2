//! Everything at a glance, looked up once for all who follow it: window, tray, notices.

use engine::{CouncilGlance, Engine, EngineError, Overview, PlanGlance, RoomSummary};
use plan::{Action, AskView, CouncilAction, PauseReason, RoomId};
use serde::Serialize;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The least time between two looks.
const PAUSE: Duration = Duration::from_millis(400);
/// The most, while a sidekick is at work: its words are progress, and nothing is stored of them.
const WORDS: Duration = Duration::from_secs(10);

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
            while next(&mut changes, &tell, WORDS).await {
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

/// Waits until it is time for another look, at `most` so long while a sidekick is at work; `false`
/// when there will be none.
async fn next(
    changes: &mut watch::Receiver<u64>,
    shown: &watch::Sender<Arc<Overview>>,
    most: Duration,
) -> bool {
    let works =
        |room: &RoomSummary| room.sidekick.as_ref().is_some_and(|one| one.state == "running");
    if !shown.borrow().rooms.iter().any(works) {
        return changes.changed().await.is_ok();
    }
    let changed = tokio::time::timeout(most, changes.changed()).await;
    changed.is_err() || changed.is_ok_and(|changed| changed.is_ok())
}

/// What is other at a glance than was told before. With hundreds of sidekicks most of it is not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct OverviewNews {
    /// All rooms, newest first, where one came or went.
    order: Option<Vec<RoomId>>,
    /// Rooms that are new or not as they were.
    rooms: Vec<RoomSummary>,
    /// Open questions, newest first, where one came or went.
    asks: Option<Vec<AskView>>,
}

impl OverviewNews {
    /// All of it.
    pub fn all(now: &Overview) -> Self {
        Self::between(&Overview { rooms: Vec::new(), asks: Vec::new() }, now)
    }

    /// What is other now.
    pub fn between(before: &Overview, now: &Overview) -> Self {
        let ids = |one: &Overview| one.rooms.iter().map(|room| room.id).collect::<Vec<_>>();
        let order = ids(now);
        let were: HashMap<RoomId, &RoomSummary> =
            before.rooms.iter().map(|room| (room.id, room)).collect();
        let rooms = now.rooms.iter().filter(|room| were.get(&room.id) != Some(room));
        Self {
            rooms: rooms.cloned().collect(),
            order: (order != ids(before)).then_some(order),
            asks: (before.asks != now.asks).then(|| now.asks.clone()),
        }
    }
}

/// Whether a room is at work without a plan or a council: neither its own, nor one above that
/// holds it.
pub fn works_alone(room: &RoomSummary, overview: &Overview) -> bool {
    let above =
        |room: &RoomSummary| overview.rooms.iter().find(|other| Some(other.id) == room.parent);
    let mut line = std::iter::successors(Some(room), |room| above(room));
    room.busy && line.all(|room| room.active_plan.is_none() && !has_council_talking(room))
}

/// Whether a room waits for its council: it talks, judges what was done, or stands still.
pub fn has_council_talking(room: &RoomSummary) -> bool {
    room.council.as_ref().is_some_and(|council| council.talks)
}

/// Whether a room's council is at work, but for the plan that it chose.
pub fn holds_council(room: &RoomSummary) -> bool {
    room.council.as_ref().is_some_and(CouncilGlance::is_at_work)
}

/// Whether the agent of a room writes its plan anew, which no pause stops.
pub fn writes_plan(room: &RoomSummary) -> bool {
    let writes =
        |plan: &PlanGlance| plan.state == "draft" || plan.pause_reason == Some(PauseReason::Revise);
    room.busy && room.plan.as_ref().is_some_and(writes)
}

/// Whether a plan or a council can be resumed in a room that was not put away.
pub fn can_resume(room: &RoomSummary) -> bool {
    let plan = room.plan.as_ref().is_some_and(|plan| plan.actions.contains(&Action::Resume));
    let council = room.council.as_ref().filter(|council| council.talks);
    let council = council.is_some_and(|one| one.actions.contains(&CouncilAction::Resume));
    !room.archived && (plan || council)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notices::tests::{ask, look, room};
    use plan::{AskKind, SidekickView, Usage};
    use uuid::Uuid;

    #[tokio::test]
    async fn time_alone_is_a_reason_to_look_only_while_a_sidekick_is_at_work() {
        let (change, mut changes) = watch::channel(0);
        let shown = watch::Sender::new(Arc::new(look(vec![], vec![])));
        let mut looks = async |state: Option<&str>| {
            let sidekick = state.map(sidekick);
            let room = RoomSummary { sidekick, ..room("running", None) };
            shown.send_replace(Arc::new(look(vec![room], vec![])));
            let next = next(&mut changes, &shown, Duration::ZERO);
            tokio::time::timeout(Duration::from_millis(50), next).await.ok()
        };
        assert_eq!(looks(Some("running")).await, Some(true), "its words are progress");
        for state in [None, Some("queued"), Some("waiting"), Some("completed")] {
            assert_eq!(looks(state).await, None, "{state:?}");
            change.send_modify(|count| *count += 1);
            assert_eq!(looks(state).await, Some(true), "something was stored");
        }
        drop(change);
        assert_eq!(looks(None).await, Some(false), "the engine is gone");
    }

    fn sidekick(state: &str) -> SidekickView {
        SidekickView {
            id: RoomId(Uuid::from_u128(2)),
            codename: "calm-otter".into(),
            parent: RoomId(Uuid::from_u128(1)),
            step: None,
            state: state.into(),
            waits_for: None,
            task: "look".into(),
            model: None,
            tool: None,
            turns: 0,
            attempts: 0,
            usage: Usage::default(),
            started_at: None,
            working_since: None,
            worked_ms: 0,
            progress_at: None,
            result: None,
        }
    }

    #[test]
    fn only_what_is_other_is_told() {
        let other = || RoomSummary { id: RoomId(Uuid::from_u128(9)), ..room("running", None) };
        let before = look(vec![room("running", None), other()], vec![]);
        let news = |now: &Overview| OverviewNews::between(&before, now);
        let nothing = OverviewNews { order: None, rooms: vec![], asks: None };
        assert_eq!(news(&before), nothing);
        let paused = room("paused", None);
        let now = look(vec![paused.clone(), other()], vec![]);
        assert_eq!(news(&now), OverviewNews { rooms: vec![paused], ..nothing.clone() });
        let now = look(vec![other()], vec![ask(AskKind::Question)]);
        let order = Some(vec![other().id]);
        assert_eq!(news(&now), OverviewNews { order, rooms: vec![], asks: Some(now.asks.clone()) });
        assert_eq!(OverviewNews::all(&now).rooms, now.rooms);
    }
}
