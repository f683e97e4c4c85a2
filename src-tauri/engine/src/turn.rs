//! One room at work: asks the model, runs its calls, until nothing is left to do.

mod answer_words;
mod asking;
mod calls;
mod choosing;
mod compact;
mod completing;
mod effects;
mod files_here;
mod folder;
mod forced;
mod forcing;
mod harness_tools;
mod judging;
mod offer;
mod plan_tool;
mod prompt;
mod proposal;
mod quoting;
mod reading;
mod received;
mod refused;
mod repeated;
mod reply;
mod request;
mod scene;
mod specs;
mod spending;
mod standing;
mod telling;
mod text_calls;
mod think_tags;
mod unseen;
mod verify;
mod words;

pub(crate) use calls::{Cleared, end, refused};
pub(crate) use choosing::{agent_of, approved, model_of};
pub(crate) use effects::{
    Performed, change, doomed, listed_to_read, shared_with, time_limit, workspace,
};
pub(crate) use folder::pause_if_gone;
pub(crate) use harness_tools::NAMES as HARNESS_TOOLS;
pub(crate) use judging::{commands, effect_of, known_facts};
pub(crate) use offer::ToolSets;
#[cfg(test)]
pub(crate) use offer::tool_names;
pub(crate) use prompt::part as prompt_part;
pub(crate) use proposal::read as read_answer;
pub(crate) use repeated::Mark;
pub(crate) use unseen::Seen;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use crate::sidekicks;
use plan::{Actor, Command, PauseReason, PlanState, Work, work};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The tool that writes plans in the full form.
pub(crate) fn plan_spec() -> models::ToolSpec {
    specs::plan(specs::StepForm::Words)
}

/// Works on a room until there is nothing to do.
pub(crate) async fn drive(engine: Engine, live: Arc<LiveRoom>) {
    let _time = sidekicks::watch(&engine, &live);
    loop {
        let next = match next(&engine, &live) {
            Work::None => Work::None,
            next @ (Work::Calls(_) | Work::Model) => match sidekicks::may_work(&engine, &live) {
                Ok(true) => next,
                // It is started when it is its turn.
                Ok(false) => {
                    live.driving.store(false, Ordering::Release);
                    return again_if_given(&engine, &live);
                }
                Err(error) => return give_up(&engine, &live, &error),
            },
        };
        let flow = match next {
            Work::None => {
                sidekicks::put_off(&engine, &live);
                engine.free_slot(&live);
                crate::goals::note(&engine, &live);
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
            next @ (Work::Calls(_) | Work::Model) => go_on(&engine, &live, next).await,
        };
        if let Err(error) = flow {
            return give_up(&engine, &live, &error);
        }
    }
}

async fn go_on(engine: &Engine, live: &Arc<LiveRoom>, next: Work) -> Result<(), EngineError> {
    if pause_if_gone(engine, live).await? {
        return Ok(());
    }
    match next {
        Work::None => Ok(()),
        Work::Model => asking::ask_model(engine, live).await,
        Work::Calls(ids) => calls::run(engine, live, ids).await,
    }
}

fn give_up(engine: &Engine, live: &LiveRoom, error: &EngineError) {
    tracing::error!(room = %live.id, %error, "a turn could not go on");
    engine.evict(live);
}

/// A slot may have been given while the task that looks for one was ending.
fn again_if_given(engine: &Engine, live: &Arc<LiveRoom>) {
    if engine.shared.slots.holds(live.id) {
        engine.drive(live);
    }
}

fn next(engine: &Engine, live: &LiveRoom) -> Work {
    let inner = live.lock();
    if inner.broken || engine.shared.stopping.is_cancelled() {
        return Work::None;
    }
    let next = work::next(&inner.room);
    drop(inner);
    if next != Work::None && sidekicks::is_held(engine, live) { Work::None } else { next }
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
        let sidekick = inner.room.sidekick.as_ref().and_then(|sidekick| sidekick.until);
        let plan = inner.room.active_plan().map(|plan| (&plan.state, plan.pause_until));
        let member = inner.room.member.as_ref().and_then(|member| member.until);
        let council = inner.room.active_council().and_then(|council| council.pause_until);
        match (sidekick.or(member).or(council), plan) {
            (Some(until), _) => until,
            (None, Some((PlanState::Paused { reason: PauseReason::Quota }, Some(until)))) => until,
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
