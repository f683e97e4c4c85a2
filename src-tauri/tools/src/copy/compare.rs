//! What a copy changed, against what it was and what the workspace is now.

use super::committed::{Did, Uncommitted, Versions};
use super::tree::{self, Entry, Tree, entry};
use super::{CopyError, lines, work};
use crate::files::confined;
use crate::workspace::Workspace;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use tokio_util::sync::CancellationToken;

/// What is to be done to take the changes of a copy over.
#[derive(Debug, Default)]
pub struct Comparison {
    /// What is done without a question.
    pub(super) steps: Vec<Step>,
    /// What a person decides.
    pub conflicts: Vec<Conflict>,
    /// A few of the files in ignored places of the copy that are not taken over.
    pub left: Vec<String>,
}

impl Comparison {
    /// The paths that would change without a question.
    pub fn paths(&self) -> Vec<&str> {
        self.steps.iter().map(|step| step.path.as_str()).collect()
    }

    /// The paths that would change, with and without a question.
    pub fn all_paths(&self) -> Vec<&str> {
        let asked = self.conflicts.iter().map(|conflict| conflict.path.as_str());
        self.paths().into_iter().chain(asked).collect()
    }

    /// Leaves out the paths that are not wanted.
    pub fn keep(&mut self, wanted: impl Fn(&str) -> bool) {
        self.steps.retain(|step| wanted(&step.path));
        self.conflicts.retain(|conflict| wanted(&conflict.path));
        self.left.clear();
    }
}

/// One path to change.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) path: String,
    /// What was there when it was compared: nothing else is replaced.
    pub(super) expect: Option<Entry>,
    pub(super) to: Option<Entry>,
    /// The content of a file that is in neither folder.
    pub(super) merged: Option<Vec<u8>>,
    /// The file of the copy whose content it gets.
    pub(super) source: String,
}

/// A path that both sides changed in ways that do not go together.
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
    before: Option<Entry>,
    after: Option<Entry>,
}

/// Why something is not taken over without a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Both sides changed it.
    Both,
    /// The copy put it back to the last commit, and may have changed it then; what was there was
    /// not committed.
    PutAway,
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
}

/// The mark of nothing.
const GONE: &str = "gone";

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

    /// What a choice comes to.
    pub(super) fn step(
        &self,
        choice: Choice,
        who: &str,
        ws: &Workspace,
    ) -> Result<Option<Step>, CopyError> {
        let (path, to, merged) = (self.path.clone(), self.after.clone(), None);
        let source = self.path.clone();
        match choice {
            Choice::Mine => Ok(None),
            Choice::Theirs => {
                Ok(Some(Step { path, expect: self.before.clone(), to, merged, source }))
            }
            // What is gone can't be put beside anything.
            Choice::Both if to.is_none() => Ok(None),
            Choice::Both => {
                let first = self.beside(who);
                for number in 1..1_000 {
                    let path = match number {
                        1 => first.clone(),
                        _ => format!("{first}-{number}"),
                    };
                    match entry(ws, &path)? {
                        None => {
                            return Ok(Some(Step { path, expect: None, to, merged, source }));
                        }
                        there if there == to => return Ok(None),
                        Some(_) => {}
                    }
                }
                Err(CopyError::Changed { path: first })
            }
        }
    }
}

/// Compares a copy with the workspace as it is now. What has one of these names is compared also
/// where it is ignored.
pub fn compare(
    copy: &Path,
    ws: &Workspace,
    named: &BTreeSet<String>,
    cancel: &CancellationToken,
) -> Result<Comparison, CopyError> {
    let known = std::fs::read(copy.join("base.json"))
        .map_err(|err| CopyError::io("reading what a copy was", err))?;
    let base: Tree = serde_json::from_slice(&known)
        .map_err(|err| CopyError::io("reading what a copy was", err))?;
    let theirs = Workspace::open(work(copy))?;
    let (now, left) = tree::read(&theirs, &base, named, cancel)?;
    let (uncommitted, did) = (Uncommitted::read(copy)?, Did::read(&work(copy)));
    let sides = Sides { copy, theirs: &theirs, mine: ws, uncommitted, did };
    let mut found = Comparison { left, ..Comparison::default() };
    let paths: BTreeSet<&String> = base.keys().chain(now.keys()).collect();
    for path in paths {
        let (was, is) = (base.get(path), now.get(path));
        if was != is {
            sides.one(path, was, is, &mut found)?;
        }
    }
    Ok(found)
}

struct Sides<'a> {
    copy: &'a Path,
    theirs: &'a Workspace,
    mine: &'a Workspace,
    uncommitted: Uncommitted,
    did: Did,
}

impl Sides<'_> {
    fn one(
        &self,
        path: &str,
        base: Option<&Entry>,
        theirs: Option<&Entry>,
        found: &mut Comparison,
    ) -> Result<(), CopyError> {
        let mine = entry(self.mine, path)?;
        if mine.as_ref() == theirs {
            return Ok(());
        }
        if self.uncommitted.is_put_away(path, theirs, self.did)
            || self.is_built_over(path, base, theirs)?
        {
            return self.ask(path, Why::PutAway, [base, mine.as_ref(), theirs], found);
        }
        let source = path.to_owned();
        let mut step = |to: Option<Entry>, merged: Option<Vec<u8>>, expect: Option<Entry>| {
            let (path, source) = (path.to_owned(), source.clone());
            found.steps.push(Step { path, expect, to, merged, source });
        };
        if mine.as_ref() == base {
            step(theirs.cloned(), None, mine);
            return Ok(());
        }
        match (base, &mine, theirs) {
            // A folder in which someone has put something since stays.
            (Some(Entry::Folder), Some(Entry::Folder) | None, None) => return Ok(()),
            (
                Some(Entry::File { hash: was, mode: was_mode }),
                Some(Entry::File { hash: here, mode: here_mode }),
                Some(Entry::File { hash: there, mode: there_mode }),
            ) => {
                if here_mode != was_mode && there_mode != was_mode && here_mode != there_mode {
                    return self.ask(path, Why::Mode, [base, mine.as_ref(), theirs], found);
                }
                let mode = if there_mode == was_mode { *here_mode } else { *there_mode };
                if was == there {
                    let to = Entry::File { hash: here.clone(), mode };
                    step(Some(to), Some(content(self.mine, path)?), mine);
                    return Ok(());
                }
                if was == here || here == there {
                    let to = Entry::File { hash: there.clone(), mode };
                    step(Some(to), None, mine);
                    return Ok(());
                }
                let base = self.base(was);
                let (here, there) = (content(self.mine, path)?, content(self.theirs, path)?);
                let merged = base.and_then(|base| lines::merge(&base, &here, &there));
                if let Some(merged) = merged {
                    let hash = blake3::hash(&merged).to_hex().to_string();
                    let same = mine.as_ref() == Some(&Entry::File { hash: hash.clone(), mode });
                    if !same {
                        step(Some(Entry::File { hash, mode }), Some(merged), mine);
                    }
                    return Ok(());
                }
            }
            _ => {}
        }
        self.ask(path, Why::Both, [base, mine.as_ref(), theirs], found)
    }

    /// Whether what someone had not committed was put away before it was changed.
    fn is_built_over(
        &self,
        path: &str,
        base: Option<&Entry>,
        theirs: Option<&Entry>,
    ) -> Result<bool, CopyError> {
        let (Some(Entry::File { hash: was, .. }), Some(Entry::File { hash: is, .. })) =
            (base, theirs)
        else {
            return Ok(false);
        };
        if was == is || !self.uncommitted.has(path) {
            return Ok(false);
        }
        let (was, is) = (self.base(was), content(self.theirs, path)?);
        let versions = Versions { was: was.as_deref(), is: &is, text: &|hash| self.base(hash) };
        Ok(self.uncommitted.is_built_over(path, &versions, self.did))
    }

    fn ask(
        &self,
        path: &str,
        why: Why,
        [base, mine, theirs]: [Option<&Entry>; 3],
        found: &mut Comparison,
    ) -> Result<(), CopyError> {
        found.conflicts.push(Conflict {
            path: path.to_owned(),
            why,
            base: base.map_or(Ok(version(None, None)), |entry| self.was(entry))?,
            mine: seen(self.mine, path, mine)?,
            theirs: seen(self.theirs, path, theirs)?,
            before: mine.cloned(),
            after: theirs.cloned(),
        });
        Ok(())
    }

    /// The text of a file when the copy was made.
    fn base(&self, hash: &str) -> Option<Vec<u8>> {
        std::fs::read(self.copy.join("base").join(hash)).ok()
    }

    fn was(&self, entry: &Entry) -> Result<Version, CopyError> {
        let text = match entry {
            Entry::File { hash, .. } => self.base(hash),
            Entry::Folder | Entry::Link { .. } | Entry::Other => None,
        };
        Ok(version(Some(entry), text))
    }
}

fn seen(ws: &Workspace, path: &str, entry: Option<&Entry>) -> Result<Version, CopyError> {
    let bytes = match entry {
        Some(Entry::File { .. }) => Some(content(ws, path)?),
        Some(Entry::Folder | Entry::Link { .. } | Entry::Other) | None => None,
    };
    Ok(version(entry, bytes))
}

fn version(entry: Option<&Entry>, bytes: Option<Vec<u8>>) -> Version {
    let text = bytes.as_deref().and_then(lines::text).map(str::to_owned);
    let (mark, words) = match entry {
        None => (GONE.to_owned(), "it is not there".to_owned()),
        Some(Entry::Folder) => ("folder".to_owned(), "a folder".to_owned()),
        Some(Entry::Link { to }) => (format!("link {to}"), format!("a link to {to}")),
        Some(Entry::Other) => ("other".to_owned(), "neither file nor folder".to_owned()),
        Some(Entry::File { hash, mode }) => {
            let size = bytes.map_or(String::new(), |bytes| format!(" of {} bytes", bytes.len()));
            (format!("{mode:o} {hash}"), format!("a file{size} that is not text, or a long one"))
        }
    };
    let mode = match entry {
        Some(Entry::File { mode, .. }) => Some(*mode),
        Some(Entry::Folder | Entry::Link { .. } | Entry::Other) | None => None,
    };
    Version { mark, text, words, mode }
}

/// What is in a file.
pub(super) fn content(ws: &Workspace, path: &str) -> Result<Vec<u8>, CopyError> {
    let (mut file, _) = confined::open_file(ws, Path::new(path))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|err| CopyError::io(format!("reading `{path}`"), err))?;
    Ok(bytes)
}
