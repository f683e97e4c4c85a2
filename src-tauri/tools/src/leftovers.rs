//! Finds and ends what a killed program of ours left behind.
//!
//! A sandbox dies with us, but only once it has told the kernel so. Killed in the moment before
//! that, we would leave a half of it that waits for ever. So each carries a mark in its
//! environment that names the program that started it, and whoever finds one without that program
//! may end it. The one to find it at once is the warden (`plancard-warden`): it waits for a pipe
//! to close that only we hold, which also tells that no process is half started any more. Control
//! groups of sandboxes have the mark in their names. All that is in them is ended first, for it may
//! be a fork bomb: the kernel ends it with its sandbox, but only when the sandbox has its turn.

use crate::process;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

/// The variable that holds the mark.
pub const VARIABLE: &str = "PLANCARD_STARTED_BY";
/// How often one looks before giving up on what can't be ended.
const ROUNDS: u32 = 2_000;
/// How long killed processes are left to go.
const BETWEEN: Duration = Duration::from_millis(5);
/// How often in a row nothing is found before one is done: a process that is just becoming another
/// program shows no environment for a moment.
const CALM: u32 = 20;

/// The mark of this program: its process namespace, its number, and when it began. `None` where
/// processes can't be told apart like that.
pub fn mark() -> Option<&'static str> {
    static MARK: OnceLock<Option<String>> = OnceLock::new();
    let mark = MARK.get_or_init(|| {
        let own = i32::try_from(std::process::id()).ok()?;
        Some(format!("{}.{own}.{}", namespace()?, began(own)?))
    });
    mark.as_deref()
}

/// Ends what programs left behind that are no more.
pub fn end_of_the_dead() {
    process::end_groups_of(is_dead);
    end(is_dead);
}

/// Ends what one program left behind.
pub fn end_of(mark: &str) {
    process::end_groups_of(|found| found == mark);
    end(|found| found == mark);
}

/// Ends all whose mark fits. What they start meanwhile has the same mark, so one looks until
/// nothing is found for a while.
fn end(fits: impl Fn(&str) -> bool) {
    let mut calm = 0;
    for _ in 0..ROUNDS {
        let Ok(entries) = std::fs::read_dir("/proc") else { return };
        let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        // Each is looked at, so no short cut.
        match pids.filter(|pid| end_one(*pid, &fits)).count() {
            0 => calm += 1,
            _ => calm = 0,
        }
        if calm == CALM {
            return;
        }
        std::thread::sleep(BETWEEN);
    }
}

/// Ends one process if its mark fits; whether it did.
fn end_one(pid: i32, fits: impl Fn(&str) -> bool) -> bool {
    // Held before it is looked at, so that the number can't come to mean another one.
    let Some(process) = Pid::from_raw(pid) else { return false };
    let Ok(process) = pidfd_open(process, PidfdFlags::empty()) else { return false };
    let Ok(environment) = std::fs::read(format!("/proc/{pid}/environ")) else { return false };
    let mut variables =
        environment.split(|byte| *byte == 0).filter_map(|one| str::from_utf8(one).ok());
    let mark = variables.find_map(|one| one.strip_prefix(VARIABLE)?.strip_prefix('='));
    mark.is_some_and(fits) && pidfd_send_signal(process, Signal::KILL).is_ok()
}

/// Whether the program with this mark is known to be gone. Those of other namespaces have numbers
/// that say nothing here.
fn is_dead(mark: &str) -> bool {
    let mut parts = mark.split('.');
    let (Some(there), Some(pid), Some(began_then), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let (Some(here), Ok(pid)) = (namespace(), pid.parse::<i32>()) else { return false };
    // Where it can't be seen for another reason, it may be alive.
    let is_gone = || {
        let seen = Path::new("/proc").join(pid.to_string()).metadata();
        seen.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
    };
    here == there && began(pid).map_or_else(is_gone, |now| now != began_then)
}

/// The process namespace that we are in.
fn namespace() -> Option<String> {
    let name = std::fs::read_link(Path::new("/proc/self/ns/pid")).ok()?;
    Some(name.to_str()?.chars().filter(char::is_ascii_digit).collect())
}

/// When a process began, as the kernel counts.
fn began(pid: i32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before it may hold anything.
    let (_, rest) = stat.rsplit_once(") ")?;
    rest.split(' ').nth(19).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    #[test]
    fn only_what_dead_programs_left_is_ended() {
        let own = mark().unwrap();
        let gone = own.rsplit_once('.').unwrap().0.to_owned() + ".1";
        let elsewhere = format!("1{gone}");
        let started = [own, &gone, &elsewhere, "nonsense"]
            .map(|mark| Command::new("sleep").arg("100").env(VARIABLE, mark).spawn().unwrap());
        end_of_the_dead();
        let ended = started.map(|mut child| {
            let ended = child.try_wait().unwrap();
            child.kill().unwrap();
            child.wait().unwrap();
            ended.and_then(|status| status.signal())
        });
        assert_eq!(ended, [None, Some(9), None, None]);
    }
}
