//! What the file tools share: paths of a call, and disk work below the root.

pub(crate) mod confined;
pub(crate) mod known;
pub(crate) mod replace;
pub(crate) mod trash;

use crate::bare;
use crate::error::ToolError;
use crate::facts::{Effect, Facts, Target};
use crate::git_exec_paths::{GitExecPaths, Kind};
use crate::shell::repositories::Repositories;
use crate::toolbox::RunContext;
use crate::workspace::{Place, Workspace};
use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Work on more bytes than this goes to a thread that may block.
pub(crate) const QUICK: u64 = 256 * 1024;

/// The facts of a call that looks at one path.
pub(crate) fn reads(ws: &Workspace, path: &str) -> Result<Facts, ToolError> {
    let target = target(ws.locate(path)?, Touch::Look);
    Ok(Facts { effect: Effect::Read, targets: vec![target] })
}

/// The facts of a call that changes one path.
pub(crate) fn writes(ws: &Workspace, path: &str) -> Result<Facts, ToolError> {
    let place = ws.locate(path)?;
    let effect = match &place {
        Place::Inside(relative) => {
            refuse_git(ws, relative, Touched::Path)?;
            Effect::Write
        }
        Place::Outside(_) => Effect::WriteOutside,
    };
    Ok(Facts { effect, targets: vec![target(place, Touch::Change)] })
}

/// The facts of a call that gives a thing itself another place.
pub(crate) fn moves(ws: &Workspace, from: &str, to: &str) -> Result<Facts, ToolError> {
    let facts = changes_entries(ws, &[from, to])?;
    if let Place::Inside(to) = ws.locate_entry(to)? {
        refuse_git(ws, &to, Touched::Path)?;
    }
    Ok(facts)
}

/// The facts of a call that moves things themselves: a link is not followed.
pub(crate) fn changes_entries(ws: &Workspace, paths: &[&str]) -> Result<Facts, ToolError> {
    let mut facts = Facts { effect: Effect::Write, targets: Vec::new() };
    for path in paths {
        let place = ws.locate_entry(path)?;
        match &place {
            Place::Inside(relative) => refuse_git(ws, relative, Touched::Entry)?,
            Place::Outside(_) => facts.effect = Effect::WriteOutside,
        }
        facts.targets.push(target(place, Touch::Change));
    }
    Ok(facts)
}

#[derive(Clone, Copy, PartialEq)]
enum Touch {
    Look,
    Change,
}

fn target(place: Place, touch: Touch) -> Target {
    let (path, outside) = match place {
        Place::Inside(path) => (shown(&path), false),
        Place::Outside(path) => (path.to_string_lossy().into_owned(), true),
    };
    Target::Path { path, outside, write: touch == Touch::Change }
}

/// The real relative path of something a call may look at: the one that was judged.
pub(crate) fn to_read(ws: &Workspace, path: &str, ctx: &RunContext) -> Result<PathBuf, ToolError> {
    as_judged(found(ws, path, &ctx.hidden)?, path, ctx)
}

/// Refuses what a path leads to by now, where something else was judged. A command in the background
/// may have changed a link meanwhile, and a rule may speak of where it leads.
fn as_judged(real: PathBuf, path: &str, ctx: &RunContext) -> Result<PathBuf, ToolError> {
    match &ctx.judged {
        Some(judged) if !judged.contains(&shown(&real)) => {
            Err(ToolError::LedElsewhere { path: path.into() })
        }
        Some(_) | None => Ok(real),
    }
}

/// The real relative path of something that is not hidden.
pub(crate) fn found(ws: &Workspace, path: &str, hidden: &[PathBuf]) -> Result<PathBuf, ToolError> {
    let relative = match ws.locate(path)? {
        Place::Inside(relative) => relative,
        Place::Outside(_) => return Err(ToolError::Outside { path: path.into() }),
    };
    match is_hidden(ws, &ws.root().join(&relative), hidden) {
        true => Err(ToolError::Hidden { path: path.into() }),
        false => Ok(relative),
    }
}

impl Workspace {
    /// What is in a file, up to `most` bytes of it; text or not.
    pub fn read(&self, path: &str, most: u64, hidden: &[PathBuf]) -> Result<Vec<u8>, ToolError> {
        let relative = found(self, path, hidden)?;
        let (file, _) = confined::open_file(self, &relative)?;
        let mut bytes = Vec::new();
        file.take(most)
            .read_to_end(&mut bytes)
            .map_err(|err| ToolError::io(format!("reading `{path}`"), err))?;
        Ok(bytes)
    }
}

/// The real relative path of something a call may change.
pub(crate) fn to_write(ws: &Workspace, path: &str, ctx: &RunContext) -> Result<PathBuf, ToolError> {
    let relative = to_read(ws, path, ctx)?;
    refuse_git(ws, &relative, Touched::Path)?;
    Ok(relative)
}

/// The real relative path of a thing itself that a call may move or delete, with all in it.
pub(crate) fn entry_to_change(
    ws: &Workspace,
    path: &str,
    ctx: &RunContext,
) -> Result<PathBuf, ToolError> {
    let hidden = &ctx.hidden;
    let relative = match ws.locate_entry(path)? {
        Place::Inside(relative) => relative,
        Place::Outside(_) => return Err(ToolError::Outside { path: path.into() }),
    };
    if relative.as_os_str().is_empty() {
        return Err(ToolError::WrongKind {
            path: path.into(),
            found: "the workspace itself",
            needed: "something in it",
        });
    }
    let whole = ws.root().join(&relative);
    // With a folder above it, what is hidden would come to a place where it is not.
    if is_hidden(ws, &whole, hidden) || hidden.iter().any(|one| one.starts_with(&whole)) {
        return Err(ToolError::Hidden { path: path.into() });
    }
    refuse_git(ws, &relative, Touched::Entry)?;
    as_judged(relative, path, ctx)
}

/// Whether a path lies in one of the folders no tool may see. A copy of a workspace lies in one,
/// but what is in it is there to be worked on.
pub(crate) fn is_hidden(ws: &Workspace, path: &Path, hidden: &[PathBuf]) -> bool {
    hidden.iter().any(|folder| path.starts_with(folder) && !ws.root().starts_with(folder))
}

/// Whether a path is written to, or a thing itself moved or deleted with all in it.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Touched {
    Path,
    Entry,
}

/// A hook or a setting in `.git` would run on the person's next git command,
/// outside every sandbox; so would one in a repository further down, and one
/// that git is led to by a link or a file.
pub(crate) fn refuse_git(
    ws: &Workspace,
    relative: &Path,
    touched: Touched,
) -> Result<(), ToolError> {
    match is_gits(&GitExecPaths::of(ws.root()), ws, relative, touched) {
        true => Err(ToolError::Protected { path: shown(relative) }),
        false => Ok(()),
    }
}

/// Whether a path is git's, or git runs it.
pub(crate) fn is_gits(
    git: &GitExecPaths,
    ws: &Workspace,
    relative: &Path,
    touched: Touched,
) -> bool {
    let in_git = relative.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git"));
    let path = ws.root().join(relative);
    in_git
        || git.hold(&path)
        || (touched == Touched::Entry && git.lie_in(&path))
        || orders_bare(ws.root(), relative, touched)
}

/// Whether a folder on the way to this path is a repository of its own once it is written to, moved
/// or deleted, and that is what makes it one or changes what git does there.
fn orders_bare(root: &Path, relative: &Path, touched: Touched) -> bool {
    relative.ancestors().filter_map(|way| way.parent().zip(way.file_name())).any(|(above, part)| {
        let folder = root.join(above);
        let stays = touched == Touched::Path || above.join(part) != relative;
        bare::counts(part)
            && bare::is_repository(|name| match part.eq_ignore_ascii_case(name) {
                true => stays,
                // What nobody can look at counts as there.
                false => Kind::of(&folder.join(name)) != Kind::Missing,
            })
    })
}

/// Takes note of the repositories in a workspace before something is made that may be a part of one,
/// so that the report of the next command tells of it.
pub(crate) async fn note(ws: &Workspace, path: &Path, ctx: &RunContext) -> Result<(), ToolError> {
    if !path.iter().any(bare::is_part) {
        return Ok(());
    }
    let (shell, root, cancel) = (ctx.shell.clone(), ws.root().to_owned(), ctx.cancel.clone());
    let look = move || {
        shell.note(&root, || Repositories::found(&root, &cancel));
        Ok(())
    };
    off_the_loop(u64::MAX, look).await
}

/// A relative path as a person reads it.
pub(crate) fn shown(relative: &Path) -> String {
    match relative.as_os_str().is_empty() {
        true => ".".into(),
        false => relative.to_string_lossy().into_owned(),
    }
}

/// A name or path in a list, in which control characters cannot pass for
/// another line or for colours.
pub(crate) fn name(name: &OsStr) -> String {
    let plain = name.to_string_lossy();
    let shown = |c: char| match c.is_control() {
        true => c.escape_default().collect(),
        false => String::from(c),
    };
    plain.chars().map(shown).collect()
}

/// Runs disk work here when it is quick, else where blocking is fine.
pub(crate) async fn off_the_loop<T: Send + 'static>(
    size: u64,
    work: impl FnOnce() -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    if size <= QUICK {
        return work();
    }
    match tokio::task::spawn_blocking(work).await {
        Ok(answer) => answer,
        Err(stopped) => Err(ToolError::io("file work", std::io::Error::other(stopped))),
    }
}
