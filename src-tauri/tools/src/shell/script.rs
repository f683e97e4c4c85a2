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
    pub(crate) command: &'a str,
}

impl Script<'_> {
    pub(crate) fn text(&self) -> String {
        let Self { folder, profile, tell, command } = *self;
        let [cargo, git] =
            if profile.may_write() { ["", ""] } else { [LOOKING_CARGO, LOOKING_GIT] };
        let folder = match folder.as_os_str().is_empty() {
            true => String::new(),
            false => {
                format!("cd -- '{}' || exit 126\n", folder.to_string_lossy().replace('\'', "'\\''"))
            }
        };
        format!("{cargo}{git}{folder}trap 'pwd -P > /proc/self/fd/{tell}' EXIT\n{command}")
    }
}
