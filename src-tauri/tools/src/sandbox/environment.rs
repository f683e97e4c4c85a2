//! The environment of a command: a short list, never what happens to be set.

use crate::git_settings::GitSettings;
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
/// hooks, a file watcher, a pager, filters that attributes name, what checks signatures, what a
/// submodule shows differences with.
const GIT: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.sshCommand", "false"),
    ("core.askPass", "true"),
    ("core.attributesFile", "/dev/null"),
    ("diff.submodule", "short"),
    ("log.showSignature", "false"),
    ("gpg.program", "false"),
    ("gpg.openpgp.program", "false"),
    ("gpg.x509.program", "false"),
    ("gpg.ssh.program", "false"),
];

/// What keeps git from running a filter, and from missing it. Attributes name filters, and only git
/// 2.43 and newer can be told to read none.
const NO_FILTER: [(&str, &str); 4] =
    [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")];

/// What keeps git from asking elsewhere for what is missing, which a repository names programs for.
const ALONE: [(&str, &str); 2] = [("GIT_NO_LAZY_FETCH", "1"), ("GIT_ALLOW_PROTOCOL", "none")];

/// The empty tree: attributes, which name filters, are read from it.
const NO_ATTRIBUTES: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
/// The same in a repository with the longer kind of names.
const NO_ATTRIBUTES_SHA256: &str =
    "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";

/// Variables for commands that only look. They count more than what a
/// repository's own settings say.
pub(super) fn looking_with_git(settings: &GitSettings) -> Vec<(String, String)> {
    let no_attributes = match settings.value("extensions", "objectformat") {
        Some("sha256") => NO_ATTRIBUTES_SHA256,
        Some(_) | None => NO_ATTRIBUTES,
    };
    let filters = settings
        .filters()
        .into_iter()
        .flat_map(|filter| NO_FILTER.map(|(key, value)| (format!("filter.{filter}.{key}"), value)));
    let settings = GIT.iter().map(|(name, value)| ((*name).to_owned(), *value));
    let settings: Vec<(String, &str)> = settings.chain(filters).collect();
    let mut set = vec![
        ("GIT_CONFIG_COUNT".to_owned(), settings.len().to_string()),
        ("GIT_ATTR_SOURCE".to_owned(), no_attributes.to_owned()),
    ];
    set.extend(ALONE.map(|(name, value)| (name.to_owned(), value.to_owned())));
    for (number, (name, value)) in settings.into_iter().enumerate() {
        set.push((format!("GIT_CONFIG_KEY_{number}"), name));
        set.push((format!("GIT_CONFIG_VALUE_{number}"), value.to_owned()));
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

/// The folders that variables name which are passed on.
pub(super) fn named_folders() -> impl Iterator<Item = PathBuf> {
    let set = PASSED.iter().filter_map(std::env::var_os).map(PathBuf::from);
    set.filter(|path| path.is_absolute())
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever git's version is, and however the repository writes it.
    #[test]
    fn every_filter_that_a_repository_names_is_taken_away() {
        let workspace = tempfile::tempdir().unwrap();
        let folder = workspace.path().canonicalize().unwrap();
        let init = std::process::Command::new("git").args(["init", "-q"]).arg(&folder).status();
        assert!(init.unwrap().success());
        let config = "[filter \"a.B\"]\n\tprocess = ./run\n[include]\n\tpath = more\n";
        std::fs::write(folder.join(".git/config"), config).unwrap();
        std::fs::write(folder.join(".git/more"), "[Filter.Old] clean = ./run\n").unwrap();
        let set = looking_with_git(&GitSettings::of(&folder));
        for filter in ["a.B", "old"] {
            for (key, value) in NO_FILTER {
                let name = format!("filter.{filter}.{key}");
                let key = set.iter().find(|(_, set)| *set == name).map(|(key, _)| key);
                let value_of = key.expect(&name).replace("KEY", "VALUE");
                assert!(set.contains(&(value_of, value.to_owned())), "{name}");
            }
        }
    }
}
