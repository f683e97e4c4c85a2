//! What a plan has under way may wait: for a person, a slot or a quota. A step that waits for a
//! person makes way for others; where everything waits, that time does not count against the plan.
//! Where nothing goes on before a person has answered about a call beyond the plan, the plan is
//! paused for that.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use crate::sidekicks::parent_of;
use crate::turn;
use plan::{AskKind, Command, Held, PauseReason, PlanState, Refusal, Room, RoomId, StepId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How often a plan is told anew when that changes under its hands.
const TRIES: usize = 3;

/// What something waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Waits {
    held: Held,
    /// Whether nothing of it goes on without a person.
    for_person: bool,
    /// Whether a call beyond the plan is among it.
    drift: bool,
}

impl Waits {
    fn by_itself(held: Held) -> Self {
        Self { held, for_person: false, drift: false }
    }

    fn for_person(drift: bool) -> Self {
        Self { held: Held::Answer, for_person: true, drift }
    }

    fn and(self, other: Self) -> Self {
        Self {
            held: self.held.max(other.held),
            for_person: self.for_person && other.for_person,
            drift: self.drift || other.drift,
        }
    }

    fn stands_still(self) -> bool {
        self.for_person && self.drift
    }
}

/// A room began to work, or stopped: tells its plan and those above what that means for them.
pub(crate) fn note(engine: &Engine, live: &Arc<LiveRoom>) {
    let mut next = Some(Arc::clone(live));
    while let Some(live) = next {
        tell(engine, &live);
        next = parent_of(&live).and_then(|room| engine.live(room).ok());
    }
}

/// A plan that stands still for a sidekick's call beyond it goes on when that is answered.
pub(crate) fn refuse_while_it_drifts(engine: &Engine, live: &LiveRoom) -> Result<(), EngineError> {
    let now = standing(&live.lock().room).map(|now| now.state);
    let paused = now.filter(|state| !state.is_running());
    match paused.filter(|_| waits(engine, live).is_some_and(Waits::stands_still)) {
        Some(state) => Err(Refusal::NotResumable { state }.into()),
        None => Ok(()),
    }
}

fn tell(engine: &Engine, live: &Arc<LiveRoom>) {
    for _ in 0..TRIES {
        if engine.shared.stopping.is_cancelled() {
            return;
        }
        let (now, busy) = {
            let inner = live.lock();
            let Some(now) = standing(&inner.room) else { return };
            (now, inner.room.is_at_work())
        };
        let each = each(engine, &now.steps);
        let waits = together(&each);
        let held = waits.map(|waits| waits.held);
        let for_person = |waits: &Option<Waits>| waits.is_some_and(|waits| waits.for_person);
        let waiting = each.into_iter().filter(|(_, waits)| for_person(waits));
        let waiting: BTreeSet<StepId> = waiting.map(|(step, _)| step).collect();
        // What the room's own agent does goes on, too.
        let drift = !busy && waits.is_some_and(Waits::stands_still);
        let known = match now.state.is_running() {
            true => !drift && held == now.held && waiting == now.waiting,
            false => drift,
        };
        if known {
            return;
        }
        // A log that can't be written evicts the room.
        let hold = Command::Hold { held, drift, waiting };
        let told = turn::submit(engine, live, hold, Vec::new());
        if told.is_ok_and(|told| told.events.is_empty()) {
            return;
        }
    }
}

/// A plan whose steps sidekicks do, while it runs or stands still for one of them.
struct Standing {
    state: PlanState,
    held: Option<Held>,
    waiting: BTreeSet<StepId>,
    /// Those under way, and who does them.
    steps: Vec<(StepId, Option<RoomId>)>,
}

fn standing(room: &Room) -> Option<Standing> {
    let plan = room.active_plan().filter(|plan| plan.frame.delegated)?;
    match plan.state {
        PlanState::Running { .. } | PlanState::Paused { reason: PauseReason::Drift } => {}
        PlanState::Paused { .. }
        | PlanState::Draft { .. }
        | PlanState::AwaitingApproval
        | PlanState::Done
        | PlanState::Failed
        | PlanState::Cancelled => return None,
    }
    let steps = plan.in_progress().map(|step| (step.spec.id.clone(), step.sidekick)).collect();
    let (state, waiting) = (plan.state.clone(), plan.waiting.clone());
    Some(Standing { state, held: plan.held, waiting, steps })
}

/// What all that a room's plan has under way waits for.
fn waits(engine: &Engine, live: &LiveRoom) -> Option<Waits> {
    let steps = standing(&live.lock().room)?.steps;
    together(&each(engine, &steps))
}

/// What each of these steps waits for, if it does.
fn each(engine: &Engine, steps: &[(StepId, Option<RoomId>)]) -> Vec<(StepId, Option<Waits>)> {
    let waits = |room: Option<RoomId>| waits_for(engine, &*engine.live(room?).ok()?);
    steps.iter().map(|(step, room)| (step.clone(), waits(*room))).collect()
}

/// What they all wait for; nothing when one of them does not.
fn together(each: &[(StepId, Option<Waits>)]) -> Option<Waits> {
    let all: Option<Vec<Waits>> = each.iter().map(|(_, waits)| *waits).collect();
    all?.into_iter().reduce(Waits::and)
}

/// What a sidekick waits for, if it does.
fn waits_for(engine: &Engine, child: &LiveRoom) -> Option<Waits> {
    if engine.shared.slots.is_waiting(child.id) {
        return Some(Waits::by_itself(Held::Slot));
    }
    let state = {
        let inner = child.lock();
        let room = &inner.room;
        let rests = room.sidekick.as_ref().is_some_and(|sidekick| !sidekick.slot);
        // It has a slot and does not work: its provider lets it wait.
        if room.is_at_work() && rests && engine.shared.slots.holds(child.id) {
            return Some(Waits::by_itself(Held::Quota));
        }
        if room.is_at_work() {
            return None;
        }
        if room.sidekick.as_ref().is_some_and(|sidekick| sidekick.until.is_some()) {
            return Some(Waits::by_itself(Held::Quota));
        }
        if !room.asks.is_empty() {
            let drift = room.asks.values().any(|ask| ask.kind == AskKind::Drift);
            return Some(Waits::for_person(drift));
        }
        room.active_plan()?.state.clone()
    };
    match state {
        PlanState::Paused { reason: PauseReason::Quota } => Some(Waits::by_itself(Held::Quota)),
        PlanState::Paused { reason } => Some(Waits::for_person(reason == PauseReason::Drift)),
        PlanState::AwaitingApproval | PlanState::Draft { .. } => Some(Waits::for_person(false)),
        PlanState::Running { .. } => waits(engine, child),
        PlanState::Done | PlanState::Failed | PlanState::Cancelled => None,
    }
}
