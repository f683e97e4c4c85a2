//! Gives git files of its own where they are linked to a place outside.

use super::walk::File;
use crate::orders::PARTS;
use crate::workspace::{Workspace, open_beneath};
use rustix::fs::{
    AtFlags, Gid, Mode, OFlags, ResolveFlags, Timespec, Timestamps, Uid, fchmod, fchown, fstat,
    futimens, openat, renameat, unlinkat,
};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Up to so many bytes in all are copied; what is larger is read-only.
const COPIED: u64 = 512 * 1024 * 1024;

/// Whether a file is one that git keeps for itself, and does not take orders from.
pub(super) fn is_of_git(path: &Path) -> bool {
    let mut parts = path.iter().skip_while(|part| *part != ".git").skip(1);
    parts.next().is_some_and(|part| !is_obeyed(part))
}

/// Whether git takes orders from a file in the workspace's own repository: those are read-only
/// already.
pub(super) fn is_sealed(path: &Path) -> bool {
    let mut parts = path.iter();
    parts.next().is_some_and(|first| first == ".git") && parts.next().is_some_and(is_obeyed)
}

fn is_obeyed(part: &OsStr) -> bool {
    PARTS.iter().any(|(name, _)| part == *name)
}

/// Puts copies in the place of files, the smallest first, and gives back those that have none.
pub(super) fn copy(ws: &Workspace, mut files: Vec<File>) -> Vec<PathBuf> {
    files.sort_by_key(|file| file.size);
    let mut copied = 0;
    let left = files.into_iter().filter(|file| {
        copied += file.size;
        copied > COPIED || copy_one(ws, file).is_err()
    });
    left.map(|file| file.path).collect()
}

fn copy_one(ws: &Workspace, file: &File) -> std::io::Result<()> {
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
        Ok(renameat(&folder, &temporary, &folder, name)?)
    };
    let done = filled();
    if done.is_err() {
        // Best effort: the error that matters is the other one.
        let _ = unlinkat(&folder, &temporary, AtFlags::empty());
    }
    done
}

#[cfg(test)]
mod tests {
    use super::{is_of_git, is_sealed};
    use std::path::Path;

    #[test]
    fn what_git_takes_orders_from_is_not_touched() {
        for path in
            [".git/index", ".git/objects/pack/p.pack", "sub/.git/objects/aa/bb", ".git/HEAD"]
        {
            assert!(is_of_git(Path::new(path)), "{path}");
        }
        for path in ["a", ".git", "sub/.git", ".git/config", ".git/hooks/x", ".git/modules/m/HEAD"]
        {
            assert!(!is_of_git(Path::new(path)), "{path}");
        }
        assert!(is_sealed(Path::new(".git/config")) && !is_sealed(Path::new("sub/.git/config")));
    }
}
