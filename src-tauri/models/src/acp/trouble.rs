//! Why an agent's program can't be used, in words a person can act on.

use thiserror::Error;

/// What went wrong with an agent's program.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AgentTrouble {
    /// There is no such program.
    #[error("{agent} is not installed: there is no program called {command}. {hint}")]
    NotInstalled {
        /// The provider's name.
        agent: String,
        /// The program that was looked for.
        command: String,
        /// How to come by it.
        hint: String,
    },
    /// Nothing here can hold it.
    #[error("{agent} is not used: it can't be confined on this computer ({reason})")]
    NotConfined {
        /// The provider's name.
        agent: String,
        /// What is missing.
        reason: String,
    },
    /// It did not come up.
    #[error("{agent} did not start: {why}")]
    NotStarted {
        /// The provider's name.
        agent: String,
        /// What happened.
        why: String,
    },
    /// It speaks another version of the protocol.
    #[error(
        "{agent} speaks version {theirs} of the Agent Client Protocol, Plancard speaks version \
         {ours}: use another release of one of them"
    )]
    OtherVersion {
        /// The provider's name.
        agent: String,
        /// The version it speaks.
        theirs: String,
        /// The version we speak.
        ours: u64,
    },
    /// It speaks something else.
    #[error(
        "{agent} does not speak the Agent Client Protocol ({why}): check its command, which may \
         need an argument for that"
    )]
    OtherProtocol {
        /// The provider's name.
        agent: String,
        /// What it did instead.
        why: String,
    },
    /// It wants a person to log in.
    #[error(
        "{agent} wants you to log in first{how}: log in with the program itself, and list the \
         folder it keeps the login in under read"
    )]
    NeedsLogin {
        /// The provider's name.
        agent: String,
        /// The ways it offers, in its own words.
        how: String,
    },
    /// It ended in the middle of its work.
    #[error("{agent} ended in the middle of its work{said}")]
    Ended {
        /// The provider's name.
        agent: String,
        /// What it last said.
        said: String,
    },
    /// What it sends is no message of the protocol.
    #[error("{agent} sent something that can't be understood: {why}")]
    Unreadable {
        /// The provider's name.
        agent: String,
        /// What is wrong with it.
        why: String,
    },
    /// It says more than anyone reads.
    #[error("the answer of {agent} has no end: {why}")]
    TooLong {
        /// The provider's name.
        agent: String,
        /// What became of it.
        why: String,
    },
    /// It answers with an error.
    #[error("{agent} reports an error: {message}")]
    Refused {
        /// The provider's name.
        agent: String,
        /// Its own words.
        message: String,
    },
    /// It was ended because it may do less than before.
    #[error("{agent} was called back: it may not go on as it was started")]
    Recalled {
        /// The provider's name.
        agent: String,
    },
    /// It does not answer.
    #[error("{agent} did not answer within {seconds} seconds")]
    Silent {
        /// The provider's name.
        agent: String,
        /// How long was waited.
        seconds: u64,
    },
}

impl AgentTrouble {
    /// A stable name for the kind of trouble.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotInstalled { .. } => "AGENT_NOT_INSTALLED",
            Self::NotConfined { .. } => "AGENT_NOT_CONFINED",
            Self::NotStarted { .. } => "AGENT_NOT_STARTED",
            Self::OtherVersion { .. } => "AGENT_OTHER_VERSION",
            Self::OtherProtocol { .. } => "AGENT_OTHER_PROTOCOL",
            Self::NeedsLogin { .. } => "AGENT_NEEDS_LOGIN",
            Self::Ended { .. } => "AGENT_ENDED",
            Self::Unreadable { .. } => "AGENT_UNREADABLE",
            Self::TooLong { .. } => "AGENT_TOO_LONG",
            Self::Refused { .. } => "AGENT_REFUSED",
            Self::Recalled { .. } => "AGENT_RECALLED",
            Self::Silent { .. } => "AGENT_SILENT",
        }
    }
}
