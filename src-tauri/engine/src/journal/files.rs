//! The files of the journal: their names, who may read them, and how a
//! damaged one is put out of the way.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::JournalError;
use super::error::Doing;

const SETTING_ASIDE: &str = "set the damaged journal aside";

/// Where the journal of one data folder is.
#[derive(Debug, Clone)]
pub(super) struct Files {
    dir: PathBuf,
}

impl Files {
    pub(super) fn of(dir: &Path) -> Self {
        Self { dir: dir.to_owned() }
    }

    /// The database.
    pub(super) fn db(&self) -> PathBuf {
        self.dir.join("plancard.db")
    }

    /// Where the copy made before leaving format `version` is kept.
    pub(super) fn backup(&self, version: u32) -> PathBuf {
        self.dir.join(format!("plancard.db.v{version}.bak"))
    }

    /// Makes an empty database that only its owner can read; SQLite gives
    /// the files it makes beside it the same mode.
    pub(super) fn make_db(&self) -> Result<(), JournalError> {
        const MAKING: &str = "make the journal";
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let file = options.open(self.db()).doing(MAKING)?;
        set_mode(&self.db(), 0o600)?;
        file.sync_all().doing(MAKING)?;
        self.sync_dir()
    }

    /// True when the last process did not close the journal: closing moves
    /// everything into the database and removes the write-ahead log.
    pub(super) fn has_wal(&self) -> bool {
        fs::metadata(self.with_suffix("-wal")).is_ok_and(|meta| meta.len() > 0)
    }

    /// Notes that damage was met, so that the next start looks at every page.
    /// That it could not be noted changes nothing for the caller, who has the
    /// error that led here.
    pub(super) fn mark_suspect(&self) {
        let _ = fs::write(self.suspect(), "damage was met; checked at the next start\n");
    }

    /// True when damage was met since the last full check.
    pub(super) fn is_suspect(&self) -> bool {
        self.suspect().exists()
    }

    /// Forgets the note, after a full check or with a new file.
    pub(super) fn clear_suspect(&self) {
        let _ = fs::remove_file(self.suspect());
    }

    /// Renames the database and what belongs to it to a name that is free,
    /// and answers that name.
    pub(super) fn set_aside(&self) -> Result<PathBuf, JournalError> {
        let mut stamp = unix_ms();
        let aside = loop {
            let name = self.dir.join(format!("plancard.db.corrupt-{stamp}"));
            if !name.exists() {
                break name;
            }
            stamp += 1;
        };
        // The database goes last: should this be cut short, no old log is
        // left beside a new database, where SQLite would read it into it.
        for suffix in ["-wal", "-shm", ""] {
            let from = self.with_suffix(suffix);
            if from.exists() {
                let mut to = aside.clone().into_os_string();
                to.push(suffix);
                fs::rename(from, to).doing(SETTING_ASIDE)?;
            }
        }
        self.sync_dir()?;
        Ok(aside)
    }

    /// Makes names that were added or changed in the folder last.
    pub(super) fn sync_dir(&self) -> Result<(), JournalError> {
        // Only Unix lets a folder be opened and synced.
        #[cfg(unix)]
        fs::File::open(&self.dir).and_then(|dir| dir.sync_all()).doing("sync the data folder")?;
        Ok(())
    }

    fn with_suffix(&self, suffix: &str) -> PathBuf {
        let mut name = self.db().into_os_string();
        name.push(suffix);
        name.into()
    }

    fn suspect(&self) -> PathBuf {
        self.with_suffix(".suspect")
    }
}

/// Makes a folder that only its owner can enter.
pub(super) fn make_private_dir(dir: &Path) -> Result<(), JournalError> {
    fs::create_dir_all(dir).doing("make the data folder")?;
    set_mode(dir, 0o700)
}

/// Sets the mode where there are modes.
pub(super) fn set_mode(path: &Path, mode: u32) -> Result<(), JournalError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(mode))
            .doing("keep the data folder private")?;
    }
    #[cfg(not(unix))]
    let _ = (path, mode);
    Ok(())
}

fn unix_ms() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis())
}
