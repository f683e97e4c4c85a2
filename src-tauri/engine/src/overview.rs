//! All rooms at a glance, and every open question: what the rail, the tray and the inbox show.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::journal::StoredRoom;
use plan::{
    Action, AskView, PauseReason, Plan, PlanId, PlanMode, Room, RoomId, RoomKind, SidekickView,
    Time, actions, sidekick_view,
};
use serde::Serialize;

/// The most conversations, and the most sidekicks, shown of those that rest.
const MOST: usize = 500;

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
    /// chat or sidekick.
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
    /// Steps that have ended.
    pub ended: usize,
    /// All steps.
    pub steps: usize,
    /// What a person may do to it now.
    pub actions: Vec<Action>,
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
        Ok(rows.iter().filter_map(|row| serde_json::from_slice(&row.body).ok()).collect())
    }

    /// A stored room with what is known of its plan.
    pub(crate) fn summary(&self, stored: StoredRoom) -> Result<RoomSummary, EngineError> {
        let id = RoomId(stored.row.id);
        let below = self.asks_below(id);
        let live = self.live(id)?;
        let seen = summary(&live.lock().room, stored.number);
        let mut seen = seen.ok_or(EngineError::NoRoom)?;
        if let Some(sidekick) = &mut seen.sidekick {
            self.show_progress(&live, sidekick);
        }
        seen.asks += below;
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

/// What a list tells of a room. It is asked for often and of many, so nothing else is made.
fn summary(room: &Room, number: u64) -> Option<RoomSummary> {
    let (kind, parent, codename) = match &room.kind {
        RoomKind::Chat => (RoomSort::Chat, None, None),
        RoomKind::Sidekick { parent, codename, .. } => {
            (RoomSort::Sidekick, Some(*parent), Some(codename.clone()))
        }
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
        plan: room.plan.as_ref().map(glance),
        created_at: room.created_at,
        updated_at: room.updated_at,
        number,
    })
}

fn glance(plan: &Plan) -> PlanGlance {
    PlanGlance {
        id: plan.id,
        goal: plan.content.title.clone().unwrap_or_else(|| plan.content.goal.clone()),
        state: plan.state.word().to_owned(),
        pause_reason: plan.state.pause_reason(),
        ended: plan.steps.iter().filter(|step| step.state.is_terminal()).count(),
        steps: plan.steps.len(),
        actions: actions(plan),
    }
}
