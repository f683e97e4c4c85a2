//! Counts the processes of a command.

/// Whether there are more than `most` processes below `first`.
///
/// All that detach become children of `first`, so none is missed.
pub(super) fn more_than(first: i32, most: usize) -> bool {
    let mut found = 0;
    let mut ahead = vec![first];
    while let Some(pid) = ahead.pop() {
        found += 1;
        if found + ahead.len() > most {
            return true;
        }
        // A process that ended meanwhile has no list.
        let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else { continue };
        for task in tasks.flatten() {
            let list = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            ahead.extend(list.split_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::more_than;
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
        while !more_than(pid, 3) {}
        assert!(!more_than(pid, 4));
        let group = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
        shell.wait().unwrap();
        assert!(!more_than(pid, 1));
    }
}
