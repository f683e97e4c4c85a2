//! `plancard config check`: all that is wrong with a configuration, one line each.

use crate::{fail, say};
use engine::Lines;
use engine::config::{Config, ConfigPlace, Problem};
use std::path::PathBuf;
use std::process::ExitCode;

/// Reads the configuration and nothing else.
pub fn run(file: Option<PathBuf>) -> ExitCode {
    let place = match file {
        Some(folder) if folder.is_dir() => Some(ConfigPlace::Folder(folder)),
        Some(file) => Some(ConfigPlace::File(file)),
        None => ConfigPlace::from_env(|name| std::env::var_os(name)),
    };
    let Some(place) = place else {
        return fail("config check", "there is no home folder; name the file to check");
    };
    let found = Config::problems_at(&place);
    let bad = !found.errors.is_empty();
    let errors = found.errors.iter().map(|problem| ("error", problem));
    let warnings = found.warnings.iter().map(|problem| ("warning", problem));
    let mut problems: Vec<(&str, &Problem)> = errors.chain(warnings).collect();
    let person = place.person_file();
    problems.sort_by_key(|(_, problem)| (problem.file != person, problem.line, problem.column));
    let mut said: Vec<String> = problems.iter().map(|(level, one)| line(level, one)).collect();
    if said.is_empty() {
        said.push(match person.exists() {
            true => format!("{}: no problems", person.display()),
            false => format!("{}: not there; the defaults hold", person.display()),
        });
    }
    // A file that is checked as its own settings has each of its problems twice.
    said.dedup();
    say(&Lines::default().clean(format!("{}\n", said.join("\n")).as_bytes()));
    if bad { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// A problem as editors and compilers write them.
fn line(level: &str, problem: &Problem) -> String {
    let line = problem.line.map_or(String::new(), |line| format!(":{line}"));
    format!("{}{line}: {level}: {}", problem.file.display(), problem.message)
}
