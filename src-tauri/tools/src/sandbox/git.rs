//! Keeps a command from planting something that the person's git would run.
//!
//! Every folder on the way to what git takes orders from (see `orders`) is made
//! a mount point, so that it cannot be renamed or replaced, and what git takes
//! orders from is mounted read-only. Two things cannot be mounted over: a link,
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
use crate::orders::Orders;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Mounts the workspace and what git takes orders from in it.
pub(super) fn mount(mounts: &mut Mounts, workspace: &Path, profile: Profile) {
    if profile.may_write() {
        mount_to_write(mounts, workspace);
    } else {
        mounts.push(&[&"--ro-bind", &workspace, &workspace]);
    }
    if let Some(main) = main_repository(&workspace.join(".git")) {
        mounts.push(&[&"--ro-bind", &main, &main]);
    }
}

fn mount_to_write(mounts: &mut Mounts, workspace: &Path) {
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
    let mut sealed: Option<&PathBuf> = None;
    for (place, may_write) in &places {
        let in_sealed = sealed.is_some_and(|sealed| place.starts_with(sealed));
        if in_sealed || place.symlink_metadata().is_err() {
            continue;
        }
        let bind = if *may_write { "--bind" } else { "--ro-bind" };
        mounts.push(&[&bind, &place, &place]);
        if !may_write {
            sealed = Some(place);
        }
    }
}

/// The `.git` folder that a linked work tree belongs to.
///
/// Only `…/.git/worktrees/name` is taken, so that a crafted file cannot show
/// any other folder.
pub(crate) fn main_repository(file: &Path) -> Option<PathBuf> {
    if !file.symlink_metadata().is_ok_and(|meta| meta.is_file()) {
        return None;
    }
    let text = std::fs::read_to_string(file).ok()?;
    let target = Path::new(text.strip_prefix("gitdir: ")?.trim_end());
    let main = target.parent()?.parent()?;
    let fits = target.is_absolute()
        && target.parent()?.file_name()? == "worktrees"
        && main.file_name()? == ".git"
        && main.canonicalize().ok()? == main;
    fits.then(|| main.to_owned())
}
