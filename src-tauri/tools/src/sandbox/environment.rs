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

/// What keeps git from running a repository's own programs while it looks:
/// hooks, a file watcher, a pager.
const GIT: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.sshCommand", "false"),
    ("core.askPass", "true"),
];

/// The empty tree: attributes, which name filters, are read from it.
const NO_ATTRIBUTES: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// Variables for commands that only look. They count more than what a
/// repository's own settings say.
pub(super) fn looking_with_git() -> Vec<(String, String)> {
    let mut set = vec![
        ("GIT_CONFIG_COUNT".to_owned(), GIT.len().to_string()),
        ("GIT_ATTR_SOURCE".to_owned(), NO_ATTRIBUTES.to_owned()),
    ];
    for (number, (name, value)) in GIT.iter().enumerate() {
        set.push((format!("GIT_CONFIG_KEY_{number}"), (*name).to_owned()));
        set.push((format!("GIT_CONFIG_VALUE_{number}"), (*value).to_owned()));
    }
    set
}

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
