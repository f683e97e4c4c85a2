//! `plancard`: the window, or `plancard serve` without one.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    match args.next() {
        Some(word) if word == "serve" => serve(args),
        Some(word) if word == "blank" => plancard_lib::blank(),
        Some(_) | None => plancard_lib::run(),
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
