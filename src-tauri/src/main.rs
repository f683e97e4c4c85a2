//! `plancard`: the window, or `plancard serve` without one.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    match args.next() {
        Some(word) if word == "serve" => serve(args),
        Some(word) if word == "blank" => plancard_lib::blank(),
        Some(word) if word == "--help" || word == "-h" || word == "help" => say(HELP),
        Some(word) if word == "--version" || word == "-V" => {
            say(concat!("plancard ", env!("CARGO_PKG_VERSION")))
        }
        Some(_) | None => plancard_lib::run(),
    }
}

const HELP: &str = "\
plancard                     opens the window
plancard LINK                opens it at a plancard:// link
plancard serve [OPTIONS]     runs without a window; `plancard serve --help` says more
plancard --version           says which version this is

PLANCARD_DATA and PLANCARD_CONFIG name another data folder and configuration file.";

fn say(words: &str) -> ExitCode {
    println!("{words}");
    ExitCode::SUCCESS
}

/// Becomes `plancard-serve`, which stands beside this program.
fn serve(args: impl Iterator<Item = OsString>) -> ExitCode {
    let beside = std::env::current_exe().map(|this| this.with_file_name("plancard-serve"));
    let error = match beside {
        Ok(program) => Command::new(program).args(args).exec(),
        Err(error) => error,
    };
    eprintln!("plancard: plancard-serve can't be started: {error}");
    ExitCode::FAILURE
}
