//! Stands in for missing parts of git's folder while commands run, so that
//! there is something to mount over.
//!
//! To git they are nothing: empty folders, empty settings, and a `commondir`
//! that names the very folder it lies in (only `git rev-parse --git-common-dir`
//! then answers with the whole path). They are taken away when the last command
//! in the repository has ended, if they are still as they were made. What a
//! killed program left behind in git's folder goes with the next command's.
//!
//! In a repository where `commondir` would mean something to git, none is made.

use super::Profile;
use crate::files::known;
use crate::orders::{Kind, Orders, PARTS, Shape};
use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;
use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

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
    lock: Option<Arc<Lock>>,
}

struct Lock {
    folder: PathBuf,
    file: File,
}

struct Made {
    path: PathBuf,
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
        if !profile.may_write() {
            return Self { folders: Vec::new() };
        }
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        let held = held.get_or_insert_default();
        let orders = Orders::of(workspace);
        // A folder with a link in it is read-only as a whole.
        let linked = |folder: &Path| orders.links.iter().any(|link| link.parent() == Some(folder));
        let folders = orders.folders.iter().filter(|folder| folder.is_dir() && !linked(folder));
        let folders: Vec<PathBuf> = folders.cloned().collect();
        for folder in &folders {
            let one = hold(held, folder, folder);
            if one.commands == 1 && left_behind(folder).is_some() && one.is_the_last() {
                one.made.extend(of_the_killed(folder));
                one.share();
            }
            let missing = orders.missing.iter().filter(|(path, _)| path.parent() == Some(folder));
            one.made.extend(missing.filter_map(|(path, shape)| make(path, *shape, folder)));
        }
        let mut folders = folders;
        for (level, shape) in &orders.levels {
            // One that is there is left alone, unless it is there for another command.
            let is_ours = Kind::of(level) == Kind::Missing || held.contains_key(level);
            let (true, Some(folder)) = (is_ours, level.parent()) else { continue };
            if folders.contains(level) {
                continue;
            }
            hold(held, level, folder).made.extend(make(level, *shape, folder));
            folders.push(level.clone());
        }
        Self { folders }
    }

    /// Takes them away again, when all processes of the command are gone.
    pub(crate) fn end(mut self) {
        release(&std::mem::take(&mut self.folders));
    }
}

/// The stand-ins among a workspace's own files, as rules by which git leaves them alone.
pub(super) fn to_ignore(workspace: &Path) -> Option<String> {
    let held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    let all = held.iter().flatten().flat_map(|(level, one)| {
        one.made.iter().filter(move |made| made.path == *level && made.shape == Shape::File)
    });
    let mut rules = String::new();
    for path in all.filter_map(|made| made.path.strip_prefix(workspace).ok()?.to_str()) {
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
        let alone =
            |lock: &Arc<Lock>| flock(&lock.file, FlockOperation::NonBlockingLockExclusive).is_ok();
        self.lock.as_ref().is_some_and(alone)
    }

    /// Lets another program of ours in again.
    fn share(&self) {
        if let Some(lock) = &self.lock {
            lock.share();
        }
    }
}

impl Lock {
    /// A command can lock the folder as well, so nothing waits for it for long. Where there are no
    /// locks, there is no other program to be told.
    fn share(&self) {
        for _ in 0..TRIES {
            match flock(&self.file, FlockOperation::NonBlockingLockShared) {
                Err(Errno::WOULDBLOCK) => std::thread::sleep(Duration::from_millis(1)),
                Ok(()) | Err(_) => return,
            }
        }
    }
}

/// What is held under a name. One folder has one lock, whatever is held in it: a second one would
/// count as another program's.
fn hold<'a>(held: &'a mut HashMap<PathBuf, Held>, name: &Path, folder: &Path) -> &'a mut Held {
    let same = held.values().filter_map(|one| one.lock.as_ref()).find(|lock| lock.folder == folder);
    let lock = same.cloned().or_else(|| {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let file = rustix::fs::open(folder, flags, Mode::empty()).ok()?;
        let lock = Lock { folder: folder.to_owned(), file: file.into() };
        lock.share();
        Some(Arc::new(lock))
    });
    let one = held.entry(name.to_owned()).or_insert(Held { commands: 0, made: Vec::new(), lock });
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
            left_behind(folder).iter().for_each(Made::take_away);
            one.share();
        }
        held.remove(folder);
    }
}

fn make(path: &Path, shape: Shape, folder: &Path) -> Option<Made> {
    let made = match shape {
        Shape::Folder => std::fs::create_dir(path),
        Shape::File => File::create_new(path).map(drop),
        Shape::Commondir if commondir_means_nothing(folder) => {
            // In one piece: git must never see an empty one.
            let mut file = tempfile_in(folder).ok()?;
            let written = file.1.write_all(HERE.as_bytes());
            let linked = written.and_then(|()| std::fs::hard_link(&file.0, path));
            let _ = std::fs::remove_file(&file.0);
            linked
        }
        Shape::Commondir => return None,
    };
    made.ok()?;
    Some(Made { inode: path.symlink_metadata().ok()?.ino(), path: path.to_owned(), shape })
}

fn tempfile_in(folder: &Path) -> std::io::Result<(PathBuf, File)> {
    let path = folder.join(format!("plancard-{}", std::process::id()));
    // From an earlier program with this number, which was killed.
    let _ = std::fs::remove_file(&path);
    Ok((path.clone(), File::create_new(path)?))
}

/// Git does not look at `core.bare` and `core.worktree` where there is a
/// `commondir`, and takes the references of another kind to be locked twice.
fn commondir_means_nothing(folder: &Path) -> bool {
    let Some(config) = known::text(&folder.join("config")) else { return false };
    let config: String = config.to_lowercase().split([' ', '\t', '\r']).collect();
    let mut lines = config.lines().map(|line| line.rsplit(']').next().unwrap_or(line));
    !lines.any(|line| {
        let bare = line.starts_with("bare") && line != "bare=false";
        bare || line.starts_with("worktree=") || line.starts_with("refstorage")
    })
}

/// What else a killed program left in a folder with a `commondir` of ours: what is empty.
fn of_the_killed(folder: &Path) -> Vec<Made> {
    let parts = PARTS.iter().filter(|(name, _)| *name != "config");
    let there = parts.filter_map(|(name, shape)| {
        let path = folder.join(name);
        let inode = path.symlink_metadata().ok()?.ino();
        Some(Made { path, shape: *shape, inode })
    });
    there.filter(Made::is_untouched).collect()
}

/// A `commondir` of ours that was not taken away. Nobody else makes such a one.
fn left_behind(folder: &Path) -> Option<Made> {
    let path = folder.join("commondir");
    let ours = known::own_text(&path).is_some_and(|text| text == HERE);
    ours.then_some(Made { path, shape: Shape::Commondir, inode: 0 })
}

impl Made {
    fn is_untouched(&self) -> bool {
        let Ok(meta) = self.path.symlink_metadata() else { return false };
        let content = match self.shape {
            // A folder that is not empty is not taken away.
            Shape::Folder => meta.is_dir(),
            Shape::File => meta.len() == 0,
            Shape::Commondir => known::own_text(&self.path).is_some_and(|text| text == HERE),
        };
        content && meta.ino() == self.inode
    }

    fn take_away(&self) {
        let _ = match self.shape {
            Shape::Folder => std::fs::remove_dir(&self.path),
            Shape::File | Shape::Commondir => std::fs::remove_file(&self.path),
        };
    }
}
