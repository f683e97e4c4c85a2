//! Takes the changes of a copy over, path by path.
//!
//! Nothing is changed before every path was found to be allowed. Each is looked at once more before
//! it is changed, and changed in one step. So it may be broken off anywhere and done again: what is
//! there already is found to be the same.

use super::compare::{Choice, Comparison, Step, content};
use super::tree::{Entry, entry};
use super::{CopyError, work};
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
    for conflict in &found.conflicts {
        let choice = decided.choices.iter().find(|(path, _)| *path == conflict.path);
        let Some((_, choice)) = choice else {
            return Err(CopyError::Changed { path: conflict.path.clone() });
        };
        steps.extend(conflict.step(*choice, decided.who, ws)?);
    }
    for step in &steps {
        files::refuse_git(ws, Path::new(&step.path), files::Touched::Entry)?;
    }
    let theirs = Workspace::open(work(copy))?;
    let (mut gone, made): (Vec<Step>, Vec<Step>) =
        steps.into_iter().partition(|step| step.to.is_none());
    // What is in a folder goes before the folder.
    gone.sort_by(|one, other| other.path.cmp(&one.path));
    let folders: BTreeSet<&Path> =
        made.iter().filter_map(|step| Path::new(&step.path).parent()).collect();
    for folder in folders {
        replace::clear_leftovers(ws, folder)?;
    }
    for step in gone.into_iter().chain(made) {
        if cancel.is_cancelled() {
            return Err(CopyError::Cancelled);
        }
        one(ws, &theirs, step, decided.trash, taken)?;
    }
    Ok(())
}

fn one(
    ws: &Workspace,
    theirs: &Workspace,
    step: Step,
    trash: Option<&Path>,
    taken: &mut Taken,
) -> Result<(), CopyError> {
    let path = Path::new(&step.path);
    files::refuse_git(ws, path, files::Touched::Entry)?;
    if entry(ws, &step.path)? != step.expect {
        return Err(CopyError::Changed { path: step.path });
    }
    match &step.to {
        None => {
            if let Some(change) = delete(ws, path, step.expect.as_ref(), trash, taken)? {
                taken.add(change);
            }
        }
        Some(Entry::Folder) => {
            clear(ws, path, step.expect.as_ref())?;
            confined::make_folder(ws, path)?;
            taken.add(Change::unread(step.path, ChangeKind::Created));
        }
        Some(Entry::Link { to }) => {
            let kind = kind(step.expect.as_ref());
            clear(ws, path, step.expect.as_ref())?;
            let (parent, name) = (path.parent().unwrap_or(Path::new("")), path.file_name());
            let (folder, _) = confined::make_folder(ws, parent)?;
            rustix::fs::symlinkat(to.as_str(), &folder, name.unwrap_or_default())
                .map_err(|err| CopyError::io(format!("linking `{}`", step.path), err))?;
            taken.add(Change::unread(step.path, kind));
        }
        Some(Entry::File { mode, .. }) => {
            let bytes = match step.merged {
                Some(bytes) => bytes,
                None => content(theirs, &step.source)?,
            };
            if !matches!(step.expect, Some(Entry::File { .. })) {
                clear(ws, path, step.expect.as_ref())?;
            }
            let done = replace::replace_as(ws, path, &bytes, Some(*mode))?;
            taken.add(done.change);
            taken.keep(done.contents);
        }
        Some(Entry::Other) => {}
    }
    Ok(())
}

fn kind(before: Option<&Entry>) -> ChangeKind {
    match before {
        Some(_) => ChangeKind::Modified,
        None => ChangeKind::Created,
    }
}

/// Makes way for something of another kind.
fn clear(ws: &Workspace, path: &Path, before: Option<&Entry>) -> Result<(), CopyError> {
    let flags = match before {
        None => return Ok(()),
        Some(Entry::Folder) => AtFlags::REMOVEDIR,
        Some(Entry::File { .. } | Entry::Link { .. } | Entry::Other) => AtFlags::empty(),
    };
    let (folder, name) = confined::open_parent(ws, path)?;
    rustix::fs::unlinkat(&folder, name, flags)
        .map_err(|err| CopyError::io(format!("replacing `{}`", path.display()), err))
}

/// A file goes to the person's trash, a folder only when nothing is in it.
fn delete(
    ws: &Workspace,
    path: &Path,
    before: Option<&Entry>,
    trash: Option<&Path>,
    taken: &mut Taken,
) -> Result<Option<Change>, CopyError> {
    let shown = files::shown(path);
    let doing = |err: Errno| CopyError::io(format!("deleting `{shown}`"), err);
    let (folder, name) = confined::open_parent(ws, path)?;
    match before {
        None => Ok(None),
        Some(Entry::Folder) => match rustix::fs::unlinkat(&folder, name, AtFlags::REMOVEDIR) {
            Ok(()) => Ok(Some(Change::unread(shown, ChangeKind::Deleted))),
            // Someone has put something there since.
            Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOENT) => Ok(None),
            Err(other) => Err(doing(other)),
        },
        Some(Entry::Link { .. } | Entry::Other) => {
            rustix::fs::unlinkat(&folder, name, AtFlags::empty()).map_err(doing)?;
            Ok(Some(Change::unread(shown, ChangeKind::Deleted)))
        }
        Some(Entry::File { .. }) => {
            let old = replace::content(ws, path)?;
            trash::put(&folder, name, &ws.root().join(path), trash).map_err(|source| {
                CopyError::Tool(crate::ToolError::NoTrash { path: shown.clone(), source })
            })?;
            let (before, text) = old.map_or((None, None), |old| (Some(old.hash), old.text));
            taken.keep(text);
            Ok(Some(Change { before, ..Change::unread(shown, ChangeKind::Deleted) }))
        }
    }
}
