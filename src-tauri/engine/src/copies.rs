//! Where sidekicks' copies of workspaces are, and whose turn it is to merge one.

use crate::engine::Engine;
use crate::error::EngineError;
use plan::RoomId;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The folder with all copies: one for each sidekick that has one, by its room's id.
pub(crate) struct Copies {
    dir: PathBuf,
    /// Folders beside it that hold copies of council members.
    others: Mutex<BTreeSet<PathBuf>>,
    /// One merge at a time in each workspace, in the order they were asked for.
    turns: Mutex<HashMap<PathBuf, Arc<tokio::sync::Mutex<()>>>>,
}

impl Copies {
    /// The copies below a data folder.
    pub(crate) fn new(data: &Path) -> Self {
        // Rooms remember the real path.
        let data = data.canonicalize().unwrap_or_else(|_| data.to_owned());
        Self { dir: data.join("copies"), others: Mutex::default(), turns: Mutex::default() }
    }

    /// The folder that holds them all.
    pub(crate) fn all(&self) -> Option<String> {
        self.dir.to_str().map(str::to_owned)
    }

    /// Where the copy of a room is, or would be.
    pub(crate) fn folder(&self, room: RoomId) -> PathBuf {
        self.dir.join(room.to_string())
    }

    /// The same in another folder, which is remembered.
    pub(crate) fn folder_in(&self, other: Option<PathBuf>, room: RoomId) -> PathBuf {
        let Some(other) = other else { return self.folder(room) };
        self.remember(other.clone());
        other.join(room.to_string())
    }

    fn remember(&self, other: PathBuf) {
        self.others.lock().unwrap_or_else(PoisonError::into_inner).insert(other);
    }

    /// Every place where the copy of a room may be.
    fn places(&self, room: RoomId) -> Vec<PathBuf> {
        let others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        let others = others.iter().map(|other| other.join(room.to_string()));
        std::iter::once(self.folder(room)).chain(others).collect()
    }

    /// Whether a folder is one of them.
    pub(crate) fn holds(&self, folder: &str) -> bool {
        Path::new(folder).starts_with(&self.dir)
    }

    /// Held by whoever merges into a workspace.
    pub(crate) fn turn(&self, workspace: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(turns.entry(PathBuf::from(workspace)).or_default())
    }
}

impl Engine {
    /// After a start: removes copies that no room works in. Where the log was damaged, they may
    /// hold all that is left: they are put aside with it.
    pub(crate) fn sweep_copies(&self, set_aside: Option<&Path>) {
        let copies = &self.shared.copies;
        if let Some(log) = set_aside {
            let name = log.file_name().unwrap_or_default().to_string_lossy();
            let aside = copies.dir.with_file_name(format!("copies-{name}"));
            match std::fs::rename(&copies.dir, &aside) {
                Ok(()) => tracing::warn!(folder = %aside.display(), "copies were put aside"),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => tracing::error!(%error, "copies could not be put aside"),
            }
            return;
        }
        let other = crate::council::copies(self);
        other.iter().for_each(|other| copies.remember(other.clone()));
        let folders = std::iter::once(&copies.dir).chain(&other).map(std::fs::read_dir);
        for entry in folders.flatten().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let room = uuid::Uuid::parse_str(&name).ok().map(RoomId);
            if room.is_none() && !entry.path().starts_with(&copies.dir) {
                continue;
            }
            let claimed = room.map(|room| {
                let claims = |room: &plan::Room| Path::new(room.folder()).starts_with(entry.path());
                self.with_room(room, claims)
            });
            let unclaimed = match claimed {
                Some(Ok(claimed)) => !claimed,
                Some(Err(EngineError::NoRoom)) | None => true,
                // Nobody knows: it may hold work that is not lost yet.
                Some(Err(error)) => {
                    tracing::error!(copy = name, %error, "a copy is kept");
                    false
                }
            };
            if unclaimed {
                let gone = entry.path();
                self.shared.runtime.spawn_blocking(move || remove(&gone));
            }
        }
    }

    /// Removes the copy of a room; returns when it is gone.
    pub(crate) async fn remove_copy(&self, room: RoomId) {
        let places = self.shared.copies.places(room);
        let _ =
            tokio::task::spawn_blocking(move || places.iter().for_each(|one| remove(one))).await;
    }
}

fn remove(folder: &Path) {
    if let Err(error) = tools::copy::remove(folder) {
        tracing::error!(folder = %folder.display(), %error, "a copy could not be removed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ConfigPlace, ConfigStore};
    use crate::journal::{Append, Chain, FolderLock, NewEvent};
    use crate::{Options, Started};
    use plan::{Actor, Surface};

    fn start(home: &Path) -> Started {
        let config = ConfigStore::open(ConfigPlace::Folder(home.join("config")));
        let lock = FolderLock::take(&home.join("data")).unwrap();
        Engine::start(Options::new(lock, config)).unwrap()
    }

    #[tokio::test]
    async fn a_copy_whose_room_can_not_be_read_is_kept() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("work")).unwrap();
        let engine = start(home.path()).engine;
        let me = Actor::person("me", Surface::Window);
        let room = engine.create_room(&me, None, &home.path().join("work"), None).await.unwrap().id;
        let unreadable = NewEvent { kind: "room_renamed", at: 1, body: b"?".to_vec() };
        let append = Append {
            room: room.0,
            chain: Chain::default(),
            expected: 1,
            events: vec![unreadable],
            rows: Vec::new(),
            blobs: Vec::new(),
        };
        engine.shared.journal.append(append).await.unwrap();
        let copies = home.path().join("data/copies");
        let (kept, gone) =
            (copies.join(room.to_string()), copies.join(RoomId(crate::fresh_id()).to_string()));
        for copy in [&kept, &gone] {
            std::fs::create_dir_all(copy.join("work")).unwrap();
        }
        // As after a start: nothing of it is in memory.
        engine.evict(&engine.live(room).unwrap());
        engine.sweep_copies(None);
        while gone.exists() {
            tokio::task::yield_now().await;
        }
        assert!(kept.exists(), "it may hold work that is not lost yet");

        engine.sweep_copies(Some(Path::new("/data/plancard.db.corrupt-1")));
        assert!(!kept.exists());
        let aside = home.path().join("data/copies-plancard.db.corrupt-1").join(room.to_string());
        assert!(aside.exists(), "what belongs to a damaged log is put aside with it");
    }

    #[tokio::test]
    async fn a_copy_of_a_member_that_is_gone_goes_and_what_is_not_ours_stays() {
        // No dot folder, which would be refused.
        let home = tempfile::Builder::new().prefix("copies").tempdir().unwrap();
        let desks = home.path().join("desks");
        std::fs::create_dir(home.path().join("config")).unwrap();
        let config =
            format!("orchestrator: {{ agent_temporary_workspace: \"{}\" }}\n", desks.display());
        std::fs::write(home.path().join("config/plancard.yaml"), config).unwrap();
        let engine = start(home.path()).engine;
        let ours = crate::council::copies(&engine).unwrap();
        assert!(ours.starts_with(&desks) && ours != desks);
        let fresh = || RoomId(crate::fresh_id()).to_string();
        let gone = ours.join(fresh());
        // A person's folder that is named like a room, and a copy of another data folder.
        let kept = [desks.join(fresh()), desks.join("plancard-0123456789ab").join(fresh())];
        let mine = ours.join("mine/work");
        for folder in [gone.join("agent1/work"), mine.clone()].iter().chain(&kept) {
            std::fs::create_dir_all(folder).unwrap();
        }
        engine.sweep_copies(None);
        while gone.exists() {
            tokio::task::yield_now().await;
        }
        assert!(mine.exists() && kept.iter().all(|folder| folder.exists()));

        // One whose room is still known goes with it, wherever it is.
        let room = RoomId(crate::fresh_id());
        let own = ours.join(room.to_string());
        std::fs::create_dir_all(own.join("agent2/work")).unwrap();
        engine.remove_copy(room).await;
        assert!(!own.exists());
    }
}
