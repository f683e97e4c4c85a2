//! What a copy changed, against what it was and what the workspace is now.

use super::committed::{Did, Uncommitted, Versions};
use super::conflict::{Conflict, Version, Whole, Why};
use super::tree::{self, Entry, Tree, entry};
use super::{CopyError, lines, work};
use crate::bare;
use crate::files::{self, Touched, confined};
use crate::git_exec_paths::{GitExecPaths, Kind};
use crate::workspace::Workspace;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use tokio_util::sync::CancellationToken;

/// What tools did in a copy, by paths.
#[derive(Debug, Clone, Default)]
pub struct ByTools {
    /// What they changed: it is compared also where it is ignored.
    pub changed: BTreeSet<String>,
    /// What they were told to move or delete.
    pub removed: BTreeSet<String>,
}

/// What is to be done to take the changes of a copy over.
#[derive(Debug, Default)]
pub struct Comparison {
    /// What is done without a question.
    pub(super) steps: Vec<Step>,
    /// What a person decides.
    pub conflicts: Vec<Conflict>,
    /// A few of the files in ignored places of the copy that are not taken over.
    pub left: Vec<String>,
    /// What git takes for a repository in the copy and did not before: nothing in it is taken over.
    pub repositories: Vec<String>,
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

    /// The paths among them that may not be written: they are git's, or git runs them.
    pub fn protected(&self, ws: &Workspace) -> Vec<String> {
        let git = GitExecPaths::of(ws.root());
        let is_gits = |path: &str, touched: &[Touched]| {
            touched.iter().any(|touched| files::is_gits(&git, ws, Path::new(path), *touched))
        };
        let steps = self.steps.iter().filter(|step| is_gits(&step.path, step.touches()));
        let both = [Touched::Entry, Touched::Path];
        let asked = self.conflicts.iter().filter(|asked| is_gits(&asked.path, &both));
        let steps = steps.map(|step| step.path.clone());
        steps.chain(asked.map(|asked| asked.path.clone())).collect()
    }

    /// Leaves out the paths that are not wanted.
    pub fn keep(&mut self, wanted: impl Fn(&str) -> bool) {
        self.steps.retain(|step| wanted(&step.path));
        let any = |tree: &Tree| tree.keys().any(|path| wanted(path));
        self.conflicts.retain(|conflict| wanted(&conflict.path) || any(&conflict.after.inside));
        self.left.clear();
    }
}

/// One path to change.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) path: String,
    /// What was there when it was compared: nothing else is replaced.
    pub(super) expect: Option<Entry>,
    /// What is in a folder that makes way with all of it.
    pub(super) makes_way: Option<Tree>,
    pub(super) to: Option<Entry>,
    /// The content of a file that is in neither folder.
    pub(super) merged: Option<Vec<u8>>,
    /// The file of the copy whose content it gets.
    pub(super) source: String,
}

impl Step {
    /// What happens to the path.
    pub(super) fn touches(&self) -> &'static [Touched] {
        match self.to {
            Some(_) => &[Touched::Entry, Touched::Path],
            None => &[Touched::Entry],
        }
    }
}

/// Compares a copy with the workspace as it is now.
pub fn compare(
    copy: &Path,
    ws: &Workspace,
    tools: &ByTools,
    cancel: &CancellationToken,
) -> Result<Comparison, CopyError> {
    let known = std::fs::read(copy.join("base.json"))
        .map_err(|err| CopyError::io("reading what a copy was", err))?;
    let base: Tree = serde_json::from_slice(&known)
        .map_err(|err| CopyError::io("reading what a copy was", err))?;
    let theirs = Workspace::open(work(copy))?;
    let tree::Seen { tree: now, left, repositories } =
        tree::read(&theirs, &base, &tools.changed, cancel)?;
    let bare = bare_now(&base, &now, [&theirs, ws]);
    let (uncommitted, did) = (Uncommitted::read(copy)?, Did::read(&work(copy)));
    let sides = Sides {
        copy,
        base: &base,
        now: &now,
        theirs: &theirs,
        mine: ws,
        uncommitted,
        did,
        tools,
        cancel,
    };
    let mut found = Comparison { left, repositories, ..Comparison::default() };
    let paths: BTreeSet<&String> = base.keys().chain(now.keys()).collect();
    for path in paths {
        let asked = found.conflicts.iter().any(|conflict| conflict.holds(path));
        let is_bares = bare.iter().any(|folder| is_of(folder, path));
        if !asked && !is_bares && base.get(path) != now.get(path) {
            sides.one(path, &mut found)?;
        }
    }
    let shown = |folder: String| if folder.is_empty() { ".".to_owned() } else { folder };
    found.repositories.extend(bare.into_iter().map(shown));
    Ok(found)
}

/// Folders that git would take for repositories with what the copy has there, and did not before. No
/// single path tells: all of them together make one, with what is in the workspace already.
fn bare_now(base: &Tree, now: &Tree, sides: [&Workspace; 2]) -> BTreeSet<String> {
    let changed = now.iter().filter(|(path, entry)| base.get(*path) != Some(entry));
    let above = changed.flat_map(|(path, _)| {
        let ways =
            Path::new(path).ancestors().filter(|way| way.file_name().is_some_and(bare::is_part));
        ways.filter_map(|way| way.parent()?.to_str())
    });
    let folders: BTreeSet<&str> = above.collect();
    let is_new = |folder: &&str| {
        let part = |name: &str| Path::new(folder).join(name);
        let was = |name: &str| part(name).to_str().is_some_and(|part| base.contains_key(part));
        let is = |name: &str| {
            sides.iter().any(|side| Kind::of(&side.root().join(part(name))) != Kind::Missing)
        };
        !bare::is_repository(was) && bare::is_repository(is)
    };
    folders.into_iter().filter(is_new).map(str::to_owned).collect()
}

/// Whether a path stays behind with such a folder: all that is in it, but at the top only what makes
/// it one and what git would do there.
fn is_of(folder: &str, path: &str) -> bool {
    match folder.is_empty() {
        true => Path::new(path).iter().next().is_some_and(bare::counts),
        false => path == folder || tree::lies_in(path, folder),
    }
}

struct Sides<'a> {
    copy: &'a Path,
    /// What the copy was, and what it is.
    base: &'a Tree,
    now: &'a Tree,
    theirs: &'a Workspace,
    mine: &'a Workspace,
    uncommitted: Uncommitted,
    did: Did,
    tools: &'a ByTools,
    cancel: &'a CancellationToken,
}

impl Sides<'_> {
    fn one(&self, path: &str, found: &mut Comparison) -> Result<(), CopyError> {
        let (base, theirs) = (self.base.get(path), self.now.get(path));
        let mine = match self.in_the_way(path)? {
            None => entry(self.mine, path)?,
            // It makes way for the copy's folder, or was asked about.
            Some((above, _)) if self.base.get(&above) != self.now.get(&above) => None,
            Some(_) if theirs.is_none() => None,
            Some((above, there)) => return self.ask(&above, Why::Kind, Some(there), found),
        };
        if mine.as_ref() == theirs {
            return Ok(());
        }
        if let Some(why) = self.is_lost(path)? {
            return self.ask(path, why, mine, found);
        }
        let source = path.to_owned();
        let mut step = |to: Option<Entry>, merged: Option<Vec<u8>>, expect: Option<Entry>| {
            let (path, source) = (path.to_owned(), source.clone());
            found.steps.push(Step { path, expect, makes_way: None, to, merged, source });
        };
        if mine == Some(Entry::Folder) && theirs.is_some() {
            let here = Whole::read(self.mine, path, mine.clone(), self.cancel)?;
            if here != Whole::of(self.base, path) {
                return self.ask(path, Why::Kind, mine, found);
            }
            // What goes with the folder may be what no commit has.
            for inner in here.inside.keys() {
                if let Some(why) = self.is_lost(inner)? {
                    return self.ask(path, why, mine, found);
                }
            }
        }
        if mine.as_ref() == base {
            step(theirs.cloned(), None, mine);
            return Ok(());
        }
        let is_folder = |entry: Option<&Entry>| entry == Some(&Entry::Folder);
        let why = match is_folder(mine.as_ref()) || is_folder(theirs) {
            true => Why::Kind,
            false => Why::Both,
        };
        match (base, &mine, theirs) {
            // A folder in which someone has put something since stays.
            (Some(Entry::Folder), Some(Entry::Folder) | None, None) => return Ok(()),
            (
                Some(Entry::File { hash: was, mode: was_mode }),
                Some(Entry::File { hash: here, mode: here_mode }),
                Some(Entry::File { hash: there, mode: there_mode }),
            ) => {
                if here_mode != was_mode && there_mode != was_mode && here_mode != there_mode {
                    return self.ask(path, Why::Mode, mine, found);
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
                let base = self.base_text(was);
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
        self.ask(path, why, mine, found)
    }

    /// What is in the workspace where the copy has a folder on the way to a path.
    fn in_the_way(&self, path: &str) -> Result<Option<(String, Entry)>, CopyError> {
        for (end, _) in path.match_indices('/') {
            match entry(self.mine, &path[..end])? {
                Some(Entry::Folder) => {}
                Some(other) => return Ok(Some((path[..end].to_owned(), other))),
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Whether something that someone had not committed would be lost, and how.
    fn is_lost(&self, path: &str) -> Result<Option<Why>, CopyError> {
        let (base, theirs) = (self.base.get(path), self.now.get(path));
        if self.uncommitted.is_put_away(path, theirs, self.did)
            || self.is_built_over(path, base, theirs)?
        {
            return Ok(Some(Why::PutAway));
        }
        let removed = self.uncommitted.is_removed(path, theirs)
            && !self.tools.removed.contains(path)
            && !self.is_elsewhere(base);
        Ok(removed.then_some(Why::Removed))
    }

    /// Whether the copy has the same under a new name.
    fn is_elsewhere(&self, was: Option<&Entry>) -> bool {
        let Some(Entry::File { hash: was, .. }) = was else { return false };
        let same = |entry: &Entry| matches!(entry, Entry::File { hash, .. } if hash == was);
        self.now.iter().any(|(path, entry)| same(entry) && !self.base.contains_key(path))
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
        let (was, is) = (self.base_text(was), content(self.theirs, path)?);
        let versions =
            Versions { was: was.as_deref(), is: &is, text: &|hash| self.base_text(hash) };
        Ok(self.uncommitted.is_built_over(path, &versions, self.did))
    }

    fn ask(
        &self,
        path: &str,
        why: Why,
        mine: Option<Entry>,
        found: &mut Comparison,
    ) -> Result<(), CopyError> {
        let before = Whole::read(self.mine, path, mine, self.cancel)?;
        let (was, after) = (Whole::of(self.base, path), Whole::of(self.now, path));
        let text = match &was.entry {
            Some(Entry::File { hash, .. }) => self.base_text(hash),
            Some(Entry::Folder | Entry::Link { .. } | Entry::Other) | None => None,
        };
        found.conflicts.push(Conflict {
            path: path.to_owned(),
            why,
            base: Version::of(path, &was, text),
            mine: Version::seen(self.mine, path, &before)?,
            theirs: Version::seen(self.theirs, path, &after)?,
            before,
            after,
        });
        Ok(())
    }

    /// The text of a file when the copy was made.
    fn base_text(&self, hash: &str) -> Option<Vec<u8>> {
        std::fs::read(self.copy.join("base").join(hash)).ok()
    }
}

/// What is in a file.
pub(super) fn content(ws: &Workspace, path: &str) -> Result<Vec<u8>, CopyError> {
    let (mut file, _) = confined::open_file(ws, Path::new(path))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|err| CopyError::io(format!("reading `{path}`"), err))?;
    Ok(bytes)
}
