//! Makes a copy, all of it or none, and removes one.

use super::committed::Uncommitted;
use super::git::Git;
use super::tree::{Entry, Found, Known, Tree, Walk, entry, mode};
use super::{CopyError, lines, repository};
use crate::files::confined;
use crate::sandbox::{self, Availability};
use crate::workspace::Workspace;
use rustix::fs::{FileType, Timespec, Timestamps};
use std::collections::BTreeSet;
use std::fs::{self, File, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use tokio_util::sync::CancellationToken;

/// A folder with more in it is not copied.
const MOST_FILES: usize = 50_000;
/// Bytes that are really copied; those that the disk shares do not count.
const MOST_BYTES: u64 = 1024 * 1024 * 1024;
/// Bytes of a large file that are copied before it is looked whether to go on.
const PIECE: u64 = 8 * 1024 * 1024;

/// A copy that was made.
#[derive(Debug)]
pub struct Made {
    /// Ignored folders that are not in it.
    pub left_out: Vec<String>,
    /// The folder with the repository's objects, which the copy reads and nobody changes by it.
    pub shares: Option<PathBuf>,
}

/// The folder of a copy in which the work is done.
pub fn work(copy: &Path) -> PathBuf {
    copy.join("work")
}

/// Copies a workspace to a folder that is not there yet. Nothing is left of one that failed. It is
/// called on a thread of a runtime that may wait. Where the workspace is a copy itself, `shared` is
/// what that one shares.
pub fn make(
    from: &Workspace,
    shared: &[PathBuf],
    copy: &Path,
    cancel: &CancellationToken,
) -> Result<Made, CopyError> {
    let making = copy.with_extension("making");
    // A folder that is too large is known to be before anything is copied.
    count(from, copy, cancel)?;
    let made = remove(&making).and_then(|()| remove(copy)).and_then(|()| {
        let made = Making { from, shared, to: &making, cancel, files: 0, bytes: 0 }.fill()?;
        fs::rename(&making, copy).map_err(|err| CopyError::io("making a copy", err))?;
        Ok(made)
    });
    match made {
        // Who stops does not wait for it.
        Err(CopyError::Cancelled) => discard(&making),
        // Best effort: the error that matters is the one being reported.
        Err(_) => drop(remove(&making)),
        Ok(_) => {}
    }
    made
}

fn count(from: &Workspace, copy: &Path, cancel: &CancellationToken) -> Result<(), CopyError> {
    let too_large = Err(CopyError::TooLarge { most: MOST_BYTES });
    let (mut files, mut copied, mut large) = (0, 0_u64, 0_u64);
    let mut one_large = None;
    // What git tracks in ignored places is counted when it is copied.
    let tracked = BTreeSet::new();
    let walk = Walk { ws: from, known: Known::Tracked(&tracked), cancel };
    walk.go(&mut |found| {
        files += 1;
        if files > MOST_FILES {
            return Err(CopyError::TooMany { most: MOST_FILES });
        }
        if found.bytes <= lines::LONGEST {
            copied = copied.saturating_add(found.bytes);
        } else {
            large = large.saturating_add(found.bytes);
            one_large.get_or_insert_with(|| found.path.to_owned());
        }
        match copied > MOST_BYTES {
            true => Err(CopyError::TooLarge { most: MOST_BYTES }),
            false => Ok(()),
        }
    })?;
    match one_large {
        Some(path) if copied.saturating_add(large) > MOST_BYTES => {
            if shares(from, &path, copy) {
                Ok(())
            } else {
                too_large
            }
        }
        Some(_) | None => Ok(()),
    }
}

/// Whether the disk can let a copy have the blocks of a large file.
fn shares(from: &Workspace, path: &str, copy: &Path) -> bool {
    let tried = copy.with_extension("trying");
    let shared = || -> Option<()> {
        let (large, _) = confined::open_file(from, Path::new(path)).ok()?;
        fs::create_dir_all(copy.parent()?).ok()?;
        let file = File::create(&tried).ok()?;
        rustix::fs::ioctl_ficlone(&file, &large).ok()
    };
    let shared = shared().is_some();
    // What is left of it is removed at the next start, as no room's.
    let _ = fs::remove_file(&tried);
    shared
}

/// Takes what was half made out of the way at once and removes it in the background. What is left
/// of it when the program ends is removed at the next start, as no room's.
fn discard(making: &Path) {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let gone = making.with_extension(format!("gone-{}-{number}", std::process::id()));
    if fs::rename(making, &gone).is_ok() {
        std::thread::spawn(move || {
            if let Err(error) = remove(&gone) {
                tracing::warn!(folder = %gone.display(), %error, "a half-made copy is left");
            }
        });
    }
}

struct Making<'a> {
    from: &'a Workspace,
    shared: &'a [PathBuf],
    to: &'a Path,
    cancel: &'a CancellationToken,
    files: usize,
    bytes: u64,
}

impl Making<'_> {
    fn fill(mut self) -> Result<Made, CopyError> {
        let failed = |err| CopyError::io("making a copy", err);
        let (from, cancel) = (self.from, self.cancel);
        let work = work(self.to);
        fs::create_dir_all(self.to.join("base")).map_err(failed)?;
        fs::create_dir(&work).map_err(failed)?;
        fs::set_permissions(self.to, Permissions::from_mode(0o700)).map_err(failed)?;
        let shares = match sandbox::availability() {
            Availability::Available => repository::clone(from, self.shared, &work)?,
            // Git can't be asked, and no command runs in the copy either.
            Availability::Missing { .. } => None,
        };
        let git = shares
            .clone()
            .map(|objects| Git::of(self.to, &work, [&[objects], self.shared].concat(), cancel));
        let git = git.transpose()?;
        let tracked = git.as_ref().map(Git::tracked).transpose()?.unwrap_or_default();
        let mut base = Tree::new();
        let walk = Walk { ws: from, known: Known::Tracked(&tracked), cancel };
        let left = walk.go(&mut |found| {
            if cancel.is_cancelled() {
                return Err(CopyError::Cancelled);
            }
            if let Some(entry) = self.one(&work, found)? {
                base.insert(found.path.to_owned(), entry);
            }
            Ok(())
        })?;
        let known = serde_json::to_vec(&base).map_err(|err| failed(err.into()))?;
        fs::write(self.to.join("base.json"), known).map_err(failed)?;
        if let Some(git) = git {
            Uncommitted::note(self.to, &git)?;
            remove(&git.asking)?;
        }
        Ok(Made { left_out: left.folders, shares })
    }

    fn one(&mut self, work: &Path, found: &Found<'_>) -> Result<Option<Entry>, CopyError> {
        self.files += 1;
        if self.files > MOST_FILES {
            return Err(CopyError::TooMany { most: MOST_FILES });
        }
        let to = work.join(found.path);
        let failed = |err| CopyError::io(format!("copying `{}`", found.path), err);
        match found.kind {
            FileType::Directory => {
                fs::create_dir(&to).map_err(failed)?;
                Ok(Some(Entry::Folder))
            }
            FileType::Symlink => {
                let link = entry(self.from, found.path)?;
                if let Some(Entry::Link { to: target }) = &link {
                    symlink(target, &to).map_err(failed)?;
                }
                Ok(link)
            }
            FileType::RegularFile => self.file(found, &to).map(Some),
            FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => Ok(None),
        }
    }

    fn file(&mut self, found: &Found<'_>, to: &Path) -> Result<Entry, CopyError> {
        let failed = |err| CopyError::io(format!("copying `{}`", found.path), err);
        let (mut from, stat) = confined::open_file(self.from, Path::new(found.path))?;
        let mut file = File::create_new(to).map_err(failed)?;
        let hash = if stat.st_size.unsigned_abs() <= lines::LONGEST {
            self.count(stat.st_size.unsigned_abs())?;
            let mut content = Vec::new();
            (&from).take(lines::LONGEST + 1).read_to_end(&mut content).map_err(failed)?;
            file.write_all(&content).map_err(failed)?;
            let hash = blake3::hash(&content).to_hex().to_string();
            if lines::text(&content).is_some() {
                fs::write(self.to.join("base").join(&hash), &content).map_err(failed)?;
            }
            hash
        } else {
            // Where the disk can, both are the same blocks until one is changed.
            if rustix::fs::ioctl_ficlone(&file, &from).is_err() {
                self.count(stat.st_size.unsigned_abs())?;
                pour(&mut from, &mut file, self.cancel)?.map_err(failed)?;
            }
            let mut hasher = blake3::Hasher::new();
            let mut copied = File::open(to).map_err(failed)?;
            pour(&mut copied, &mut hasher, self.cancel)?.map_err(failed)?;
            hasher.finalize().to_hex().to_string()
        };
        let mode = mode(&stat);
        file.set_permissions(Permissions::from_mode(mode)).map_err(failed)?;
        let time = Timespec { tv_sec: stat.st_mtime, tv_nsec: stat.st_mtime_nsec as _ };
        let times = Timestamps { last_access: time, last_modification: time };
        // Only so that programs which go by it do less again.
        let _ = rustix::fs::futimens(&file, &times);
        Ok(Entry::File { hash, mode })
    }

    fn count(&mut self, bytes: u64) -> Result<(), CopyError> {
        self.bytes = self.bytes.saturating_add(bytes);
        match self.bytes > MOST_BYTES {
            true => Err(CopyError::TooLarge { most: MOST_BYTES }),
            false => Ok(()),
        }
    }
}

/// Copies bytes, piece by piece, until nobody wants them any more.
fn pour(
    from: &mut impl Read,
    to: &mut impl Write,
    cancel: &CancellationToken,
) -> Result<std::io::Result<()>, CopyError> {
    loop {
        if cancel.is_cancelled() {
            return Err(CopyError::Cancelled);
        }
        match std::io::copy(&mut from.take(PIECE), to) {
            Ok(0) => return Ok(Ok(())),
            Ok(_) => {}
            Err(error) => return Ok(Err(error)),
        }
    }
}

/// Removes a copy with everything in it; one that is not there is no error.
pub fn remove(copy: &Path) -> Result<(), CopyError> {
    let remove = || match fs::remove_dir_all(copy) {
        Err(err) if err.kind() == std::io::ErrorKind::NotFound => Ok(()),
        done => done,
    };
    let removed = remove().or_else(|_| {
        // Folders in it may have been closed.
        open_up(copy);
        remove()
    });
    removed.map_err(|err| CopyError::io("removing a copy", err))
}

fn open_up(folder: &Path) {
    let _ = fs::set_permissions(folder, Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file without an end, unwanted once it has been read from.
    struct Endless(CancellationToken);

    impl Read for Endless {
        fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
            self.0.cancel();
            Ok(buf.len())
        }
    }

    #[test]
    fn who_stops_waits_neither_for_a_large_file_nor_for_what_is_removed() {
        let cancel = CancellationToken::new();
        let poured = pour(&mut Endless(cancel.clone()), &mut std::io::sink(), &cancel);
        assert!(matches!(poured, Err(CopyError::Cancelled)));

        let home = tempfile::tempdir().unwrap();
        let making = home.path().join("one.making");
        fs::create_dir_all(making.join("work/deep")).unwrap();
        discard(&making);
        assert!(!making.exists(), "the next copy may be made");
        while fs::read_dir(home.path()).unwrap().count() > 0 {
            std::thread::yield_now();
        }
    }
}
