//! Gives a workspace copies of its own of files that have another name outside (hard links).
//!
//! Such a file is one file with several names, and what is written to it in the workspace is there
//! as well. Package managers make them, and so does `git clone` of a folder.

use crate::folder_walk::LinkedFile;
use crate::workspace::{Workspace, open_beneath};
use rustix::fs::{
    AtFlags, Gid, Mode, OFlags, ResolveFlags, Timespec, Timestamps, Uid, fchmod, fchown, fstat,
    futimens, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio_util::sync::CancellationToken;

/// Up to so many bytes in all are copied; what is larger stays read-only.
const COPIED: u64 = 512 * 1024 * 1024;

/// What became of the files.
#[derive(Debug, Default)]
pub(crate) struct Copied {
    pub(crate) done: Vec<PathBuf>,
    /// Those that still have a name outside.
    pub(crate) left: Vec<PathBuf>,
}

/// Puts copies in the place of files, the smallest first.
pub(crate) fn copy(
    ws: &Workspace,
    mut files: Vec<LinkedFile>,
    cancel: &CancellationToken,
) -> Copied {
    files.sort_by_key(|file| file.size);
    let (mut copied, mut bytes) = (Copied::default(), 0_u64);
    for file in files {
        bytes = bytes.saturating_add(file.size);
        let fits = bytes <= COPIED && !cancel.is_cancelled();
        match fits && copy_one(ws, &file).is_ok() {
            true => copied.done.push(file.path),
            false => copied.left.push(file.path),
        }
    }
    copied
}

fn copy_one(ws: &Workspace, file: &LinkedFile) -> std::io::Result<()> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let (Some(parent), Some(name)) = (file.path.parent(), file.path.file_name()) else {
        return Err(Errno::INVAL.into());
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let folder = open_beneath(ws.dir(), parent, flags, ResolveFlags::NO_SYMLINKS)?;
    let reading = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let old = openat(&folder, name, reading, Mode::empty())?;
    let stat = fstat(&old)?;
    if stat.st_ino != file.inode {
        return Err(Errno::STALE.into());
    }
    // Git clears away what begins like this, should we be killed now.
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let temporary = format!("tmp_obj_plancard_{}_{number}", std::process::id());
    let writing =
        OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let new = openat(&folder, &temporary, writing, Mode::from_raw_mode(0o600))?;
    let filled = || {
        let mut new = std::fs::File::from(new);
        std::io::copy(&mut std::fs::File::from(old), &mut new)?;
        // Only root can give files away; everybody else owns the new one.
        let _ = fchown(&new, Some(Uid::from_raw(stat.st_uid)), Some(Gid::from_raw(stat.st_gid)));
        fchmod(&new, Mode::from_raw_mode(stat.st_mode & 0o777))?;
        let at = |tv_sec: i64, tv_nsec: u64| Timespec { tv_sec, tv_nsec: tv_nsec.cast_signed() };
        let last_access = at(stat.st_atime, stat.st_atime_nsec);
        let last_modification = at(stat.st_mtime, stat.st_mtime_nsec);
        futimens(&new, &Timestamps { last_access, last_modification })?;
        // What was written to the old one meanwhile must not be lost.
        let now = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let same = (now.st_ino, now.st_size, now.st_mtime, now.st_mtime_nsec)
            == (stat.st_ino, stat.st_size, stat.st_mtime, stat.st_mtime_nsec);
        match same {
            true => Ok(renameat(&folder, &temporary, &folder, name)?),
            false => Err(Errno::STALE.into()),
        }
    };
    let done = filled();
    if done.is_err() {
        // Best effort: the error that matters is the other one.
        let _ = unlinkat(&folder, &temporary, AtFlags::empty());
    }
    done
}
