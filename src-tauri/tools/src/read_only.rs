//! What commands must not change in a workspace although they may change the workspace: what git
//! runs, other repositories, files with a name outside, and folders that nobody looked into.

use crate::error::ToolError;
use crate::files::{confined, shown};
use crate::folder_walk::{self, Found};
use crate::git_exec_paths::GitExecPaths;
use crate::hardlinks::{self, Copied};
use crate::sandbox::Profile;
use crate::workspace::Workspace;
use rustix::fs::FileType;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// As many mounts are made for files and folders of one kind; each takes time at every command.
const MOUNTS: usize = 8;
/// As many repositories are mounted one by one.
const REPOSITORIES: usize = 256;
/// As many things right in the workspace may be read-only before all of it is.
const AT_THE_TOP: usize = 64;
/// Of more paths than this only the folders at the top are covered: finding better ones takes long.
const ENDLESS: usize = 4096;
/// How many are named.
const NAMED: usize = 5;

/// What is read-only in a workspace. Without having looked, that is all of `.git`.
#[derive(Debug, Default)]
pub struct ReadOnly {
    pub(crate) git: GitExecPaths,
    /// Other repositories: everything named `.git`, and bare ones.
    pub(crate) repositories: Vec<PathBuf>,
    /// What covers the repositories where there are too many, linked files, and what nobody looked
    /// into; empty paths for all of the workspace.
    pub(crate) sealed: BTreeSet<PathBuf>,
    /// Files that are the workspace's own now.
    copied: Vec<PathBuf>,
}

impl ReadOnly {
    /// Looks at all of a workspace, for something that may write there or only looks.
    pub(crate) async fn of(
        ws: &Workspace,
        profile: Profile,
        cancel: &CancellationToken,
    ) -> Result<Arc<Self>, ToolError> {
        let (ws, stop) = (ws.clone(), cancel.clone());
        let look = tokio::task::spawn_blocking(move || Self::look(&ws, profile, &stop));
        // Who stops does not wait until it hears that.
        let looked = cancel.run_until_cancelled(look).await;
        let looked = looked.ok_or(ToolError::Cancelled { so_far: None })?;
        let looked = looked
            .map_err(|err| ToolError::io("looking at the workspace", std::io::Error::other(err)))?;
        looked.map(Arc::new).ok_or(ToolError::Cancelled { so_far: None })
    }

    fn look(ws: &Workspace, profile: Profile, cancel: &CancellationToken) -> Option<Self> {
        let git = GitExecPaths::of(ws.root());
        let Found { repositories, linked, unknown } = folder_walk::walk(ws, cancel)?;
        if !profile.may_write() {
            return Some(Self { git, repositories, ..Self::default() });
        }
        let is_held = |path: &Path| git.hold(&ws.root().join(path));
        let linked = linked.into_iter().filter(|file| !is_held(&file.path)).collect();
        let Copied { done, left } = hardlinks::copy(ws, linked, cancel);
        let mut sealed = covered(unknown, MOUNTS);
        sealed.extend(covered(left, MOUNTS));
        if repositories.len() > REPOSITORIES {
            sealed.extend(covered(repositories.clone(), REPOSITORIES));
        }
        Some(Self { git, repositories, sealed, copied: done })
    }

    /// What to say before anything else.
    pub(crate) fn news(&self) -> Option<String> {
        (!self.copied.is_empty()).then(|| {
            format!(
                "(had another name outside the workspace, a hard link, and is a copy of the \
                 workspace's own now: {})",
                named(self.copied.iter().map(|path| shown(path)))
            )
        })
    }

    /// What to say of a command that failed, where that may be because of these.
    pub(crate) fn told(&self, said: &str) -> Vec<String> {
        let words = ["Read-only file system", "resource busy", "EROFS", "EBUSY", "Errno 30"];
        if !words.iter().any(|word| said.contains(word)) {
            return Vec::new();
        }
        let sealed = (!self.sealed.is_empty()).then(|| {
            let names = self.sealed.iter().map(|path| match path.as_os_str().is_empty() {
                true => "the whole workspace".to_owned(),
                false => shown(path),
            });
            format!(
                "(read-only for commands, because a file there also has a name outside the \
                 workspace, or because not all of it could be looked at: {}; write_file and \
                 edit_file make a file the workspace's own)",
                named(names)
            )
        });
        let of_git = (!self.repositories.is_empty() && said.contains(".git")).then(|| {
            format!(
                "(a repository inside the workspace is read-only for commands: {}; a person can \
                 commit there or delete it)",
                named(self.repositories.iter().map(|path| shown(path)))
            )
        });
        sealed.into_iter().chain(of_git).collect()
    }
}

/// Makes files with a name outside the workspace's own, and refuses to move what holds one that
/// can't be.
pub(crate) fn refuse_to_move(
    ws: &Workspace,
    path: &Path,
    cancel: &CancellationToken,
) -> Result<(), ToolError> {
    let may_be = confined::stat(ws, path)?.is_some_and(|stat| {
        let kind = confined::kind(&stat);
        kind == FileType::Directory || (kind == FileType::RegularFile && stat.st_nlink > 1)
    });
    if !may_be {
        return Ok(());
    }
    let looked = ReadOnly::look(ws, Profile::Work, cancel);
    let looked = looked.ok_or(ToolError::Cancelled { so_far: None })?;
    // Nobody knows what else is in one of these.
    match looked.sealed.iter().find(|held| held.starts_with(path) || path.starts_with(held)) {
        Some(held) => Err(ToolError::Linked { path: shown(held) }),
        None => Ok(()),
    }
}

fn named(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = names.collect();
    if names.len() > NAMED {
        let more = names.split_off(NAMED).len();
        names.push(format!("{more} more"));
    }
    names.join(", ")
}

/// How many mounts these take, with the folders above them.
fn mounts(covers: &BTreeSet<PathBuf>) -> usize {
    let all = covers.iter().flat_map(|path| path.ancestors());
    all.filter(|path| !path.as_os_str().is_empty()).collect::<BTreeSet<_>>().len()
}

/// The paths, if they are few, or the deepest folders that are few and hold them all.
fn covered(paths: Vec<PathBuf>, most: usize) -> BTreeSet<PathBuf> {
    let cut = |paths: BTreeSet<PathBuf>, depth| {
        let cut = |path: PathBuf| path.components().take(depth).collect::<PathBuf>();
        paths.into_iter().map(cut).collect::<BTreeSet<_>>()
    };
    let is_endless = paths.len() > ENDLESS;
    let mut covers: BTreeSet<PathBuf> = paths.into_iter().collect();
    if is_endless {
        covers = cut(covers, 1);
    }
    let mut depth = covers.iter().map(|path| path.components().count()).max().unwrap_or(0);
    while depth > 1 && mounts(&covers) > most {
        depth = if depth > 16 { depth / 2 } else { depth - 1 };
        covers = cut(covers, depth);
    }
    if covers.len() > AT_THE_TOP.max(most) {
        return BTreeSet::from([PathBuf::new()]);
    }
    covers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cover(files: impl IntoIterator<Item = String>) -> Vec<String> {
        let covers = covered(files.into_iter().map(PathBuf::from).collect(), MOUNTS);
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
