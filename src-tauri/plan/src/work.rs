//! What a room needs done next. The engine asks; it never decides this itself.

use crate::{CallId, CallState, PauseReason, PlanState, Room};

/// The next piece of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// Nothing to do until something happens.
    None,
    /// Look at these calls, in order.
    Calls(Vec<CallId>),
    /// Ask the model.
    Model,
}

/// What a room needs done next.
pub fn next(room: &Room) -> Work {
    if room.archived || rests_for_council(room) || !may_work(room) {
        return Work::None;
    }
    if !room.calls.is_empty() {
        let ready: Vec<CallId> = room
            .calls
            .iter()
            .take_while(|call| !matches!(call.state, CallState::Asking(_)))
            .filter(|call| matches!(call.state, CallState::Waiting | CallState::Allowed))
            .map(|call| call.request.id)
            .collect();
        return if ready.is_empty() { Work::None } else { Work::Calls(ready) };
    }
    if room.owes { Work::Model } else { Work::None }
}

/// Whether the room's agent rests, because a council talks or stands still.
fn rests_for_council(room: &Room) -> bool {
    room.active_council().is_some_and(|council| council.holds_room() || council.paused.is_some())
}

/// Whether the plan lets anything go on.
fn may_work(room: &Room) -> bool {
    let Some(plan) = &room.plan else { return true };
    match plan.state {
        PlanState::Paused { reason: PauseReason::Revise } => true,
        PlanState::Paused { .. } | PlanState::AwaitingApproval => false,
        PlanState::Draft { .. }
        | PlanState::Running { .. }
        | PlanState::Done
        | PlanState::Failed
        | PlanState::Cancelled => true,
    }
}
