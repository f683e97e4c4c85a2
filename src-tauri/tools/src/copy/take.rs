//! Takes the changes of a copy over, path by path.
//!
//! Nothing is changed before every path was found to be allowed. Each is looked at once more before
//! it is changed, and changed in one step. So it may be broken off anywhere and done again: what is
//! there already is found to be the same.

use super::compare::{Comparison, Step, content};
use super::conflict::Choice;
use super::tree::{self, Entry, Tree, entry};
use super::{CopyError, work};
use crate::error::ToolError;
use crate::files::{self, confined, replace, trash};
use crate::output::{Change, ChangeKind};
use crate::workspace::Workspace;
use rustix::fs::AtFlags;
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::path::Path;
use tokio_util::sync::CancellationToken;

/// All texts that are kept for showing what changed have this many bytes.
const KEPT: usize = 32 * 1024 * 1024;

/// What was taken over, in one try or in several.
#[derive(Debug, Default)]
pub struct Taken {
    /// What changed in the workspace, each path once, in order.
    pub changed: Vec<Change>,
    /// Texts whose hashes the changes name.
    pub contents: Vec<String>,
    /// A few of the files in ignored places of the copy that were not taken over.
    pub left: Vec<String>,
    /// What git takes for a repository in the copy, which stays there.
    pub repositories: Vec<String>,
    kept: usize,
}

impl Taken {
    fn add(&mut self, change: Change) {
        match self.changed.binary_search_by(|known| known.path.cmp(&change.path)) {
            Ok(at) => {
                let first = &mut self.changed[at];
                first.kind = match (first.kind, change.kind) {
                    (ChangeKind::Created, ChangeKind::Modified) => ChangeKind::Created,
                    (ChangeKind::Deleted, ChangeKind::Created) => ChangeKind::Modified,
                    (_, last) => last,
                };
                first.after = change.after;
            }
            Err(at) => self.changed.insert(at, change),
        }
    }

    fn keep(&mut self, texts: impl IntoIterator<Item = String>) {
        for text in texts {
            if self.kept + text.len() <= KEPT {
                self.kept += text.len();
                self.contents.push(text);
            }
        }
    }
}

/// What goes with a comparison when it is taken over.
#[derive(Debug, Clone, Copy)]
pub struct Decided<'a> {
    /// What a person chose about the conflicts, by their paths.
    pub choices: &'a [(String, Choice)],
    /// Whose copy it is: the name of its version where both are kept.
    pub who: &'a str,
    /// Where deleted files go, if not to the usual place.
    pub trash: Option<&'a Path>,
}

/// Takes over what was found, until it is cancelled. What was taken is told also when not all of it
/// could be.
pub fn take(
    copy: &Path,
    ws: &Workspace,
    found: Comparison,
    decided: &Decided<'_>,
    cancel: &CancellationToken,
    taken: &mut Taken,
) -> Result<(), CopyError> {
    let mut steps = found.steps;
    taken.left = found.left;
    taken.repositories = found.repositories;
    for conflict in &found.conflicts {
        let choice = decided.choices.iter().find(|(path, _)| *path == conflict.path);
        let Some((_, choice)) = choice else {
            return Err(CopyError::Changed { path: conflict.path.clone() });
        };
        steps.extend(conflict.steps(*choice, decided.who, ws, cancel)?);
    }
    for step in &steps {
        refuse_git(ws, step)?;
    }
    let theirs = Workspace::open(work(copy))?;
    let (mut gone, made): (Vec<Step>, Vec<Step>) =
        steps.into_iter().partition(|step| step.to.is_none());
    // What is in a folder goes before the folder.
    gone.sort_by(|one, other| other.path.cmp(&one.path));
    let folders: BTreeSet<&Path> =
        made.iter().filter_map(|step| Path::new(&step.path).parent()).collect();
    for folder in folders {
        match replace::clear_leftovers(ws, folder) {
            // What is there makes way for the folder.
            Err(ToolError::WrongKind { .. } | ToolError::Outside { .. }) => {}
            cleared => cleared?,
        }
    }
    for step in gone.into_iter().chain(made) {
        if cancel.is_cancelled() {
            return Err(CopyError::Cancelled);
        }
        Taking { ws, theirs: &theirs, trash: decided.trash, cancel, taken }.one(step)?;
    }
    Ok(())
}

struct Taking<'a> {
    ws: &'a Workspace,
    theirs: &'a Workspace,
    trash: Option<&'a Path>,
    cancel: &'a CancellationToken,
    taken: &'a mut Taken,
}

impl Taking<'_> {
    fn one(&mut self, step: Step) -> Result<(), CopyError> {
        let ws = self.ws;
        let path = Path::new(&step.path);
        refuse_git(ws, &step)?;
        if entry(ws, &step.path)? != step.expect {
            return Err(CopyError::Changed { path: step.path });
        }
        let mut there = step.expect.as_ref();
        if let Some(inside) = &step.makes_way {
            self.put_away(&step.path, inside)?;
            there = None;
        }
        let kind = kind(step.expect.as_ref());
        match &step.to {
            None => self.delete(path, there)?,
            Some(Entry::Folder) => {
                self.clear(path, there)?;
                confined::make_folder(ws, path)?;
                self.taken.add(Change::unread(step.path, kind));
            }
            Some(Entry::Link { to }) => {
                self.clear(path, there)?;
                let (parent, name) = (path.parent().unwrap_or(Path::new("")), path.file_name());
                let (folder, _) = confined::make_folder(ws, parent)?;
                rustix::fs::symlinkat(to.as_str(), &folder, name.unwrap_or_default())
                    .map_err(|err| CopyError::io(format!("linking `{}`", step.path), err))?;
                self.taken.add(Change::unread(step.path, kind));
            }
            Some(Entry::File { mode, .. }) => {
                let bytes = match step.merged {
                    Some(bytes) => bytes,
                    None => content(self.theirs, &step.source)?,
                };
                if !matches!(there, Some(Entry::File { .. })) {
                    self.clear(path, there)?;
                }
                let done = replace::replace_as(ws, path, &bytes, Some(*mode))?;
                self.taken.add(done.change);
                self.taken.keep(done.contents);
            }
            Some(Entry::Other) => {}
        }
        Ok(())
    }

    /// Makes way for something of another kind.
    fn clear(&mut self, path: &Path, there: Option<&Entry>) -> Result<(), CopyError> {
        match there {
            Some(Entry::Folder) => {
                let (folder, name) = confined::open_parent(self.ws, path)?;
                match rustix::fs::unlinkat(&folder, name, AtFlags::REMOVEDIR) {
                    // Someone has put something there since.
                    Err(Errno::NOTEMPTY | Errno::EXIST) => {
                        Err(CopyError::Changed { path: files::shown(path) })
                    }
                    removed => removed.map_err(|err| {
                        CopyError::io(format!("replacing `{}`", path.display()), err)
                    }),
                }
            }
            Some(Entry::File { .. } | Entry::Link { .. } | Entry::Other) | None => {
                self.delete(path, there)
            }
        }
    }

    /// A folder that a person gives up goes to the trash with all that was in it when they were
    /// asked.
    fn put_away(&mut self, shown: &str, inside: &Tree) -> Result<(), CopyError> {
        if tree::inside(self.ws, shown, self.cancel)? != *inside {
            return Err(CopyError::Changed { path: shown.to_owned() });
        }
        trash::put(self.ws, Path::new(shown), self.trash, self.cancel)?;
        for path in inside.keys().cloned().chain([shown.to_owned()]) {
            self.taken.add(Change::unread(path, ChangeKind::Deleted));
        }
        Ok(())
    }

    /// A file goes to the person's trash, a folder only when nothing is in it.
    fn delete(&mut self, path: &Path, there: Option<&Entry>) -> Result<(), CopyError> {
        let Some(there) = there else { return Ok(()) };
        let shown = files::shown(path);
        let doing = |err: Errno| CopyError::io(format!("deleting `{shown}`"), err);
        let (folder, name) = confined::open_parent(self.ws, path)?;
        let mut before = None;
        match there {
            Entry::Folder => match rustix::fs::unlinkat(&folder, name, AtFlags::REMOVEDIR) {
                Ok(()) => {}
                // Someone has put something there since.
                Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOENT) => return Ok(()),
                Err(other) => return Err(doing(other)),
            },
            Entry::Link { .. } | Entry::Other => {
                rustix::fs::unlinkat(&folder, name, AtFlags::empty()).map_err(doing)?;
            }
            Entry::File { .. } => {
                let old = replace::content(self.ws, path)?;
                trash::put(self.ws, path, self.trash, self.cancel)?;
                let text = old.and_then(|old| {
                    before = Some(old.hash);
                    old.text
                });
                self.taken.keep(text);
            }
        }
        let change = Change { before, ..Change::unread(shown, ChangeKind::Deleted) };
        self.taken.add(change);
        Ok(())
    }
}

fn refuse_git(ws: &Workspace, step: &Step) -> Result<(), ToolError> {
    let path = Path::new(&step.path);
    step.touches().iter().try_for_each(|touched| files::refuse_git(ws, path, *touched))
}

fn kind(before: Option<&Entry>) -> ChangeKind {
    match before {
        Some(_) => ChangeKind::Modified,
        None => ChangeKind::Created,
    }
}
