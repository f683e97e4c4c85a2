//! All rooms at a glance, and every open question: what the rail, the tray and the inbox show.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::journal::StoredRoom;
use plan::{AskView, PauseReason, PlanId, RoomId, Time};
use serde::Serialize;

/// The most rooms shown at once.
const MOST: usize = 500;

/// Everything at a glance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct Overview {
    /// Rooms, newest first.
    pub rooms: Vec<RoomSummary>,
    /// Open questions, newest first.
    pub asks: Vec<AskView>,
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
    pub kind: String,
    /// The room that asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<RoomId>,
    /// off, soft or strict.
    pub plan_mode: String,
    /// Whether it was put away.
    pub archived: bool,
    /// Whether the agent is at work.
    pub busy: bool,
    /// How many questions wait for a person.
    pub asks: usize,
    /// The active plan, or the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanGlance>,
    /// When it was made.
    pub created_at: Time,
    /// When something last happened.
    pub updated_at: Time,
    #[serde(skip)]
    #[ts(skip)]
    pub(crate) number: u64,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause_reason: Option<PauseReason>,
    /// Steps that have ended.
    pub ended: usize,
    /// All steps.
    pub steps: usize,
}

impl Engine {
    /// Everything at a glance.
    pub fn overview(&self) -> Result<Overview, EngineError> {
        let rooms = self.journal().rooms(None, MOST)?;
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
        let row = stored.row;
        let view = self.view(RoomId(row.id))?;
        let plan = view.plan.map(|plan| PlanGlance {
            id: plan.id,
            goal: plan.title.unwrap_or(plan.goal),
            state: plan.state,
            pause_reason: plan.pause_reason,
            ended: plan.steps.iter().filter(|step| is_ended(&step.status)).count(),
            steps: plan.steps.len(),
        });
        Ok(RoomSummary {
            id: view.id,
            title: view.title,
            workspace: view.workspace,
            kind: row.kind,
            parent: row.parent.map(RoomId),
            plan_mode: row.plan_mode,
            archived: view.archived,
            busy: view.busy,
            asks: view.asks.len(),
            plan,
            created_at: view.created_at,
            updated_at: view.updated_at,
            number: stored.number,
        })
    }
}

fn is_ended(status: &str) -> bool {
    !matches!(status, "pending" | "in_progress")
}
