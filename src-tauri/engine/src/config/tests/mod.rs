//! What a configuration means, read from real files.

mod bad_values;
mod examples;
mod in_words;
mod model_names;
mod programs;
mod rules;
mod two_files;

use std::fs;

use expect_test::Expect;
use tempfile::TempDir;

use super::{Config, ConfigErrors, Loaded, PERSON_FILE, SETTINGS_FILE};

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

/// Compares the errors of a file, or its warnings if it has no errors.
fn check(person: &str, expected: &Expect) {
    let problems = match load(person) {
        Ok(loaded) => loaded.warnings,
        Err(errors) => errors.0,
    };
    let lines: Vec<String> = problems.iter().map(|problem| format!("{problem}\n")).collect();
    expected.assert_eq(&lines.concat());
}
