//! What a call will touch, worked out before it runs.

/// The strongest thing a call can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Looks, changes nothing.
    Read,
    /// Changes files inside the workspace.
    Write,
    /// Changes files outside the workspace.
    WriteOutside,
    /// Runs a program that may do anything its sandbox allows.
    Exec,
    /// Reaches other computers.
    Network,
}

/// One thing a call will touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A file or folder, with symbolic links already followed.
    Path {
        /// Relative to the workspace with `/` when inside, absolute when outside.
        path: String,
        /// Whether it lies outside the workspace.
        outside: bool,
        /// Whether the call changes it.
        write: bool,
    },
    /// A shell command.
    Command {
        /// The text as it is given to the shell, after a `cd` where it begins in another folder
        /// than the workspace.
        text: String,
        /// Each simple command, or `None` when it was not understood.
        simple: Option<Vec<SimpleCommand>>,
    },
    /// Another computer.
    Host {
        /// Its name or address.
        host: String,
    },
}

/// A program with its arguments, and where it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimpleCommand {
    /// The folder, relative to the workspace; `None` where nobody knows.
    pub folder: Option<String>,
    /// The words.
    pub argv: Vec<String>,
    /// Whether the program gets these very words: a pattern stands for names of files.
    pub literal: bool,
}

/// The effect of a call and everything it will touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The strongest effect of the call.
    pub effect: Effect,
    /// What it will touch.
    pub targets: Vec<Target>,
}
