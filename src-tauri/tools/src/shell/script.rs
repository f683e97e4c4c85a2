//! What the shell is given: the command, and what is done before and after it.

use crate::sandbox::Profile;
use std::os::fd::RawFd;
use std::path::Path;

/// Git for commands that only look: a repository can name programs for showing
/// differences, and only a flag keeps git from running them.
const LOOKING_GIT: &str = "git() { [ \"$1\" = --no-pager ] && shift; case \"$1\" in \
    diff|log|show|blame) shown=$1; shift; set -- \"$shown\" --no-ext-diff --no-textconv \"$@\";; esac; \
    command git --no-pager \"$@\"; }\n";

/// Cargo for the same: a workspace can name a compiler, what wraps it, its flags and a whole
/// toolchain. Where rustup has none of the person's own, it finds one that isn't there.
const LOOKING_CARGO: &str = "cargo() { RUSTC=rustc RUSTC_WRAPPER= RUSTC_WORKSPACE_WRAPPER= \
    CARGO_ENCODED_RUSTFLAGS= CARGO_NET_GIT_FETCH_WITH_CLI=false \
    RUSTUP_TOOLCHAIN=${RUSTUP_TOOLCHAIN:-$(own=$(cd / && rustup default 2>/dev/null); \
    own=${own%% *}; echo \"${own:-none}\")} command cargo \"$@\"; }; ";

/// A command about to be run.
pub(crate) struct Script<'a> {
    /// The folder it begins in, below the workspace.
    pub(crate) folder: &'a Path,
    pub(crate) profile: Profile,
    /// A descriptor on which it says where it ended.
    pub(crate) tell: RawFd,
    /// A descriptor on which it is told to begin; without a word there it never does.
    pub(crate) wait: Option<RawFd>,
    pub(crate) command: &'a str,
}

impl Script<'_> {
    pub(crate) fn text(&self) -> String {
        let Self { folder, profile, tell, wait, command } = *self;
        let [cargo, git] =
            if profile.may_write() { ["", ""] } else { [LOOKING_CARGO, LOOKING_GIT] };
        let folder = match folder.as_os_str().is_empty() {
            true => String::new(),
            false => {
                format!("cd -- '{}' || exit 126\n", folder.to_string_lossy().replace('\'', "'\\''"))
            }
        };
        // On the line of what follows, so that the shell counts the lines of a command as ever.
        let wait = wait.map_or_else(String::new, |wait| {
            format!("read -r REPLY < /proc/self/fd/{wait} || exit 126; unset REPLY; ")
        });
        format!("{cargo}{git}{folder}{wait}trap 'pwd -P > /proc/self/fd/{tell}' EXIT\n{command}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::io::{FdFlags, fcntl_setfd};
    use std::io::Write;
    use std::os::fd::AsRawFd;
    use std::process::Command;

    #[test]
    fn a_command_begins_when_it_is_told_to_and_never_without_a_word() {
        for shell in ["bash", "sh"] {
            for told in [true, false] {
                let (wait, mut go) = std::io::pipe().unwrap();
                let (_told, tell) = std::io::pipe().unwrap();
                for end in [wait.as_raw_fd(), tell.as_raw_fd()] {
                    assert!(end > 2);
                }
                fcntl_setfd(&wait, FdFlags::empty()).unwrap();
                fcntl_setfd(&tell, FdFlags::empty()).unwrap();
                let script = Script {
                    folder: Path::new(""),
                    profile: Profile::Work,
                    tell: tell.as_raw_fd(),
                    wait: Some(wait.as_raw_fd()),
                    command: "echo ran ${REPLY-nothing}",
                };
                if told {
                    go.write_all(b"\n").unwrap();
                }
                drop(go);
                let ran = Command::new(shell).args(["-c", &script.text()]).output().unwrap();
                let (code, said) = if told { (0, "ran nothing\n") } else { (126, "") };
                assert_eq!(ran.status.code(), Some(code), "{shell}: {ran:?}");
                assert_eq!(String::from_utf8_lossy(&ran.stdout), said, "{shell}");
            }
        }
    }
}
