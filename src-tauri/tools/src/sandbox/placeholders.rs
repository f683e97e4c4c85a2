//! Stands in for what is missing while commands run, so that there is something to mount over:
//! parts of git's folder, and hooks, programs and settings that git's settings name.
//!
//! To git they are nothing: empty folders, empty settings, and a `commondir` that names the very
//! folder it lies in (only `git rev-parse --git-common-dir` then answers with the whole path). They
//! are taken away when the last command in the workspace has ended, if they are still as they were
//! made. What a killed program left behind in git's folder goes when the program starts again, or
//! with the next command's.
//!
//! A command in the background may put a link in the place of any folder at any moment. So each
//! folder is opened below the workspace, where no link leads, and all is done in that one.

use super::Profile;
use crate::files::known;
use crate::git_exec_paths::{GitExecPaths, HERE, Own, PARTS, Shape};
use crate::read_only::ReadOnly;
use crate::workspace::open_beneath;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{
    AtFlags, FileType, FlockOperation, Mode, OFlags, ResolveFlags, flock, linkat, mkdirat, openat,
    statat, unlinkat,
};
use rustix::io::Errno;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// As for any new file or folder.
const FILE: Mode = Mode::from_bits_retain(0o666);
const FOLDER: Mode = Mode::from_bits_retain(0o777);
/// How often a lock is tried that another program of ours may hold for a moment.
const TRIES: usize = 50;
/// How long killed processes may go on unseen.
const KILLED: Duration = Duration::from_secs(1);

/// Workspaces with commands in them.
#[derive(Default)]
struct Held {
    commands: usize,
    made: Vec<Made>,
    /// Locked as long as commands run, so that another program of ours that works here as well takes
    /// nothing away.
    lock: Option<OwnedFd>,
}

struct Made {
    path: PathBuf,
    folder: Arc<OwnedFd>,
    name: OsString,
    shape: Shape,
    inode: u64,
}

/// Holds the placeholders of a workspace in place.
#[derive(Debug)]
pub(crate) struct Guard {
    workspace: Option<PathBuf>,
}

impl Guard {
    /// Makes what was found to be missing, before a command is started.
    pub(crate) fn new(workspace: &Path, profile: Profile, read_only: &ReadOnly) -> Self {
        match profile.may_write() {
            true => Self::of(workspace, &read_only.git),
            false => Self { workspace: None },
        }
    }

    fn of(workspace: &Path, git: &GitExecPaths) -> Self {
        let mut held = held();
        let one = held.entry(workspace.to_owned()).or_default();
        one.commands += 1;
        if git.own == Own::Parts && one.lock.is_none() {
            one.lock = open(workspace, &workspace.join(".git"));
            if one.commands == 1 && one.is_the_last() {
                one.made.extend(left_behind(workspace));
            }
            one.share();
        }
        for (path, shape) in &git.missing {
            // One that is there already is left alone.
            one.made.extend(make(workspace, path, *shape));
        }
        Self { workspace: Some(workspace.to_owned()) }
    }

    /// Takes them away again, when all processes of the command are gone.
    pub(crate) fn end(mut self) {
        self.workspace.take().iter().for_each(|workspace| release(workspace));
    }
}

impl Drop for Guard {
    /// For a command that was dropped, and so is killed about now.
    fn drop(&mut self) {
        if let Some(workspace) = self.workspace.take() {
            std::thread::spawn(move || {
                std::thread::sleep(KILLED);
                release(&workspace);
            });
        }
    }
}

/// Takes away what a program of ours that was killed left in git's folder of a workspace.
pub fn clear_up(workspace: &Path) {
    let mut git = GitExecPaths::of(workspace);
    git.missing.clear();
    Guard::of(workspace, &git).end();
}

/// The stand-ins among a workspace's own files, below it.
pub(crate) fn stand_ins(workspace: &Path) -> Vec<PathBuf> {
    let held = held();
    let made = held.get(workspace).into_iter().flat_map(|one| &one.made);
    let own = made.filter_map(|made| made.path.strip_prefix(workspace).ok());
    own.filter(|path| !path.starts_with(".git")).map(Path::to_owned).collect()
}

/// The stand-ins among a workspace's own files, as rules by which git leaves them alone.
pub(super) fn to_ignore(workspace: &Path) -> Option<String> {
    let mut rules = String::new();
    for path in stand_ins(workspace) {
        let Some(path) = path.to_str() else { continue };
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

fn held() -> MutexGuard<'static, HashMap<PathBuf, Held>> {
    static HELD: LazyLock<Mutex<HashMap<PathBuf, Held>>> = LazyLock::new(Mutex::default);
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

fn release(workspace: &Path) {
    let mut held = held();
    let Some(one) = held.get_mut(workspace) else { return };
    one.commands -= 1;
    if one.commands > 0 {
        return;
    }
    if one.is_the_last() {
        // What lies in another comes after it.
        one.made.iter().rev().filter(|made| made.is_untouched()).for_each(Made::take_away);
    }
    held.remove(workspace);
}

impl Held {
    fn is_the_last(&self) -> bool {
        let alone = |lock| flock(lock, FlockOperation::NonBlockingLockExclusive).is_ok();
        self.lock.as_ref().is_none_or(alone)
    }

    /// Lets another program of ours in again. A command can lock the folder as well, so nothing
    /// waits for it for long. Where there are no locks, there is no other program to be told.
    fn share(&self) {
        let Some(lock) = &self.lock else { return };
        for _ in 0..TRIES {
            match flock(lock, FlockOperation::NonBlockingLockShared) {
                Err(Errno::WOULDBLOCK) => std::thread::sleep(Duration::from_millis(1)),
                Ok(()) | Err(_) => return,
            }
        }
    }
}

/// Opens a folder of the workspace, if no link leads there.
fn open(workspace: &Path, folder: &Path) -> Option<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let top = rustix::fs::open(workspace, flags, Mode::empty()).ok()?;
    let relative = folder.strip_prefix(workspace).ok()?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW;
    open_beneath(top.as_fd(), relative, flags, ResolveFlags::NO_SYMLINKS).ok()
}

/// Makes what is missing.
fn make(workspace: &Path, path: &Path, shape: Shape) -> Option<Made> {
    let (name, folder) = (path.file_name()?, open(workspace, path.parent()?)?);
    match shape {
        Shape::Folder => mkdirat(&folder, name, FOLDER).ok()?,
        Shape::File => drop(new_file(&folder, name)?),
        Shape::Commondir => {
            // In one piece: git must never see an empty one.
            let written = OsString::from(format!("plancard-{}", std::process::id()));
            // From an earlier program with this number, which was killed.
            let _ = unlinkat(&folder, &written, AtFlags::empty());
            let mut file = new_file(&folder, &written)?;
            let linked = file.write_all(HERE.as_bytes()).is_ok()
                && linkat(&folder, &written, &folder, name, AtFlags::empty()).is_ok();
            let _ = unlinkat(&folder, &written, AtFlags::empty());
            linked.then_some(())?;
        }
    }
    Made::there(path, Arc::new(folder), shape)
}

fn new_file(folder: &OwnedFd, name: &OsStr) -> Option<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
    openat(folder, name, flags | OFlags::CLOEXEC, FILE).ok().map(File::from)
}

/// What a killed program left in git's folder: a `commondir` of ours, which nobody else makes, and
/// beside it what is empty.
fn left_behind(workspace: &Path) -> Vec<Made> {
    let own = workspace.join(".git");
    let Some(folder) = open(workspace, &own).map(Arc::new) else { return Vec::new() };
    // Git itself makes an empty `branches`, which is as good left as taken away.
    let parts = PARTS.iter().filter(|(name, _)| !matches!(*name, "config" | "branches"));
    let found = |name: &str, shape| Made::there(&own.join(name), Arc::clone(&folder), shape);
    let there: Vec<Made> = parts.filter_map(|(name, shape)| found(name, *shape)).collect();
    let there: Vec<Made> = there.into_iter().filter(Made::is_untouched).collect();
    let is_ours = there.iter().any(|made| made.shape == Shape::Commondir);
    if is_ours { there } else { Vec::new() }
}

impl Made {
    /// What is there now, as something of ours.
    fn there(path: &Path, folder: Arc<OwnedFd>, shape: Shape) -> Option<Self> {
        let name = path.file_name()?.to_owned();
        let inode = statat(&folder, &name, AtFlags::SYMLINK_NOFOLLOW).ok()?.st_ino;
        Some(Self { path: path.to_owned(), folder, name, shape, inode })
    }

    fn is_untouched(&self) -> bool {
        let Ok(stat) = statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW) else {
            return false;
        };
        let content = match self.shape {
            // A folder that is not empty is not taken away.
            Shape::Folder => FileType::from_raw_mode(stat.st_mode) == FileType::Directory,
            Shape::File => stat.st_size == 0,
            Shape::Commondir => {
                let text = known::own_text_in(&self.folder, &self.name);
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
        let _ = unlinkat(&self.folder, &self.name, flags);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    #[test]
    fn a_link_swapped_in_has_nothing_made_where_it_leads() {
        let (home, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let workspace = home.path().canonicalize().unwrap();
        let git = workspace.join(".git");
        assert!(
            Command::new("git").args(["init", "-q"]).arg(&workspace).status().unwrap().success()
        );
        let config = std::fs::read_to_string(git.join("config")).unwrap();
        std::fs::write(git.join("config"), config + "[core]\nhooksPath = deep/hooks\n").unwrap();
        std::fs::write(outside.path().join("config"), "").unwrap();
        let deep = workspace.join("deep");
        std::fs::create_dir(&deep).unwrap();
        let orders = GitExecPaths::of(&workspace);
        assert!(orders.missing.iter().any(|(path, _)| path.starts_with(&deep)));
        for folder in [&git, &deep] {
            std::fs::rename(folder, workspace.join("other")).unwrap();
            symlink(outside.path(), folder).unwrap();
            let guard = Guard::of(&workspace, &orders);
            let there = std::fs::read_dir(outside.path()).unwrap().flatten();
            assert_eq!(there.map(|one| one.file_name()).collect::<Vec<_>>(), ["config"]);
            guard.end();
            std::fs::remove_file(folder).unwrap();
            std::fs::rename(workspace.join("other"), folder).unwrap();
        }
        let guard = Guard::of(&workspace, &orders);
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
