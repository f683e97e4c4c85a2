//! Repositories in the workspace that a command made or changed where git takes orders from.
//!
//! That can't be prevented everywhere, so it is told: the person's git obeys what it finds there,
//! also from the top when the folder is in the index as a submodule. Commands that a rebase under
//! way will run are told as well: where they are kept, git itself writes.

use crate::files;
use crate::orders;
use crate::shell::changes::Snapshot;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The most that is said at once, and the longest part of a command.
const SAID: usize = 10;
const COMMAND: usize = 200;

/// The last change of what git takes orders from, and how much of it there is.
type State = (i64, i64, usize);

/// The repositories at one moment.
#[derive(Default)]
pub(crate) struct Repositories {
    /// By what leads to them, relative to the workspace.
    states: BTreeMap<PathBuf, State>,
    /// Commands that a rebase will run, with the repository it is in.
    waiting: BTreeSet<(PathBuf, String)>,
}

impl Repositories {
    /// Those that a look at the workspace found, those that the index names, and folders in git's
    /// own that look like one. What is protected at the top is not compared.
    pub(crate) fn of(root: &Path, seen: Option<&Snapshot>) -> Self {
        let top = Path::new(".git");
        let mut all: Vec<PathBuf> = seen.into_iter().flat_map(Snapshot::gits).collect();
        // Also where there is too much to look at.
        if seen.is_none() && root.join(top).symlink_metadata().is_ok() {
            all.push(top.to_owned());
        }
        let trees = orders::submodules_of(root);
        all.extend(trees.iter().filter_map(|tree| Some(tree.strip_prefix(root).ok()?.join(top))));
        let inside = std::fs::read_dir(root.join(top)).into_iter().flatten().flatten();
        let inside = inside.filter(|entry| entry.path().join("HEAD").is_file());
        let inside = inside.filter(|entry| {
            let has = |name: &str| entry.path().join(name).exists();
            has("config") || has("commondir") || has("objects")
        });
        all.extend(inside.map(|entry| top.join(entry.file_name())));
        let folders: BTreeSet<PathBuf> = all.iter().cloned().chain([top.to_owned()]).collect();
        let waiting = folders.into_iter().flat_map(|path| {
            let commands = orders::waiting_in(&root.join(&path));
            commands.into_iter().map(move |command| (path.clone(), command))
        });
        let waiting = waiting.collect();
        let states = all.into_iter().filter_map(|path| {
            let state = if path == top { (0, 0, 0) } else { state(&root.join(&path))? };
            Some((path, state))
        });
        Self { states: states.collect(), waiting }
    }

    /// What is to be said of those that are not as they were.
    pub(crate) fn until(&self, now: &Self, root: &Path) -> Vec<String> {
        let news = now.states.iter().filter(|(path, state)| self.states.get(*path) != Some(state));
        let said = news.map(|(path, _)| {
            let what = match self.states.contains_key(path) {
                true => "settings or hooks changed in the git repository",
                false => "there is a new git repository",
            };
            let runs = orders::run_by(&root.join(path));
            let runs = match runs.is_empty() {
                true => String::new(),
                false => format!(" WARNING: git runs what it names there: {}.", runs.join(", ")),
            };
            format!(
                "({what} {}.{runs} Look at its config and hooks before anyone runs git there or \
                 above it)",
                files::shown(path)
            )
        });
        let waiting = now.waiting.difference(&self.waiting).map(|(path, command)| {
            let command = files::name(command[..command.floor_char_boundary(COMMAND)].as_ref());
            format!(
                "(WARNING: when the rebase in {} goes on, git runs: {command}. Look at its list \
                 with `git rebase --edit-todo` before anyone goes on with it)",
                files::shown(path)
            )
        });
        let mut said: Vec<String> = waiting.chain(said).collect();
        if said.len() > SAID {
            let more = said.split_off(SAID).len();
            said.push(format!("(the same is true of {more} more)"));
        }
        said
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
