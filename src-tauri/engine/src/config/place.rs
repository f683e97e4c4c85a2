//! Where the configuration lives: in the app's own folder or in a file a person
//! names, never in a workspace.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The person's file in the configuration folder.
pub const PERSON_FILE: &str = "plancard.yaml";

/// The file beside it that the settings screen writes.
pub const SETTINGS_FILE: &str = "settings.yaml";

/// Where a configuration is read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigPlace {
    /// A folder with both files; either may be missing.
    Folder(PathBuf),
    /// A file a person named, which has to be there.
    File(PathBuf),
}

impl ConfigPlace {
    /// The place the environment says: `PLANCARD_CONFIG` (a folder, or a
    /// `.yaml` file), else `plancard` in the desktop's configuration folder.
    /// `None` when there is not even a home folder.
    pub fn from_env(var: impl Fn(&str) -> Option<OsString>) -> Option<Self> {
        let set = |name| var(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        if let Some(path) = set("PLANCARD_CONFIG") {
            let is_yaml = path.extension().is_some_and(|end| end == "yaml" || end == "yml");
            return Some(match is_yaml && !path.is_dir() {
                true => Self::File(path),
                false => Self::Folder(path),
            });
        }
        // The XDG rules: a relative path there is to be ignored.
        let folder = set("XDG_CONFIG_HOME")
            .filter(|path| path.is_absolute())
            .or_else(|| set("HOME").map(|home| home.join(".config")))?;
        Some(Self::Folder(folder.join("plancard")))
    }

    /// What on the disk is ours and no workspace: the folder, or the named
    /// file and the one beside it.
    pub fn own_paths(&self) -> Vec<PathBuf> {
        match self {
            Self::Folder(folder) => vec![folder.clone()],
            Self::File(file) => vec![file.clone(), self.settings_file()],
        }
    }

    /// The person's file.
    pub fn person_file(&self) -> PathBuf {
        match self {
            Self::Folder(folder) => folder.join(PERSON_FILE),
            Self::File(file) => file.clone(),
        }
    }

    /// The file the settings screen writes.
    pub fn settings_file(&self) -> PathBuf {
        match self {
            Self::Folder(folder) => folder.join(SETTINGS_FILE),
            Self::File(file) => file.parent().unwrap_or(Path::new("")).join(SETTINGS_FILE),
        }
    }
}
