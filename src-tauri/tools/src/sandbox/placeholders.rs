//! Stands in for missing parts of git's folder while commands run, so that
//! there is something to mount over.
//!
//! To git they are nothing: empty folders, empty settings, and a `commondir`
//! that names the very folder it lies in (only `git rev-parse --git-common-dir`
//! then answers with the whole path). They are taken away when the last command
//! in the repository has ended, if they are still as they were made. What a
//! killed program left behind in git's folder goes when the program starts
//! again, or with the next command's.
//!
//! In a repository where `commondir` would mean something to git, none is made.
//!
//! A command in the background may put a link in the place of any folder at any moment. So each
//! folder is opened below the workspace once, where no link leads, and all is done in that one.

use super::Profile;
use crate::files::known;
use crate::orders::{Kind, Orders, PARTS, Shape};
use crate::workspace::open_beneath;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{
    AtFlags, FileType, FlockOperation, Mode, OFlags, ResolveFlags, Stat, flock, linkat, mkdirat,
    openat, statat, unlinkat,
};
use rustix::io::Errno;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// As for any new file or folder.
const FILE: Mode = Mode::from_bits_retain(0o666);
const FOLDER: Mode = Mode::from_bits_retain(0o777);
/// What a `commondir` of ours holds.
const HERE: &str = ".\n";
/// How often a lock is tried that another program of ours may hold for a moment.
const TRIES: usize = 50;
/// How long killed processes may go on unseen.
const KILLED: Duration = Duration::from_secs(1);

/// Git's folders with commands in them.
static HELD: Mutex<Option<HashMap<PathBuf, Held>>> = Mutex::new(None);

struct Held {
    commands: usize,
    made: Vec<Made>,
    /// Locked as long as commands run, so that another program of ours that
    /// works here as well takes nothing away.
    folder: Option<Arc<Folder>>,
}

/// A folder in the workspace that is open.
struct Folder {
    path: PathBuf,
    opened: OwnedFd,
}

struct Made {
    folder: Arc<Folder>,
    name: OsString,
    shape: Shape,
    inode: u64,
}

/// Holds the placeholders of a workspace in place.
#[derive(Debug)]
pub(crate) struct Guard {
    folders: Vec<PathBuf>,
}

impl Guard {
    /// Makes what is missing before a command is started.
    pub(crate) fn new(workspace: &Path, profile: Profile) -> Self {
        let orders = profile.may_write().then(|| Orders::of(workspace));
        Self::of(workspace, orders.as_ref())
    }

    /// The same for orders that were found just now, if there are any to be held.
    pub(crate) fn of(workspace: &Path, orders: Option<&Orders>) -> Self {
        let Some(orders) = orders else { return Self { folders: Vec::new() } };
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        let held = held.get_or_insert_default();
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Ok(top) = rustix::fs::open(workspace, flags, Mode::empty()) else {
            return Self { folders: Vec::new() };
        };
        let top = Top { workspace, opened: top.as_fd() };
        // A folder with a link in it is read-only as a whole.
        let linked = |folder: &Path| orders.links.iter().any(|link| link.parent() == Some(folder));
        let folders = orders.folders.iter().filter(|folder| folder.is_dir() && !linked(folder));
        let folders: Vec<PathBuf> = folders.cloned().collect();
        for folder in &folders {
            let one = hold(held, &top, folder, folder);
            let Some(opened) = one.folder.clone() else { continue };
            if one.commands == 1 && opened.left_behind().is_some() && one.is_the_last() {
                one.made.extend(opened.of_the_killed());
                one.share();
            }
            let missing = orders.missing.iter().filter(|(path, _)| path.parent() == Some(folder));
            let missing = missing.filter_map(|(path, shape)| Some((path.file_name()?, *shape)));
            one.made.extend(missing.filter_map(|(name, shape)| opened.make(name, shape)));
        }
        let mut folders = folders;
        for (level, shape) in &orders.levels {
            // One that is there is left alone, unless it is there for another command.
            let is_ours = Kind::of(level) == Kind::Missing || held.contains_key(level);
            let (true, Some(folder), Some(name)) = (is_ours, level.parent(), level.file_name())
            else {
                continue;
            };
            if folders.contains(level) {
                continue;
            }
            let one = hold(held, &top, level, folder);
            one.made.extend(one.folder.as_ref().and_then(|opened| opened.make(name, *shape)));
            folders.push(level.clone());
        }
        Self { folders }
    }

    /// Takes them away again, when all processes of the command are gone.
    pub(crate) fn end(mut self) {
        release(&std::mem::take(&mut self.folders));
    }
}

/// Takes away what a program of ours that was killed left in git's folders of a workspace.
pub fn clear_up(workspace: &Path) {
    let mut orders = Orders::of(workspace);
    orders.missing.clear();
    orders.levels.clear();
    Guard::of(workspace, Some(&orders)).end();
}

/// The stand-ins among a workspace's own files, as rules by which git leaves them alone.
pub(super) fn to_ignore(workspace: &Path) -> Option<String> {
    let held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    let all = held.iter().flatten().flat_map(|(level, one)| {
        let made = one.made.iter().filter(|made| made.shape == Shape::File);
        made.map(Made::path).filter(move |path| path == level)
    });
    let mut rules = String::new();
    for path in all {
        let Some(path) = path.strip_prefix(workspace).ok().and_then(Path::to_str) else { continue };
        rules.push('/');
        for c in path.chars() {
            if c.is_ascii_punctuation() && c != '/' {
                rules.push('\\');
            }
            rules.push(c);
        }
        rules.push('\n');
    }
    (!rules.is_empty()).then_some(rules)
}

impl Drop for Guard {
    /// For a command that was dropped, and so is killed about now.
    fn drop(&mut self) {
        let folders = std::mem::take(&mut self.folders);
        if !folders.is_empty() {
            std::thread::spawn(move || {
                std::thread::sleep(KILLED);
                release(&folders);
            });
        }
    }
}

impl Held {
    fn is_the_last(&self) -> bool {
        let alone = |folder: &Arc<Folder>| {
            flock(&folder.opened, FlockOperation::NonBlockingLockExclusive).is_ok()
        };
        self.folder.as_ref().is_some_and(alone)
    }

    /// Lets another program of ours in again.
    fn share(&self) {
        if let Some(folder) = &self.folder {
            folder.share();
        }
    }
}

/// The workspace, open.
struct Top<'a> {
    workspace: &'a Path,
    opened: BorrowedFd<'a>,
}

impl Folder {
    fn open(top: &Top<'_>, path: &Path) -> Option<Self> {
        let relative = path.strip_prefix(top.workspace).ok()?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW;
        let opened = open_beneath(top.opened, relative, flags, ResolveFlags::NO_SYMLINKS).ok()?;
        Some(Self { path: path.to_owned(), opened })
    }

    /// A command can lock the folder as well, so nothing waits for it for long. Where there are no
    /// locks, there is no other program to be told.
    fn share(&self) {
        for _ in 0..TRIES {
            match flock(&self.opened, FlockOperation::NonBlockingLockShared) {
                Err(Errno::WOULDBLOCK) => std::thread::sleep(Duration::from_millis(1)),
                Ok(()) | Err(_) => return,
            }
        }
    }

    fn make(self: &Arc<Self>, name: &OsStr, shape: Shape) -> Option<Made> {
        let folder = &self.opened;
        match shape {
            Shape::Folder => mkdirat(folder, name, FOLDER).ok()?,
            Shape::File => drop(self.new_file(name)?),
            Shape::Commondir if self.commondir_means_nothing() => {
                // In one piece: git must never see an empty one.
                let written = OsString::from(format!("plancard-{}", std::process::id()));
                // From an earlier program with this number, which was killed.
                let _ = unlinkat(folder, &written, AtFlags::empty());
                let mut file = self.new_file(&written)?;
                let linked = file.write_all(HERE.as_bytes()).is_ok()
                    && linkat(folder, &written, folder, name, AtFlags::empty()).is_ok();
                let _ = unlinkat(folder, &written, AtFlags::empty());
                linked.then_some(())?;
            }
            Shape::Commondir => return None,
        }
        self.found(name, shape)
    }

    fn new_file(&self, name: &OsStr) -> Option<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        openat(&self.opened, name, flags | OFlags::CLOEXEC, FILE).ok().map(File::from)
    }

    fn stat(&self, name: &OsStr) -> Option<Stat> {
        statat(&self.opened, name, AtFlags::SYMLINK_NOFOLLOW).ok()
    }

    /// What is there now, as something of ours.
    fn found(self: &Arc<Self>, name: &OsStr, shape: Shape) -> Option<Made> {
        let inode = self.stat(name)?.st_ino;
        Some(Made { folder: Arc::clone(self), name: name.to_owned(), shape, inode })
    }

    /// Git does not look at `core.bare` and `core.worktree` where there is a
    /// `commondir`, and takes the references of another kind to be locked twice.
    fn commondir_means_nothing(&self) -> bool {
        let Some(config) = known::own_text_in(&self.opened, "config") else { return false };
        let config: String = config.to_lowercase().split([' ', '\t', '\r']).collect();
        let mut lines = config.lines().map(|line| line.rsplit(']').next().unwrap_or(line));
        !lines.any(|line| {
            let bare = line.starts_with("bare") && line != "bare=false";
            bare || line.starts_with("worktree=") || line.starts_with("refstorage")
        })
    }

    /// What else a killed program left in a folder with a `commondir` of ours: what is empty.
    fn of_the_killed(self: &Arc<Self>) -> Vec<Made> {
        let parts = PARTS.iter().filter(|(name, _)| *name != "config");
        let there = parts.filter_map(|(name, shape)| self.found(name.as_ref(), *shape));
        there.filter(Made::is_untouched).collect()
    }

    /// A `commondir` of ours that was not taken away. Nobody else makes such a one.
    fn left_behind(self: &Arc<Self>) -> Option<Made> {
        let made = self.found("commondir".as_ref(), Shape::Commondir)?;
        made.is_untouched().then_some(made)
    }
}

/// What is held under a name. One folder has one lock, whatever is held in it: a second one would
/// count as another program's.
fn hold<'a>(
    held: &'a mut HashMap<PathBuf, Held>,
    top: &Top<'_>,
    name: &Path,
    folder: &Path,
) -> &'a mut Held {
    let mut open = held.values().filter_map(|one| one.folder.as_ref());
    let same = open.find(|opened| opened.path == folder).cloned();
    let folder = same.or_else(|| {
        let opened = Folder::open(top, folder)?;
        opened.share();
        Some(Arc::new(opened))
    });
    let one = held.entry(name.to_owned()).or_insert(Held { commands: 0, made: Vec::new(), folder });
    one.commands += 1;
    one
}

fn release(folders: &[PathBuf]) {
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    let held = held.get_or_insert_default();
    // What lies in another comes after it.
    for folder in folders.iter().rev() {
        let Some(one) = held.get_mut(folder) else { continue };
        one.commands -= 1;
        if one.commands > 0 {
            continue;
        }
        if one.is_the_last() {
            one.made.iter().filter(|made| made.is_untouched()).for_each(Made::take_away);
            let opened = one.folder.as_ref().filter(|opened| opened.path == *folder);
            let left = opened.and_then(Folder::left_behind);
            left.iter().for_each(Made::take_away);
            one.share();
        }
        held.remove(folder);
    }
}

impl Made {
    fn path(&self) -> PathBuf {
        self.folder.path.join(&self.name)
    }

    fn is_untouched(&self) -> bool {
        let Some(stat) = self.folder.stat(&self.name) else { return false };
        let content = match self.shape {
            // A folder that is not empty is not taken away.
            Shape::Folder => FileType::from_raw_mode(stat.st_mode) == FileType::Directory,
            Shape::File => stat.st_size == 0,
            Shape::Commondir => {
                let text = known::own_text_in(&self.folder.opened, &self.name);
                text.is_some_and(|text| text == HERE)
            }
        };
        content && stat.st_ino == self.inode
    }

    fn take_away(&self) {
        let flags = match self.shape {
            Shape::Folder => AtFlags::REMOVEDIR,
            Shape::File | Shape::Commondir => AtFlags::empty(),
        };
        // What is gone already, or in use, is nobody's loss.
        let _ = unlinkat(&self.folder.opened, &self.name, flags);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_link_swapped_in_has_nothing_made_where_it_leads() {
        let (home, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let workspace = home.path().canonicalize().unwrap();
        let git = workspace.join(".git");
        std::fs::create_dir(&git).unwrap();
        std::fs::write(git.join("config"), "[core]\nhooksPath = deep/hooks\n").unwrap();
        std::fs::write(outside.path().join("config"), "").unwrap();
        let deep = workspace.join("deep");
        std::fs::create_dir(&deep).unwrap();
        let orders = Orders::of(&workspace);
        assert!(!orders.missing.is_empty() && !orders.levels.is_empty());
        for folder in [&git, &deep] {
            std::fs::rename(folder, workspace.join("other")).unwrap();
            symlink(outside.path(), folder).unwrap();
            let guard = Guard::of(&workspace, Some(&orders));
            let there = std::fs::read_dir(outside.path()).unwrap().flatten();
            assert_eq!(there.map(|one| one.file_name()).collect::<Vec<_>>(), ["config"]);
            guard.end();
            std::fs::remove_file(folder).unwrap();
            std::fs::rename(workspace.join("other"), folder).unwrap();
        }
        let guard = Guard::of(&workspace, Some(&orders));
        // What is swapped in later has nothing taken away, and what was made is.
        std::fs::rename(&git, workspace.join("other")).unwrap();
        symlink(outside.path(), &git).unwrap();
        std::fs::write(outside.path().join("commondir"), HERE).unwrap();
        assert!(workspace.join("other/commondir").exists());
        guard.end();
        assert!(outside.path().join("commondir").exists());
        assert!(!workspace.join("other/commondir").exists() && !deep.join("hooks").exists());
    }
}
