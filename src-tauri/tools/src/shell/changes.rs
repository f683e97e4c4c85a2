//! What a command changed, by comparing two quick looks at the workspace.

use crate::ignored::Ignored;
use crate::output::{Change, ChangeKind};
use crate::runs_later;
use crate::workspace::open_beneath;
use ignore::overrides::Override;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, Stat, open, statat};
use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use tokio_util::sync::CancellationToken;

/// Workspaces with more entries than this, or deeper ones, are not compared.
const MOST: usize = 5000;
/// As many that git ignores lie beside the others.
const MOST_IGNORED: usize = 100_000;
const DEEPEST: usize = 100;

/// The bits by which a file runs as who owns it, or as its group.
pub(crate) const AS_OTHERS: u32 = 0o6000;

/// Enough of a file's state to see that it changed. The change time catches
/// tools that set the modification time back.
#[derive(PartialEq, Eq)]
struct Stamp {
    size: i64,
    modified: (i64, i64),
    changed: (i64, i64),
    inode: u64,
    mode: u32,
}

/// The files of a workspace at one moment, ignored ones left out.
pub(crate) struct Snapshot {
    /// By their paths as texts: comparing paths part by part takes longer than all the rest.
    files: HashMap<OsString, Stamp>,
    /// Folders that git ignores, in which nobody looked.
    ignored: BTreeSet<PathBuf>,
}

impl Snapshot {
    /// Looks at every file; `None` when there are too many, or it was cancelled.
    pub(crate) fn take(root: &Path, cancel: &CancellationToken) -> Option<Self> {
        let mut look = Look {
            root,
            cancel,
            ignored: Ignored::below(root, Override::empty()),
            ahead: vec![PathBuf::new()],
            count: 0,
            ignored_count: 0,
            taken: Self { files: HashMap::new(), ignored: BTreeSet::new() },
        };
        let Ok(top) = open(root, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
        else {
            return Some(look.taken);
        };
        while let Some(folder) = look.ahead.pop() {
            if folder.components().count() > DEEPEST {
                return None;
            }
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW;
            // One that went away meanwhile, or became a link, has nothing to show.
            let opened = open_beneath(top.as_fd(), &folder, flags, ResolveFlags::NO_SYMLINKS);
            if let Ok(opened) = opened {
                look.right_in(&folder, &opened)?;
            }
        }
        Some(look.taken)
    }

    /// Folders in which nobody looked, because git ignores them.
    pub(crate) fn not_looked_at(&self) -> impl Iterator<Item = &PathBuf> {
        self.ignored.iter()
    }

    /// Files that run as their group now, and did not before.
    pub(crate) fn made_to_run_as_others(&self, now: &Self) -> Vec<PathBuf> {
        let as_others = |stamp: &Stamp| {
            let is_file = FileType::from_raw_mode(stamp.mode) == FileType::RegularFile;
            is_file && stamp.mode & AS_OTHERS != 0
        };
        let made = now.files.iter().filter(|(path, stamp)| {
            as_others(stamp) && !self.files.get(*path).is_some_and(as_others)
        });
        let mut made: Vec<PathBuf> = made.map(|(path, _)| PathBuf::from(path)).collect();
        made.sort();
        made
    }

    /// What is different now.
    pub(crate) fn until(&self, now: &Self) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut tell = |path: &OsStr, kind| {
            changes.push(Change::unread(path.to_string_lossy().into_owned(), kind));
        };
        for (path, stamp) in &now.files {
            match self.files.get(path) {
                None => tell(path, ChangeKind::Created),
                Some(before) if before != stamp => tell(path, ChangeKind::Modified),
                Some(_) => {}
            }
        }
        for path in self.files.keys().filter(|path| !now.files.contains_key(*path)) {
            tell(path, ChangeKind::Deleted);
        }
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        changes
    }
}

/// A look at a workspace, folder by folder.
struct Look<'a> {
    root: &'a Path,
    cancel: &'a CancellationToken,
    ignored: Ignored,
    /// Folders that were not looked at yet, below the root.
    ahead: Vec<PathBuf>,
    count: usize,
    ignored_count: usize,
    taken: Snapshot,
}

impl Look<'_> {
    /// Looks at all that lies right in a folder; `None` when there is too much.
    fn right_in(&mut self, folder: &Path, opened: &OwnedFd) -> Option<()> {
        let whole = self.root.join(folder);
        let Ok(entries) = Dir::read_from(opened) else { return Some(()) };
        let rules = self.ignored.right_in(&whole);
        for entry in entries.flatten() {
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let stat = || statat(opened, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW).ok();
            let told = entry.file_type();
            // Some disks do not say what it is, and whoever asks is told.
            let known = match told == FileType::Unknown {
                true => {
                    let Some(stat) = stat() else { continue };
                    Some(stat)
                }
                false => None,
            };
            let kind = known.map_or(told, |stat| FileType::from_raw_mode(stat.st_mode));
            let is_folder = kind == FileType::Directory;
            // What runs later is looked at although git ignores it.
            let is_ignored = !rules.are_none() && rules.hold(&whole.join(name), is_folder);
            let is_left_out =
                is_ignored && (is_folder || runs_later::when(&folder.join(name)).is_none());
            if is_left_out {
                if is_folder {
                    self.taken.ignored.insert(folder.join(name));
                }
                self.ignored_count += 1;
            } else {
                self.count += 1;
            }
            let too_many = self.count > MOST || self.ignored_count > MOST_IGNORED;
            if too_many || self.cancel.is_cancelled() {
                return None;
            }
            if is_left_out {
                continue;
            }
            // The inside of `.git` is left out, but a `.git` that appears is told.
            let is_git = name == ".git";
            if is_folder && !is_git {
                self.ahead.push(folder.join(name));
                continue;
            }
            let Some(stat) = known.or_else(stat) else { continue };
            let path = folder.join(name).into_os_string();
            self.taken.files.insert(path, stamp(&stat, is_git && is_folder));
        }
        Some(())
    }
}

fn stamp(stat: &Stat, is_git: bool) -> Stamp {
    // Every git command touches the folder `.git`; only another one is news.
    let still = |times: (i64, i64)| if is_git { (0, 0) } else { times };
    Stamp {
        size: if is_git { 0 } else { stat.st_size },
        modified: still((stat.st_mtime, stat.st_mtime_nsec.cast_signed())),
        changed: still((stat.st_ctime, stat.st_ctime_nsec.cast_signed())),
        inode: stat.st_ino,
        mode: stat.st_mode,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(root: &Path) -> Option<Snapshot> {
        Snapshot::take(root, &CancellationToken::new())
    }

    #[test]
    fn tells_created_modified_and_deleted_and_skips_ignored() {
        let home = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(home.path().join(name), text).unwrap();
        std::fs::create_dir_all(home.path().join("target")).unwrap();
        write(".gitignore", "target\n");
        write("same", "1");
        write("modified", "1");
        write("deleted", "1");
        let before = take(home.path()).unwrap();
        write("modified", "22");
        write("created", "1");
        write("target/built", "1");
        std::fs::remove_file(home.path().join("deleted")).unwrap();
        std::fs::create_dir_all(home.path().join(".git/hooks")).unwrap();
        let after = take(home.path()).unwrap();
        let told: Vec<_> = before.until(&after).into_iter().map(|c| (c.path, c.kind)).collect();
        assert_eq!(
            told,
            [
                (".git".to_owned(), ChangeKind::Created),
                ("created".to_owned(), ChangeKind::Created),
                ("deleted".to_owned(), ChangeKind::Deleted),
                ("modified".to_owned(), ChangeKind::Modified),
            ]
        );
    }

    #[test]
    fn a_large_workspace_is_not_compared() {
        let home = tempfile::tempdir().unwrap();
        for n in 0..=MOST {
            std::fs::write(home.path().join(n.to_string()), "").unwrap();
        }
        assert!(take(home.path()).is_none());
    }

    #[test]
    fn a_look_that_is_cancelled_ends() {
        let (home, cancel) = (tempfile::tempdir().unwrap(), CancellationToken::new());
        std::fs::write(home.path().join("file"), "").unwrap();
        assert!(Snapshot::take(home.path(), &cancel).is_some());
        cancel.cancel();
        assert!(Snapshot::take(home.path(), &cancel).is_none());
    }
}
