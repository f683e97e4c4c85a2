//! What an event in one room means for the sidekicks of it and the room above.

use super::{Finished, hold_back};
use crate::engine::Engine;
use crate::goals;
use crate::live::LiveRoom;
use crate::turn;
use plan::{Command, Event};
use std::sync::Arc;

impl Engine {
    /// What happened in a room, for the sidekicks of it and the room above.
    pub(crate) fn sidekicks_heard(&self, live: &Arc<LiveRoom>, events: &[Event]) {
        let ended = events.iter().any(|event| matches!(event, Event::SidekickEnded { .. }));
        if ended {
            self.free_slot(live);
        }
        if events.iter().any(gives_copy_up) {
            self.clear_copy(live);
            self.settle_above(live);
        }
        if ended || events.iter().any(spends) {
            self.tell_spent(live);
        }
        if events.iter().any(begins_to_run) && live.lock().room.phase().is_none() {
            goals::watch(self, live);
        }
        if events.iter().any(|event| matches!(event, Event::CopyDropped { .. })) {
            self.report_dropped(live);
        } else if events.iter().any(may_end_it)
            && let Err(error) = self.report(live)
        {
            tracing::error!(room = %live.id, %error, "a sidekick's end could not be told");
        }
        if events.iter().any(nears_a_cap_of_a_plan) {
            self.run_low_below(live);
        }
        if events.iter().any(|event| matches!(event, Event::Paused { .. })) {
            self.pause_below(live);
        }
        if events.iter().any(moves_steps) {
            self.end_strays(live);
            let resumed = events.iter().find_map(|event| {
                let Event::Resumed { by } = event else { return None };
                Some(by)
            });
            self.hand_steps(live, resumed);
            if let Some(by) = resumed {
                self.go_on_beside(live, by);
            }
        }
        self.stop_above(live, events);
        self.refill_above(live, events);
        if events.iter().any(moves_waits) {
            goals::note(self, live);
        }
        let over = events.iter().any(ends_sidekicks);
        if !over && !events.iter().any(may_let_go_on) {
            return;
        }
        let finished = match events.iter().any(gives_work_up) {
            true => Finished::Dropped,
            false => Finished::Kept,
        };
        // A plan that failed says nothing of sidekicks that were no part of it, and who cancels one
        // still wants what they sent off by hand.
        let failed = events.iter().any(|event| matches!(event, Event::PlanFailed { .. }));
        let only_plan = over && !events.iter().any(ends_all);
        for child in self.children(live.id) {
            let (serves, by_hand) = {
                let room = &child.lock().room;
                (room.serves_step(), room.sidekick.as_ref().is_some_and(|own| own.by_person))
            };
            if failed && !serves || only_plan && by_hand {
                continue;
            }
            match over {
                true => self.end_for_room(&child, finished),
                false => {
                    self.settle_copy(&child);
                    self.drive(&child);
                    self.drive_below(&child);
                }
            }
        }
        // Those below it may have had something to tell.
        if events.iter().any(stops_turn) {
            self.ask_if_stopped(live);
        }
    }

    /// Below a plan that was paused nothing more begins, and who asks a model looks whether it may
    /// still.
    fn pause_below(&self, live: &LiveRoom) {
        for child in self.live_below(live.id) {
            hold_back(self, &child);
            child.changed.send_modify(|_| {});
            self.pause_below(&child);
        }
    }

    /// Who is at work below a plan that has little left submits what there is.
    fn run_low_below(&self, live: &LiveRoom) {
        for child in self.live_below(live.id) {
            // What a person asked for is no part of what goes on above.
            if child.lock().room.sidekick.as_ref().is_none_or(|sidekick| sidekick.by_person) {
                continue;
            }
            if let Err(error) = turn::submit(self, &child, Command::RunLow, Vec::new()) {
                tracing::error!(room = %child.id, %error, "it could not be told that little is left");
            }
            self.run_low_below(&child);
        }
    }

    /// What is further below was held back, too.
    fn drive_below(&self, live: &LiveRoom) {
        for child in self.live_below(live.id) {
            self.settle_copy(&child);
            self.drive(&child);
            self.drive_below(&child);
        }
    }
}

fn nears_a_cap_of_a_plan(event: &Event) -> bool {
    matches!(event, Event::CapWarned { cap } if cap != plan::SIDEKICK_CAP)
}

/// Whether nobody waits any more for the sidekicks of a room, or for those of its plan.
fn ends_sidekicks(event: &Event) -> bool {
    let with_plan = matches!(event, Event::PlanFailed { .. } | Event::PlanCancelled { .. });
    with_plan || ends_all(event)
}

/// Whether nobody waits for any sidekick of a room.
fn ends_all(event: &Event) -> bool {
    stops_turn(event)
        || matches!(
            event,
            Event::SidekickEnded { .. }
                | Event::CopyDropped { .. }
                | Event::RoomArchived { archived: true }
        )
}

/// Whether even what they have finished is not wanted any more.
fn gives_work_up(event: &Event) -> bool {
    stops_turn(event)
        || matches!(
            event,
            Event::PlanCancelled { .. }
                | Event::SidekickEnded { given_up: true, .. }
                | Event::CopyDropped { .. }
                | Event::RoomArchived { archived: true }
        )
}

/// Whether a person stopped the turn under way.
fn stops_turn(event: &Event) -> bool {
    matches!(event, Event::Trouble { code, .. } if code == "STOPPED")
}

/// Whether a sidekick's copy is wanted no more.
fn gives_copy_up(event: &Event) -> bool {
    matches!(event, Event::Merged { partly: false, .. } | Event::CopyDropped { .. })
}

/// Whether what came of a sidekick may be told now.
fn may_end_it(event: &Event) -> bool {
    gives_copy_up(event) || matches!(event, Event::SidekickEnded { .. } | Event::AskAnswered { .. })
}

/// Whether other steps may be under way now.
fn moves_steps(event: &Event) -> bool {
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
fn moves_waits(event: &Event) -> bool {
    moves_steps(event)
        || matches!(
            event,
            Event::AskAnswered { .. } | Event::AskWithdrawn { .. } | Event::SidekickEnded { .. }
        )
}

/// Whether sidekicks that were held back by a plan may go on.
fn may_let_go_on(event: &Event) -> bool {
    matches!(
        event,
        Event::Resumed { .. }
            | Event::Started
            | Event::PlanDone { .. }
            | Event::CouncilHandedOver { .. }
            | Event::CouncilEnded { .. }
    )
}

/// Whether a plan runs from here on.
fn begins_to_run(event: &Event) -> bool {
    matches!(event, Event::Started | Event::Resumed { .. })
}

/// Whether a model's work cost something, here or below.
fn spends(event: &Event) -> bool {
    matches!(
        event,
        Event::Replied { .. }
            | Event::Spent { .. }
            | Event::StepUsed { .. }
            | Event::UsedBelow { .. }
    )
}
