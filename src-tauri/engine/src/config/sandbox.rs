//! Reads `sandbox:`, what programs see beside their workspace.

use super::mcp::readable;
use super::section::Section;
use std::path::{Path, PathBuf};

/// What commands, MCP servers and agents that are programs see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sandbox {
    /// Folders and files outside the workspace that they may read.
    pub read: Vec<PathBuf>,
}

/// Where sockets, devices and other processes are: a wall with a hole there is none.
const NEVER: [&str; 7] = ["/proc", "/sys", "/dev", "/run", "/var/run", "/tmp", "/var/tmp"];
/// Of these, what lies below may be listed.
const ONLY_WHOLE: [&str; 2] = ["/tmp", "/var/tmp"];

impl Sandbox {
    pub(super) fn read(section: &Section<'_>) -> Self {
        let read = readable(section);
        let bad = |path: &PathBuf| {
            let real = path.canonicalize().unwrap_or_else(|_| path.clone());
            shows_too_much(path) || shows_too_much(&real)
        };
        if let (true, Some(node)) = (read.iter().any(bad), section.get("read")) {
            let allowed = "folders that do not hold your whole home, and none below /proc, /sys, \
                           /dev or /run";
            section.bad("read", node, allowed);
        }
        Self { read }
    }
}

fn shows_too_much(path: &Path) -> bool {
    let home = std::env::home_dir();
    let home = home.map(|home| home.canonicalize().unwrap_or(home));
    let holds = |one: &Path| one.starts_with(path);
    let is_in = |one: &str| path.starts_with(one) && !ONLY_WHOLE.contains(&one);
    home.is_some_and(|home| holds(&home))
        || NEVER.iter().any(|one| holds(Path::new(one)))
        || NEVER.iter().any(|one| is_in(one))
}
