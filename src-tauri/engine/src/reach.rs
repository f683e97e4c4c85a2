//! How far what goes on by itself may reach: commands in the background, servers that are up,
//! agents that are programs. None of it passes the gate again once it runs, so it ends with the
//! state that let it begin.
//!
//! A sidekick's room has no more rights than the rooms above it: its reach is the least of theirs.

use crate::engine::Engine;
use crate::live::LiveRoom;
use crate::sidekicks::parent_of;
use plan::{CallState, Event, Plan, PlanMode, PlanState, Room};
use tools::Profile;

/// How far what goes on by itself may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reach {
    /// Whether anything may go on changing things. What began before a pause goes on.
    pub(crate) changes: bool,
    /// How far an agent's program may reach with tools of its own, which nobody judges: no further
    /// than looking wherever a call of ours would be blocked, or judged by what was approved.
    pub(crate) program: Profile,
}

impl Reach {
    /// That of one room, as far as it goes.
    pub(crate) fn of(room: &Room) -> Self {
        let changes = may_change(room);
        let paused = room.active_plan().is_some_and(|plan| plan.state.is_paused());
        let program = match room.mode {
            PlanMode::Off | PlanMode::Soft if changes && !paused => Profile::Work,
            PlanMode::Off | PlanMode::Soft | PlanMode::Strict => Profile::Look,
        };
        Self { changes, program }
    }

    /// That of a room and of those above it, as they are now.
    pub(crate) fn now(engine: &Engine, live: &LiveRoom) -> Self {
        let own = Self::of(&live.lock().room);
        own.and(Self::above(engine, live))
    }

    /// That of the rooms above one. Whoever can't be asked allows nothing.
    pub(crate) fn above(engine: &Engine, live: &LiveRoom) -> Self {
        let mut least = Self { changes: true, program: Profile::Work };
        let mut parent = parent_of(live);
        while let Some(room) = parent {
            let Ok(above) = engine.live(room) else {
                return Self { changes: false, program: Profile::Look };
            };
            least = least.and(Self::of(&above.lock().room));
            parent = parent_of(&above);
        }
        least
    }

    /// The lesser of two.
    pub(crate) fn and(self, other: Self) -> Self {
        let program = if self.program.may_write() { other.program } else { self.program };
        Self { changes: self.changes && other.changes, program }
    }

    /// Whether something that went on before may no longer.
    pub(crate) fn is_less_than(self, before: Self) -> bool {
        self.and(before) != before
    }
}

fn may_change(room: &Room) -> bool {
    // Nothing is changed while they talk or judge, also by what was allowed before.
    if room.only_looks_for_council() {
        return false;
    }
    let Some(plan) = room.active_plan() else { return !room.insists() && !room.declined };
    match plan.state {
        PlanState::Draft { .. } | PlanState::AwaitingApproval => false,
        PlanState::Running { .. } | PlanState::Paused { .. } => {
            !room.insists() || is_approved(plan)
        }
        PlanState::Done | PlanState::Failed | PlanState::Cancelled => !room.insists(),
    }
}

impl Engine {
    /// A room may do less than before: what goes on below it by itself ends with that.
    pub(crate) fn narrow_below(&self, live: &LiveRoom) {
        for child in self.live_below(live.id) {
            let reach = Reach::now(self, &child);
            if !reach.changes {
                child.shell.stop();
            }
            // Calls under way look whether they may still.
            child.changed.send_modify(|_| {});
            let void = !reach.changes;
            let servers_over = self.shared.mcp.heard(self, &child, &[], void);
            self.shared.agents.heard(self, &child, &[], reach.program);
            if servers_over {
                self.drive(&child);
            }
            self.narrow_below(&child);
        }
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
