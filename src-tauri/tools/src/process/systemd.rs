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
