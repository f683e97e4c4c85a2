//! How far what goes on by itself may reach: commands in the background, servers that are up,
//! agents that are programs. None of it passes the gate again once it runs, so it ends with the
//! state that let it begin.

use plan::{CallState, Event, Plan, PlanMode, PlanState, Room};
use tools::Profile;

/// Whether anything in a room may go on changing things. What began before a pause goes on.
pub(crate) fn may_change(room: &Room) -> bool {
    let strict = room.mode == PlanMode::Strict;
    let Some(plan) = room.active_plan() else { return !strict && !room.declined };
    match plan.state {
        PlanState::Draft { .. } | PlanState::AwaitingApproval => false,
        PlanState::Running { .. } | PlanState::Paused { .. } => !strict || is_approved(plan),
        PlanState::Done | PlanState::Failed | PlanState::Cancelled => !strict,
    }
}

/// How far an agent's program may reach with tools of its own, which nobody judges: no further
/// than looking wherever a call of ours would be blocked, or judged by what was approved.
pub(crate) fn of_program(room: &Room) -> Profile {
    let paused = room.active_plan().is_some_and(|plan| match plan.state {
        PlanState::Paused { .. } => true,
        PlanState::Draft { .. }
        | PlanState::AwaitingApproval
        | PlanState::Running { .. }
        | PlanState::Done
        | PlanState::Failed
        | PlanState::Cancelled => false,
    });
    match room.mode {
        PlanMode::Off | PlanMode::Soft if may_change(room) && !paused => Profile::Work,
        PlanMode::Off | PlanMode::Soft | PlanMode::Strict => Profile::Look,
    }
}

/// Whether one of these ends a call that may have left something running.
pub(crate) fn leaves_something(room: &Room, events: &[Event]) -> bool {
    let changed = |state: &CallState| match state {
        CallState::Running(effect) => effect.changes_things(),
        CallState::Waiting | CallState::Asking(_) | CallState::Allowed => false,
    };
    events.iter().any(|event| {
        matches!(event, Event::CallEnded { call, .. }
            if room.call(*call).is_some_and(|call| changed(&call.state)))
    })
}

fn is_approved(plan: &Plan) -> bool {
    let said = plan.approval.as_ref();
    said.is_some_and(|yes| yes.revision == plan.revision && yes.hash == plan.hash)
}
