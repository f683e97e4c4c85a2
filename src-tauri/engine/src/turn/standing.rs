//! What can't go on stands still where a person sees it: the topmost plan that it works for.

use super::submit;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use crate::sidekicks::{does_step, parent_of};
use plan::{Command, PauseReason, PlanState};
use std::sync::Arc;

/// A model can't be asked. The plan is paused and says why; a sidekick that does a step of one
/// keeps its turn and goes on with the plan.
pub(super) fn stand_still(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    reason: PauseReason,
    code: &str,
    text: String,
) -> Result<(), EngineError> {
    // A limit is the council's affair, of which the person is told.
    if reason == PauseReason::Cap
        && live.lock().room.member.is_some()
        && let Some(above) = parent_of(live).and_then(|room| engine.live(room).ok())
    {
        let trouble = Command::Trouble { reason, code: code.to_owned(), text, until: None };
        return submit(engine, &above, trouble, Vec::new()).map(drop);
    }
    let own = live.lock().room.running_plan().is_some();
    let room = match !own && does_step(engine, live) {
        false => Arc::clone(live),
        true => match whose(engine, live)? {
            Whose::Held => return Ok(()),
            Whose::Own(room) => room,
            Whose::Nobodys => Arc::clone(live),
        },
    };
    let trouble = Command::Trouble { reason, code: code.to_owned(), text, until: None };
    submit(engine, &room, trouble, Vec::new())?;
    Ok(())
}

/// Whose affair it is that a room can't go on.
pub(super) enum Whose {
    /// A plan above is paused already.
    Held,
    /// The room of the topmost plan that runs, where a person sees it; without one, the
    /// sidekick's own.
    Own(Arc<LiveRoom>),
    /// Nothing here could be paused.
    Nobodys,
}

pub(super) fn whose(engine: &Engine, live: &Arc<LiveRoom>) -> Result<Whose, EngineError> {
    let mut top = live.lock().room.running_plan().is_some().then(|| Arc::clone(live));
    let mut next = parent_of(live);
    while let Some(above) = next.map(|room| engine.live(room)).transpose()? {
        let (running, paused) = {
            let inner = above.lock();
            let state = inner.room.active_plan().map(|plan| &plan.state);
            let is = |look: fn(&PlanState) -> bool| state.is_some_and(look);
            (is(PlanState::is_running), is(PlanState::is_paused))
        };
        if paused {
            return Ok(Whose::Held);
        }
        next = parent_of(&above);
        if running {
            top = Some(above);
        }
    }
    let alone = || {
        let room = &live.lock().room;
        let begun = room.sidekick.as_ref().is_some_and(|sidekick| sidekick.ended.is_none());
        begun && room.active_plan().is_none()
    };
    Ok(match top {
        Some(top) => Whose::Own(top),
        None if alone() => Whose::Own(Arc::clone(live)),
        None => Whose::Nobodys,
    })
}
