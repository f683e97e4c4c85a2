//! What ignore files leave out of a walk through the workspace.
//!
//! The crate `ignore` would open whatever has the name of an ignore file, and wait for a named pipe
//! for ever. So it walks without looking at them, and they are read here.

use crate::files::{self, known};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::overrides::Override;
use ignore::{DirEntry, Match, WalkBuilder};
use std::collections::HashMap;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

/// The rules that were read so far, by folder.
pub(crate) struct Ignored {
    levels: RwLock<HashMap<OsString, Arc<Level>>>,
    /// The person's own, for all repositories.
    of_the_person: Gitignore,
    /// What is asked for by a pattern counts more.
    asked_for: Override,
}

/// The rules in one folder, and those in the folders above it.
struct Level {
    /// From `.ignore`.
    plain: Option<Gitignore>,
    /// From `.gitignore` and git's own folder.
    git: Option<Gitignore>,
    exclude: Option<Gitignore>,
    /// Git's rules end at the top of a repository.
    is_repository: bool,
    above: Option<Arc<Level>>,
}

impl Ignored {
    /// A walk from `top` that leaves out what is ignored, and what `keep` does.
    pub(crate) fn walk(
        top: &Path,
        asked_for: Override,
        keep: impl Fn(&DirEntry) -> bool + Send + Sync + 'static,
    ) -> WalkBuilder {
        let ignored = Self::below(top, asked_for.clone());
        let mut walk = WalkBuilder::new(top);
        walk.standard_filters(false)
            .overrides(asked_for)
            .filter_entry(move |entry| keep(entry) && !ignored.holds(entry));
        walk
    }

    /// What a walk could not look at, below `root`, and why. What is gone meanwhile is no trouble.
    pub(crate) fn passed_over(error: &ignore::Error, root: &Path) -> Option<(PathBuf, String)> {
        let why = error.io_error()?.kind();
        let path = path_of(error)?.strip_prefix(root).ok()?;
        let words = format!("{} can't be read: {why}", files::name(path.as_os_str()));
        (why != ErrorKind::NotFound).then(|| (path.to_owned(), words))
    }

    /// The rules for what lies below `top`.
    pub(crate) fn below(top: &Path, asked_for: Override) -> Self {
        let (of_the_person, _) = GitignoreBuilder::new(top).build_global();
        Self { levels: RwLock::default(), of_the_person, asked_for }
    }

    fn holds(&self, entry: &DirEntry) -> bool {
        let path = entry.path();
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        if self.asked_for.matched(path, is_folder).is_whitelist() {
            return false;
        }
        path.parent().is_some_and(|folder| self.right_in(folder).hold(path, is_folder))
    }

    /// The rules for what lies right in a folder.
    pub(crate) fn right_in(&self, folder: &Path) -> Rules<'_> {
        let nearest = self.level(folder);
        let mut level = Some(&nearest);
        let mut any = !self.of_the_person.is_empty();
        while let Some(one) = level {
            any |= one.plain.is_some() || one.git.is_some() || one.exclude.is_some();
            level = one.above.as_ref();
        }
        let nearest = any.then_some(nearest);
        Rules { of_the_person: &self.of_the_person, nearest }
    }

    fn level(&self, folder: &Path) -> Arc<Level> {
        let known = self.levels.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(level) = known.get(folder.as_os_str()) {
            return level.clone();
        }
        drop(known);
        let level = Arc::new(Level {
            plain: rules(folder, ".ignore"),
            git: rules(folder, ".gitignore"),
            exclude: rules(folder, ".git/info/exclude"),
            is_repository: folder.join(".git").symlink_metadata().is_ok(),
            above: folder.parent().map(|above| self.level(above)),
        });
        let mut known = self.levels.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(folder.as_os_str().to_owned(), level.clone());
        level
    }
}

/// What an error of a walk is about.
fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        ignore::Error::Partial(_)
        | ignore::Error::Loop { .. }
        | ignore::Error::Io(_)
        | ignore::Error::Glob { .. }
        | ignore::Error::UnrecognizedFileType(_)
        | ignore::Error::InvalidDefinition => None,
    }
}

/// The rules for what lies right in one folder.
pub(crate) struct Rules<'a> {
    of_the_person: &'a Gitignore,
    /// Nothing where there are no rules at all, as in most folders.
    nearest: Option<Arc<Level>>,
}

impl Rules<'_> {
    /// Whether nothing can be ignored there.
    pub(crate) fn are_none(&self) -> bool {
        self.nearest.is_none()
    }

    /// Whether something in that folder is ignored, given by its whole path.
    pub(crate) fn hold(&self, path: &Path, is_folder: bool) -> bool {
        let Some(nearest) = &self.nearest else { return false };
        let (mut plain, mut git, mut exclude) = (Match::None, Match::None, Match::None);
        let (mut level, mut in_repository) = (Some(nearest), true);
        while let Some(one) = level {
            let said = |rules: &Option<Gitignore>| match rules {
                Some(rules) => rules.matched(path, is_folder).map(|_| ()),
                None => Match::None,
            };
            plain = plain.or(said(&one.plain));
            if in_repository {
                git = git.or(said(&one.git));
                exclude = exclude.or(said(&one.exclude));
            }
            in_repository &= !one.is_repository;
            level = one.above.as_ref();
        }
        let own = self.of_the_person.matched(path, is_folder).map(|_| ());
        plain.or(git).or(exclude).or(own).is_ignore()
    }
}

/// The patterns of one file, if it is there. Like git, this follows no link.
fn rules(folder: &Path, name: &str) -> Option<Gitignore> {
    let text = known::own_text(&folder.join(name))?;
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.lines() {
        // A pattern that can't be read ignores nothing.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok().filter(|rules| !rules.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_all_folders_count_as_they_do_for_git() {
        let home = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = home.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        put("outer/.gitignore", "kept\n");
        put("outer/.ignore", "gone\n");
        put("outer/in/.gitignore", "# why\n*.log\nbuild/\n/only-top\n");
        put("outer/in/.git/info/exclude", "mine\n");
        put("outer/in/sub/.gitignore", "!good.log\n");
        put("outer/in/sub/.ignore", "!mine\n");
        for name in [
            "a.log",
            "only-top",
            "kept",
            "gone",
            "mine",
            "build/x",
            "sub/bad.log",
            "sub/good.log",
            "sub/only-top",
            "sub/mine",
        ] {
            put(&format!("outer/in/{name}"), "");
        }
        let top = home.path().join("outer/in");
        let walk = Ignored::walk(&top, Override::empty(), |entry| entry.file_name() != ".git");
        let files = walk.build().map(Result::unwrap);
        let files = files.filter(|entry| entry.file_type().unwrap().is_file());
        let names = files.map(|entry| entry.path().strip_prefix(&top).unwrap().to_owned());
        let mut names: Vec<_> = names.map(|name| name.to_str().unwrap().to_owned()).collect();
        names.sort();
        let expected =
            [".gitignore", "kept", "sub/.gitignore", "sub/.ignore", "sub/good.log", "sub/mine"];
        assert_eq!(names, [&expected[..], &["sub/only-top"]].concat());
    }
}
