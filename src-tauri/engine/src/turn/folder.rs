//! No plan goes on in a folder that is gone, and no sidekick of one.
//!
//! A folder is held open while a room uses it. One that took its place is another one: a plan
//! pauses first, for it was approved for the other; a chat goes on in it. What is opened anew has
//! to be a real folder at that very path, so a link leads nowhere.

use super::standing::{Whose, whose};
use super::submit;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use crate::sidekicks::parent_of;
use plan::{Command, PauseReason};
use std::sync::Arc;
use tools::Workspace;

/// Pauses what runs here when its folder can't be used, or is another one; whether nothing goes on
/// now.
pub(crate) async fn pause_if_gone(
    engine: &Engine,
    live: &Arc<LiveRoom>,
) -> Result<bool, EngineError> {
    let works = live.lock().room.running_plan().is_some() || parent_of(live).is_some();
    let held = held(live);
    if !works && held.is_none() {
        return Ok(false);
    }
    let (looking, room) = (engine.clone(), live.id);
    // A disk that does not answer keeps nobody else waiting.
    let look = tokio::task::spawn_blocking(move || {
        let replaced = held.filter(|held| !held.is_in_place());
        let trouble = if works { looking.folder_trouble(room)? } else { None };
        Ok((replaced, trouble))
    });
    let (replaced, trouble) = look.await.unwrap_or(Err(EngineError::Stopping))?;
    if replaced.is_none() && trouble.is_none() {
        return Ok(false);
    }
    let whose = match whose(engine, live)? {
        Whose::Held => return Ok(true),
        Whose::Nobodys => {
            if replaced.is_some() {
                forget(engine, live).await;
            }
            return Ok(false);
        }
        Whose::Own(whose) => whose,
    };
    forget(engine, &whose).await;
    // Others may have said so meanwhile, and a person may have put it back.
    if trouble.is_some() && replaced.is_none() && engine.folder_trouble(room)?.is_none() {
        return Ok(false);
    }
    let planned = whose.lock().room.running_plan().is_some();
    let text = match (trouble, replaced) {
        (Some(trouble), _) if planned => format!(
            "{trouble}. Put the folder back and resume, or cancel the plan and choose another \
             folder."
        ),
        (Some(trouble), _) => {
            format!("{trouble}. Put the folder back and say something to it to go on.")
        }
        (None, replaced) => {
            let folder = replaced.map_or_else(String::new, |was| was.root().display().to_string());
            let on = if planned { "resume" } else { "say something to it" };
            format!(
                "{folder} is another folder than before: it was deleted or moved, and made again. \
                 Look at what is there now, and {on} to go on in it."
            )
        }
    };
    let (reason, code) = (PauseReason::Interrupted, "NO_FOLDER".to_owned());
    submit(engine, &whose, Command::Trouble { reason, code, text, until: None }, Vec::new())?;
    Ok(true)
}

/// The folder that a room holds open, unless that is a copy of ours.
fn held(live: &LiveRoom) -> Option<Workspace> {
    let inner = live.lock();
    inner.workspace.clone().filter(|_| inner.room.folder() == inner.room.workspace)
}

/// What is there again later is another folder, for all who work there. Programs that run in the
/// old one end.
async fn forget(engine: &Engine, live: &Arc<LiveRoom>) {
    let mut rooms = vec![Arc::clone(live)];
    while let Some(room) = rooms.pop() {
        let folder = {
            let mut inner = room.lock();
            inner.workspace = None;
            inner.room.folder().to_owned()
        };
        engine.shared.mcp.leave(&folder).await;
        engine.shared.agents.end(room.id).await;
        rooms.extend(engine.live_below(room.id));
    }
}
