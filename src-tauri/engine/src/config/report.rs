//! Collects problems while a configuration is read, so that a person sees all
//! of them at once.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;

use super::key_like;
use super::problem::Problem;
use super::tree::{Mark, Source};

/// The problems found so far in the files being read.
#[derive(Debug)]
pub(super) struct Report {
    person: PathBuf,
    settings: PathBuf,
    errors: RefCell<Vec<(Source, Problem)>>,
    warnings: RefCell<Vec<(Source, Problem)>>,
    ignored: RefCell<Vec<(Mark, String)>>,
}

impl Report {
    pub(super) fn new(person: PathBuf, settings: PathBuf) -> Self {
        Self {
            person,
            settings,
            errors: RefCell::default(),
            warnings: RefCell::default(),
            ignored: RefCell::default(),
        }
    }

    /// The message starts with the path, unless it is empty.
    pub(super) fn error(&self, at: Mark, path: &str, message: impl AsRef<str>) {
        let problem = self.problem(at, path, message.as_ref());
        self.errors.borrow_mut().push((at.source, problem));
    }

    pub(super) fn warning(&self, at: Mark, path: &str, message: impl AsRef<str>) {
        let problem = self.problem(at, path, message.as_ref());
        self.warnings.borrow_mut().push((at.source, problem));
    }

    /// Notes a key that is known and does nothing.
    pub(super) fn ignored(&self, at: Mark, section: &str, key: &str) {
        let name = if section.is_empty() { key.to_owned() } else { format!("{section}.{key}") };
        self.ignored.borrow_mut().push((at, name));
    }

    /// Errors and warnings, each in the order of the files.
    pub(super) fn into_parts(self) -> (Vec<Problem>, Vec<Problem>) {
        for source in [Source::Person, Source::Settings] {
            self.warn_of_ignored(source);
        }
        (in_order(self.errors.into_inner()), in_order(self.warnings.into_inner()))
    }

    /// One warning for all keys of a file that do nothing.
    fn warn_of_ignored(&self, source: Source) {
        let mut ignored = self.ignored.borrow().clone();
        ignored.retain(|(at, _)| at.source == source);
        let Some(first) = ignored.iter().map(|(at, _)| *at).min_by_key(|at| at.line) else {
            return;
        };
        let names: BTreeSet<String> = ignored.into_iter().map(|(_, name)| name).collect();
        let names: Vec<String> = names.into_iter().collect();
        let message = format!("these keys have no effect here: {}", names.join(", "));
        self.warning(first, "", message);
    }

    fn problem(&self, at: Mark, path: &str, message: &str) -> Problem {
        let file = match at.source {
            Source::Person => &self.person,
            Source::Settings => &self.settings,
        };
        let path = key_like::left_out(path);
        let message = key_like::left_out(message);
        let message = if path.is_empty() { message } else { format!("{path} {message}") };
        Problem {
            file: file.clone(),
            line: (at.line > 0).then_some(at.line),
            column: (at.line > 0).then_some(at.column),
            path,
            message,
        }
    }
}

fn in_order(mut problems: Vec<(Source, Problem)>) -> Vec<Problem> {
    problems.sort_by_key(|(source, problem)| (*source, problem.line, problem.column));
    problems.into_iter().map(|(_, problem)| problem).collect()
}
