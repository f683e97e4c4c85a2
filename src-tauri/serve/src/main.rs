//! `plancard`: every command of the app. The window is a program of its own, so that none of
//! this needs its libraries.

mod client;
mod config_check;
mod council;
mod doctor;
mod engine_command;
mod events;
mod folders;
mod serve;
mod window;
mod words;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use words::{ConfigTask, Task};

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    if args.first().is_none_or(|first| window::is_link(first)) {
        return window::open(&args);
    }
    let task = match words::read(&args) {
        Ok(task) => task,
        Err(code) => return code,
    };
    match task {
        Task::Serve(options) => {
            engine_command::run("serve", async |lines| serve::run(options, lines).await)
        }
        Task::Doctor(options) => {
            engine_command::run("doctor", async |lines| doctor::run(options, lines).await)
        }
        Task::Council(options) => {
            engine_command::run("council", async |lines| council::run(options, lines).await)
        }
        Task::Config(ConfigTask::Check { file }) => config_check::run(file),
        Task::Completions { shell } => words::complete(shell),
    }
}

/// Says on the error output why a command could not be carried out.
fn fail(command: &str, why: &str) -> ExitCode {
    eprintln!("plancard {command}: {why}");
    ExitCode::FAILURE
}

/// Prints something. Whoever started us may have closed the pipe; that is no reason to stop.
fn say(words: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(words.as_bytes());
    let _ = out.flush();
}
