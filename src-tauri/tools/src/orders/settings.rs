//! What git's settings name: folders with hooks, programs to run, and more settings.
//!
//! Only as much of the settings is read as is needed to find paths in them. Conditions of an
//! `includeIf` are taken to hold.

use crate::files::known;
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
    ("tar", "command"),
    ("mergetool", "path"),
    ("difftool", "path"),
    ("guitool", "cmd"),
    ("browser", "cmd"),
    ("browser", "path"),
    ("man", "cmd"),
    ("man", "path"),
    ("web", "browser"),
    ("imap", "tunnel"),
    ("lfs", "path"),
    ("lfs", "clean"),
    ("lfs", "smudge"),
    ("gpg", "defaultkeycommand"),
    ("instaweb", "httpd"),
    ("instaweb", "browser"),
];
/// Sections in which every value may be run.
const ALL_RUN: [&str; 3] = ["alias", "pager", "sendemail"];

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
        read(file, &|_, _| true, &mut |at, setting| names(at, setting, top, &mut found));
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
    [PathBuf::from("/etc/gitconfig")].into_iter().chain(own.into_iter().flatten()).collect()
}

/// Where a setting stands: in which file, and how many files included it.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) file: &'a Path,
    pub(super) depth: usize,
}

impl At<'_> {
    /// A file that is named there, and found from there.
    pub(super) fn beside(self, path: &str) -> PathBuf {
        self.file.parent().unwrap_or(Path::new("/")).join(expanded(path))
    }
}

/// Goes through the settings of a file in git's order: those of an included file where it is
/// included, if its condition `holds`, and then the setting that includes it.
pub(super) fn read(
    file: &Path,
    holds: &dyn Fn(At<'_>, &str) -> bool,
    seen: &mut dyn FnMut(At<'_>, &Setting),
) {
    read_at(At { file, depth: 0 }, holds, seen);
}

fn read_at(
    at: At<'_>,
    holds: &dyn Fn(At<'_>, &str) -> bool,
    seen: &mut dyn FnMut(At<'_>, &Setting),
) {
    let Some(text) = known::text(at.file) else { return };
    for setting in settings(&text) {
        if setting.includes()
            && at.depth < DEEPEST
            && (setting.section == "include" || holds(at, &setting.name))
        {
            let included = at.beside(&setting.value);
            read_at(At { file: &included, depth: at.depth + 1 }, holds, seen);
        }
        seen(at, &setting);
    }
}

fn names(at: At<'_>, setting: &Setting, top: &Path, found: &mut Vec<Named>) {
    let Setting { section, key, value, .. } = setting;
    match (section.as_str(), key.as_str()) {
        ("core", "hookspath") => found.push(Named::Hooks(top.join(expanded(value)))),
        ("init", "templatedir") => found.push(Named::Program(top.join(expanded(value)))),
        (_, _) if setting.includes() => found.push(Named::Settings(at.beside(value))),
        (_, _) if setting.runs() => {
            let words = value.split(|c: char| c.is_whitespace() || "!;&|<>()\"'`$".contains(c));
            // What has no such sign is the name of a program, or a word like any other.
            let paths = words.filter(|word| word.contains(['/', '.']));
            found.extend(paths.map(|word| Named::Program(top.join(expanded(word)))));
        }
        (_, _) => {}
    }
}

/// A path with the person's home for `~`.
pub(super) fn expanded(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        (_, _) => PathBuf::from(path),
    }
}

/// One setting; section and key are in lower case.
pub(super) struct Setting {
    pub(super) section: String,
    /// The section's own name, where it has one.
    pub(super) name: String,
    pub(super) key: String,
    pub(super) value: String,
}

impl Setting {
    fn includes(&self) -> bool {
        matches!(self.section.as_str(), "include" | "includeif") && self.key == "path"
    }

    /// Whether git runs the value, some time.
    pub(super) fn runs(&self) -> bool {
        let (section, key) = (self.section.as_str(), self.key.as_str());
        ALL_RUN.contains(&section) || RUN.contains(&(section, key))
    }
}

pub(super) fn settings(text: &str) -> Vec<Setting> {
    // A line that ends with a backslash goes on.
    let text = text.replace("\r\n", "\n").replace("\\\n", "");
    let mut found = Vec::new();
    let (mut section, mut own) = (String::new(), String::new());
    for mut line in text.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix('[') {
            // A section's own name may hold anything, in quotes.
            let own_name = own_name(rest);
            let Some(end) = rest[own_name.unwrap_or(0)..].find(']') else { continue };
            let (header, rest) = rest.split_at(own_name.unwrap_or(0) + end);
            let name = header.split(|c: char| c.is_whitespace() || c == '.' || c == '"').next();
            section = name.unwrap_or_default().to_ascii_lowercase();
            let quoted = header.find('"').and_then(|at| header.get(at + 1..header.rfind('"')?));
            // The old way to write it is after a dot, and in lower case.
            let dotted = || header.split_once('.').map_or("", |(_, name)| name.trim());
            own = quoted.map_or_else(|| dotted().to_ascii_lowercase(), unescaped);
            line = rest[1..].trim();
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let (key, value) = (key.trim().to_ascii_lowercase(), plain(value.trim()));
        found.push(Setting { section: section.clone(), name: own.clone(), key, value });
    }
    found
}

/// Where a section's own name ends, if it has one.
fn own_name(header: &str) -> Option<usize> {
    let start = header.find(['"', ']']).filter(|at| header[*at..].starts_with('"'))? + 1;
    let mut escaped = false;
    let end = header[start..].find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    Some(start + end?)
}

/// A section's own name without what stands before quotes and backslashes in it.
fn unescaped(name: &str) -> String {
    let mut chars = name.chars();
    let next = || match chars.next()? {
        '\\' => chars.next(),
        other => Some(other),
    };
    std::iter::from_fn(next).collect()
}

/// A value without its quotes, escapes and comment.
fn plain(value: &str) -> String {
    let (mut plain, mut quoted) = (String::new(), false);
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => quoted = !quoted,
            '\\' => plain.extend(chars.next().map(|c| match c {
                'n' => '\n',
                't' => '\t',
                other => other,
            })),
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
                    [user]\n name = a/b\n[core] fsmonitor\n\
                    [diff \"a\\\"b\"] textconv = \"./show\" # \"\n[tar.x] command = ./pack\n";
        std::fs::write(&file, text).unwrap();
        let top = Path::new("/w");
        let expected = [
            Named::Hooks(top.join(".my hooks")),
            Named::Program(top.join("tools/lint.py")),
            Named::Program(top.join("./watch")),
            Named::Settings(more),
            Named::Program(top.join("./run.sh")),
            Named::Program(top.join("./show")),
            Named::Program(top.join("./pack")),
        ];
        assert_eq!(named(&[file], top), expected);
    }

    #[test]
    fn names_of_sections_are_read_as_git_reads_them() {
        let text = "[a \"x\\\"y\\\\z]\"]\nk = 1\n[A.Old]\nk = 1\n[a \"Q.r\"] k = 1\n[a]\nk = 1\n";
        let names: Vec<String> = settings(text).into_iter().map(|found| found.name).collect();
        assert_eq!(names, ["x\"y\\z]", "old", "Q.r", ""]);
    }

    #[test]
    fn settings_that_include_themselves_come_to_an_end() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("config");
        std::fs::write(&file, "[include]\npath = config\n").unwrap();
        assert_eq!(named(&[file], home.path()).len(), DEEPEST + 1);
    }
}
