//! Gives a sidekick a copy of the workspace before it changes something while others are at work.

use super::parent_of;
use super::serving::step_of;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use crate::turn;
use plan::{CallId, Command, Effect, Facts, RoomId};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tools::copy::{self, CopyError, Made};

/// Where a call may go on.
pub(crate) enum Given {
    /// Where the room works already.
    Same,
    /// In a copy that was just made; what the sidekick is told of it.
    Copy(String),
    /// Nowhere: others are at work and there can be no copy.
    Refused(String),
    /// Nowhere: nobody waits for it any more.
    Over,
}

/// Whether a call may change files.
pub(crate) fn may_change_files(facts: &Facts) -> bool {
    match facts.reach() {
        Effect::Write | Effect::WriteOutside | Effect::Exec => true,
        Effect::Network => facts.tool != "fetch",
        Effect::Read | Effect::Delegate | Effect::Control => false,
    }
}

/// Makes sure that a sidekick which is about to change files does not do so beside others.
pub(crate) async fn give_copy(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    call: Option<CallId>,
) -> Result<Given, EngineError> {
    if !needs_copy(engine, live) {
        return Ok(Given::Same);
    }
    let made = match make(engine, live, call).await {
        Ok(made) => made,
        Err(CopyError::Cancelled) => return Ok(Given::Over),
        Err(error) => return refuse(engine, live, &error),
    };
    let folder = engine.shared.copies.folder(live.id);
    let words = words(&made);
    let command = Command::MadeCopy {
        folder: copy::work(&folder).display().to_string(),
        shares: made.shares.map(|shares| shares.display().to_string()),
        left_out: made.left_out,
    };
    match turn::submit(engine, live, command, Vec::new()) {
        // Nothing is done in a copy that a start would not find again.
        Ok(stored) => drop(stored.stored().await?),
        // It ended a moment ago.
        Err(EngineError::Refused(_)) => {
            engine.remove_copy(live.id).await;
            return Ok(Given::Over);
        }
        Err(error) => return Err(error),
    }
    // What began in the workspace does not go on there.
    live.shell.stopped().await;
    crate::mcp::ready(engine, live).await;
    Ok(Given::Copy(words))
}

async fn make(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    call: Option<CallId>,
) -> Result<Made, CopyError> {
    let from = turn::workspace(live)?;
    let folder = engine.shared.copies.folder(live.id);
    let cancel = CancellationToken::new();
    let token = cancel.clone();
    let shared = turn::shared_with(engine, live);
    let mut making =
        tokio::task::spawn_blocking(move || copy::make(&from, &shared, &folder, &token));
    let unwanted = async {
        match call {
            Some(call) => turn::doomed(engine, live, call).await,
            None => engine.shared.stopping.cancelled().await,
        }
    };
    let made = tokio::select! {
        made = &mut making => made,
        () = unwanted => {
            cancel.cancel();
            making.await
        }
    };
    made.unwrap_or(Err(CopyError::Cancelled))
}

/// A step is done later, by itself; another sidekick is told why its call can't run.
fn refuse(engine: &Engine, live: &Arc<LiveRoom>, error: &CopyError) -> Result<Given, EngineError> {
    tracing::warn!(room = %live.id, %error, "no copy of a workspace could be made");
    let parent = parent_of(live).and_then(|parent| engine.live(parent).ok());
    let step = parent.as_ref().and_then(|parent| step_of(parent, live.id));
    if let (Some(parent), Some(step)) = (parent, step) {
        let reason = format!("it runs by itself, for no copy of the folder can be made: {error}");
        let put_back = Command::PutBack { step, room: live.id, reason };
        match turn::submit(engine, &parent, put_back, Vec::new()) {
            Ok(_) => return Ok(Given::Over),
            Err(EngineError::Refused(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Given::Refused(format!(
        "others are at work in this folder, and no copy of it can be made for you: {error}. Change \
         nothing now; say in your result what is left to do"
    )))
}

/// What a sidekick is told of its copy.
fn words(made: &Made) -> String {
    let mut text = "[Others are at work in the folder, so you work in a copy of it from here on. \
        Relative paths are the same. File tools take the folder's own path for the copy, too; commands \
        can only read there under that path, so give them relative ones. When you have completed your task, the files you changed are taken \
        over; commits, branches and stashes are not."
        .to_owned();
    if !made.left_out.is_empty() {
        let named = made.left_out.iter().take(20).map(String::as_str).collect::<Vec<_>>();
        text += &format!(
            " Ignored folders are not in it: {}. What commands leave there is not taken over; what \
             you write there with a file tool is.",
            named.join(", ")
        );
    }
    text + "]"
}

/// Whether a room is a sidekick's that works in the folder of others who are at work, too.
fn needs_copy(engine: &Engine, live: &LiveRoom) -> bool {
    {
        let inner = live.lock();
        if inner.room.open_sidekick().is_none() || inner.room.copy.is_some() {
            return false;
        }
    }
    let mut above: Vec<RoomId> = Vec::new();
    let mut parent = parent_of(live);
    while let Some(room) = parent.and_then(|room| engine.live(room).ok()) {
        if above.is_empty() && is_alone(&room, live.id) {
            return false;
        }
        above.push(room.id);
        parent = parent_of(&room);
    }
    let Some(root) = above.last() else { return false };
    let works_above = above.iter().filter_map(|room| engine.live(*room).ok());
    if works_above.into_iter().any(|room| room.lock().room.is_at_work()) {
        return true;
    }
    let mut below = engine.live_below(*root);
    while let Some(room) = below.pop() {
        let other = room.id != live.id && !above.contains(&room.id);
        if other && room.lock().room.open_sidekick().is_some() {
            return true;
        }
        below.extend(engine.live_below(room.id));
    }
    false
}

/// Whether the step of a sidekick runs by itself.
fn is_alone(parent: &LiveRoom, child: RoomId) -> bool {
    let Some(step) = step_of(parent, child) else { return false };
    let inner = parent.lock();
    let plan = inner.room.active_plan();
    plan.and_then(|plan| plan.step(&step)).is_some_and(|step| step.alone)
}
