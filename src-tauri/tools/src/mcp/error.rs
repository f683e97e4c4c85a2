//! Why a server could not be used, in words that say what to do next.

use std::time::Duration;

/// What went wrong with a server.
#[derive(Clone, Debug, thiserror::Error)]
pub enum McpError {
    /// Programs cannot be confined here.
    #[error("the server `{server}` can't be started: {reason}")]
    NoSandbox {
        /// The server.
        server: String,
        /// What is missing.
        reason: String,
    },
    /// Its package was never fetched.
    #[error(
        "the server `{server}` is not installed; a person has to allow that {by} fetches {package}"
    )]
    NotInstalled {
        /// The server.
        server: String,
        /// What fetches it.
        by: &'static str,
        /// The package.
        package: String,
    },
    /// Its package registry leads to a host that nobody was asked about.
    #[error(
        "the server `{server}` was not installed: its package registry leads to {host}, which was \
         not allowed"
    )]
    NeedsHost {
        /// The server.
        server: String,
        /// The host.
        host: String,
    },
    /// It did not come up.
    #[error("the server `{server}` did not start: {why}")]
    NotStarted {
        /// The server.
        server: String,
        /// What was seen, with the last words it wrote.
        why: String,
    },
    /// It takes long to come up, and nobody waits for it.
    #[error(
        "the server `{server}` has not introduced itself yet; the work goes on without it, and its \
         tools are there at the next turn once it has"
    )]
    Starting {
        /// The server.
        server: String,
    },
    /// It failed before and is left alone for a while.
    #[error(
        "the server `{server}` failed and is left alone for {} s; work without its tools, or call \
         them again after that: {why}",
        .wait.as_secs().max(1)
    )]
    Resting {
        /// The server.
        server: String,
        /// Why it failed.
        why: String,
        /// How long it is left alone.
        wait: Duration,
    },
    /// It wants a person to log in.
    #[error(
        "the server `{server}` wants a login: log in under Settings, MCP servers, or give it a \
         token with `headers: {{ Authorization: … }}` if it takes one"
    )]
    NeedsLogin {
        /// The server.
        server: String,
    },
    /// A login came to nothing.
    #[error("no login to the server `{server}`: {why}")]
    LoginFailed {
        /// The server.
        server: String,
        /// Why not.
        why: String,
    },
    /// It ended while it was needed.
    #[error("the server `{server}` ended during the call: {why}")]
    Gone {
        /// The server.
        server: String,
        /// What was seen, with the last words it wrote.
        why: String,
    },
    /// It wrote a message that is too long to be read.
    #[error(
        "the server `{server}` answered with more than {most} bytes, which are not read; ask for less"
    )]
    TooLong {
        /// The server.
        server: String,
        /// The most that is read.
        most: usize,
    },
    /// It has no such tool, or has it no longer.
    #[error("the server `{server}` has no tool `{tool}`")]
    NoTool {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
    },
    /// The tool is not what was allowed.
    #[error(
        "the server `{server}` changed its tool `{tool}` since the call was allowed; nothing was \
         run; call it again, and the person is asked"
    )]
    Changed {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
    },
    /// It answered with an error of the protocol.
    #[error("the server `{server}` refused: {message}")]
    Refused {
        /// The server.
        server: String,
        /// Its words.
        message: String,
    },
    /// The call took too long.
    #[error("stopped after {} s, the time limit", .after.as_secs_f32())]
    TimedOut {
        /// The limit.
        after: Duration,
    },
    /// Somebody stopped the call.
    #[error("stopped before it ended")]
    Cancelled,
}

impl McpError {
    /// A stable word for each kind of error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoSandbox { .. } => "NO_SANDBOX",
            Self::NotInstalled { .. } => "MCP_NOT_INSTALLED",
            Self::NeedsHost { .. } => "MCP_NEEDS_HOST",
            Self::NotStarted { .. } => "MCP_NOT_STARTED",
            Self::Starting { .. } => "MCP_STARTING",
            Self::Resting { .. } => "MCP_RESTING",
            Self::NeedsLogin { .. } => "MCP_NEEDS_LOGIN",
            Self::LoginFailed { .. } => "MCP_LOGIN_FAILED",
            Self::Gone { .. } => "MCP_GONE",
            Self::TooLong { .. } => "MCP_TOO_LONG",
            Self::NoTool { .. } => "UNKNOWN_TOOL",
            Self::Changed { .. } => "MCP_CHANGED",
            Self::Refused { .. } => "MCP_REFUSED",
            Self::TimedOut { .. } => "TIMED_OUT",
            Self::Cancelled => "CANCELLED",
        }
    }
}
