//! Why a call could not be carried out, in words that say what to do next.

use crate::limits::Exceeded;
use crate::output::{Change, Output};
use std::time::Duration;

/// A call that was not carried out, or was stopped.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// No tool has that name.
    #[error("there is no tool named `{name}`; the tools are {known}")]
    UnknownTool {
        /// The name that was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The arguments do not fit the tool.
    #[error("{tool}: {problem}; it takes {allowed}")]
    BadArguments {
        /// The tool that was called.
        tool: &'static str,
        /// Which argument is wrong and how.
        problem: String,
        /// What the tool takes.
        allowed: String,
    },
    /// The path leaves the workspace.
    #[error("`{path}` is outside the workspace; use a path inside it")]
    Outside {
        /// The path as it was given.
        path: String,
    },
    /// The path belongs to git's own files.
    #[error(
        "`{path}` belongs to git, or git runs it: change it with git commands in the shell, or ask \
         the person to change it"
    )]
    Protected {
        /// The path, links followed.
        path: String,
    },
    /// A file with a name outside that could not be copied, or a folder that nobody could look into:
    /// at another place commands that run already would write to it.
    #[error(
        "`{path}` is a hard link to a place outside the workspace, or not all of it could be looked \
         at, so neither it nor a folder that holds it is moved: write_file and edit_file make a \
         file the workspace's own, and `cp -r` in the shell makes a copy"
    )]
    Linked {
        /// The first of them.
        path: String,
    },
    /// The path lies in a folder that no agent may see.
    #[error("`{path}` is hidden from tools")]
    Hidden {
        /// The path, links followed.
        path: String,
    },
    /// The path leads elsewhere than when the call was judged.
    #[error("`{path}` leads elsewhere by now, so nothing was done; call it again")]
    LedElsewhere {
        /// The path as it was given.
        path: String,
    },
    /// There is nothing at the path.
    #[error("there is no `{path}`; list_dir shows what is there")]
    NotFound {
        /// The path as it was given.
        path: String,
    },
    /// The folder that a command should begin in is gone, or never was one.
    #[error("there is no folder `{folder}`, so nothing was run{next}")]
    NoFolder {
        /// The folder, below the workspace.
        folder: String,
        /// Where the next command begins, if that is elsewhere now.
        next: &'static str,
    },
    /// The workspace itself is gone, or something else is in its place.
    #[error(
        "the workspace {folder} was deleted, moved or replaced, so nothing was done; if a folder is \
         there again, call it again, else ask the person to put it back"
    )]
    NoWorkspace {
        /// Its path.
        folder: String,
    },
    /// The path is something else than the tool needs.
    #[error("`{path}` is {found}, but this needs {needed}")]
    WrongKind {
        /// The path as it was given.
        path: String,
        /// What is there.
        found: &'static str,
        /// What should be there.
        needed: &'static str,
    },
    /// The file is not text.
    #[error(
        "`{path}` is not UTF-8 text ({size} bytes); look at it with a shell command such as `file` or `xxd`"
    )]
    Binary {
        /// The path as it was given.
        path: String,
        /// Its size.
        size: u64,
    },
    /// The content is larger than the tool handles.
    #[error(
        "`{path}` has {size} bytes and the limit is {limit}; use search, or a shell command that reads a part"
    )]
    TooLarge {
        /// The path as it was given.
        path: String,
        /// Its size.
        size: u64,
        /// The most the tool handles.
        limit: u64,
    },
    /// The text to replace is not in the file.
    #[error("the text in `old` is not in `{path}`; {}", to_copy(holds.as_deref()))]
    TextNotThere {
        /// The file.
        path: String,
        /// What it holds, where that is short.
        holds: Option<String>,
    },
    /// The text to replace is there more than once.
    #[error(
        "the text in `old` occurs {times} times in `{path}`; add lines around it until it is unique, or set `all` to true"
    )]
    TextNotUnique {
        /// The file.
        path: String,
        /// How often it occurs.
        times: usize,
    },
    /// Commands cannot be confined here.
    #[error("the shell is not available: {reason}")]
    NoSandbox {
        /// What is missing.
        reason: String,
    },
    /// Network was asked for and there is no way to grant it.
    #[error("commands cannot reach the network here: {reason}; call shell without `network`")]
    NoNetwork {
        /// What is missing.
        reason: &'static str,
    },
    /// The host is this computer or near it.
    #[error(
        "{host} is this computer or on its own network, which tools do not reach unless a person lists it"
    )]
    PrivateHost {
        /// The host.
        host: String,
    },
    /// The host is this program itself.
    #[error("{host} is the app's own API, which tools never reach, whatever a person lists")]
    OwnApi {
        /// The host.
        host: String,
    },
    /// The address could not be fetched.
    #[error("fetching {url} did not work: {problem}")]
    Fetch {
        /// The address.
        url: String,
        /// Why.
        problem: String,
    },
    /// Something is where a file should go.
    #[error("`{path}` is there already; delete it first, or choose another name")]
    Exists {
        /// The path as it was given.
        path: String,
    },
    /// The trash cannot take it.
    #[error("`{path}` could not be moved to the trash, so it was left: {source}")]
    NoTrash {
        /// The path as it was given.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// No such command runs in the background, or ran there.
    #[error("there is no job {job}; {known}")]
    NoJob {
        /// The number that was asked for.
        job: u32,
        /// Which there are.
        known: String,
    },
    /// One more command in the background would be too many.
    #[error("{most} commands run in the background already; end one with job_stop first")]
    TooManyJobs {
        /// How many may run at once.
        most: usize,
    },
    /// A long output is no longer kept, or never was.
    #[error("no output `{id}` is kept; run the call again and narrow its output")]
    NotKept {
        /// The id that was asked for.
        id: String,
    },
    /// The command went over a limit and was ended.
    #[error("ended: {limit}{}", said(.so_far.as_deref()))]
    OverLimit {
        /// The limit.
        limit: Exceeded,
        /// What it had said and changed by then.
        so_far: Option<Box<Output>>,
    },
    /// All commands together have as many processes and threads as they may.
    #[error(
        "nothing was run, because the system refuses more processes and threads: all commands, \
         jobs and servers together may have {most} (`limits.all_processes`); end some of them, with \
         job_stop or in other rooms, and call it again"
    )]
    NoRoom {
        /// As many as they may.
        most: u64,
    },
    /// The call took too long and was stopped.
    #[error("stopped after {} s, the time limit{}", .after.as_secs_f32(), said(.so_far.as_deref()))]
    TimedOut {
        /// The limit.
        after: Duration,
        /// What it had said and changed by then.
        so_far: Option<Box<Output>>,
    },
    /// Somebody stopped the call.
    #[error("stopped before it ended{}", said(.so_far.as_deref()))]
    Cancelled {
        /// What it had said and changed by then.
        so_far: Option<Box<Output>>,
    },
    /// The operating system refused.
    #[error("{doing} did not work: {source}")]
    Io {
        /// What was being done, and to what.
        doing: String,
        /// What the system said.
        source: std::io::Error,
    },
}

impl ToolError {
    /// A stable word for each kind of error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownTool { .. } => "UNKNOWN_TOOL",
            Self::BadArguments { .. } => "BAD_ARGUMENTS",
            Self::Outside { .. } => "OUTSIDE_WORKSPACE",
            Self::Protected { .. } => "PROTECTED",
            Self::Linked { .. } => "LINKED_OUTSIDE",
            Self::Hidden { .. } => "HIDDEN",
            Self::LedElsewhere { .. } => "LED_ELSEWHERE",
            Self::NotFound { .. } | Self::NoFolder { .. } => "NOT_FOUND",
            Self::NoWorkspace { .. } => "NO_FOLDER",
            Self::WrongKind { .. } => "WRONG_KIND",
            Self::Binary { .. } => "BINARY",
            Self::TooLarge { .. } => "TOO_LARGE",
            Self::TextNotThere { .. } => "TEXT_NOT_THERE",
            Self::TextNotUnique { .. } => "TEXT_NOT_UNIQUE",
            Self::NoSandbox { .. } => "NO_SANDBOX",
            Self::NoNetwork { .. } => "NO_NETWORK",
            Self::PrivateHost { .. } => "PRIVATE_HOST",
            Self::OwnApi { .. } => "OWN_API",
            Self::Fetch { .. } => "FETCH_FAILED",
            Self::Exists { .. } => "EXISTS",
            Self::NoTrash { .. } => "NO_TRASH",
            Self::NoJob { .. } => "NO_SUCH_JOB",
            Self::TooManyJobs { .. } => "TOO_MANY_JOBS",
            Self::NotKept { .. } => "NOT_KEPT",
            Self::OverLimit { limit, .. } => limit.code(),
            Self::NoRoom { .. } => "TOO_MANY_PROCESSES",
            Self::TimedOut { .. } => "TIMED_OUT",
            Self::Cancelled { .. } => "CANCELLED",
            Self::Io { .. } => "IO",
        }
    }

    /// What the call had changed before it was stopped.
    pub fn changed(&self) -> &[Change] {
        self.so_far().map_or(&[], |output| &output.changed)
    }

    /// What the call had done before it was stopped.
    pub fn so_far(&self) -> Option<&Output> {
        match self {
            Self::TimedOut { so_far, .. }
            | Self::Cancelled { so_far }
            | Self::OverLimit { so_far, .. } => so_far.as_deref(),
            Self::UnknownTool { .. }
            | Self::BadArguments { .. }
            | Self::Outside { .. }
            | Self::Protected { .. }
            | Self::Linked { .. }
            | Self::Hidden { .. }
            | Self::LedElsewhere { .. }
            | Self::NotFound { .. }
            | Self::NoFolder { .. }
            | Self::NoWorkspace { .. }
            | Self::WrongKind { .. }
            | Self::Binary { .. }
            | Self::TooLarge { .. }
            | Self::TextNotThere { .. }
            | Self::TextNotUnique { .. }
            | Self::NoSandbox { .. }
            | Self::NoNetwork { .. }
            | Self::PrivateHost { .. }
            | Self::OwnApi { .. }
            | Self::Fetch { .. }
            | Self::Exists { .. }
            | Self::NoTrash { .. }
            | Self::NoJob { .. }
            | Self::TooManyJobs { .. }
            | Self::NotKept { .. }
            | Self::NoRoom { .. }
            | Self::Io { .. } => None,
        }
    }

    /// Wraps an error of the system with what was being done.
    pub(crate) fn io(doing: impl Into<String>, source: impl Into<std::io::Error>) -> Self {
        Self::Io { doing: doing.into(), source: source.into() }
    }
}

/// How to find a text that was not there.
fn to_copy(holds: Option<&str>) -> String {
    match holds {
        Some(text) => format!("copy a part of it exactly. It holds:\n{text}"),
        None => "read the file and copy the text exactly, with its spaces".to_owned(),
    }
}

fn said(so_far: Option<&Output>) -> String {
    match so_far {
        Some(output) if !output.text.is_empty() => format!("; until then:\n{}", output.text),
        Some(_) | None => String::new(),
    }
}
