//! A member looks around in a copy of its own, made when it first looks.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use crate::turn;
use plan::{CallId, Command};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tools::copy::{self, CopyError};

/// Gives a council member its copy of the workspace. Where there can be none, it looks at the folder
/// itself, which it can't change either.
pub(crate) async fn give_copy(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    call: CallId,
) -> Result<(), EngineError> {
    let _one = live.settling.lock().await;
    {
        let room = &live.lock().room;
        if room.member.is_none() || room.copy.is_some() {
            return Ok(());
        }
    }
    let made = match make(engine, live, call).await {
        Ok(made) => made,
        Err(CopyError::Cancelled) => return Ok(()),
        Err(error) => {
            tracing::warn!(room = %live.id, %error, "a council member has no copy of its own");
            return Ok(());
        }
    };
    let folder = engine.shared.copies.folder(live.id);
    let command = Command::MadeCopy {
        folder: copy::work(&folder).display().to_string(),
        shares: made.shares.map(|shares| shares.display().to_string()),
        left_out: made.left_out,
    };
    match turn::submit(engine, live, command, Vec::new()) {
        Ok(stored) => stored.stored().await.map(drop),
        Err(EngineError::Refused(_)) => {
            engine.remove_copy(live.id).await;
            Ok(())
        }
        Err(error) => Err(error),
    }
}

async fn make(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    call: CallId,
) -> Result<copy::Made, CopyError> {
    let from = turn::workspace(live)?;
    let folder = engine.shared.copies.folder(live.id);
    let cancel = CancellationToken::new();
    let token = cancel.clone();
    let shared = turn::shared_with(engine, live);
    let mut making =
        tokio::task::spawn_blocking(move || copy::make(&from, &shared, &folder, &token));
    let made = tokio::select! {
        made = &mut making => made,
        () = turn::doomed(engine, live, call) => {
            cancel.cancel();
            making.await
        }
    };
    made.unwrap_or(Err(CopyError::Cancelled))
}
