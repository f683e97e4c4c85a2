//! Which folders agents work in, or ever did, and which of them a person opened by hand, in a small
//! file of the data folder.
//!
//! What they left in a folder is still there when its room is deleted or works elsewhere, so no
//! folder is ever forgotten.

use crate::error::EngineError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tools::Workspaces;

const FILE: &str = "workspaces.json";

/// What the file says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored")]
struct Folders {
    worked: BTreeSet<String>,
    /// Those that a person opened in the window or at the command line.
    opened: BTreeSet<String>,
}

/// The file, also as it was when it was only a list of the first kind.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Worked(BTreeSet<String>),
    Both { worked: BTreeSet<String>, opened: BTreeSet<String> },
}

impl From<Stored> for Folders {
    fn from(stored: Stored) -> Self {
        match stored {
            Stored::Worked(worked) => Self { worked, opened: BTreeSet::new() },
            Stored::Both { worked, opened } => Self { worked, opened },
        }
    }
}

/// The folders.
pub(crate) struct Worked {
    file: PathBuf,
    /// The file was there and can't be read: nobody knows which folders there were, so it is left
    /// alone and every folder counts as one.
    lost: bool,
    known: Mutex<Folders>,
    workspaces: Workspaces,
}

impl Worked {
    /// Reads the file, if there is one.
    pub(crate) fn read(data: &Path) -> Self {
        let file = data.join(FILE);
        let known: Option<Folders> = match std::fs::read(&file) {
            Ok(text) => serde_json::from_slice(&text).ok(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(Folders::default()),
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
        known.worked.iter().for_each(|folder| workspaces.add(Path::new(folder)));
        Self { file, lost, known: Mutex::new(known), workspaces }
    }

    /// All of them.
    pub(crate) fn workspaces(&self) -> Workspaces {
        self.workspaces.clone()
    }

    /// Takes note of folders before anyone works there.
    pub(crate) fn add(&self, folders: impl IntoIterator<Item = String>) -> Result<(), EngineError> {
        self.note(folders, false)
    }

    /// Takes note of a folder before anyone works there, and of who opened it.
    pub(crate) fn open(&self, folder: String, by_hand: bool) -> Result<(), EngineError> {
        self.note([folder], by_hand)
    }

    /// Whether a person opened this folder by hand, or one that it lies in.
    pub(crate) fn is_opened(&self, folder: &Path) -> bool {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.opened.iter().any(|opened| folder.starts_with(opened))
    }

    fn note(
        &self,
        folders: impl IntoIterator<Item = String>,
        by_hand: bool,
    ) -> Result<(), EngineError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut now = known.clone();
        for folder in folders {
            self.workspaces.add(Path::new(&folder));
            if by_hand {
                now.opened.insert(folder.clone());
            }
            now.worked.insert(folder);
        }
        // What is not on disk is not known, so it is tried again.
        if now != *known && !self.lost {
            self.write(&now).map_err(|error| {
                EngineError::BadWorkspace(format!("it can't be noted in the data folder: {error}"))
            })?;
        }
        *known = now;
        Ok(())
    }

    /// Replaces the file in one step.
    fn write(&self, known: &Folders) -> std::io::Result<()> {
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

    /// Else an agent would work there, and after a start nobody would know.
    #[test]
    fn a_folder_that_could_not_be_noted_is_not_taken_for_noted() {
        let data = tempfile::tempdir().unwrap();
        let gone = data.path().join("gone");
        let worked = Worked::read(&gone);
        for _ in 0..2 {
            assert!(worked.open("/a".to_owned(), true).is_err());
            assert!(!worked.is_opened(Path::new("/a")));
        }
        std::fs::create_dir(&gone).unwrap();
        worked.open("/a".to_owned(), true).unwrap();
        assert!(worked.is_opened(Path::new("/a")) && known(&gone).opened.contains("/a"));
    }

    fn known(data: &Path) -> Folders {
        Worked::read(data).known.into_inner().unwrap()
    }

    #[test]
    fn folders_are_known_after_a_restart_and_a_file_that_cannot_be_read_is_left_alone() {
        let data = tempfile::tempdir().unwrap();
        let folders = ["/a", "/b"].map(str::to_owned);
        for folder in &folders {
            Worked::read(data.path()).add([folder.clone()]).unwrap();
        }
        Worked::read(data.path()).open("/b".to_owned(), true).unwrap();
        let both = known(data.path());
        assert_eq!(both.worked, BTreeSet::from(folders));
        assert_eq!(both.opened, BTreeSet::from(["/b".to_owned()]));
        let read = Worked::read(data.path());
        assert!(read.is_opened(Path::new("/b/c")) && !read.is_opened(Path::new("/bc")));
        assert!(!read.is_opened(Path::new("/a")), "an agent worked there, a token opened it");
        std::fs::write(data.path().join(FILE), r#"["/a", "/b"]"#).unwrap();
        assert_eq!(known(data.path()), Folders { worked: both.worked, ..Folders::default() });
        std::fs::write(data.path().join(FILE), "not ours").unwrap();
        let lost = Worked::read(data.path());
        lost.add(["/c".to_owned()]).unwrap();
        assert!(lost.lost);
        assert_eq!(std::fs::read_to_string(data.path().join(FILE)).unwrap(), "not ours");
    }
}
