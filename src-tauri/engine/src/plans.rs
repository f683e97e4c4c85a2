//! Plans by their id, and the history of a room's plans.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::history::whole;
use crate::journal::PlanRow;
use crate::live::JournalBlobs;
use plan::{PlanId, PlanView, RoomId, StepView, Text, plan_view};
use serde::Serialize;
use uuid::Uuid;

/// A plan in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ts_rs::TS, utoipa::ToSchema)]
pub struct PlanSummary {
    /// Its id.
    pub id: PlanId,
    /// What it is for.
    pub goal: String,
    /// Its state.
    pub state: String,
    /// How often it was written.
    pub revision: u32,
    /// When it was written first.
    pub created_at: i64,
    /// When it last changed.
    pub updated_at: i64,
}

impl From<PlanRow> for PlanSummary {
    fn from(row: PlanRow) -> Self {
        Self {
            id: PlanId(row.id),
            goal: row.goal,
            state: row.state,
            revision: row.revision,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

impl Engine {
    /// A plan as it is, or as it ended; `None` when there is no such plan.
    pub fn plan(&self, id: Uuid) -> Result<Option<PlanView>, EngineError> {
        match self.journal().plan(id)? {
            Some(row) => self.plan_of(&row),
            None => Ok(None),
        }
    }

    /// The same for a plan whose row is at hand.
    pub(crate) fn plan_of(&self, row: &PlanRow) -> Result<Option<PlanView>, EngineError> {
        let room = RoomId(row.room);
        let current = self.with_room(room, |state| {
            let plan = state.plan.as_ref().filter(|plan| plan.id.0 == row.id)?;
            Some(plan_view(room, plan, state))
        })?;
        let ended = || {
            let mut plan: PlanView = serde_json::from_slice(row.body.as_ref()?).ok()?;
            plan.steps.iter_mut().for_each(|step| self.complete(step));
            Some(plan)
        };
        Ok(current.or_else(ended))
    }

    /// A plan with all that is kept beside the log of it.
    pub(crate) fn in_full(&self, mut plan: PlanView) -> PlanView {
        let blobs = JournalBlobs(self.journal());
        let outputs = plan.steps.iter_mut().filter_map(|step| step.output.as_mut());
        for text in outputs.chain(plan.result.as_mut()) {
            *text = Text::Inline(whole(text, &blobs));
        }
        plan
    }

    /// A plan that ended before its steps kept their outputs: its sidekicks still have them.
    fn complete(&self, step: &mut StepView) {
        let Some(room) = step.sidekick.filter(|_| step.output.is_none() && step.status == "done")
        else {
            return;
        };
        let Ok(live) = self.live(room) else { return };
        let inner = live.lock();
        let ended = inner.room.sidekick.as_ref().and_then(|own| own.ended.as_ref());
        let same = ended.filter(|ended| step.result.as_ref() == Some(&ended.result));
        step.output = same.and_then(|ended| ended.summary.clone());
    }
}
