//! Files of a workspace that are also linked, as hard links, to a place outside.
//!
//! Such a file is one file with several names, and what is written to it in the workspace is there
//! as well. Package managers make them, and so does `git clone` of a folder. File tools put a new
//! file in the place of one; commands and servers find them read-only. Where there are many, the
//! folders that hold them are. Git's own are another matter: nobody means to share them, git must
//! be able to replace them, and it never writes into one. They are replaced by copies beforehand.
//!
//! Commands can't make such a link: what lies outside is not there, and between two mounts the
//! kernel makes none. They can't move one either: it and all folders above it are mounts. Nor may
//! file tools, which work outside of all sandboxes: at its new place it would be no mount for what
//! is running. The person can, so what was found is looked at again before each command; what is
//! running meanwhile can write to one that they move out of a folder which is a mount.

mod known;
mod own;
mod walk;

pub(crate) use known::Known;

use crate::error::ToolError;
use crate::files::{confined, shown};
use crate::sandbox::Profile;
use crate::workspace::{Workspace, open_beneath};
use rustix::fs::{FileType, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// As many mounts are made for them; each takes time at every command.
const MOUNTS: usize = 8;
/// As many things right in the workspace may be read-only before all of it is.
const AT_THE_TOP: usize = 64;
/// How many are named.
const NAMED: usize = 5;

/// What has to be read-only in a workspace, because it is linked to a place outside or holds what
/// is.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Linked {
    sealed: Vec<Sealed>,
}

/// One file or folder that has to be read-only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sealed {
    /// Below the workspace; empty for all of it.
    pub(crate) path: PathBuf,
    pub(crate) inode: u64,
    device: u64,
    is_folder: bool,
}

impl Linked {
    /// Looks for them, for something that goes on by itself.
    pub(crate) async fn of(ws: &Workspace, profile: Profile) -> Self {
        if !profile.may_write() {
            return Self::default();
        }
        let ws = ws.clone();
        let found = tokio::task::spawn_blocking(move || Self::find(&ws)).await;
        found.unwrap_or_else(|_| Self::everything())
    }

    /// Looks at all of a workspace, and gives git copies of its own.
    pub(crate) fn find(ws: &Workspace) -> Self {
        let Walked { others, left, closed } = Walked::through(ws);
        let others = others.into_iter().chain(closed);
        let others = others.filter(|path| !own::is_sealed(path)).collect();
        let sealed = covered(others).into_iter().chain(covered(left)).collect::<BTreeSet<_>>();
        let sealed: Option<Vec<Sealed>> = sealed.into_iter().map(|path| seal(ws, path)).collect();
        // What moved just now may be anywhere.
        sealed.map_or_else(Self::everything, |sealed| Self { sealed })
    }

    /// Lets nothing be written.
    fn everything() -> Self {
        let all = Sealed { path: PathBuf::new(), inode: 0, device: 0, is_folder: true };
        Self { sealed: vec![all] }
    }

    pub(crate) fn sealed(&self) -> &[Sealed] {
        &self.sealed
    }

    /// Whether all that was found is where it was.
    fn holds(&self, ws: &Workspace) -> bool {
        self.sealed.iter().all(|was| {
            let now = stat(ws, &was.path);
            now.is_some_and(|now| {
                let same = (now.st_dev, now.st_ino) == (was.device, was.inode);
                same && (was.is_folder || now.st_nlink > 1)
            })
        })
    }

    /// What to say of a command that failed, where that may be because of these.
    pub(crate) fn told(&self, said: &str) -> Option<String> {
        let words = ["Read-only file system", "resource busy", "EROFS", "EBUSY", "Errno 30"];
        let about = |sealed: &Sealed| {
            !sealed.path.as_os_str().is_empty() && said.contains(&*sealed.path.to_string_lossy())
        };
        let meant = words.iter().any(|word| said.contains(word)) || self.sealed.iter().any(about);
        if self.sealed.is_empty() || !meant {
            return None;
        }
        let mut names: Vec<String> = self.sealed.iter().take(NAMED).map(Sealed::name).collect();
        match self.sealed.len().saturating_sub(NAMED) {
            0 => {}
            more => names.push(format!("{more} more")),
        }
        Some(format!(
            "(read-only for commands, because a file there is also linked to a place outside the \
             workspace: {}; write_file and edit_file make a file the workspace's own)",
            names.join(", ")
        ))
    }
}

/// Refuses to move what is linked to a place outside or holds what is.
pub(crate) fn refuse_to_move(ws: &Workspace, path: &Path) -> Result<(), ToolError> {
    let may_be = confined::stat(ws, path)?.is_some_and(|stat| {
        let kind = confined::kind(&stat);
        kind == FileType::Directory || (kind == FileType::RegularFile && stat.st_nlink > 1)
    });
    if !may_be {
        return Ok(());
    }
    let Walked { others, left, closed } = Walked::through(ws);
    // Nobody knows what is in a closed one, nor what else there is beside something in it.
    let unknown = closed.iter().find(|shut| shut.starts_with(path) || path.starts_with(shut));
    if let Some(unknown) = unknown {
        return Err(ToolError::io(format!("looking into `{}`", shown(unknown)), Errno::ACCESS));
    }
    let mut held: Vec<PathBuf> = others.into_iter().chain(left).collect();
    held.retain(|file| file.starts_with(path));
    match held.into_iter().min() {
        Some(first) => Err(ToolError::Linked { path: shown(&first) }),
        None => Ok(()),
    }
}

/// What a walk found, file by file, when git has copies of its own.
struct Walked {
    others: Vec<PathBuf>,
    /// Git's, where they are too large to be copied.
    left: Vec<PathBuf>,
    closed: Vec<PathBuf>,
}

impl Walked {
    fn through(ws: &Workspace) -> Self {
        let found = walk::through(ws);
        let (of_git, others): (Vec<_>, Vec<_>) =
            found.outside.into_iter().partition(|file| own::is_of_git(&file.path));
        let others = others.into_iter().map(|file| file.path).collect();
        Self { others, left: own::copy(ws, of_git), closed: found.closed }
    }
}

impl Sealed {
    fn name(&self) -> String {
        match (self.path.as_os_str().is_empty(), self.is_folder) {
            (true, _) => "the whole workspace".to_owned(),
            (false, true) => format!("{}/", shown(&self.path)),
            (false, false) => shown(&self.path),
        }
    }
}

fn seal(ws: &Workspace, path: PathBuf) -> Option<Sealed> {
    let stat = stat(ws, &path)?;
    let is_folder = confined::kind(&stat) == FileType::Directory;
    Some(Sealed { path, inode: stat.st_ino, device: stat.st_dev, is_folder })
}

fn stat(ws: &Workspace, path: &Path) -> Option<Stat> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW;
    let opened = open_beneath(ws.dir(), path, flags, ResolveFlags::NO_SYMLINKS).ok()?;
    rustix::fs::fstat(opened).ok()
}

/// How many mounts these take, with the folders above them.
fn mounts(covers: &BTreeSet<PathBuf>) -> usize {
    let all = covers.iter().flat_map(|path| path.ancestors());
    all.filter(|path| !path.as_os_str().is_empty()).collect::<BTreeSet<_>>().len()
}

/// The files, if they are few, or the deepest folders that are few and hold them all.
fn covered(files: Vec<PathBuf>) -> BTreeSet<PathBuf> {
    let mut covers: BTreeSet<PathBuf> = files.into_iter().collect();
    let mut depth = covers.iter().map(|path| path.components().count()).max().unwrap_or(0);
    while mounts(&covers) > MOUNTS && depth > 1 {
        depth -= 1;
        let cut = |path: PathBuf| path.components().take(depth).collect::<PathBuf>();
        covers = covers.into_iter().map(cut).collect();
    }
    if covers.len() > AT_THE_TOP {
        return BTreeSet::from([PathBuf::new()]);
    }
    covers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cover(files: impl IntoIterator<Item = String>) -> Vec<String> {
        let covers = covered(files.into_iter().map(PathBuf::from).collect());
        covers.into_iter().map(|path| path.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn few_are_covered_one_by_one_and_many_by_the_folders_that_hold_them() {
        let few = ["a", "b/c", "b/d/e"].map(str::to_owned);
        assert_eq!(cover(few.clone()), few);
        let packages = (0..100).map(|n| format!("node_modules/.pnpm/p{n}@1/node_modules/p/x.js"));
        let with_one = packages.chain(["a".to_owned()]);
        assert_eq!(cover(with_one), ["a", "node_modules/.pnpm"]);
        assert_eq!(cover((0..20).map(|n| format!("f{n}"))).len(), 20);
        assert_eq!(cover((0..100).map(|n| format!("f{n}"))), [""]);
    }
}
