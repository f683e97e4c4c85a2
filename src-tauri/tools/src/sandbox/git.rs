//! Keeps a command from planting something that the person's git would run, and from writing to what
//! is linked to a place outside.
//!
//! Every folder on the way to what git takes orders from (see `orders`) is made
//! a mount point, so that it cannot be renamed or replaced, and what git takes
//! orders from is mounted read-only. The folder with objects, which copies share, is held in place in
//! the same way. Two things cannot be mounted over: a link,
//! and what is missing. So a folder that holds such a one is read-only as a
//! whole; of the workspace itself, only what lies right in it. Missing parts of
//! git's own folder are made beforehand, where that changes nothing for git
//! (see `placeholders`); so in an ordinary repository `.git` can be written to.
//!
//! What is known not to be covered: when the person's own git replaces a file
//! while a command runs (`git config` does), the kernel takes the mount over
//! that file away, and from then on this command could write to it. Programs that
//! settings name are read-only where they are, but one that is missing can be
//! made. And any folder can be made to look like a bare repository, which the
//! person's git then obeys there: `.git` is in a folder of that name, a bare one
//! in any, so there is nothing to mount over. It is told when it happens, and so
//! is a new repository further down (see `shell::repositories`).

use super::Profile;
use super::bubblewrap::Mounts;
use super::shell::Meant;
use crate::files::known;
use crate::linked::Linked;
use crate::orders::Orders;
use crate::workspace::open_beneath;
use rustix::fd::{AsFd, BorrowedFd};
use rustix::fs::{FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Mounts the workspace and what git takes orders from in it. What will be `hidden` in it stays where
/// it is.
pub(super) fn mount(
    mounts: &mut Mounts,
    workspace: &Path,
    profile: Profile,
    linked: &Linked,
    hidden: &[&PathBuf],
) {
    if profile.may_write() {
        mount_to_write(mounts, workspace, linked, hidden);
    } else {
        mounts.push(&[&"--ro-bind", &workspace, &workspace]);
    }
    if let Some(main) = main_repository(&workspace.join(".git")) {
        mounts.share(&main, workspace);
    }
}

fn mount_to_write(mounts: &mut Mounts, workspace: &Path, linked: &Linked, hidden: &[&PathBuf]) {
    if linked.sealed().iter().any(|sealed| sealed.path.as_os_str().is_empty()) {
        mounts.push(&[&"--ro-bind", &workspace, &workspace]);
        return;
    }
    let orders = Orders::of(workspace);
    let holders = orders.links.iter().filter_map(|link| link.parent());
    let closed: BTreeSet<&Path> = holders.chain(orders.open.iter().map(PathBuf::as_path)).collect();
    // Whether each place may be written to. Folders come before what is in them.
    let mut places: BTreeMap<PathBuf, bool> = BTreeMap::new();
    if closed.contains(workspace) {
        mounts.push(&[&"--ro-bind", &workspace, &workspace]);
        let entries = std::fs::read_dir(workspace).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        places.extend(folders.map(|folder| (folder.path(), true)));
    } else {
        mounts.push(&[&"--bind", &workspace, &workspace]);
    }
    places.extend(orders.passed.iter().map(|folder| (folder.clone(), true)));
    places.extend(orders.parts.iter().map(|part| (part.clone(), false)));
    let below = closed.iter().filter(|folder| **folder != workspace);
    places.extend(below.map(|folder| (folder.to_path_buf(), false)));
    // These have to be what was found, not what is there now.
    let linked: BTreeMap<PathBuf, u64> =
        linked.sealed().iter().map(|one| (workspace.join(&one.path), one.inode)).collect();
    for place in linked.keys().chain(hidden.iter().copied()) {
        let above = place.ancestors().skip(1).take_while(|folder| *folder != workspace);
        for folder in above {
            places.entry(folder.to_owned()).or_insert(true);
        }
    }
    places.extend(linked.keys().map(|place| (place.clone(), false)));
    let top = rustix::fs::open(workspace, OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
    let mut sealed: Option<&PathBuf> = None;
    for (place, may_write) in &places {
        let in_sealed = sealed.is_some_and(|sealed| place.starts_with(sealed));
        let found = top.as_ref().map_err(|err| *err);
        let found = found.and_then(|top| meant(top.as_fd(), workspace, place));
        let meant = match found {
            Err(Errno::NOENT) if !linked.contains_key(place) => continue,
            _ if in_sealed => continue,
            // A link took its place just now.
            Err(_) => Meant { place: place.clone(), inode: 0, disk: None },
            Ok(meant) => match linked.get(place) {
                Some(inode) => Meant { inode: *inode, ..meant },
                None => meant,
            },
        };
        mounts.meant.push(meant);
        let bind = if *may_write { "--bind" } else { "--ro-bind" };
        mounts.push(&[&bind, &place, &place]);
        if !may_write {
            sealed = Some(place);
        }
    }
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
