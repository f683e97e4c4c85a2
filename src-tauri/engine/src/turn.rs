//! One room at work: asks the model, runs its calls, until nothing is left to do.

mod asking;
mod calls;
mod choosing;
mod compact;
mod effects;
mod harness_tools;
mod plan_tool;
mod prompt;
mod refused;
mod spending;
mod verify;

pub(crate) use calls::{Cleared, effect_of, known_facts, refused};
pub(crate) use choosing::{agent_of, approved, model_of};
pub(crate) use effects::{Performed, doomed, time_limit, workspace};
pub(crate) use harness_tools::ToolSets;
#[cfg(test)]
pub(crate) use harness_tools::tool_names;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use plan::{Actor, Command, PauseReason, PlanState, Work, work};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Works on a room until there is nothing to do.
pub(crate) async fn drive(engine: Engine, live: Arc<LiveRoom>) {
    loop {
        let next = next(&engine, &live);
        let flow = match next {
            Work::None => {
                live.driving.store(false, Ordering::Release);
                engine.shared.mcp.end_if_over(&live).await;
                engine.shared.agents.end_if_over(&live).await;
                wake_later(&engine, &live);
                // Something may have come in between the look and the store.
                if self::next(&engine, &live) != Work::None {
                    engine.drive(&live);
                }
                return;
            }
            Work::Model => asking::ask_model(&engine, &live).await,
            Work::Calls(ids) => calls::run(&engine, &live, ids).await,
        };
        if let Err(error) = flow {
            tracing::error!(room = %live.id, %error, "a turn could not go on");
            return engine.evict(&live);
        }
    }
}

fn next(engine: &Engine, live: &LiveRoom) -> Work {
    let inner = live.lock();
    if inner.broken || engine.shared.stopping.is_cancelled() {
        return Work::None;
    }
    work::next(&inner.room)
}

/// Records something of the harness's own.
pub(crate) fn submit(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    command: Command,
    blobs: Vec<(String, Vec<u8>)>,
) -> Result<crate::Submitted, EngineError> {
    engine.submit_live(live, &Actor::harness(), command, blobs)
}

/// A pause that ends by itself is ended when its time has come.
pub(crate) fn wake_later(engine: &Engine, live: &Arc<LiveRoom>) {
    let until = {
        let inner = live.lock();
        let Some(plan) = inner.room.active_plan() else { return };
        match (&plan.state, plan.pause_until) {
            (PlanState::Paused { reason: PauseReason::Quota }, Some(until)) => until,
            _ => return,
        }
    };
    let (engine, live) = (engine.clone(), Arc::clone(live));
    let (tasks, stopping) = (engine.shared.tasks.clone(), engine.shared.stopping.clone());
    let runtime = engine.shared.runtime.clone();
    let wake = async move {
        tokio::select! {
            () = engine.shared.clock.until(until) => {
                // Refused when a person was faster.
                let _ = submit(&engine, &live, Command::Wake, Vec::new());
            }
            () = stopping.cancelled() => {}
        }
    };
    tasks.spawn_on(wake, &runtime);
}
