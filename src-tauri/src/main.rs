//! `plancard`: hands `plancard serve` over to the program without a window.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

const USAGE: &str = "usage: plancard serve [--listen 127.0.0.1:PORT] [--data DIR] [--config FILE]";

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    match args.next() {
        Some(word) if word == "serve" => serve(args),
        Some(word) if word == "--help" || word == "-h" => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        Some(word) => {
            eprintln!("plancard: {} is not known\n{USAGE}", word.to_string_lossy());
            ExitCode::FAILURE
        }
        None => {
            eprintln!("{USAGE}");
            ExitCode::FAILURE
        }
    }
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
