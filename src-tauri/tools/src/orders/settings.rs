//! What git's settings name: folders with hooks, programs to run, and more settings.
//!
//! Only as much of the settings is read as is needed to find paths in them. Conditions of an
//! `includeIf` are taken to hold.

use std::path::{Path, PathBuf};

/// How deep settings may include others, as in git.
const DEEPEST: usize = 10;

/// Settings whose value is run, by section and key; sections with a name in between count alike.
const RUN: &[(&str, &str)] = &[
    ("core", "fsmonitor"),
    ("core", "sshcommand"),
    ("core", "pager"),
    ("core", "editor"),
    ("core", "askpass"),
    ("core", "gitproxy"),
    ("core", "alternaterefscommand"),
    ("filter", "clean"),
    ("filter", "smudge"),
    ("filter", "process"),
    ("diff", "external"),
    ("diff", "command"),
    ("diff", "textconv"),
    ("merge", "driver"),
    ("hook", "command"),
    ("gpg", "program"),
    ("credential", "helper"),
    ("sequence", "editor"),
    ("interactive", "difffilter"),
    ("difftool", "cmd"),
    ("mergetool", "cmd"),
    ("trailer", "command"),
    ("trailer", "cmd"),
    ("submodule", "update"),
    ("uploadpack", "packobjectshook"),
    ("remote", "uploadpack"),
    ("remote", "receivepack"),
];
/// Sections in which every value may be run.
const ALL_RUN: [&str; 2] = ["alias", "pager"];

/// Something that settings name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// A folder with hooks.
    Hooks(PathBuf),
    /// Words of a command, any of which may be a file.
    Program(PathBuf),
    /// More settings.
    Settings(PathBuf),
}

/// All that these files name, and those that they include. Commands run at the `top`.
pub(super) fn named(files: &[PathBuf], top: &Path) -> Vec<Named> {
    let mut found = Vec::new();
    for file in files {
        read(file, top, DEEPEST, &mut found);
    }
    found
}

/// The person's own settings, for all repositories.
pub(super) fn of_the_person() -> Vec<PathBuf> {
    let home = std::env::home_dir();
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let usual = home.as_ref().map(|home| home.join(".config"));
    let config = set("XDG_CONFIG_HOME").map(PathBuf::from).or(usual);
    let own = match set("GIT_CONFIG_GLOBAL") {
        Some(file) => vec![Some(PathBuf::from(file))],
        None => vec![
            config.map(|folder| folder.join("git/config")),
            home.map(|home| home.join(".gitconfig")),
        ],
    };
    let own = own.into_iter().flatten();
    own.chain([PathBuf::from("/etc/gitconfig")]).collect()
}

fn read(file: &Path, top: &Path, deep: usize, found: &mut Vec<Named>) {
    let Ok(text) = std::fs::read_to_string(file) else { return };
    for Setting { section, key, value } in settings(&text) {
        match (section.as_str(), key.as_str()) {
            ("core", "hookspath") => found.push(Named::Hooks(top.join(expanded(&value)))),
            ("init", "templatedir") => found.push(Named::Program(top.join(expanded(&value)))),
            ("include" | "includeif", "path") => {
                let beside = file.parent().unwrap_or(top);
                let included = beside.join(expanded(&value));
                if deep > 0 {
                    read(&included, top, deep - 1, found);
                }
                found.push(Named::Settings(included));
            }
            (section, key) if ALL_RUN.contains(&section) || RUN.contains(&(section, key)) => {
                let words = value.split(|c: char| c.is_whitespace() || "!;&|<>()\"'`$".contains(c));
                // What has no such sign is the name of a program, or a word like any other.
                let paths = words.filter(|word| word.contains(['/', '.']));
                found.extend(paths.map(|word| Named::Program(top.join(expanded(word)))));
            }
            (_, _) => {}
        }
    }
}

/// A path with the person's home for `~`.
fn expanded(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        (_, _) => PathBuf::from(path),
    }
}

/// One setting; section and key are in lower case, and a section's own name is left out.
struct Setting {
    section: String,
    key: String,
    value: String,
}

fn settings(text: &str) -> Vec<Setting> {
    // A line that ends with a backslash goes on.
    let text = text.replace("\r\n", "\n").replace("\\\n", "");
    let mut found = Vec::new();
    let mut section = String::new();
    for mut line in text.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix('[') {
            // A section's own name may hold anything, in quotes.
            let own_name = rest.find('"').and_then(|at| Some(at + 1 + rest[at + 1..].rfind('"')?));
            let Some(end) = rest[own_name.unwrap_or(0)..].find(']') else { continue };
            let (header, rest) = rest.split_at(own_name.unwrap_or(0) + end);
            let name = header.split(|c: char| c.is_whitespace() || c == '.' || c == '"').next();
            section = name.unwrap_or_default().to_ascii_lowercase();
            line = rest[1..].trim();
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let (key, value) = (key.trim().to_ascii_lowercase(), plain(value.trim()));
        found.push(Setting { section: section.clone(), key, value });
    }
    found
}

/// A value without its quotes, escapes and comment.
fn plain(value: &str) -> String {
    let (mut plain, mut quoted) = (String::new(), false);
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => quoted = !quoted,
            '\\' => plain.extend(chars.next()),
            '#' | ';' if !quoted => break,
            other => plain.push(other),
        }
    }
    plain.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_however_they_are_written() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("config");
        let more = home.path().join("more");
        std::fs::write(&more, "[core]fsmonitor = ./watch --fast\n").unwrap();
        let text = "# core.hooksPath = no\n[CORE]\n\tHooksPath = \".my hooks\" ; why\n\
                    [filter \"lint]er\"]\n  clean = python3 tools/lint.py \\\n --stdin %f\n\
                    [include]\n path = more\n[alias]\n t = \"!npm test && ./run.sh\"\n\
                    [user]\n name = a/b\n[core] fsmonitor\n";
        std::fs::write(&file, text).unwrap();
        let top = Path::new("/w");
        let expected = [
            Named::Hooks(top.join(".my hooks")),
            Named::Program(top.join("tools/lint.py")),
            Named::Program(top.join("./watch")),
            Named::Settings(more),
            Named::Program(top.join("./run.sh")),
        ];
        assert_eq!(named(&[file], top), expected);
    }

    #[test]
    fn settings_that_include_themselves_come_to_an_end() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("config");
        std::fs::write(&file, "[include]\npath = config\n").unwrap();
        assert_eq!(named(&[file], home.path()).len(), DEEPEST + 1);
    }
}
