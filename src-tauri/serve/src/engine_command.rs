//! What every command has that may run an engine: a runtime, and errors without secrets.

use crate::fail;
use engine::{Lines, Started};
use std::process::ExitCode;

/// Carries a command out; what it could not do is said on the error output.
pub fn run(command: &str, work: impl AsyncFnOnce(&Lines) -> Result<ExitCode, String>) -> ExitCode {
    engine::leave_no_dumps();
    if let Err(why) = engine::rest::token::take_token() {
        return fail(command, &why);
    }
    engine::hand_none_on();
    engine::open_many();
    let lines = Lines::default();
    let errors = lines.clone();
    tracing_subscriber::fmt()
        .with_writer(move || errors.clone())
        .with_ansi(false)
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .init();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(command, &format!("the program could not start: {error}")),
    };
    let done = runtime.block_on(work(&lines));
    // All is on disk; who is still reading a file is not waited for.
    runtime.shutdown_background();
    done.unwrap_or_else(|why| fail(command, &why))
}

/// Says what was found when an engine started.
pub fn tell_found(started: &Started) {
    if let Some(place) = &started.set_aside {
        eprintln!("warning: the log was damaged; it was kept as {}", place.display());
    }
    if let Some(place) = &started.backup {
        eprintln!("the log was brought to a new format; the old one is {}", place.display());
    }
}
