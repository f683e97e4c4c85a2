//! Keeps a command from planting something that the person's git would run.
//!
//! `.git` is made a mount point, so that it cannot be renamed or replaced, and
//! the parts of it that git takes orders from are mounted read-only. A part
//! that is missing (or is a link, which must not be followed out of here)
//! cannot be mounted over without making it in the person's repository. A
//! [`Guard`] remembers those, and sets aside what appeared there as soon as
//! the command has ended. Between the two, git run by the person could see it.

use super::Profile;
use super::bubblewrap::Mounts;
use std::path::{Path, PathBuf};

/// What git takes orders from. A file `commondir` would make git read another
/// folder's settings and hooks.
pub(super) const PARTS: &[&str] =
    &["hooks", "config", "config.worktree", "info", "modules", "commondir"];

/// Mounts `.git` and its parts.
pub(super) fn mount(mounts: &mut Mounts, workspace: &Path, profile: Profile) {
    let git = workspace.join(".git");
    match Kind::of(&git) {
        Kind::Folder if profile.may_write() => {
            mounts.push(&[&"--bind", &git, &git]);
            for part in PARTS.iter().map(|part| git.join(part)) {
                match Kind::of(&part) {
                    Kind::Folder | Kind::File => mounts.push(&[&"--ro-bind", &part, &part]),
                    Kind::Link(_) | Kind::Missing => {}
                }
            }
        }
        Kind::File => {
            mounts.push(&[&"--ro-bind", &git, &git]);
            if let Some(main) = main_repository(&git) {
                mounts.push(&[&"--ro-bind", &main, &main]);
            }
        }
        Kind::Folder | Kind::Link(_) | Kind::Missing => {}
    }
}

/// The `.git` folder that a linked work tree belongs to.
///
/// Only `…/.git/worktrees/name` is taken, so that a crafted file cannot show
/// any other folder.
fn main_repository(file: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(file).ok()?;
    let target = Path::new(text.strip_prefix("gitdir: ")?.trim_end());
    let main = target.parent()?.parent()?;
    let fits = target.is_absolute()
        && target.parent()?.file_name()? == "worktrees"
        && main.file_name()? == ".git"
        && main.canonicalize().ok()? == main;
    fits.then(|| main.to_owned())
}

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Folder,
    File,
    Link(PathBuf),
    Missing,
}

impl Kind {
    fn of(path: &Path) -> Self {
        match path.symlink_metadata() {
            Ok(meta) if meta.is_symlink() => {
                Self::Link(std::fs::read_link(path).unwrap_or_default())
            }
            Ok(meta) if meta.is_dir() => Self::Folder,
            Ok(_) => Self::File,
            Err(_) => Self::Missing,
        }
    }
}

/// Remembers the parts of `.git` that could not be mounted over; when it is
/// dropped, they are as they were.
#[derive(Debug)]
pub(crate) struct Guard {
    git: PathBuf,
    open: Vec<(&'static str, Kind)>,
}

impl Guard {
    /// Remembers the parts as they are before a command runs.
    pub(crate) fn new(workspace: &Path, profile: Profile) -> Self {
        let git = workspace.join(".git");
        let watched = profile.may_write() && Kind::of(&git) == Kind::Folder;
        let parts = PARTS.iter().filter(|_| watched);
        let open = parts.filter_map(|part| match Kind::of(&git.join(part)) {
            kind @ (Kind::Link(_) | Kind::Missing) => Some((*part, kind)),
            Kind::Folder | Kind::File => None,
        });
        Self { open: open.collect(), git }
    }

    /// Sets aside what a command put there and says so.
    pub(crate) fn check(&mut self) -> Vec<String> {
        let mut notes = Vec::new();
        for (part, before) in std::mem::take(&mut self.open) {
            let path = self.git.join(part);
            if Kind::of(&path) == before {
                continue;
            }
            if let Some(aside) = set_aside(&path) {
                notes.push(format!(
                    "[.git/{part} may not be made by a command; it was moved to .git/{aside}]"
                ));
            }
            if let Kind::Link(target) = before
                && std::os::unix::fs::symlink(target, &path).is_err()
            {
                notes.push(format!("[the link .git/{part} was removed and could not be put back]"));
            }
        }
        notes
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        for note in self.check() {
            tracing::warn!("{note}");
        }
    }
}

/// Renames, so that nothing is lost that somebody else put there meanwhile.
fn set_aside(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy();
    for number in 1..1000 {
        let aside = format!("{name}.refused-{number}");
        let target = path.with_file_name(&aside);
        if Kind::of(&target) != Kind::Missing {
            continue;
        }
        return std::fs::rename(path, target).is_ok().then_some(aside);
    }
    None
}
