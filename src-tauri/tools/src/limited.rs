//! Puts limits on a process, which then becomes the program that they are for.
//!
//! `plancard-warden run PROGRAM…` does this between us and a sandbox. It enters the control groups
//! by itself: a process that moves itself is in them before it can start anything, and takes no
//! lock that the whole computer waits for. What to do comes in a variable, because the groups are
//! made when the rest of the command is written already.

use rustix::process::{Resource, Rlimit, setrlimit};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::OnceLock;

/// The variable that holds the limits, one a line.
const VARIABLE: &str = "PLANCARD_LIMITS";
const CGROUP: &[u8] = b"cgroup ";
const DATA: &[u8] = b"data ";
/// When memory runs out on the whole computer, what agents run ends before anything else.
const ENDS_FIRST: &str = "500";

/// Whether the program is there that takes limits on.
pub(crate) fn is_here() -> bool {
    warden().is_some()
}

fn warden() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOUND.get_or_init(|| crate::program::beside_us("plancard-warden")).as_deref()
}

/// A command for a program that takes the limits on; on its own where `plancard-warden` is missing.
pub(crate) fn command(program: &Path) -> Command {
    match warden() {
        Some(warden) => {
            let mut command = Command::new(warden);
            command.arg("run").arg(program);
            command
        }
        None => Command::new(program),
    }
}

/// Tells such a command which files let it into its groups, and how much private memory each of
/// its processes may have.
pub(crate) fn limit(command: &mut Command, doors: &[PathBuf], data: Option<u64>) {
    let mut limits = OsString::new();
    for door in doors {
        limits.push(OsStr::from_bytes(CGROUP));
        limits.push(door);
        limits.push("\n");
    }
    if let Some(bytes) = data {
        limits.push(format!("data {bytes}\n"));
    }
    command.env(VARIABLE, limits);
}

/// Takes the limits on and becomes the program; comes back only when that can't be done.
pub fn run(mut words: impl Iterator<Item = OsString>) -> ExitCode {
    let limits = std::env::var_os(VARIABLE).unwrap_or_default();
    // Refused where the computer's settings can't be written; the limits hold without it.
    let _ = std::fs::write("/proc/self/oom_score_adj", ENDS_FIRST);
    let mut lines = limits.as_bytes().split(|byte| *byte == b'\n');
    let problem = match lines.try_for_each(take_on) {
        Ok(()) => match words.next() {
            Some(program) => Command::new(program).args(words).env_remove(VARIABLE).exec(),
            None => std::io::Error::other("no program is named"),
        },
        Err(problem) => problem,
    };
    eprintln!("the limits of a command can't be set: {problem}");
    ExitCode::from(126)
}

fn take_on(line: &[u8]) -> std::io::Result<()> {
    if let Some(door) = line.strip_prefix(CGROUP) {
        // The kernel takes a nought for whoever writes it.
        return std::fs::write(OsStr::from_bytes(door), "0");
    }
    let bytes = line.strip_prefix(DATA).and_then(|text| str::from_utf8(text).ok()?.parse().ok());
    let Some(bytes) = bytes else { return Ok(()) };
    Ok(setrlimit(Resource::Data, Rlimit { current: Some(bytes), maximum: Some(bytes) })?)
}
