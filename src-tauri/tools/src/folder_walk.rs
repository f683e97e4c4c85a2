//! One bounded walk through a workspace: its repositories, and its files with more than one name.
//!
//! Git's ignore rules mean nothing here. A folder is known by its inode and its times of change; as
//! long as these are the same, nothing was added to it, renamed in it or taken from it, and it is
//! not read again. A walk ends at a number of entries, a depth, a deadline, or when it is cancelled.
//! The folders it didn't reach are named, and the next walk goes on from what this one read.

use crate::bare;
use crate::files::confined;
use crate::workspace::{Workspace, open_beneath};
use rustix::fs::{AtFlags, Dir, FileType, OFlags, ResolveFlags, Stat, statat};
use rustix::io::Errno;
use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio_util::sync::CancellationToken;

/// How much is read in one walk and in all, how deep, and for how long.
const READ: usize = 1_000_000;
const ENTRIES: usize = 10_000_000;
const DEEPEST: usize = 100;
const DEADLINE: Duration = Duration::from_secs(5);
/// As many entries of one folder are read before it is looked whether to go on.
const PIECE: usize = 1_000;
/// A folder that changed so shortly ago may change again within the same tick of the clock.
const TICK_NS: i128 = 20_000_000;
/// A workspace this small is read each time: a new name outside for a file in it changes no folder.
const SMALL: usize = 2_000;
/// Workspaces that are remembered.
const WORKSPACES: usize = 8;

/// What a walk found; paths are below the workspace.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Everything named `.git` but the workspace's own, and folders that git takes for bare
    /// repositories.
    pub(crate) repositories: Vec<PathBuf>,
    /// Files with a name outside the workspace.
    pub(crate) linked: Vec<LinkedFile>,
    /// Folders that nobody looked into: past a bound, or not readable.
    pub(crate) unknown: Vec<PathBuf>,
}

/// A name of a file that has another one outside.
#[derive(Debug)]
pub(crate) struct LinkedFile {
    pub(crate) path: PathBuf,
    pub(crate) inode: u64,
    pub(crate) size: u64,
}

/// The folders of a workspace as they were last read.
struct Folders {
    top: Folder,
    entries: usize,
    /// Files that had a name outside the last time that all was read.
    linked: HashSet<PathBuf>,
}

/// A folder, with those in it.
#[derive(Default)]
struct Folder {
    path: PathBuf,
    /// Nothing for one that was not read, or is not told from a later state by it.
    stamp: Option<Stamp>,
    entries: usize,
    folders: Vec<Folder>,
    /// Regular files with several names: name, disk, inode, how many names, size.
    several: Vec<(OsString, u64, u64, u64, u64)>,
    /// Entries named `.git`.
    gits: Vec<OsString>,
    is_bare: bool,
}

type Stamp = (u64, u64, i64, i64, i64, i64);

/// Walks through a workspace. `None` when it was cancelled.
pub(crate) fn walk(ws: &Workspace, cancel: &CancellationToken) -> Option<Found> {
    walk_until(ws, &|| cancel.is_cancelled())
}

fn walk_until(ws: &Workspace, is_stopped: &dyn Fn() -> bool) -> Option<Found> {
    let folders = remembered(ws.root());
    let mut folders = folders.lock().unwrap_or_else(PoisonError::into_inner);
    let folders = &mut *folders;
    if folders.entries <= SMALL {
        folders.top = Folder::default();
    }
    let was_known = folders.entries > SMALL;
    let mut found = folders.walk(ws, is_stopped)?;
    if was_known && found.linked.iter().any(|file| !folders.linked.contains(&file.path)) {
        // A file may have got or lost a name in the workspace meanwhile, which only its other folder
        // shows. So before anybody acts on it, all is read again.
        folders.top = Folder::default();
        found = folders.walk(ws, is_stopped)?;
    }
    folders.linked = found.linked.iter().map(|file| file.path.clone()).collect();
    Some(found)
}

fn remembered(root: &Path) -> Arc<Mutex<Folders>> {
    static ALL: Mutex<Vec<(PathBuf, Arc<Mutex<Folders>>)>> = Mutex::new(Vec::new());
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let found = all.iter().position(|(path, _)| path == root);
    let new = || Folders { top: Folder::default(), entries: 0, linked: HashSet::new() };
    let (path, folders) =
        found.map_or_else(|| (root.to_owned(), Arc::new(Mutex::new(new()))), |at| all.remove(at));
    all.insert(0, (path, Arc::clone(&folders)));
    all.truncate(WORKSPACES);
    folders
}

impl Folders {
    fn walk(&mut self, ws: &Workspace, is_stopped: &dyn Fn() -> bool) -> Option<Found> {
        let mut walk = Walk {
            ws,
            is_stopped,
            until: Instant::now() + DEADLINE,
            read: 0,
            entries: 0,
            found: Found::default(),
            names: HashMap::new(),
        };
        let went = walk.through(&mut self.top, 0);
        self.entries = walk.entries;
        went?;
        let Walk { mut found, names, .. } = walk;
        for (links, paths) in names.into_values() {
            if u64::try_from(paths.len()).unwrap_or(u64::MAX) < links {
                found.linked.extend(paths);
            }
        }
        Some(found)
    }
}

/// One walk.
struct Walk<'a> {
    ws: &'a Workspace,
    is_stopped: &'a dyn Fn() -> bool,
    until: Instant,
    read: usize,
    entries: usize,
    found: Found,
    /// Files with several names: how many, and those that were found.
    names: HashMap<(u64, u64), (u64, Vec<LinkedFile>)>,
}

impl Walk<'_> {
    /// `None` when it was stopped.
    fn through(&mut self, folder: &mut Folder, depth: usize) -> Option<()> {
        let too_much = self.read > READ || self.entries > ENTRIES || self.is_late();
        if depth > DEEPEST || too_much {
            self.found.unknown.push(folder.path.clone());
            return self.goes_on();
        }
        if !folder.is_unchanged(self.ws) {
            match Folder::read(self.ws, &folder.path, &|| self.is_late() || (self.is_stopped)()) {
                Ok(now) => folder.become_now(now),
                // It went away meanwhile, or is something else now, which its parent shows.
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return self.goes_on(),
                Err(_) => {
                    self.found.unknown.push(folder.path.clone());
                    return self.goes_on();
                }
            }
            self.read += folder.entries;
        }
        self.entries += folder.entries;
        if folder.is_bare {
            self.found.repositories.push(folder.path.clone());
        }
        let gits = folder.gits.iter().map(|name| folder.path.join(name));
        self.found.repositories.extend(gits);
        for (name, disk, inode, links, size) in &folder.several {
            let one = self.names.entry((*disk, *inode)).or_insert((*links, Vec::new()));
            let path = folder.path.join(name);
            one.1.push(LinkedFile { path, inode: *inode, size: *size });
        }
        // What lies in another repository can't be written to.
        if !folder.is_bare || depth == 0 || is_in_own_git(&folder.path) {
            folder.folders.iter_mut().try_for_each(|inner| self.through(inner, depth + 1))?;
        }
        self.goes_on()
    }

    fn goes_on(&self) -> Option<()> {
        (!(self.is_stopped)()).then_some(())
    }

    fn is_late(&self) -> bool {
        Instant::now() > self.until
    }
}

impl Folder {
    fn is_unchanged(&self, ws: &Workspace) -> bool {
        let at = if self.path.as_os_str().is_empty() { Path::new(".") } else { &self.path };
        self.stamp.is_some_and(|was| {
            statat(ws.dir(), at, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|now| stamp(&now) == was)
        })
    }

    /// Takes over what is there now, and keeps what is known of the folders that still are.
    fn become_now(&mut self, now: Self) {
        let before = std::mem::replace(self, now);
        let mut before: HashMap<PathBuf, Self> =
            before.folders.into_iter().map(|inner| (inner.path.clone(), inner)).collect();
        for inner in &mut self.folders {
            if let Some(known) = before.remove(&inner.path) {
                *inner = known;
            }
        }
    }

    /// Reads one, if it isn't `given_up` in the middle of it: there is no end to what a folder holds.
    fn read(ws: &Workspace, path: &Path, given_up: &dyn Fn() -> bool) -> Result<Self, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW;
        let opened = open_beneath(ws.dir(), path, flags, ResolveFlags::NO_SYMLINKS)?;
        let stat = rustix::fs::fstat(&opened)?;
        let mut folder = Self {
            path: path.to_owned(),
            stamp: is_settled(&stat).then(|| stamp(&stat)),
            ..Self::default()
        };
        let (mut parts, mut config) = (Vec::new(), false);
        for entry in Dir::read_from(&opened)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            folder.entries += 1;
            if folder.entries.is_multiple_of(PIECE) && given_up() {
                return Err(Errno::CANCELED);
            }
            let mut kind = entry.file_type();
            let is_git = name.eq_ignore_ascii_case(".git");
            // Some disks do not say beforehand what it is.
            if matches!(kind, FileType::RegularFile | FileType::Unknown) {
                let Ok(stat) = statat(&opened, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW) else {
                    continue;
                };
                kind = confined::kind(&stat);
                if kind == FileType::RegularFile && stat.st_nlink > 1 {
                    let (links, size) = (stat.st_nlink, stat.st_size.unsigned_abs());
                    folder.several.push((name.to_owned(), stat.st_dev, stat.st_ino, links, size));
                }
            }
            let is_folder = kind == FileType::Directory;
            let is_own_git = path.as_os_str().is_empty() && name == ".git";
            if is_git && !is_own_git {
                folder.gits.push(name.to_owned());
            } else if is_folder {
                folder.folders.push(Self { path: path.join(name), ..Self::default() });
            }
            parts.extend(bare::PARTS.into_iter().find(|part| *name == **part));
            config |= name == "config";
        }
        let in_own_git = is_in_own_git(path);
        let is_tree = path == Path::new(".git") || path.starts_with(".git/worktrees");
        let has = |part: &str| parts.contains(&part);
        let is_kept_there = in_own_git && has("HEAD") && (config || has("objects"));
        folder.is_bare = !is_tree && (is_kept_there || bare::is_repository(has));
        Ok(folder)
    }
}

/// Below the workspace's own `.git`, which is no repository further down.
fn is_in_own_git(path: &Path) -> bool {
    path.starts_with(".git") && path != Path::new(".git")
}

fn stamp(stat: &Stat) -> Stamp {
    let ns = |part: u64| part.cast_signed();
    let (changed, modified) = (ns(stat.st_ctime_nsec), ns(stat.st_mtime_nsec));
    (stat.st_dev, stat.st_ino, stat.st_ctime, changed, stat.st_mtime, modified)
}

fn is_settled(stat: &Stat) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let changed = i128::from(stat.st_ctime) * 1_000_000_000 + i128::from(stat.st_ctime_nsec);
    i128::try_from(now).is_ok_and(|now| now - changed > TICK_NS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ToolError;
    use crate::read_only::ReadOnly;
    use crate::sandbox::Profile;
    use crate::shell::look;

    fn find(ws: &Workspace) -> Vec<PathBuf> {
        let mut all = walk(ws, &CancellationToken::new()).unwrap().repositories;
        all.sort();
        all
    }

    #[test]
    fn repositories_of_all_kinds_are_found_and_new_ones_too() {
        let home = tempfile::tempdir().unwrap();
        let make = |path: &str| std::fs::create_dir_all(home.path().join(path)).unwrap();
        let put = |path: &str| std::fs::write(home.path().join(path), "").unwrap();
        make(".git/objects");
        make(".git/refs");
        put(".git/HEAD");
        make("a/.git");
        make("b/deep");
        put("b/.git");
        for part in ["bare/objects", "bare/refs", "no/objects", "no/refs", ".git/modules/m/objects"]
        {
            make(part);
        }
        put("bare/HEAD");
        put(".git/modules/m/HEAD");
        for n in 0..SMALL {
            put(&format!("b/deep/{n}"));
        }
        let ws = Workspace::open(home.path()).unwrap();
        let expected = [".git/modules/m", "a/.git", "b/.git", "bare"].map(PathBuf::from);
        assert_eq!(find(&ws), expected);
        assert_eq!(find(&ws), expected, "as remembered");
        make("b/deep/x/.git");
        put("no/HEAD");
        let more = ["b/deep/x/.git", "bare", "no"].map(PathBuf::from);
        assert_eq!(find(&ws), [&expected[..3], &more].concat());
    }

    #[test]
    fn a_walk_ends_at_its_depth_and_when_it_is_cancelled() {
        let home = tempfile::tempdir().unwrap();
        let deep: PathBuf = (0..DEEPEST + 20).map(|_| "d").collect();
        std::fs::create_dir_all(home.path().join(deep)).unwrap();
        let ws = Workspace::open(home.path()).unwrap();
        let cancel = CancellationToken::new();
        let found = walk(&ws, &cancel).unwrap();
        assert_eq!(found.unknown, [(0..=DEEPEST).map(|_| "d").collect::<PathBuf>()]);
        cancel.cancel();
        assert!(walk(&ws, &cancel).is_none());
    }

    /// Nobody asks again once it was stopped, so nothing more is read.
    #[test]
    fn a_walk_that_is_stopped_in_the_middle_ends_there() {
        let home = tempfile::tempdir().unwrap();
        for n in 0..400 {
            std::fs::create_dir_all(home.path().join(format!("{}/b/{n}/d", n % 20))).unwrap();
        }
        for n in 0..5 * PIECE {
            std::fs::write(home.path().join(n.to_string() + "f"), "").unwrap();
        }
        let ws = Workspace::open(home.path()).unwrap();
        let asked = std::cell::Cell::new(0);
        let stopped_at = |most: usize| {
            asked.set(0);
            let found = walk_until(&ws, &|| {
                asked.set(asked.get() + 1);
                asked.get() >= most
            });
            (found.is_none(), asked.get())
        };
        let (is_stopped, whole) = stopped_at(usize::MAX);
        assert!(!is_stopped && whole > 800, "{whole}");
        for middle in [3, whole / 2, whole - 1] {
            *remembered(ws.root()).lock().unwrap() =
                Folders { top: Folder::default(), entries: 0, linked: HashSet::new() };
            let (is_stopped, asked) = stopped_at(middle);
            // Once more by the folder that it was in the middle of.
            assert!(is_stopped && asked <= middle + 1, "{middle}: {asked}");
        }
    }

    /// A walk that never ends, for another one never lets it begin: who stops does not wait for it.
    #[test]
    fn a_call_that_is_stopped_does_not_wait_for_its_walk() {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let home = tempfile::tempdir().unwrap();
        let ws = Workspace::open(home.path()).unwrap();
        let folders = remembered(ws.root());
        let endless = folders.lock().unwrap();
        let cancel = CancellationToken::new();
        let before = ReadOnly::of(&ws, Profile::Work, &cancel);
        let after = look::everything(ws.root(), &cancel);
        let stop = async { cancel.cancel() };
        let all = async { tokio::join!(before, after, stop) };
        let (before, after, ()) = runtime.block_on(all);
        assert!(matches!(before, Err(ToolError::Cancelled { .. })));
        assert!(after.is_none());
        drop(endless);
    }
}
