//! Where and on what it was measured.

use std::process::Command;

/// How busy the machine is, as the kernel sees it.
pub fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or("?").to_owned()
}

/// One line about the machine and what was built.
pub fn facts(load_before: &str) -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{} · {cores} cores · load {load_before} before, {} after · revision {}",
        processor(),
        load(),
        revision()
    )
}

fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}

fn revision() -> String {
    let git = |words: &[&str]| {
        let said = Command::new("git").args(words).output().ok().filter(|out| out.status.success());
        said.map(|said| String::from_utf8_lossy(&said.stdout).trim().to_owned())
    };
    let Some(revision) = git(&["rev-parse", "--short", "HEAD"]) else { return "unknown".into() };
    match git(&["status", "--porcelain", "--untracked-files=no"]) {
        Some(changed) if !changed.is_empty() => format!("{revision} with changes"),
        Some(_) | None => revision,
    }
}
