//! Where agents write.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

/// Every folder that agents work in, or ever did: what lies there may be of their making. Cheap to
/// clone; all clones know the same folders.
#[derive(Clone, Debug, Default)]
pub struct Workspaces {
    folders: Arc<RwLock<BTreeSet<PathBuf>>>,
}

impl Workspaces {
    /// Takes note of a folder, by its real path.
    pub fn add(&self, folder: &Path) {
        let mut folders = self.folders.write().unwrap_or_else(PoisonError::into_inner);
        folders.insert(folder.to_owned());
    }

    /// Whether a real path is such a folder or lies in one.
    pub(crate) fn hold(&self, path: &Path) -> bool {
        let folders = self.folders.read().unwrap_or_else(PoisonError::into_inner);
        path.ancestors().any(|folder| folders.contains(folder))
    }
}
