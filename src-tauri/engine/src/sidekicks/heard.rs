//! What an event in one room means for the sidekicks of it and the room above.

use plan::Event;

/// Whether nobody waits for the sidekicks of a room any more.
pub(super) fn ends_sidekicks(event: &Event) -> bool {
    gives_work_up(event) || matches!(event, Event::PlanFailed { .. } | Event::SidekickEnded { .. })
}

/// Whether even what they have finished is not wanted any more.
pub(super) fn gives_work_up(event: &Event) -> bool {
    let stopped = matches!(event, Event::Trouble { code, .. } if code == "STOPPED");
    stopped
        || matches!(
            event,
            Event::PlanCancelled { .. }
                | Event::SidekickEnded { given_up: true, .. }
                | Event::CopyDropped { .. }
                | Event::RoomArchived { archived: true }
        )
}

/// Whether a sidekick's copy is wanted no more.
pub(super) fn gives_copy_up(event: &Event) -> bool {
    matches!(event, Event::Merged { partly: false, .. } | Event::CopyDropped { .. })
}

/// Whether what came of a sidekick may be told now.
pub(super) fn may_end_it(event: &Event) -> bool {
    gives_copy_up(event) || matches!(event, Event::SidekickEnded { .. } | Event::AskAnswered { .. })
}

/// Whether other steps may be under way now.
pub(super) fn moves_steps(event: &Event) -> bool {
    matches!(
        event,
        Event::StepStarted { .. }
            | Event::StepSkipped { .. }
            | Event::StepReopened { .. }
            | Event::StepPutBack { .. }
            | Event::StepDone { .. }
            | Event::StepFailed { .. }
            | Event::ApprovalRequested
            | Event::Resumed { .. }
    )
}

/// Whether what a plan above waits for may be another thing now.
pub(super) fn moves_waits(event: &Event) -> bool {
    moves_steps(event)
        || matches!(
            event,
            Event::AskAnswered { .. } | Event::AskWithdrawn { .. } | Event::SidekickEnded { .. }
        )
}

/// Whether sidekicks that were held back by a plan may go on.
pub(super) fn may_let_go_on(event: &Event) -> bool {
    matches!(event, Event::Resumed { .. } | Event::Started | Event::PlanDone { .. })
}

/// Whether a plan runs from here on.
pub(super) fn begins_to_run(event: &Event) -> bool {
    matches!(event, Event::Started | Event::Resumed { .. })
}

/// Whether a model's work cost something, here or below.
pub(super) fn spends(event: &Event) -> bool {
    matches!(
        event,
        Event::Replied { .. }
            | Event::Spent { .. }
            | Event::StepUsed { .. }
            | Event::UsedBelow { .. }
    )
}
