//! Mounts a workspace, and read-only in it what the person's git would obey and what `ReadOnly` names.
//!
//! Every folder on the way to such a place is a mount point, so that it can't be renamed or
//! replaced, and the place itself is mounted read-only. Two things can't be mounted over: a link,
//! and what is missing. So a folder that holds such a one is read-only as a whole; of the workspace
//! itself, only what lies right in it. What is missing is made beforehand where that means nothing
//! to git (see `placeholders`); so in an ordinary repository `.git` can be written to.
//!
//! What is known not to be covered: when the person's own git replaces a file while a command runs
//! (`git config` does), the kernel takes the mount over that file away, and from then on this
//! command could write to it. And a command can make a new repository, which is told (see
//! `shell::repositories`).

use super::Job;
use super::bubblewrap::Mounts;
use super::shell::Meant;
use crate::files::known;
use crate::git_exec_paths::{GitExecPaths, Kind, Own, PARTS};
use crate::read_only::ReadOnly;
use crate::workspace::open_beneath;
use rustix::fd::{AsFd, BorrowedFd};
use rustix::fs::{FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Where there are more repositories, only they are mount points, and not the folders above them.
const FEW: usize = 20;

/// Mounts the workspace to be read, or to be written to. What will be `hidden` in it stays where it
/// is.
pub(super) fn mount(
    mounts: &mut Mounts,
    workspace: &Path,
    may_write: bool,
    read_only: &ReadOnly,
    hidden: &[&PathBuf],
) {
    let all_of_it = read_only.repositories.iter().chain(&read_only.sealed);
    if may_write && all_of_it.into_iter().all(|path| !path.as_os_str().is_empty()) {
        mount_to_write(mounts, workspace, read_only, hidden);
    } else {
        mounts.push(&[&"--ro-bind", &workspace, &workspace]);
    }
    if let Some(main) = main_repository(&workspace.join(".git")) {
        mounts.share(&main, workspace);
    }
}

/// How a place is mounted, the strictest last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Access {
    Write,
    Read,
    /// It was found by looking, so it has to be there.
    ReadWhatWasFound,
}

/// Places by path: folders come before what is in them.
struct Places<'a> {
    workspace: &'a Path,
    access: BTreeMap<PathBuf, Access>,
    /// Folders that are read-only for what lies right in them.
    closed: BTreeSet<PathBuf>,
}

impl Places<'_> {
    fn add(&mut self, path: &Path, access: Access) {
        let place = self.access.entry(path.to_owned()).or_insert(access);
        *place = access.max(*place);
    }

    fn hold_above(&mut self, path: &Path) {
        let workspace = self.workspace;
        for above in path.ancestors().skip(1).take_while(|above| *above != workspace) {
            self.add(above, Access::Write);
        }
    }

    /// What can't be mounted over is held by the folder that it is in.
    fn protect(&mut self, path: &Path, access: Access) {
        match Kind::of(path) {
            Kind::Folder | Kind::File => self.add(path, access),
            Kind::Link(_) | Kind::Missing | Kind::Unreadable => {
                let there = |above: &&Path| Kind::of(above) == Kind::Folder;
                let above = path.ancestors().skip(1).find(there).unwrap_or(self.workspace);
                match above == self.workspace {
                    true => drop(self.closed.insert(above.to_owned())),
                    false => self.add(above, Access::Read),
                }
            }
        }
    }

    fn of_git(&mut self, git: &GitExecPaths) {
        let own = self.workspace.join(".git");
        // Also when nobody looked.
        let whole = match (git.own, Kind::of(&own)) {
            (_, Kind::Missing) => false,
            (Own::Parts, _) => {
                let is_there =
                    |name: &str| matches!(Kind::of(&own.join(name)), Kind::Folder | Kind::File);
                !PARTS.iter().all(|(name, _)| is_there(name))
            }
            (Own::None | Own::Whole, _) => true,
        };
        if whole {
            self.protect(&own, Access::Read);
        }
        for folder in git.held.iter().filter(|folder| Kind::of(folder) == Kind::Folder) {
            self.add(folder, Access::Write);
        }
        for path in git.links.iter().chain(&git.places) {
            self.protect(path, Access::Read);
            self.hold_above(path);
        }
    }
}

fn mount_to_write(
    mounts: &mut Mounts,
    workspace: &Path,
    read_only: &ReadOnly,
    hidden: &[&PathBuf],
) {
    let mut places = Places { workspace, access: BTreeMap::new(), closed: BTreeSet::new() };
    places.of_git(&read_only.git);
    let is_covered = |path: &Path| read_only.sealed.iter().any(|sealed| path.starts_with(sealed));
    let repositories: Vec<_> =
        read_only.repositories.iter().filter(|path| !is_covered(path)).collect();
    for path in &repositories {
        let place = workspace.join(path);
        places.protect(&place, Access::ReadWhatWasFound);
        if repositories.len() <= FEW {
            places.hold_above(&place);
        }
    }
    for path in &read_only.sealed {
        let place = workspace.join(path);
        places.protect(&place, Access::ReadWhatWasFound);
        places.hold_above(&place);
    }
    hidden.iter().for_each(|place| places.hold_above(place));
    if places.closed.is_empty() {
        mounts.push(&[&"--bind", &workspace, &workspace]);
    } else {
        mounts.push(&[&"--ro-bind", &workspace, &workspace]);
        let entries = std::fs::read_dir(workspace).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        folders.for_each(|folder| places.add(&folder.path(), Access::Write));
    }
    let top = rustix::fs::open(workspace, OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
    let mut sealed: Option<&PathBuf> = None;
    for (place, access) in &places.access {
        if sealed.is_some_and(|sealed| place.starts_with(sealed)) {
            continue;
        }
        let found = top.as_ref().map_err(|err| *err);
        let found = found.and_then(|top| meant(top.as_fd(), workspace, place));
        let meant = match found {
            Err(Errno::NOENT) if *access != Access::ReadWhatWasFound => continue,
            // A link took its place just now, or it was moved.
            Err(_) => Meant { place: place.clone(), inode: 0, disk: None },
            Ok(meant) => meant,
        };
        mounts.meant.push(meant);
        let bind = if *access == Access::Write { "--bind" } else { "--ro-bind" };
        mounts.push(&[&bind, &place, &place]);
        if *access != Access::Write {
            sealed = Some(place);
        }
    }
}

/// The attributes that lie in folders of repositories: no setting keeps git from reading them, and
/// they name programs. In a repository that is not shown they are out of reach.
pub(super) fn attributes(job: &Job<'_>) -> Vec<PathBuf> {
    let git = &job.read_only.git.settings;
    let others = job.read_only.repositories.iter().map(|path| job.workspace.join(path));
    let own = [git.common_dir.clone(), git.git_dir.clone()].into_iter().flatten();
    let files: BTreeSet<PathBuf> = own
        .chain(others)
        .filter_map(|folder| folder.join("info/attributes").canonicalize().ok())
        .filter(|file| file.is_file())
        .collect();
    let main = main_repository(&job.workspace.join(".git"));
    let is_shown = |file: &Path| {
        file.starts_with(job.workspace) || main.as_ref().is_some_and(|main| file.starts_with(main))
    };
    files.into_iter().filter(|file| is_shown(file)).collect()
}

/// What lies at a place now, where no link leads. By the time that it is mounted, a command in the
/// background may have put a link to somewhere else there.
fn meant(top: BorrowedFd<'_>, workspace: &Path, place: &Path) -> Result<Meant, Errno> {
    let relative = place.strip_prefix(workspace).map_err(|_| Errno::XDEV)?;
    let flags = OFlags::PATH | OFlags::NOFOLLOW;
    let found = open_beneath(top, relative, flags, ResolveFlags::NO_SYMLINKS)?;
    let (stat, above) = (rustix::fs::fstat(&found)?, rustix::fs::fstat(top)?);
    // The kernel opens a link at the end of the way itself.
    if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink {
        return Err(Errno::LOOP);
    }
    Ok(Meant::of(place, &stat, &above))
}

/// The `.git` folder that a linked work tree belongs to.
///
/// Only `…/.git/worktrees/name` is taken, and only if that names this very work
/// tree, so that a crafted file cannot show any other folder.
pub(crate) fn main_repository(file: &Path) -> Option<PathBuf> {
    if !file.symlink_metadata().is_ok_and(|meta| meta.is_file()) {
        return None;
    }
    let text = known::own_text(file)?;
    let target = Path::new(text.strip_prefix("gitdir: ")?.trim_end());
    let main = target.parent()?.parent()?;
    let fits = target.is_absolute()
        && target.parent()?.file_name()? == "worktrees"
        && main.file_name()? == ".git"
        && main.canonicalize().ok()? == main
        && names(target, file)?;
    fits.then(|| main.to_owned())
}

/// Whether what a repository keeps for a linked work tree leads to this file `.git`.
fn names(target: &Path, file: &Path) -> Option<bool> {
    let back = known::own_text(&target.join("gitdir"))?;
    let back = target.join(back.trim_end_matches(['\r', '\n']));
    let tree = back.parent()?.canonicalize().ok()?;
    Some(back.file_name() == file.file_name() && tree == file.parent()?.canonicalize().ok()?)
}
