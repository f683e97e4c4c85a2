//! What a command may use of the computer, and all commands together.

use crate::limited;
use crate::process::{self, Controller};
use serde::Serialize;
use std::fmt;
use std::sync::{OnceLock, PoisonError, RwLock};

/// Limits for memory, processes and processors. A command is a call of `shell`, a job in the
/// background, an MCP server or an external agent, with all that it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ResourceLimits {
    /// Memory of one command, in MB, files in `/tmp` and its home among it.
    pub memory_mb: u64,
    /// Memory of all commands together, in MB.
    pub all_memory_mb: u64,
    /// Processes and threads of one command.
    pub processes: u64,
    /// Processes and threads of all commands together.
    pub all_processes: u64,
    /// Processors that one command may keep busy; `None` for all, behind everything else.
    pub processors: Option<u64>,
}

impl Default for ResourceLimits {
    fn default() -> Self {
        let memory = machine_memory_mb();
        Self {
            memory_mb: memory / 2,
            all_memory_mb: memory / 4 * 3,
            processes: 2_048,
            all_processes: 16_384,
            processors: None,
        }
    }
}

static SET: RwLock<Option<ResourceLimits>> = RwLock::new(None);

impl ResourceLimits {
    /// Makes them hold for what is started from now on.
    pub fn apply(self) {
        *SET.write().unwrap_or_else(PoisonError::into_inner) = Some(self);
    }

    pub(crate) fn current() -> Self {
        SET.read().unwrap_or_else(PoisonError::into_inner).unwrap_or_default()
    }
}

/// Which limits can't be kept on this computer, in words; `None` where all can.
pub fn not_limited() -> Option<String> {
    if !limited::is_here() {
        return Some("plancard-warden is missing, so commands have no limits".to_owned());
    }
    let kept = process::controllers();
    let missing = Controller::ALL.into_iter().filter(|one| !kept.contains(one));
    let missing: Vec<&str> = missing
        .map(|one| match one {
            Controller::Memory => "memory is limited for each process, not for a command",
            Controller::Pids if rustix::process::geteuid().is_root() => "processes are not limited",
            Controller::Pids => "processes are limited for each command, not for all",
            Controller::Cpu => "processors are not limited",
        })
        .collect();
    let what = missing.join("; ");
    (!missing.is_empty()).then(|| format!("there are no control groups for all of it: {what}"))
}

/// The memory of this computer.
fn machine_memory_mb() -> u64 {
    /// Where it is not known.
    const SMALL: u64 = 4_096;
    static MEMORY: OnceLock<u64> = OnceLock::new();
    *MEMORY.get_or_init(|| {
        let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        kilobytes.map_or(SMALL, |kilobytes| kilobytes / 1_024)
    })
}

/// A limit that a command went over, with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exceeded {
    /// Its own memory, in MB.
    Memory(u64),
    /// The memory of all commands together, in MB.
    AllMemory(u64),
    /// Its own processes and threads.
    Processes(u64),
    /// Those of all commands together. It was refused more, and not ended.
    AllProcesses(u64),
}

impl Exceeded {
    /// A stable code for it.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Memory(_) | Self::AllMemory(_) => "OUT_OF_MEMORY",
            Self::Processes(_) | Self::AllProcesses(_) => "TOO_MANY_PROCESSES",
        }
    }

    /// Whether a command is ended for it.
    pub(crate) fn ends(self) -> bool {
        !matches!(self, Self::AllProcesses(_))
    }

    /// Why whatever went over it was ended.
    pub(crate) fn why(self) -> String {
        format!("it was ended: {self}")
    }
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory(mb) => {
                write!(f, "it used more than {mb} MB of memory; the limit is `limits.memory_mb`")
            }
            Self::AllMemory(mb) => write!(
                f,
                "all commands, jobs and servers together used more than {mb} MB of memory; the \
                 limit is `limits.all_memory_mb`"
            ),
            Self::Processes(most) => write!(
                f,
                "it had more than {most} processes and threads at once; the limit is \
                 `limits.processes`"
            ),
            Self::AllProcesses(most) => write!(
                f,
                "it was refused more processes and threads: all commands, jobs and servers \
                 together had as many as they may, {most}; the limit is `limits.all_processes`"
            ),
        }
    }
}
