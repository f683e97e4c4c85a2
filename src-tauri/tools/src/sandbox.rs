//! Where commands run: a place that shows them little and lets them change less.

mod bubblewrap;
mod environment;
mod git;
mod home;
mod ingredients;
mod listed;
mod placeholders;
mod seccomp;
mod shell;
mod system;
pub(crate) mod warm;

pub use bubblewrap::Bubblewrap;
pub(crate) use git::main_repository;
pub(crate) use ingredients::Ingredients;
pub use placeholders::clear_up;
pub(crate) use placeholders::{Guard, stand_ins};

use crate::error::ToolError;
use crate::program::beside_us;
use crate::read_only::ReadOnly;
use crate::workspaces::Workspaces;
use std::os::fd::{OwnedFd, RawFd};
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
    /// Changes what `Work` does, and reaches any host in the world through the
    /// proxy. A person's choice per rule.
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
    /// The inode of the workspace. The sandbox mounts a path, and a path can be
    /// made to lead elsewhere; nothing may run in another folder.
    pub inode: u64,
    /// How much it may do.
    pub profile: Profile,
    /// Folders that have to be empty for it.
    pub hidden: &'a [PathBuf],
    /// Folders and files outside the workspace that it may read.
    pub extra_read: &'a [PathBuf],
    /// Where agents write: no link that lies there is followed to what it may read.
    pub workspaces: &'a Workspaces,
    /// Folders of the repository that the workspace is a copy of. Others can write there, so no link
    /// is followed to them.
    pub shared: &'a [PathBuf],
    /// The folder that the workspace is a copy of: at its path the copy can be read, so that nothing
    /// is written to a place that nobody looks at.
    pub copy_of: Option<&'a Path>,
    /// What it must not change in the workspace.
    pub read_only: &'a ReadOnly,
    /// Whether it may ask for the network through the socket on its input.
    pub network: bool,
    /// What the shell is given.
    pub script: &'a str,
    /// A descriptor the process inherits, to report on as `process` expects:
    /// `{"child-pid": n}` when it starts, `{"exit-code": n}` when it ends.
    pub report: RawFd,
}

/// A command behind the walls of a sandbox, ready to start.
#[derive(Debug)]
pub struct Confined {
    /// The process that confines and runs it.
    pub command: Command,
    /// Descriptors that process inherits under their own numbers.
    pub inherited: Vec<OwnedFd>,
    /// Secrets of the computer that whoever starts it has to cover.
    pub covered: Arc<[PathBuf]>,
}

/// A way to confine commands.
pub trait Sandbox: Send + Sync {
    /// The process that confines and runs a command; all of the command's
    /// processes have to die with the reported child.
    fn command(&self, job: &Job<'_>) -> Result<Confined, ToolError>;

    /// A command of our own, given as a script, that reads settings: it sees the person's home, a
    /// folder and what else is shown, and can change nothing and reach nobody.
    fn reading(
        &self,
        folder: &Path,
        shown: &[PathBuf],
        start: &Path,
        script: &str,
    ) -> Result<Command, ToolError> {
        let _ = (folder, shown, start, script);
        Err(ToolError::NoSandbox { reason: "it can't show settings to be read".to_owned() })
    }

    /// The folders in which commands find their programs.
    fn programs(&self) -> &[PathBuf] {
        &[]
    }
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

/// The program that runs first inside a sandbox with a way to the network, and
/// opens it.
pub(crate) fn way_to_the_network() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOUND.get_or_init(|| beside_us("plancard-net")).as_deref()
}

/// Whether commands can be given a way to the network here.
pub fn has_network() -> bool {
    way_to_the_network().is_some()
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
        if !cfg!(target_os = "linux") {
            return Err("`shell` needs Linux, where commands can be confined".to_owned());
        }
        let home = std::env::home_dir().ok_or("the home folder is not known")?;
        Bubblewrap::new(&home).map(Arc::new)
    })
}
