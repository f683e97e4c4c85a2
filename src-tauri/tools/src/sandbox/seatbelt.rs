//! The sandbox for macOS, by the system's own `sandbox-exec`.
//!
//! Written from its documentation and never tried: nobody here has such a
//! computer, and file tools need a Linux kernel so far. What differs from
//! Linux: there is no private `/tmp` and no process namespace, so processes
//! are found by their group, and one that leaves it is not.

use super::Profile;
use crate::git_exec_paths::PARTS;
use crate::read_only::ReadOnly;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Programs and their settings.
const SHOWN: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/System",
    "/Library/Developer",
    "/Library/Frameworks",
    "/Applications/Xcode.app",
    "/opt/homebrew",
    "/private/etc",
    "/private/var/db/dyld",
    "/private/var/select",
    "/dev",
];

/// What a command may do, in the language of `sandbox-exec`.
pub(super) fn rules(
    workspace: &Path,
    profile: Profile,
    hidden: &[PathBuf],
    extra_read: &[PathBuf],
    read_only: &ReadOnly,
) -> String {
    let mut text = String::from(
        "(version 1)\n(deny default)\n(allow process-fork process-exec)\n\
         (allow signal (target same-sandbox))\n(allow sysctl-read)\n\
         (allow file-read-metadata)\n(allow file-write* (literal \"/dev/null\"))\n",
    );
    // A copy of a workspace lies in a hidden folder, and is there to be worked on.
    let (around, others): (Vec<&PathBuf>, Vec<&PathBuf>) =
        hidden.iter().partition(|path| workspace.starts_with(path));
    let hide = |text: &mut String, path: &Path| {
        let _ = writeln!(text, "(deny file-read* file-write* (subpath {}))", quoted(path));
    };
    around.into_iter().for_each(|path| hide(&mut text, path));
    let shown = SHOWN.iter().map(Path::new).chain(extra_read.iter().map(PathBuf::as_path));
    for path in shown.chain([workspace]) {
        let _ = writeln!(text, "(allow file-read* (subpath {}))", quoted(path));
    }
    if profile.may_write() {
        let _ = writeln!(text, "(allow file-write* (subpath {}))", quoted(workspace));
        let own = workspace.join(".git");
        for held in [&own, &own.join("objects")] {
            let _ = writeln!(text, "(deny file-write-unlink (literal {}))", quoted(held));
        }
        for (part, _) in PARTS {
            let _ = writeln!(text, "(deny file-write* (subpath {}))", quoted(&own.join(part)));
        }
        for sealed in &read_only.sealed {
            let place = workspace.join(sealed);
            let _ = writeln!(text, "(deny file-write* (subpath {}))", quoted(&place));
        }
    }
    others.into_iter().for_each(|path| hide(&mut text, path));
    // The last word counts, and this is it.
    text.push_str("(deny network*)\n(deny mach-lookup)\n");
    text
}

fn quoted(path: &Path) -> String {
    let plain = path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{plain}\"")
}

#[cfg(target_os = "macos")]
mod command {
    use super::super::{Confined, Job, Sandbox, environment};
    use crate::error::ToolError;
    use std::ffi::OsString;
    use std::path::Path;
    use std::process::Command;

    /// Confines commands with `sandbox-exec`.
    #[derive(Debug)]
    pub struct Seatbelt {
        environment: Vec<(OsString, OsString)>,
    }

    impl Seatbelt {
        /// Finds out whether there is such a thing.
        pub fn new(home: &Path) -> Result<Self, String> {
            match Path::new("/usr/bin/sandbox-exec").exists() {
                true => Ok(Self { environment: environment::allowed(home) }),
                false => Err("this system has no sandbox-exec".to_owned()),
            }
        }
    }

    impl Sandbox for Seatbelt {
        fn command(&self, job: &Job<'_>) -> Result<Confined, ToolError> {
            if job.network {
                return Err(ToolError::NoNetwork { reason: "macOS has no way to grant hosts" });
            }
            // The system's rules hold for where a path really is, so a link in its place shows
            // nothing.
            let shown = [job.extra_read, job.shared].concat();
            let rules = super::rules(job.workspace, job.profile, job.hidden, &shown, job.read_only);
            let report = format!(
                "printf '{{\"child-pid\":%d}}' $$ >&{0}; ( eval \"$1\" ); code=$?; \
                 printf '{{\"exit-code\":%d}}' $code >&{0}; exit $code",
                job.report
            );
            let mut command = Command::new("/usr/bin/sandbox-exec");
            command
                .env_clear()
                .envs(self.environment.iter().map(|(name, value)| (name, value)))
                .env("PATH", "/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
                .current_dir(job.workspace)
                .args(["-p", &rules, "/bin/bash", "-c", &report, "bash", job.script]);
            Ok(Confined { command, inherited: Vec::new(), covered: std::sync::Arc::default() })
        }
    }
}
#[cfg(target_os = "macos")]
pub use command::Seatbelt;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_walls_are_the_same_in_other_words() {
        let (ws, own) = (Path::new("/w \"x\""), [PathBuf::from("/data")]);
        let work = rules(ws, Profile::Work, &own, &[], &ReadOnly::default());
        assert!(work.contains("(allow file-write* (subpath \"/w \\\"x\\\"\"))"), "{work}");
        assert!(work.contains("(deny file-write* (subpath \"/w \\\"x\\\"/.git/hooks\"))"));
        assert!(work.contains("(deny file-read* file-write* (subpath \"/data\"))"));
        assert!(work.ends_with("(deny network*)\n(deny mach-lookup)\n"));
        let look = rules(ws, Profile::Look, &own, &[], &ReadOnly::default());
        assert!(!look.contains("(allow file-write* (subpath"), "{look}");
    }
}
