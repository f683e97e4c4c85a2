//! What a configuration means, read from real files.

mod bad_values;
mod council;
mod examples;
mod in_words;
mod model_names;
mod other_files;
mod programs;
mod rules;
mod two_files;

use std::fs;

use expect_test::Expect;
use tempfile::TempDir;

use super::{Config, ConfigErrors, ConfigPlace, Loaded, PERSON_FILE, Problem, SETTINGS_FILE};

/// Loads a person's file and what the settings screen wrote.
fn load_both(person: &str, settings: &str) -> Result<Loaded, ConfigErrors> {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join(PERSON_FILE), person).unwrap();
    fs::write(folder.path().join(SETTINGS_FILE), settings).unwrap();
    Config::load(folder.path())
}

/// Loads a person's file alone.
fn load(person: &str) -> Result<Loaded, ConfigErrors> {
    load_both(person, "")
}

/// The configuration of a file that has to be good.
fn config(person: &str) -> Config {
    load(person).unwrap().config
}

/// Every problem of a file in the order of its lines, each with its level.
fn problems(person: &str) -> Vec<String> {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join(PERSON_FILE), person).unwrap();
    let found = Config::problems_at(&ConfigPlace::Folder(folder.path().to_owned()));
    let errors = found.errors.iter().map(|problem| ("error", problem));
    let all = errors.chain(found.warnings.iter().map(|problem| ("warning", problem)));
    let mut all: Vec<_> = all.collect();
    all.sort_by_key(|(_, problem)| (problem.line, problem.column));
    let line = |problem: &Problem| problem.line.unwrap_or_default();
    all.iter().map(|(level, one)| format!("{}: {level}: {}", line(one), one.message)).collect()
}

/// Compares the errors of a file, or its warnings if it has no errors.
fn check(person: &str, expected: &Expect) {
    let problems = match load(person) {
        Ok(loaded) => loaded.warnings,
        Err(errors) => errors.0,
    };
    let lines: Vec<String> = problems.iter().map(|problem| format!("{problem}\n")).collect();
    expected.assert_eq(&lines.concat());
}
