//! Counts the processes and threads of a command.

use std::os::unix::fs::MetadataExt;

/// How many processes a command or program may have at once: more than any
/// build wants, and far fewer than a computer dies of.
const PROCESSES: usize = 512;
/// How many threads they may have in all. The sandbox has a limit of this size, too, which does
/// nothing for root.
pub(crate) const THREADS: usize = 4096;

/// What there are too many of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Crowd {
    Processes,
    Threads,
}

impl Crowd {
    /// As many as there may be.
    pub(crate) fn most(self) -> usize {
        match self {
            Self::Processes => PROCESSES,
            Self::Threads => THREADS,
        }
    }

    /// What a person calls them.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Processes => "processes",
            Self::Threads => "threads",
        }
    }
}

/// What there are too many of below `first`.
pub(super) fn crowd(first: i32) -> Option<Crowd> {
    more_than(first, PROCESSES, THREADS as u64)
}

/// All that detach become children of `first`, so none is missed.
fn more_than(first: i32, processes: usize, threads: u64) -> Option<Crowd> {
    let (mut found, mut tasks) = (0, 0);
    let mut ahead = vec![first];
    while let Some(pid) = ahead.pop() {
        found += 1;
        if found + ahead.len() > processes {
            return Some(Crowd::Processes);
        }
        let folder = format!("/proc/{pid}/task");
        // The kernel tells how many there are in one word, beside the folder's own two. A process
        // that ended meanwhile has no list.
        let Ok(own) = std::fs::metadata(&folder) else { continue };
        tasks += own.nlink().saturating_sub(2);
        if tasks > threads {
            return Some(Crowd::Threads);
        }
        for task in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let list = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            ahead.extend(list.split_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Crowd, more_than};
    use std::process::{Command, Stdio};

    #[test]
    fn children_and_their_children_count() {
        let script = "(sleep 100 & sleep 100 & wait) & echo; wait";
        let mut shell = Command::new("setsid")
            .args(["sh", "-c", script])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let pid = i32::try_from(shell.id()).unwrap();
        // The shell, the one in brackets and two that sleep.
        while more_than(pid, 3, 100) != Some(Crowd::Processes) {}
        assert_eq!(more_than(pid, 4, 4), None);
        assert_eq!(more_than(pid, 4, 3), Some(Crowd::Threads));
        let group = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
        shell.wait().unwrap();
        assert_eq!(more_than(pid, 1, 1), None);
    }
}
