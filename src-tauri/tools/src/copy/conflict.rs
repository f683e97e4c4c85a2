//! What a person decides: a path that both sides changed in ways that do not go together.

use super::CopyError;
use super::compare::{Step, content};
use super::lines;
use super::tree::{self, Entry, Tree, entry};
use crate::workspace::Workspace;
use tokio_util::sync::CancellationToken;

/// As many files of a folder are named.
const MOST_NAMED: usize = 20;

/// A path that both sides changed in ways that do not go together. Where one has a folder there,
/// it is about everything in it.
#[derive(Debug)]
pub struct Conflict {
    /// Where.
    pub path: String,
    /// What does not go together.
    pub why: Why,
    /// What it was.
    pub base: Version,
    /// What it is in the workspace.
    pub mine: Version,
    /// What it is in the copy.
    pub theirs: Version,
    pub(super) before: Whole,
    pub(super) after: Whole,
}

/// What is at a path, with all that is in it where it is a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Whole {
    pub(super) entry: Option<Entry>,
    /// By its own path.
    pub(super) inside: Tree,
}

impl Whole {
    /// What a tree has at a path.
    pub(super) fn of(tree: &Tree, path: &str) -> Self {
        Self { entry: tree.get(path).cloned(), inside: tree::below(tree, path) }
    }

    /// What a workspace has at a path.
    pub(super) fn read(
        ws: &Workspace,
        path: &str,
        entry: Option<Entry>,
        cancel: &CancellationToken,
    ) -> Result<Self, CopyError> {
        let inside = match entry {
            Some(Entry::Folder) => tree::inside(ws, path, cancel)?,
            Some(Entry::File { .. } | Entry::Link { .. } | Entry::Other) | None => Tree::new(),
        };
        Ok(Self { entry, inside })
    }

    pub(super) fn is_folder(&self) -> bool {
        self.entry == Some(Entry::Folder)
    }

    /// The same under another name.
    fn named(&self, from: &str, to: &str) -> Self {
        let renamed = |path: &String| format!("{to}{}", &path[from.len()..]);
        let inside = self.inside.iter().map(|(path, entry)| (renamed(path), entry.clone()));
        Self { entry: self.entry.clone(), inside: inside.collect() }
    }
}

/// Why something is not taken over without a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Both sides changed it.
    Both,
    /// One side has a folder there, the other does not.
    Kind,
    /// The copy put it back to the last commit, and may have changed it then; what was there was
    /// not committed.
    PutAway,
    /// It is gone in the copy, no tool was told to remove it, and no commit has it.
    Removed,
    /// Both sides changed who may do what with it.
    Mode,
}

/// One side of a conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// What tells it from any other.
    pub mark: String,
    /// Its text, where it is one.
    pub text: Option<String>,
    /// What it is, in words, where it is no text.
    pub words: String,
    /// Who may do what with it, where it is a file.
    pub mode: Option<u32>,
}

impl Version {
    /// Whether nothing is there.
    pub fn is_gone(&self) -> bool {
        self.mark == GONE
    }

    /// What is there in a folder that can be read.
    pub(super) fn seen(ws: &Workspace, path: &str, whole: &Whole) -> Result<Self, CopyError> {
        let bytes = match whole.entry {
            Some(Entry::File { .. }) => Some(content(ws, path)?),
            Some(Entry::Folder | Entry::Link { .. } | Entry::Other) | None => None,
        };
        Ok(Self::of(path, whole, bytes))
    }

    pub(super) fn of(path: &str, whole: &Whole, bytes: Option<Vec<u8>>) -> Self {
        let text = bytes.as_deref().and_then(lines::text).map(str::to_owned);
        let (mark, words) = match &whole.entry {
            None => (GONE.to_owned(), "it is not there".to_owned()),
            Some(Entry::Folder) => of_folder(path, &whole.inside),
            Some(Entry::Link { to }) => (format!("link {to}"), format!("a link to {to}")),
            Some(Entry::Other) => ("other".to_owned(), "neither file nor folder".to_owned()),
            Some(Entry::File { hash, mode }) => {
                let size =
                    bytes.map_or(String::new(), |bytes| format!(" of {} bytes", bytes.len()));
                let words = format!("a file{size} that is not text, or a long one");
                (format!("{mode:o} {hash}"), words)
            }
        };
        let mode = match whole.entry {
            Some(Entry::File { mode, .. }) => Some(mode),
            Some(Entry::Folder | Entry::Link { .. } | Entry::Other) | None => None,
        };
        Self { mark, text, words, mode }
    }
}

/// The mark of nothing.
const GONE: &str = "gone";

/// The mark of a folder and what is in it, in words.
fn of_folder(path: &str, inside: &Tree) -> (String, String) {
    let mut all = blake3::Hasher::new();
    for (path, entry) in inside {
        all.update(format!("{path:?} {entry:?}\n").as_bytes());
    }
    let mark = format!("folder {}", all.finalize().to_hex());
    let files = inside.iter().filter(|(_, entry)| **entry != Entry::Folder);
    let names: Vec<&str> = files.map(|(inner, _)| &inner[path.len() + 1..]).collect();
    let mut named = names.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join(", ");
    if names.len() > MOST_NAMED {
        named += &format!(" and {} more", names.len() - MOST_NAMED);
    }
    match named.is_empty() {
        true => (mark, "an empty folder".to_owned()),
        false => (mark, format!("a folder with {named}")),
    }
}

/// What a person says about a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The workspace stays as it is.
    Mine,
    /// The copy's version replaces it.
    Theirs,
    /// The workspace stays as it is, and the copy's version is put beside it.
    Both,
}

impl Conflict {
    /// The name that the copy's version gets beside the other.
    pub fn beside(&self, who: &str) -> String {
        format!("{}.from-{who}", self.path)
    }

    /// Whether what is below it belongs to it.
    pub(super) fn holds(&self, path: &str) -> bool {
        (self.before.is_folder() || self.after.is_folder()) && tree::lies_in(path, &self.path)
    }

    /// What a choice comes to.
    pub(super) fn steps(
        &self,
        choice: Choice,
        who: &str,
        ws: &Workspace,
        cancel: &CancellationToken,
    ) -> Result<Vec<Step>, CopyError> {
        match choice {
            Choice::Mine => Ok(Vec::new()),
            Choice::Theirs => Ok(self.put(&self.path, self.before.clone())),
            // What is gone can't be put beside anything.
            Choice::Both if self.after.entry.is_none() => Ok(Vec::new()),
            Choice::Both => {
                let first = self.beside(who);
                for number in 1..1_000 {
                    let path = match number {
                        1 => first.clone(),
                        _ => format!("{first}-{number}"),
                    };
                    let there = entry(ws, &path)?;
                    if there.is_none() {
                        return Ok(self.put(&path, Whole::default()));
                    }
                    if Whole::read(ws, &path, there, cancel)? == self.after.named(&self.path, &path)
                    {
                        return Ok(Vec::new());
                    }
                }
                Err(CopyError::Changed { path: first })
            }
        }
    }

    /// Puts the copy's version at a path, in the place of what is there.
    fn put(&self, at: &str, there: Whole) -> Vec<Step> {
        let makes_way = there.is_folder().then_some(there.inside);
        let (path, source) = (at.to_owned(), self.path.clone());
        let (to, expect, merged) = (self.after.entry.clone(), there.entry, None);
        let mut steps = vec![Step { path, expect, makes_way, to, merged, source }];
        let sources = self.after.inside.keys();
        let renamed = self.after.named(&self.path, at).inside;
        steps.extend(renamed.into_iter().zip(sources).map(|((path, entry), source)| Step {
            path,
            expect: None,
            makes_way: None,
            to: Some(entry),
            merged: None,
            source: source.clone(),
        }));
        steps
    }
}
