//! The environment of a command: a short list, never what happens to be set.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Variables that are passed on. They name places, languages and people.
const PASSED: &[&str] = &[
    "LANG",
    "LANGUAGE",
    "USER",
    "LOGNAME",
    "TZ",
    "RUSTUP_HOME",
    "CARGO_HOME",
    "RUSTUP_TOOLCHAIN",
    "NVM_DIR",
    "PYENV_ROOT",
    "VOLTA_HOME",
    "GOROOT",
    "GOPATH",
    "JAVA_HOME",
];

/// Variables that are the same everywhere: nothing may wait for a keyboard,
/// and looking with git must not want to write.
const FIXED: &[(&str, &str)] = &[
    ("TERM", "dumb"),
    ("TMPDIR", "/tmp"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
];

/// All variables but `PATH`.
pub(super) fn allowed(home: &Path) -> Vec<(OsString, OsString)> {
    let passed = std::env::vars_os().filter(|(name, _)| {
        let name = name.to_string_lossy();
        PASSED.contains(&name.as_ref()) || name.starts_with("LC_")
    });
    let fixed = FIXED.iter().map(|(name, value)| (name.into(), value.into()));
    let home = [("HOME".into(), home.as_os_str().to_owned())];
    passed.chain(fixed).chain(home).collect()
}

/// The folders programs are looked for in: the person's, as far as a command
/// sees them, and the usual ones.
pub(super) fn path(visible: &[PathBuf]) -> Vec<PathBuf> {
    let set = std::env::var_os("PATH").unwrap_or_default();
    let usual = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
    let mut path: Vec<PathBuf> = Vec::new();
    for folder in std::env::split_paths(&set).chain(usual.map(PathBuf::from)) {
        let seen = visible.iter().any(|shown| folder.starts_with(shown));
        if seen && !path.contains(&folder) {
            path.push(folder);
        }
    }
    path
}
