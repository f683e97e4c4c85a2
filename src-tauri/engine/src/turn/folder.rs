//! No plan goes on in a folder that is gone, and no sidekick of one.

use super::standing::{Whose, whose};
use super::submit;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use crate::sidekicks::parent_of;
use plan::{Command, PauseReason};
use std::sync::Arc;

/// Pauses what runs here when its folder can't be used; whether nothing goes on now.
pub(crate) async fn pause_if_gone(
    engine: &Engine,
    live: &Arc<LiveRoom>,
) -> Result<bool, EngineError> {
    if live.lock().room.running_plan().is_none() && parent_of(live).is_none() {
        return Ok(false);
    }
    let (looking, room) = (engine.clone(), live.id);
    // A disk that does not answer keeps nobody else waiting.
    let look = tokio::task::spawn_blocking(move || looking.folder_trouble(room));
    let Some(trouble) = look.await.unwrap_or(Err(EngineError::Stopping))? else { return Ok(false) };
    let whose = match whose(engine, live)? {
        Whose::Held => return Ok(true),
        Whose::Nobodys => return Ok(false),
        Whose::Own(whose) => whose,
    };
    forget(engine, &whose);
    let planned = whose.lock().room.running_plan().is_some();
    let text = match planned {
        true => format!(
            "{trouble}. Put the folder back and resume, or cancel the plan and choose another \
             folder."
        ),
        false => format!("{trouble}. Put the folder back and say something to it to go on."),
    };
    let (reason, code) = (PauseReason::Interrupted, "NO_FOLDER".to_owned());
    submit(engine, &whose, Command::Trouble { reason, code, text, until: None }, Vec::new())?;
    Ok(true)
}

/// What is there again later is another folder, for all who work there.
fn forget(engine: &Engine, live: &Arc<LiveRoom>) {
    let mut rooms = vec![Arc::clone(live)];
    while let Some(room) = rooms.pop() {
        room.lock().workspace = None;
        rooms.extend(engine.live_below(room.id));
    }
}
