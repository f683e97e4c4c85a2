//! A control group of our own from systemd: a scope that is delegated to us.
//!
//! In version 2 a program may divide only a group that was handed to it. The user manager hands one
//! out when it is asked over the session bus. We move into it ourselves, because a program can move
//! what it starts only within a group that it may write.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long systemd may take to move us.
const PATIENCE: Duration = Duration::from_secs(2);
const BETWEEN: Duration = Duration::from_millis(2);

/// Asks for the scope and waits until we are in it; whether we are. `busctl` comes with systemd.
pub(super) fn enter_scope(busctl: &str) -> bool {
    let pid = std::process::id().to_string();
    let scope = format!("plancard-{pid}.scope");
    let manager = [
        "org.freedesktop.systemd1",
        "/org/freedesktop/systemd1",
        "org.freedesktop.systemd1.Manager",
    ];
    let properties = ["PIDs", "au", "1", &pid, "Delegate", "b", "true"];
    let asked = Command::new(busctl)
        .args(["--user", "--quiet", "--timeout=2", "call"])
        .args(manager)
        .args(["StartTransientUnit", "ssa(sv)a(sa(sv))", &scope, "fail", "2"])
        .args(properties)
        .arg("0")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !asked.is_ok_and(|status| status.success()) {
        return false;
    }
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        if groups.lines().any(|line| line.starts_with("0::") && line.ends_with(&scope)) {
            return true;
        }
        std::thread::sleep(BETWEEN);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::enter_scope;
    use std::process::Command;

    /// One that writes down what it is asked, and moves nobody.
    #[test]
    fn systemd_is_asked_for_a_delegated_scope_with_this_program_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let (busctl, asked) = (folder.path().join("busctl"), folder.path().join("asked"));
        let script = format!("#!/bin/sh\nprintf '%s|' \"$@\" >'{}'\n", asked.display());
        // Not written by us: another test could start a program meanwhile, which has it open.
        let write = ["-c", "printf %s \"$1\" >\"$2\" && chmod 755 \"$2\"", "sh", &script];
        assert!(Command::new("sh").args(write).arg(&busctl).status().unwrap().success());
        assert!(!enter_scope(busctl.to_str().unwrap()), "we are where we were");
        let pid = std::process::id();
        let words = format!(
            "--user|--quiet|--timeout=2|call|org.freedesktop.systemd1|/org/freedesktop/systemd1|\
             org.freedesktop.systemd1.Manager|StartTransientUnit|ssa(sv)a(sa(sv))|\
             plancard-{pid}.scope|fail|2|PIDs|au|1|{pid}|Delegate|b|true|0|"
        );
        assert_eq!(std::fs::read_to_string(asked).unwrap(), words);
        assert!(!enter_scope("/no/such/program"));
    }
}
