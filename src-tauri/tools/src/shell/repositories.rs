//! Repositories in the workspace that a command made or changed where git takes orders from.
//!
//! That one is made can't be prevented, so it is told, ignored by git or not: the person's git obeys
//! what it finds there, also from the top when the folder is in the index as a submodule.
//!
//! The list of a rebase that has stopped is told as well: going on with it runs what it names. It
//! can't be read-only. Git writes it, and takes a folder made in its place for a rebase under way.

use crate::files;
use crate::folder_walk;
use crate::git_settings::GitSettings;
use crate::workspace::Workspace;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use tokio_util::sync::CancellationToken;

/// The most that is said at once.
const SAID: usize = 10;
/// What a rebase that has stopped will do, in the folder of a work tree.
const REBASE: &str = "rebase-merge/git-rebase-todo";

/// The last change of what git takes orders from, and how much of it there is.
type State = (i64, i64, usize);

/// The repositories at one moment.
#[derive(Default)]
pub(crate) struct Repositories {
    /// By what leads to them, relative to the workspace.
    states: BTreeMap<PathBuf, State>,
}

impl Repositories {
    /// Those that a walk finds now; `None` when it was cancelled.
    pub(crate) fn found(root: &Path, cancel: &CancellationToken) -> Option<Self> {
        let found = match Workspace::open(root) {
            Ok(ws) => folder_walk::walk(&ws, cancel)?,
            Err(_) => folder_walk::Found::default(),
        };
        Some(Self::of(root, &found.repositories))
    }

    /// Those that a walk found, and the workspace's own. What is protected at the top is not
    /// compared.
    pub(crate) fn of(root: &Path, found: &[PathBuf]) -> Self {
        let top = Path::new(".git");
        let states = found.iter().filter_map(|path| Some((path.clone(), state(&root.join(path))?)));
        let mut states: BTreeMap<PathBuf, State> = states.collect();
        if root.join(top).symlink_metadata().is_ok() {
            states.insert(top.to_owned(), (0, 0, 0));
        }
        let trees = std::fs::read_dir(root.join(".git/worktrees")).into_iter().flatten().flatten();
        let trees = trees.map(|tree| top.join("worktrees").join(tree.file_name()));
        let lists = trees.chain([top.to_owned()]).map(|tree| tree.join(REBASE));
        states.extend(lists.filter_map(|list| {
            let found = root.join(&list);
            let (state, folder) = (state(&found)?, found.parent()?.symlink_metadata().ok()?);
            // The same list is another rebase's once its folder was made anew.
            let times = (state.0, state.1).max((folder.ctime(), folder.ctime_nsec()));
            Some((list, (times.0, times.1, state.2)))
        }));
        Self { states }
    }

    /// What is to be said of those that are not as they were.
    pub(crate) fn until(&self, now: &Self, root: &Path) -> Vec<String> {
        let news = now.states.iter().filter(|(path, state)| self.states.get(*path) != Some(state));
        let said = news.enumerate().map(|(number, (path, _))| {
            if path.ends_with(REBASE) {
                return format!(
                    "(WARNING: commands can write what git runs when the rebase in {} goes on. Look \
                     at its list with `git rebase --edit-todo` before anyone goes on with it)",
                    files::shown(path.ancestors().nth(2).unwrap_or(path))
                );
            }
            let is_bare = path.file_name() != Some(".git".as_ref()) && !path.starts_with(".git");
            let shown = files::shown(path);
            let what = match (self.states.contains_key(path), is_bare) {
                (true, _) => format!("settings or hooks changed in the git repository {shown}"),
                (false, false) => format!("there is a new git repository {shown}"),
                (false, true) => {
                    format!("git takes the folder {shown} for a bare repository now")
                }
            };
            // Each takes a moment.
            let runs = if number < SAID { run_by(&root.join(path), root) } else { BTreeSet::new() };
            let runs = match runs.is_empty() {
                true => String::new(),
                false => {
                    let runs: Vec<String> = runs.into_iter().collect();
                    format!(" WARNING: git runs what it names there: {}.", runs.join(", "))
                }
            };
            format!(
                "({what}.{runs} Look at its config and hooks before anyone runs git there or \
                 above it)"
            )
        });
        let mut said: Vec<String> = said.collect();
        if said.len() > SAID {
            let more = said.split_off(SAID).len();
            said.push(format!("(the same is true of {more} more)"));
        }
        said
    }
}

/// What git runs in a repository.
fn run_by(path: &Path, root: &Path) -> BTreeSet<String> {
    match path.parent().filter(|_| path.file_name() == Some(".git".as_ref())) {
        Some(folder) => GitSettings::of(folder).run_in(path),
        None => {
            let settings = GitSettings::of_bare(path, root);
            settings.map(|settings| settings.run_in(path)).unwrap_or_default()
        }
    }
}

/// The state of a `.git`, which is a file that names a folder or the folder itself.
fn state(git: &Path) -> Option<State> {
    let hooks = std::fs::read_dir(git.join("hooks")).into_iter().flatten().flatten();
    let parts = ["config", "config.worktree", "commondir", "hooks"].map(|name| git.join(name));
    let own = git.symlink_metadata().ok()?;
    let own = (!own.is_dir()).then(|| git.to_owned());
    let all = parts.into_iter().chain(hooks.map(|entry| entry.path())).chain(own);
    let times = all.filter_map(|path| path.symlink_metadata().ok());
    let times: Vec<(i64, i64)> = times.map(|meta| (meta.ctime(), meta.ctime_nsec())).collect();
    let (seconds, nanoseconds) = times.iter().max().copied().unwrap_or_default();
    Some((seconds, nanoseconds, times.len()))
}
