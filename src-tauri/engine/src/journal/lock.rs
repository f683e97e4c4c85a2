//! One engine per data folder.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::JournalError;
use super::error::Doing;
use super::files::make_private_dir;

const TAKING: &str = "lock the data folder";

/// Holds a data folder for this process. The lock is the kernel's and goes
/// when the process does, so a crash leaves nothing to clean up; the process
/// number in the file is only there for the message.
#[derive(Debug)]
pub struct FolderLock {
    dir: PathBuf,
    file: File,
}

impl FolderLock {
    /// Takes the folder, making it if need be, or says who has it.
    pub fn take(dir: &Path) -> Result<Self, JournalError> {
        make_private_dir(dir)?;
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            // Truncating here would wipe the other engine's number.
            .truncate(false)
            .open(dir.join("lock"))
            .doing(TAKING)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let pid = holder(&mut file);
                return Err(JournalError::Locked { dir: dir.to_owned(), pid });
            }
            Err(TryLockError::Error(error)) => return Err(error).doing(TAKING),
        }
        file.set_len(0).doing(TAKING)?;
        file.rewind().doing(TAKING)?;
        writeln!(file, "{}", std::process::id()).doing(TAKING)?;
        Ok(Self { dir: dir.to_owned(), file })
    }

    /// The folder that is held.
    pub fn dir(&self) -> &Path {
        &self.dir
    }
}

impl Drop for FolderLock {
    /// Closing the file would not do: a tool that is being started at this
    /// moment holds a copy of it until it has become its own program.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}
