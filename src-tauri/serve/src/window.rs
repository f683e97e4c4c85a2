//! The window, which is a program beside this one.

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

const PROGRAM: &str = "plancard-window";
const SCHEME: &str = "plancard:";

/// Whether a word is a link of ours. What it leads to is for the window to say.
pub fn is_link(word: &OsStr) -> bool {
    let scheme = word.as_encoded_bytes().get(..SCHEME.len());
    scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(SCHEME.as_bytes()))
}

/// Becomes the window, which gets these words.
pub fn open(words: &[OsString]) -> ExitCode {
    let beside = std::env::current_exe().map(|this| this.with_file_name(PROGRAM));
    let why = match &beside {
        Ok(program) => because(program, &Command::new(program).args(words).exec()),
        Err(error) => error.to_string(),
    };
    eprintln!("plancard: the window can't be opened: {why}");
    ExitCode::FAILURE
}

fn because(program: &Path, error: &std::io::Error) -> String {
    let program = program.display();
    if error.kind() != ErrorKind::NotFound {
        return format!("{program} can't be started: {error}");
    }
    format!(
        "{program} is missing. Install the window, or use `plancard serve`, which needs none; \
         `plancard help` lists every command."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_known_by_its_scheme_alone() {
        for link in ["plancard://new?goal=x", "plancard:", "PLANCARD://room/1", "plancard://\u{e9}"]
        {
            assert!(is_link(OsStr::new(link)), "{link}");
        }
        for other in ["serve", "plancard", "https://plancard:1", "--plancard:", "", "é"] {
            assert!(!is_link(OsStr::new(other)), "{other}");
        }
    }
}
