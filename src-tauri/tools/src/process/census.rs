//! Counts the processes and threads of a command.

use std::os::unix::fs::MetadataExt;

/// How many processes a command or program may have at once: more than any
/// build wants, and far fewer than a computer dies of.
pub(super) const PROCESSES: usize = 512;
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

    /// Why whatever had as many was ended.
    pub(crate) fn why(self) -> String {
        format!("it was ended because it had more than {} {} at once", self.most(), self.name())
    }

    /// What a person calls them.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Processes => "processes",
            Self::Threads => "threads",
        }
    }
}

/// What there are below `first`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Count {
    /// Too many of these.
    Crowd(Crowd),
    /// As many threads beside the first one of each process.
    Threads(usize),
}

/// Counts what there is below `first`.
pub(super) fn count(first: i32) -> Count {
    up_to(first, PROCESSES, THREADS)
}

/// All that detach become children of `first`, so none is missed.
fn up_to(first: i32, processes: usize, threads: usize) -> Count {
    let (mut found, mut tasks) = (0, 0);
    let mut ahead = vec![first];
    while let Some(pid) = ahead.pop() {
        found += 1;
        if found + ahead.len() > processes {
            return Count::Crowd(Crowd::Processes);
        }
        let folder = format!("/proc/{pid}/task");
        // The kernel tells how many there are in one word, beside the folder's own two. A process
        // that ended meanwhile has no list.
        let Ok(own) = std::fs::metadata(&folder) else { continue };
        tasks += usize::try_from(own.nlink()).unwrap_or(usize::MAX).saturating_sub(2);
        if tasks > threads {
            return Count::Crowd(Crowd::Threads);
        }
        for task in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let list = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            ahead.extend(list.split_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
        }
    }
    Count::Threads(tasks.saturating_sub(found))
}

#[cfg(test)]
mod tests {
    use super::{Count, Crowd, up_to};
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
        while up_to(pid, 3, 100) != Count::Crowd(Crowd::Processes) {}
        assert_eq!(up_to(pid, 4, 4), Count::Threads(0));
        assert_eq!(up_to(pid, 4, 3), Count::Crowd(Crowd::Threads));
        let group = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
        shell.wait().unwrap();
        assert_eq!(up_to(pid, 1, 1), Count::Threads(0));
    }
}
