//! A member looks around in a copy of its own, made when it first looks.

use crate::config::AgentConfig;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use crate::turn;
use plan::{CallId, Command};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
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
        let without = live.without_copy.load(Ordering::Acquire);
        if room.member.is_none() || room.copy.is_some() || without {
            return Ok(());
        }
    }
    let folder = folder(engine, live);
    let made = match make(engine, live, call, folder.clone()).await {
        Ok(made) => made,
        Err(CopyError::Cancelled) => return Ok(()),
        Err(error) => {
            tracing::warn!(room = %live.id, %error, "a council member has no copy of its own");
            live.without_copy.store(true, Ordering::Release);
            return Ok(());
        }
    };
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

/// Where a member's copy is: in the room's folder below `agent_temporary_workspace`, by the name
/// that the agent's `cwd` gives it.
fn folder(engine: &Engine, live: &LiveRoom) -> PathBuf {
    let loaded = engine.shared.config.current();
    let (agent, number) = {
        let room = &live.lock().room;
        (room.speaker().to_owned(), room.member.as_ref().map_or(1, |member| member.number))
    };
    let named_by_agent = loaded.config.agent(&agent).and_then(AgentConfig::copy_name);
    let name = named_by_agent.unwrap_or_else(|| plan::member_name(number));
    let other = super::copies(engine);
    if let Some(other) = &other
        && let Err(error) = engine.shared.worked.add([other.display().to_string()])
    {
        tracing::error!(%error, "a folder of copies could not be noted");
    }
    engine.shared.copies.folder_in(other, live.id).join(name)
}

async fn make(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    call: CallId,
    folder: PathBuf,
) -> Result<copy::Made, CopyError> {
    let from = turn::workspace(live)?;
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
