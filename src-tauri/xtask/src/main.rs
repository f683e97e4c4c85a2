//! `cargo xtask`: sets up the machine, starts Plancard, and checks it.

mod bench;
mod bundle;
mod command;
mod eval;
mod machine;
mod packages;
mod picture;
mod python;
mod release;
mod run;
mod servers;
mod test;
mod types;
mod ui;

use std::process::ExitCode;

/// What a task answers: nothing, or a sentence about what went wrong.
type Outcome = Result<(), String>;

const HELP: &str = "\
Usage: cargo xtask <TASK>

  run [ARGS…]      set up the machine, build, and open the window, or start `plancard serve ARGS…`
  test [FILTER…]   check everything; with filters, only the tests whose names contain one of them
  types [--check]  write the wire types to ui/src/lib/wire.ts; --check only compares
  bench [ROWS…]    build for release and measure the rows named, or all of them
  eval [ARGS…]     give a real model small tasks and count what comes of them; --help says more
  bundle           build for release and pack a .deb
  servers          install the MCP servers that the tests talk to
  picture          take the picture that the README shows, in the real window
  help             show this text
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match perform(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("error: {sentence}");
            ExitCode::FAILURE
        }
    }
}

fn perform(words: &[String]) -> Outcome {
    let Some((task, rest)) = words.split_first() else {
        return Err(format!("which task?\n\n{HELP}"));
    };
    match task.as_str() {
        "run" => run::perform(rest),
        "test" => test::perform(rest),
        "types" => types::perform(rest),
        "bench" => bench::perform(rest),
        "eval" => eval::perform(rest),
        "bundle" => bundle::perform(rest),
        "picture" => picture::perform(),
        "servers" => servers::perform(rest),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        unknown => Err(format!("there is no task `{unknown}`\n\n{HELP}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(words: &[&str]) -> Outcome {
        perform(&words.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn an_unknown_task_is_named() {
        let sentence = said(&["tset"]).unwrap_err();
        assert!(sentence.starts_with("there is no task `tset`"));
        assert!(sentence.contains("cargo xtask <TASK>"));
    }

    #[test]
    fn an_unknown_word_after_types_is_named() {
        assert_eq!(
            said(&["types", "--chekc"]),
            Err("`types` takes --check or nothing, not `--chekc`".into())
        );
    }

    #[test]
    fn help_is_no_error() {
        assert_eq!(said(&["--help"]), Ok(()));
    }
}
