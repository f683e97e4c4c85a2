//! All rooms at a glance, and every open question: what the rail, the tray and the inbox show.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::journal::{AskRow, StoredRoom};
use crate::live::room_at;
use crate::rows::UNSETTLED;
use plan::{
    Action, AskKind, AskView, CouncilAction, CouncilId, FinalAnswer, PauseReason, Plan, PlanId,
    PlanMode, Room, RoomId, RoomKind, SidekickView, Time, actions, council_view, sidekick_view,
};
use serde::Serialize;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most conversations, and the most sidekicks, shown of those that rest.
const MOST: usize = 500;
/// The most rooms of which it is remembered what was shown.
const MOST_KEPT: usize = 8 * MOST;

/// Everything at a glance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct Overview {
    /// Rooms, newest first.
    pub rooms: Vec<RoomSummary>,
    /// Open questions, newest first.
    pub asks: Vec<AskView>,
}

/// What kind of room it is, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ts_rs::TS, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RoomSort {
    /// A person's conversation.
    Chat,
    /// A background agent's.
    Sidekick,
    /// A council member's.
    Member,
}

/// A room in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ts_rs::TS, utoipa::ToSchema)]
pub struct RoomSummary {
    /// Its id.
    pub id: RoomId,
    /// Its name.
    pub title: String,
    /// The folder it works in.
    pub workspace: String,
    /// chat, sidekick or member.
    pub kind: RoomSort,
    /// The room that asked for it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent: Option<RoomId>,
    /// A sidekick's adjective-animal name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub codename: Option<String>,
    /// How far it is, where it is a sidekick's.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sidekick: Option<SidekickView>,
    /// How much it insists on an approved plan.
    pub plan_mode: PlanMode,
    /// Whether it was put away.
    pub archived: bool,
    /// Whether the agent is at work.
    pub busy: bool,
    /// How many questions wait for a person.
    pub asks: usize,
    /// The plan that is not over.
    pub active_plan: Option<PlanId>,
    /// The active plan, or the last one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub plan: Option<PlanGlance>,
    /// The council that is not over, or the last one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub council: Option<CouncilGlance>,
    /// When it was made.
    pub created_at: Time,
    /// When something last happened.
    pub updated_at: Time,
    /// Its place among all rooms.
    #[serde(skip)]
    #[ts(skip)]
    pub number: u64,
}

/// A plan at a glance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ts_rs::TS, utoipa::ToSchema)]
pub struct PlanGlance {
    /// Its id.
    pub id: PlanId,
    /// What it is for.
    pub goal: String,
    /// Its state.
    pub state: String,
    /// Why it is paused.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pause_reason: Option<PauseReason>,
    /// Whether it was sent back and nobody writes the next revision, until a person says something.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub left: bool,
    /// Steps that have ended.
    pub ended: usize,
    /// All steps.
    pub steps: usize,
    /// What a person may do to it now.
    pub actions: Vec<Action>,
}

/// A council at a glance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ts_rs::TS, utoipa::ToSchema)]
pub struct CouncilGlance {
    /// Its id.
    pub id: CouncilId,
    /// What it is about: how its task begins.
    pub task: String,
    /// Its state.
    pub state: String,
    /// Why it is paused.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pause_reason: Option<PauseReason>,
    /// Whether the room waits for it: members talk, a winner is about to take over, or judges what
    /// was done. Else its plan tells more.
    pub talks: bool,
    /// Members that have answered.
    pub answered: usize,
    /// Members whose votes count.
    pub voted: usize,
    /// All members.
    pub members: usize,
    /// Whether its answer became a plan of this room, which tells how far it is.
    pub planned: bool,
    /// Why it ended.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub end_reason: Option<String>,
    /// What a person may do to it now.
    pub actions: Vec<CouncilAction>,
}

impl CouncilGlance {
    /// Whether its members, or its winner that judges, are at work.
    pub fn is_at_work(&self) -> bool {
        self.talks && self.pause_reason.is_none()
    }
}

/// An open question. What an approval is about may have been revised since it was asked, so that is
/// taken from its room. So is one whose row can't be read: somebody waits for the answer.
fn shown_ask(
    row: &AskRow,
    now: impl Fn(&AskRow) -> Result<Vec<AskView>, EngineError>,
) -> Result<Option<AskView>, EngineError> {
    let stored: Option<AskView> = serde_json::from_slice(&row.body).ok();
    match stored.filter(|ask| ask.kind != AskKind::Approval) {
        Some(ask) => Ok(Some(ask)),
        None => Ok(now(row)?.into_iter().find(|ask| ask.id.0 == row.id)),
    }
}

impl Engine {
    /// Everything at a glance.
    pub fn overview(&self) -> Result<Overview, EngineError> {
        let rooms = self.journal().shown_rooms(MOST)?;
        let rooms: Result<Vec<RoomSummary>, EngineError> =
            rooms.into_iter().map(|room| self.summary(room)).collect();
        Ok(Overview { rooms: rooms?, asks: self.open_asks()? })
    }

    /// Every open question, newest first.
    pub fn open_asks(&self) -> Result<Vec<AskView>, EngineError> {
        let rows = self.journal().open_asks()?;
        let now = |row: &AskRow| self.with_room(RoomId(row.room), plan::asks);
        let shown: Result<Vec<_>, _> = rows.iter().map(|row| shown_ask(row, now)).collect();
        Ok(shown?.into_iter().flatten().collect())
    }

    /// A stored room with what is known of its plan.
    pub(crate) fn summary(&self, stored: StoredRoom) -> Result<RoomSummary, EngineError> {
        let id = RoomId(stored.row.id);
        let below = self.asks_below(id);
        let at_rest =
            !stored.row.plan_state.as_deref().is_some_and(|word| UNSETTLED.contains(&word));
        let mut seen = match self.in_use(id) {
            None if at_rest => self.at_rest(&stored)?,
            Some(_) | None => self.at_work(&stored)?,
        };
        seen.asks += below;
        Ok(seen)
    }

    fn at_work(&self, stored: &StoredRoom) -> Result<RoomSummary, EngineError> {
        let live = self.live(RoomId(stored.row.id))?;
        let seen = summary(&live.lock().room, stored.number);
        let mut seen = seen.ok_or(EngineError::NoRoom)?;
        if let Some(sidekick) = &mut seen.sidekick {
            self.show_progress(&live, sidekick);
        }
        Ok(seen)
    }

    /// A room that nobody uses is read from the log, and stays there.
    fn at_rest(&self, stored: &StoredRoom) -> Result<RoomSummary, EngineError> {
        let id = RoomId(stored.row.id);
        if let Some(known) = self.shared.shown.get(id, stored.last) {
            return Ok(known);
        }
        let (room, _) = room_at(id, self.journal(), None)?;
        let seen = summary(&room, stored.number).ok_or(EngineError::NoRoom)?;
        self.shared.shown.keep(room.seq, seen.clone());
        Ok(seen)
    }

    /// How many questions wait in the rooms of its sidekicks, and of theirs.
    fn asks_below(&self, room: RoomId) -> usize {
        let below = self.live_below(room);
        let asks = below.iter().map(|child| {
            let own = child.lock().room.asks.len();
            own + self.asks_below(child.id)
        });
        asks.sum()
    }
}

/// What lists told of rooms that nobody uses, each as it is after its last event.
#[derive(Default)]
pub(crate) struct ShownRooms(Mutex<HashMap<RoomId, (u64, RoomSummary)>>);

impl ShownRooms {
    fn get(&self, room: RoomId, last: u64) -> Option<RoomSummary> {
        let known = self.lock();
        known.get(&room).filter(|(seq, _)| *seq == last).map(|(_, seen)| seen.clone())
    }

    fn keep(&self, last: u64, seen: RoomSummary) {
        let mut known = self.lock();
        // Deleted rooms are among them.
        if known.len() >= MOST_KEPT {
            known.clear();
        }
        known.insert(seen.id, (last, seen));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RoomId, (u64, RoomSummary)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a list tells of a room. It is asked for often and of many, so nothing else is made.
fn summary(room: &Room, number: u64) -> Option<RoomSummary> {
    let (kind, parent, codename) = match &room.kind {
        RoomKind::Chat => (RoomSort::Chat, None, None),
        RoomKind::Sidekick { parent, codename, .. } => {
            (RoomSort::Sidekick, Some(*parent), Some(codename.clone()))
        }
        RoomKind::Member { parent, .. } => (RoomSort::Member, Some(*parent), None),
    };
    Some(RoomSummary {
        id: room.id?,
        title: room.title.clone(),
        workspace: room.workspace.clone(),
        kind,
        parent,
        codename,
        sidekick: sidekick_view(room),
        plan_mode: room.mode,
        archived: room.archived,
        busy: room.is_at_work(),
        asks: room.asks.len(),
        active_plan: room.active_plan().map(|plan| plan.id),
        plan: room.plan.as_ref().map(|plan| glance(plan, room)),
        council: council_glance(room),
        created_at: room.created_at,
        updated_at: room.updated_at,
        number,
    })
}

fn glance(plan: &Plan, room: &Room) -> PlanGlance {
    PlanGlance {
        id: plan.id,
        goal: plan.content.title.clone().unwrap_or_else(|| plan.content.goal.clone()),
        state: plan.state.word().to_owned(),
        pause_reason: plan.state.pause_reason(),
        left: plan.is_sent_back() && plan.left.is_some(),
        ended: plan.steps.iter().filter(|step| step.state.is_terminal()).count(),
        steps: plan.steps.len(),
        actions: actions(plan, room),
    }
}

fn council_glance(room: &Room) -> Option<CouncilGlance> {
    let council = council_view(room)?;
    let answered = council.members.iter().filter(|member| !member.answers.is_empty()).count();
    let voted = council.members.iter().filter(|member| member.vote.is_some()).count();
    let talks = room.council_without_plan().is_some();
    let is_shown_only = council.rules.final_answer_strategy == FinalAnswer::WinnerReuse;
    Some(CouncilGlance {
        id: council.id,
        task: council.task.head().to_owned(),
        pause_reason: council.pause_reason,
        talks,
        answered,
        voted,
        members: council.members.len(),
        planned: !talks && council.winner.is_some() && !is_shown_only,
        end_reason: council.end_reason,
        actions: council.actions,
        state: council.state,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::config::{ConfigPlace, ConfigStore};
    use crate::journal::FolderLock;
    use plan::{Actor, Command, Surface};
    use std::path::Path;

    fn start(home: &Path) -> Engine {
        let config = ConfigStore::open(ConfigPlace::Folder(home.join("config")));
        let lock = FolderLock::take(&home.join("data")).unwrap();
        Engine::start(Options::new(lock, config)).unwrap().engine
    }

    #[test]
    fn a_question_is_shown_as_it_is_now_and_never_left_out() {
        let view = |kind: AskKind, text: &str| AskView {
            id: plan::AskId(crate::fresh_id()),
            kind,
            room_id: RoomId(crate::fresh_id()),
            plan_id: None,
            step_id: None,
            revision: None,
            hash: None,
            text: text.to_owned(),
            detail: Vec::new(),
            answers: Vec::new(),
            codename: None,
            parent: None,
            created_at: Time(0),
        };
        let shown = |kind: AskKind, unreadable: bool, is_open: bool| {
            let stored = view(kind, "as it was asked");
            let now = AskView { text: "as it is".to_owned(), ..stored.clone() };
            let body = serde_json::to_vec(&stored).unwrap();
            let row = AskRow {
                id: stored.id.0,
                room: stored.room_id.0,
                plan: None,
                step: None,
                kind: String::new(),
                open: true,
                created_at: 0,
                body: if unreadable { b"{}".to_vec() } else { body },
            };
            let others = || view(AskKind::Question, "another");
            let all = |_: &AskRow| {
                Ok(is_open.then(|| now.clone()).into_iter().chain([others()]).collect())
            };
            shown_ask(&row, all).unwrap().map(|ask| ask.text)
        };
        assert_eq!(shown(AskKind::Question, false, true).as_deref(), Some("as it was asked"));
        assert_eq!(shown(AskKind::Question, true, true).as_deref(), Some("as it is"));
        assert_eq!(shown(AskKind::Approval, false, true).as_deref(), Some("as it is"));
        assert_eq!(shown(AskKind::Approval, false, false), None, "answered a moment ago");
    }

    #[tokio::test]
    async fn rooms_that_rest_are_shown_without_being_taken_into_memory() {
        let home = tempfile::tempdir().unwrap();
        let me = Actor::person("me", Surface::Window);
        let folder = home.path().join("work");
        std::fs::create_dir(&folder).unwrap();
        let engine = start(home.path());
        let named = |title: &str| Some(title.to_owned());
        let mut rooms = Vec::new();
        for title in ["one", "two"] {
            rooms.push(engine.create_room(&me, named(title), &folder, None).await.unwrap().id);
        }
        let before = engine.overview().unwrap();
        engine.stop().await;
        drop(engine);

        let taken = || FolderLock::take(&home.path().join("data")).is_err();
        while taken() {
            tokio::task::yield_now().await;
        }
        let engine = start(home.path());
        for _ in 0..2 {
            assert_eq!(engine.overview().unwrap(), before);
            assert!(rooms.iter().all(|room| engine.in_use(*room).is_none()));
        }
        // What happens in one is shown at once, and shows the others as they were.
        let rename = Command::Rename { title: "three".to_owned() };
        engine.submit(rooms[0], &me, rename).unwrap().stored().await.unwrap();
        let titles: Vec<String> =
            engine.overview().unwrap().rooms.into_iter().map(|room| room.title).collect();
        assert_eq!(titles, ["two", "three"]);
        assert!(engine.in_use(rooms[0]).is_some() && engine.in_use(rooms[1]).is_none());
    }
}
