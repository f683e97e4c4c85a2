//! A plan does not go on in a folder that is gone.

use super::submit;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use plan::{Command, PauseReason};
use std::sync::Arc;

/// Pauses the plan that runs when its folder can't be used; whether it did.
pub(super) async fn pause_if_gone(
    engine: &Engine,
    live: &Arc<LiveRoom>,
) -> Result<bool, EngineError> {
    if live.lock().room.running_plan().is_none() {
        return Ok(false);
    }
    let (looking, room) = (engine.clone(), live.id);
    // A disk that does not answer keeps nobody else waiting.
    let look = tokio::task::spawn_blocking(move || looking.folder_trouble(room));
    let Some(trouble) = look.await.unwrap_or(Err(EngineError::Stopping))? else { return Ok(false) };
    // What is there again later is another folder.
    live.lock().workspace = None;
    let text = format!(
        "{trouble}. Put the folder back and resume, or cancel the plan and choose another folder."
    );
    let (reason, code) = (PauseReason::Interrupted, "NO_FOLDER".to_owned());
    submit(engine, live, Command::Trouble { reason, code, text, until: None }, Vec::new())?;
    Ok(true)
}
