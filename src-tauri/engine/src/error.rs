//! What can go wrong in the engine, beside a refusal.

use crate::journal::JournalError;
use plan::Refusal;

/// Why something was not done.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EngineError {
    /// The rules say no; this is an answer.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The log could not be written or read.
    #[error("the log could not be used: {0}")]
    Journal(#[from] JournalError),
    /// A stored event or state could not be read back.
    #[error("a stored {what} of room {room} can't be read: {why}")]
    Unreadable {
        /// What it is.
        what: &'static str,
        /// The room.
        room: String,
        /// Why not.
        why: String,
    },
    /// There is no such room.
    #[error("there is no such room")]
    NoRoom,
    /// The folder can't be a workspace.
    #[error("{0}")]
    BadWorkspace(String),
    /// Nobody gave this folder to a token that may not approve.
    #[error(
        "nobody opened {0} yet: open it in the window, list it or a folder above it as \
         `workspaces` in plancard.yaml, or give the token the right `approve`"
    )]
    NotOpened(String),
    /// A name that stands for no model.
    #[error("{name} is no model: {why}")]
    BadModel {
        /// What was written.
        name: String,
        /// Why it is none.
        why: String,
    },
    /// The configuration says that no goals are taken.
    #[error("goals are turned off; set `planner.enabled` to true to use them")]
    GoalsOff,
    /// Something that was asked for a goal can't be.
    #[error("{0}")]
    BadOption(&'static str),
    /// A council can't be held so.
    #[error("{0}")]
    BadCouncil(String),
    /// Nobody of that name can sit in a council.
    #[error("there is no agent {name} that can sit in a council; there are: {agents}")]
    NoMember {
        /// Who was named.
        name: String,
        /// Who can.
        agents: String,
    },
    /// A question can't be answered with a yes.
    #[error("a part of what would be allowed is no longer kept, so it can only be refused")]
    NotWhole,
    /// The engine is stopping.
    #[error("the app is stopping")]
    Stopping,
}

impl EngineError {
    /// The stable code that programs read.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Refused(refusal) => refusal.code(),
            Self::Journal(_) => "JOURNAL_FAILED",
            Self::Unreadable { .. } => "JOURNAL_UNREADABLE",
            Self::NoRoom => "ROOM_NOT_FOUND",
            Self::BadWorkspace(_) => "BAD_WORKSPACE",
            Self::NotOpened(_) => "FORBIDDEN",
            Self::BadModel { .. } => "BAD_MODEL",
            Self::GoalsOff => "GOALS_OFF",
            Self::BadOption(_) | Self::BadCouncil(_) => "BAD_OPTION",
            Self::NoMember { .. } => "AGENT_NOT_FOUND",
            Self::NotWhole => "NOT_KEPT_WHOLE",
            Self::Stopping => "STOPPING",
        }
    }
}
