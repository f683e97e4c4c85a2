//! Where commands run: a place that shows them little and lets them change less.

mod bubblewrap;
mod environment;
mod git;
mod home;
mod system;

pub use bubblewrap::Bubblewrap;
pub(crate) use git::Guard;

use crate::error::ToolError;
use std::os::fd::RawFd;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

/// How much a command may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Changes nothing but a private temporary folder.
    Look,
    /// Changes the workspace and a private temporary folder.
    Work,
    /// A person's choice per rule. It has the same limits as `Work` until
    /// there is a way to grant hosts and folders one by one.
    Open,
}

impl Profile {
    /// Whether commands may change the workspace.
    pub fn may_write(self) -> bool {
        match self {
            Self::Look => false,
            Self::Work | Self::Open => true,
        }
    }
}

/// One command to confine.
#[derive(Debug)]
pub struct Job<'a> {
    /// The real path of the workspace; the command starts there.
    pub workspace: &'a Path,
    /// How much it may do.
    pub profile: Profile,
    /// Folders that have to be empty for it.
    pub hidden: &'a [PathBuf],
    /// Folders outside the workspace that it may read.
    pub extra_read: &'a [PathBuf],
    /// What the shell is given.
    pub script: &'a str,
    /// A descriptor the process inherits, to report on as `process` expects:
    /// `{"child-pid": n}` when it starts, `{"exit-code": n}` when it ends.
    pub report: RawFd,
}

/// A way to confine commands.
pub trait Sandbox: Send + Sync {
    /// The process that confines and runs a command; all of the command's
    /// processes have to die with the reported child.
    fn command(&self, job: &Job<'_>) -> Result<Command, ToolError>;
}

/// Whether commands can be confined on this computer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Availability {
    /// They can.
    Available,
    /// They cannot.
    Missing {
        /// What is missing, in words for a person.
        reason: String,
    },
}

/// Whether commands can be confined here; tried once, at the first question.
pub fn availability() -> &'static Availability {
    static ANSWER: OnceLock<Availability> = OnceLock::new();
    ANSWER.get_or_init(|| match found() {
        Ok(_) => Availability::Available,
        Err(reason) => Availability::Missing { reason: reason.clone() },
    })
}

/// The sandbox of this computer.
pub(crate) fn of_this_computer() -> Result<Arc<dyn Sandbox>, ToolError> {
    match found() {
        Ok(sandbox) => Ok(sandbox.clone()),
        Err(reason) => Err(ToolError::NoSandbox { reason: reason.clone() }),
    }
}

fn found() -> &'static Result<Arc<Bubblewrap>, String> {
    static FOUND: OnceLock<Result<Arc<Bubblewrap>, String>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let home = std::env::home_dir().ok_or("the home folder is not known")?;
        Bubblewrap::new(&home).map(Arc::new)
    })
}
