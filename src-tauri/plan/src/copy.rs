//! A sidekick's own copy of the workspace: where it is, and how its changes come back.
//!
//! ```text
//! made → (the sidekick ends) → merging ⇄ asked about conflicts and trouble → merged | dropped
//! ```

use crate::scope::PATH_TOOLS;
use crate::text::on_one_line;
use crate::{Ask, AskId, AskKind, Change, Ended, Room, SidekickEnd, Text};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The copy that a sidekick works in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnCopy {
    /// The folder.
    pub folder: String,
    /// A folder that commands read beside it: the objects of the repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shares: Option<String>,
    /// What a person chose about conflicts, by path.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub chosen: BTreeMap<String, Chosen>,
    /// What tools changed in it, by their word.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub wrote: BTreeSet<String>,
    /// What of it tools were told to move or delete.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub removed: BTreeSet<String>,
    /// Paths that were about to be taken over.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub taking: BTreeSet<String>,
    /// Whether a part of it is in the workspace.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub took: bool,
    /// Whether a person wants what was finished in it for a sidekick that was not done itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wanted: bool,
    /// Paths that may not be written, which a person does without.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub without: BTreeSet<String>,
}

/// What a person chose, and between which versions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chosen {
    /// `mine`, `theirs` or `both`.
    pub answer: String,
    /// The version in the workspace.
    pub mine: String,
    /// The version in the copy.
    pub theirs: String,
}

/// What is told of a sidekick that ended before its work was done.
const NOT_TAKEN: &str = "; what it changed was not taken over";
/// The same, when a person wanted what others had finished for it.
const FINISHED_TAKEN: &str = "; what its own sidekicks finished was taken over";
/// The same, when it was too late for some of it.
const PARTLY_TAKEN: &str = "; only a part of what it changed was taken over";
/// The same, when it was too late for all of it.
const ALL_TAKEN: &str = "; what it changed had been taken over";
/// What is told of files that commands left where nobody looks.
const IGNORED_LEFT: &str = "; not taken over, for git ignores it: ";
/// What is told of repositories that were made in a copy.
const REPOSITORIES: &str = "; left out, for git takes it for a repository: ";
/// What is told of files that may not be written, and that a person does without.
const WITHOUT: &str = "; left out, for git runs it or it is git's: ";
/// What is told of changes that a person was asked about and does without.
const NOT_ITS_CHANGES: &str = "its changes could not be taken over";
/// The same, when some of them are there.
const NOT_ALL_CHANGES: &str = "all of its changes could not be taken over";
/// The same, when they all are.
const ALL_CHANGES: &str = "its changes had been taken over";

impl Room {
    /// The folder it works in: the workspace, or a sidekick's own copy of it.
    pub fn folder(&self) -> &str {
        self.copy.as_ref().map_or(&self.workspace, |copy| &copy.folder)
    }

    /// Whether a sidekick has ended whose copy is still to be merged or dropped.
    pub fn has_copy_to_settle(&self) -> bool {
        let over = self.sidekick.as_ref().is_some_and(|sidekick| sidekick.ended.is_some());
        self.copy.is_some() && over && !self.owes
    }

    /// Whether work is in it that was done to the end: its own, or what a person is asked about or
    /// wants of a sidekick that was not done.
    pub fn has_work_to_settle(&self) -> bool {
        let ended = self.sidekick.as_ref().and_then(|sidekick| sidekick.ended.as_ref());
        let done = ended.is_some_and(|ended| ended.end == SidekickEnd::Completed);
        let wanted = self.copy.as_ref().is_some_and(|copy| copy.wanted);
        let asked = || self.asks.values().any(|ask| ask.shows(Ask::FINISHED));
        self.has_copy_to_settle() && (done || wanted || asked())
    }

    pub(crate) fn copy_made(&mut self, folder: &str, shares: Option<&String>) {
        self.copy = Some(OwnCopy {
            folder: folder.to_owned(),
            shares: shares.cloned(),
            chosen: BTreeMap::new(),
            wrote: BTreeSet::new(),
            removed: BTreeSet::new(),
            taking: BTreeSet::new(),
            took: false,
            wanted: false,
            without: BTreeSet::new(),
        });
    }

    /// A tool changed something in it.
    pub(crate) fn copy_changed(&mut self, tool: &str, changed: &[String]) {
        let Some(copy) = &mut self.copy else { return };
        copy.wrote.extend(changed.iter().cloned());
        if PATH_TOOLS.contains(&tool) {
            copy.removed.extend(changed.iter().cloned());
        }
    }

    pub(crate) fn merge_began(&mut self, paths: &[String]) {
        if let Some(copy) = &mut self.copy {
            copy.taking.extend(paths.iter().cloned());
        }
    }

    pub(crate) fn merged(
        &mut self,
        changed: &[Change],
        partly: bool,
        left: &[String],
        repositories: &[String],
    ) {
        let dropped = self.copy.is_none();
        let (taken, without) = match &mut self.copy {
            Some(copy) if partly => {
                copy.took = true;
                Default::default()
            }
            copy => copy.take().map(|copy| (copy.taking, copy.without)).unwrap_or_default(),
        };
        let Some(sidekick) = &mut self.sidekick else { return };
        sidekick.changed.extend(taken);
        sidekick.changed.extend(changed.iter().map(|change| change.path.clone()));
        let Some(ended) = sidekick.ended.as_mut().filter(|_| self.copy.is_none()) else { return };
        let done = ended.end == SidekickEnd::Completed;
        for words in said(ended) {
            if dropped {
                let (end, start) = match partly {
                    true => (PARTLY_TAKEN, NOT_ALL_CHANGES),
                    false => (ALL_TAKEN, ALL_CHANGES),
                };
                *words = words.replace(NOT_TAKEN, end);
                if let Some(rest) = words.strip_prefix(NOT_ITS_CHANGES) {
                    *words = format!("{start}{rest}");
                }
            } else if !done {
                words.push_str(FINISHED_TAKEN);
            } else if !left.is_empty() {
                words.push_str(IGNORED_LEFT);
                words.push_str(&on_one_line(&left.join(", ")));
            }
            if !repositories.is_empty() {
                words.push_str(REPOSITORIES);
                words.push_str(&on_one_line(&repositories.join(", ")));
            }
            if !without.is_empty() {
                let named: Vec<&str> = without.iter().map(String::as_str).collect();
                words.push_str(WITHOUT);
                words.push_str(&on_one_line(&named.join(", ")));
            }
        }
    }

    pub(crate) fn copy_dropped(&mut self, problem: Option<&String>) {
        let took = self.copy.take().is_some_and(|copy| copy.took);
        let Some(ended) = self.sidekick.as_mut().and_then(|sidekick| sidekick.ended.as_mut())
        else {
            return;
        };
        match problem {
            Some(problem) => {
                ended.end = SidekickEnd::Failed;
                ended.summary = None;
                let what = if took { NOT_ALL_CHANGES } else { NOT_ITS_CHANGES };
                ended.result = format!("{what}: {problem}");
            }
            None => {
                ended.given_up |= ended.end == SidekickEnd::Completed;
                let words = if took { PARTLY_TAKEN } else { NOT_TAKEN };
                said(ended).for_each(|said| said.push_str(words));
            }
        }
    }

    /// Whether a person is asked, or has chosen, between these very versions.
    pub(crate) fn knows_conflict(&self, ask: &Ask) -> bool {
        let between = |ask: &Ask| chosen(ask, "").filter(|_| ask.kind == AskKind::Conflict);
        let Some((path, new)) = between(ask) else { return false };
        let same = |old: &Chosen| old.mine == new.mine && old.theirs == new.theirs;
        let open = self.asks.values().filter_map(between);
        let answered = self.copy.as_ref().and_then(|copy| copy.chosen.get(&path));
        answered.is_some_and(same) || open.into_iter().any(|(at, old)| at == path && same(&old))
    }

    /// Remembers what was chosen about a copy, before the question is closed.
    pub(crate) fn chose(&mut self, ask: &AskId, answer: &str) {
        let (Some(ask), Some(copy)) = (self.asks.get(ask), &mut self.copy) else { return };
        copy.wanted |= ask.shows(Ask::FINISHED) && answer == Ask::TAKE_OVER;
        if ask.shows(Ask::PROBLEM) && answer == Ask::TAKE_REST {
            let named = ask.detail.iter().filter(|detail| detail.name == Ask::PROTECTED);
            copy.without.extend(named.map(|detail| detail.value.clone()));
        }
        let conflict = Some(ask).filter(|ask| ask.kind == AskKind::Conflict);
        if let Some((path, chosen)) = conflict.and_then(|ask| chosen(ask, answer)) {
            copy.chosen.insert(path, chosen);
        }
    }
}

/// Wherever it is said what came of a sidekick.
fn said(ended: &mut Ended) -> impl Iterator<Item = &mut String> {
    let full = match &mut ended.summary {
        Some(Text::Inline(summary)) => Some(summary),
        Some(Text::Blob { .. }) => Some(&mut ended.remarks),
        None => None,
    };
    std::iter::once(&mut ended.result).chain(full)
}

fn chosen(ask: &Ask, answer: &str) -> Option<(String, Chosen)> {
    let said = |name: &str| {
        let found = ask.detail.iter().find(|detail| detail.name == name);
        found.map(|detail| detail.value.clone())
    };
    let (mine, theirs) = (said("mine_version")?, said("theirs_version")?);
    Some((said("path")?, Chosen { answer: answer.to_owned(), mine, theirs }))
}
