//! What is known about a shell command before, while and after it runs.

pub(crate) mod bits;
pub(crate) mod changes;
pub(crate) mod jobs;
pub(crate) mod look;
pub(crate) mod looking;
pub(crate) mod parsed;
pub(crate) mod programs;
pub(crate) mod repositories;
mod room;
pub(crate) mod script;
pub(crate) mod told;

pub use room::Shell;

/// The words of each simple command of a command line; `None` when any of it
/// is not certain.
pub fn simple_commands(command: &str) -> Option<Vec<Vec<String>>> {
    parsed::split(command)
}
