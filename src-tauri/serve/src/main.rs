//! `plancard`: every command of the app. The window is a program of its own, so that none of
//! this needs its libraries.

mod folders;
mod serve;
mod window;
mod words;

use std::ffi::OsString;
use std::process::ExitCode;
use words::Task;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    if args.first().is_none_or(|first| window::is_link(first)) {
        return window::open(&args);
    }
    let task = match words::read(&args) {
        Ok(task) => task,
        Err(code) => return code,
    };
    engine::leave_no_dumps();
    engine::hand_none_on();
    match task {
        Task::Serve(options) => serve::run(options),
        Task::Completions { shell } => words::complete(shell),
    }
}

/// Says on the error output why a command could not be carried out.
fn fail(command: &str, why: &str) -> ExitCode {
    eprintln!("plancard {command}: {why}");
    ExitCode::FAILURE
}
