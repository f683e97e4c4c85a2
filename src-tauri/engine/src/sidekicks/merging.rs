//! What becomes of a sidekick's copy when it has ended: merged, one after the other in each
//! workspace, or dropped.
//!
//! Every try compares anew, so it may be broken off anywhere and begun again.

use super::{conflicts, is_held};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use crate::turn;
use plan::{AskKind, Command, OwnCopy, RoomKind, SidekickEnd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tools::Workspace;
use tools::copy::{self, Choice, Comparison, CopyError, Decided, Taken};

/// As many changes are written down; a step that changed more shows these.
const MOST_CHANGES: usize = 5_000;
/// How often it is compared anew when files change under its hands.
const TRIES: usize = 20;

impl Engine {
    /// Sees to the copy of a sidekick that has ended; whether it has one.
    pub(super) fn settle_copy(&self, live: &Arc<LiveRoom>) -> bool {
        if !live.lock().room.has_copy_to_settle() {
            return false;
        }
        let (engine, live) = (self.clone(), Arc::clone(live));
        let work = async move {
            let _one = live.settling.lock().await;
            if let Err(error) = settle(&engine, &live).await {
                tracing::error!(room = %live.id, %error, "a copy could not be merged");
            }
        };
        self.shared.tasks.spawn_on(work, &self.shared.runtime);
        true
    }

    /// Removes a copy that its room works in no more.
    pub(super) fn clear_copy(&self, live: &Arc<LiveRoom>) {
        let (engine, live) = (self.clone(), Arc::clone(live));
        let work = async move {
            let _one = live.settling.lock().await;
            let seq = live.lock().room.seq;
            // A start that finds the copy claimed would look for it.
            if live.stored_beyond(seq.saturating_sub(1)).await && live.lock().room.copy.is_none() {
                engine.remove_copy(live.id).await;
            }
        };
        self.shared.tasks.spawn_on(work, &self.shared.runtime);
    }
}

async fn settle(engine: &Engine, live: &Arc<LiveRoom>) -> Result<(), EngineError> {
    if !is_quiet(engine, live).await {
        return Ok(());
    }
    let (own, workspace, who, end) = {
        let inner = live.lock();
        let room = &inner.room;
        let RoomKind::Sidekick { codename, .. } = &room.kind else { return Ok(()) };
        let ended = room.sidekick.as_ref().and_then(|sidekick| sidekick.ended.as_ref());
        let (Some(own), Some(ended)) = (&room.copy, ended) else { return Ok(()) };
        if !room.has_copy_to_settle() {
            return Ok(());
        }
        (own.clone(), room.workspace.clone(), codename.clone(), ended.end)
    };
    live.shell.stopped().await;
    engine.shared.agents.end(live.id).await;
    engine.shared.mcp.leave(&own.folder).await;
    match end {
        SidekickEnd::Completed => {
            let asked = live.lock().room.asks.values().any(|ask| ask.kind == AskKind::Conflict);
            // Its work is kept until there is somewhere to put it.
            if asked || is_held(engine, live) || turn::pause_if_gone(engine, live).await? {
                return Ok(());
            }
            merge(engine, live, &own, &workspace, &who).await
        }
        SidekickEnd::Stopped | SidekickEnd::Failed => drop_copy(engine, live, None),
    }
}

/// Waits until nothing runs in a room; `false` when the app stops first.
async fn is_quiet(engine: &Engine, live: &LiveRoom) -> bool {
    let mut changed = live.changed.subscribe();
    let quiet = async {
        while live.lock().room.running_calls().next().is_some() {
            if changed.changed().await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = quiet => true,
        () = engine.shared.stopping.cancelled() => false,
    }
}

async fn merge(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    own: &OwnCopy,
    workspace: &str,
    who: &str,
) -> Result<(), EngineError> {
    let turn_to_merge = engine.shared.copies.turn(workspace);
    let _turn = turn_to_merge.lock().await;
    let place = Place { copy: engine.shared.copies.folder(live.id), into: workspace.to_owned() };
    for _ in 0..TRIES {
        let found = match place.compare(&engine.shared.stopping).await {
            Ok(found) => found,
            Err(CopyError::Cancelled) => return Ok(()),
            Err(error) => return drop_copy(engine, live, Some(error.to_string())),
        };
        let (choices, open) = conflicts::answered(&found.conflicts, &own.chosen);
        if !open.is_empty() {
            return conflicts::ask(engine, live, who, &open);
        }
        let mut paths: Vec<String> = found.paths().into_iter().map(str::to_owned).collect();
        let chosen = choices.iter().filter(|(_, choice)| *choice == Choice::Theirs);
        paths.extend(chosen.map(|(path, _)| path.clone()));
        paths.truncate(MOST_CHANGES);
        // The files wait for this, as for the intent of any other change.
        let begin = Command::BeginMerge { paths };
        match turn::submit(engine, live, begin, Vec::new()) {
            Ok(begun) => drop(begun.stored().await?),
            // Nobody wants it any more.
            Err(EngineError::Refused(_)) => return Ok(()),
            Err(error) => return Err(error),
        }
        match place.take(found, choices, who).await {
            Ok(taken) => return finish(engine, live, taken),
            Err(CopyError::Changed { .. }) => {}
            Err(error) => return drop_copy(engine, live, Some(error.to_string())),
        }
    }
    drop_copy(engine, live, Some("the files changed all the time".to_owned()))
}

fn finish(engine: &Engine, live: &Arc<LiveRoom>, taken: Taken) -> Result<(), EngineError> {
    let kept = taken.contents.into_iter().filter(|text| !engine.shared.redactor.knows(text));
    let blobs = kept
        .map(|text| (blake3::hash(text.as_bytes()).to_hex().to_string(), text.into_bytes()))
        .collect();
    let changed = taken.changed.iter().take(MOST_CHANGES).map(turn::change).collect();
    turn::submit(engine, live, Command::EndMerge { changed }, blobs)?;
    Ok(())
}

fn drop_copy(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    problem: Option<String>,
) -> Result<(), EngineError> {
    turn::submit(engine, live, Command::DropCopy { problem }, Vec::new())?;
    Ok(())
}

/// A copy and the workspace it goes back to.
struct Place {
    copy: PathBuf,
    into: String,
}

impl Place {
    async fn compare(&self, cancel: &CancellationToken) -> Result<Comparison, CopyError> {
        let (copy, into, cancel) = (self.copy.clone(), self.into.clone(), cancel.clone());
        let compare = move || copy::compare(&copy, &open(&into)?, &cancel);
        tokio::task::spawn_blocking(compare).await.unwrap_or(Err(CopyError::Cancelled))
    }

    async fn take(
        &self,
        found: Comparison,
        choices: Vec<(String, Choice)>,
        who: &str,
    ) -> Result<Taken, CopyError> {
        let (copy, into, who) = (self.copy.clone(), self.into.clone(), who.to_owned());
        let take = move || {
            let decided = Decided { choices: &choices, who: &who, trash: None };
            copy::take(&copy, &open(&into)?, found, &decided)
        };
        tokio::task::spawn_blocking(take).await.unwrap_or(Err(CopyError::Cancelled))
    }
}

/// The workspace, if its path still leads to itself.
fn open(folder: &str) -> Result<Workspace, CopyError> {
    let workspace = Workspace::open(folder)?;
    match workspace.root() == Path::new(folder) {
        true => Ok(workspace),
        false => Err(tools::ToolError::Hidden { path: folder.to_owned() }.into()),
    }
}
