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

use crate::facts::SimpleCommand;

/// The simple commands of a command line that begins in the workspace; `None` when it is not
/// understood.
pub fn simple_commands(command: &str) -> Option<Vec<SimpleCommand>> {
    parsed::read(command).map(parsed::simple)
}
