//! Which folders agents work in, or ever did, in a small file of the data folder.
//!
//! What they left in a folder is still there when its room is deleted or works elsewhere, so no
//! folder is ever forgotten.

use crate::error::EngineError;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tools::Workspaces;

const FILE: &str = "workspaces.json";

/// The folders.
pub(crate) struct Worked {
    file: PathBuf,
    /// The file was there and can't be read: nobody knows which folders there were, so it is left
    /// alone and every folder counts as one.
    lost: bool,
    known: Mutex<BTreeSet<String>>,
    workspaces: Workspaces,
}

impl Worked {
    /// Reads the file, if there is one.
    pub(crate) fn read(data: &Path) -> Self {
        let file = data.join(FILE);
        let known: Option<BTreeSet<String>> = match std::fs::read(&file) {
            Ok(text) => serde_json::from_slice(&text).ok(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(BTreeSet::new()),
            Err(_) => None,
        };
        let workspaces = Workspaces::default();
        let lost = known.is_none();
        if lost {
            tracing::warn!(
                "{FILE} can't be read: no link is followed to a folder that is listed to be read"
            );
            workspaces.add(Path::new("/"));
        }
        let known = known.unwrap_or_default();
        known.iter().for_each(|folder| workspaces.add(Path::new(folder)));
        Self { file, lost, known: Mutex::new(known), workspaces }
    }

    /// All of them.
    pub(crate) fn workspaces(&self) -> Workspaces {
        self.workspaces.clone()
    }

    /// Takes note of folders before anyone works there.
    pub(crate) fn add(&self, folders: impl IntoIterator<Item = String>) -> Result<(), EngineError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let before = known.len();
        for folder in folders {
            self.workspaces.add(Path::new(&folder));
            known.insert(folder);
        }
        if known.len() == before || self.lost {
            return Ok(());
        }
        self.write(&known).map_err(|error| {
            EngineError::BadWorkspace(format!("it can't be noted in the data folder: {error}"))
        })
    }

    /// Replaces the file in one step.
    fn write(&self, known: &BTreeSet<String>) -> std::io::Result<()> {
        let folder = self.file.parent().unwrap_or(Path::new("/"));
        let mut new = tempfile::NamedTempFile::new_in(folder)?;
        std::io::Write::write_all(&mut new, &serde_json::to_vec_pretty(known)?)?;
        new.as_file().sync_all()?;
        new.persist(&self.file)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(data: &Path) -> BTreeSet<String> {
        Worked::read(data).known.into_inner().unwrap()
    }

    #[test]
    fn folders_are_known_after_a_restart_and_a_file_that_cannot_be_read_is_left_alone() {
        let data = tempfile::tempdir().unwrap();
        let folders = ["/a", "/b"].map(str::to_owned);
        for folder in &folders {
            Worked::read(data.path()).add([folder.clone()]).unwrap();
        }
        assert_eq!(known(data.path()), BTreeSet::from(folders));
        std::fs::write(data.path().join(FILE), "not ours").unwrap();
        let lost = Worked::read(data.path());
        lost.add(["/c".to_owned()]).unwrap();
        assert!(lost.lost);
        assert_eq!(std::fs::read_to_string(data.path().join(FILE)).unwrap(), "not ours");
    }
}
