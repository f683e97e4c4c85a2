//! Whose yes lets a room change something: its own person's, or that to a step above.

use crate::{Plan, PlanMode, PlanState, Room, RoomKind, gate::approved_plan};

impl Room {
    /// Whether its rights are those of a step above, which are judged there.
    pub fn serves_step(&self) -> bool {
        match &self.kind {
            RoomKind::Chat | RoomKind::Member { .. } => false,
            RoomKind::Sidekick { step, whole, .. } => step.is_some() || *whole,
        }
    }

    /// Whether nothing changes here before a person has approved a plan of this very room.
    pub fn insists(&self) -> bool {
        self.mode == PlanMode::Strict && !self.serves_step()
    }

    /// Whether a plan that is written or started here waits for a person first.
    pub fn asks_for_plans(&self) -> bool {
        let seen = |plan: &Plan| plan.needs_approval;
        self.insists() || self.declined || self.active_plan().is_some_and(seen)
    }

    /// Whether rooms below may change something, as far as this one goes: they have no more
    /// rights than it has.
    pub fn may_change_below(&self) -> bool {
        let waits = |plan: &Plan| match plan.state {
            PlanState::Draft { .. } | PlanState::AwaitingApproval => true,
            PlanState::Running { .. }
            | PlanState::Paused { .. }
            | PlanState::Done
            | PlanState::Failed
            | PlanState::Cancelled => false,
        };
        let strict = self.insists() && approved_plan(self).is_none();
        !strict && !self.declined && !self.plan.as_ref().is_some_and(waits)
    }
}
