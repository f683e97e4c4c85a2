//! Which steps of a plan do not run at once. Each that changes something works in a copy of its
//! own, so what a step does not say is no hindrance; what two say they will both change is.

use crate::Step;
use crate::rule::path_matches;
use crate::scope::{FILE_TOOLS, PATH_TOOLS, is_pattern, listed};

/// Whether two steps say that they change the same files of a workspace, or one of them has to be
/// alone.
pub fn may_clash(workspace: &str, one: &Step, other: &Step) -> bool {
    if one.alone || other.alone {
        return true;
    }
    let [one, other] = [one, other].map(|step| changes(workspace, step));
    one.iter().any(|a| other.iter().any(|b| overlap(a, b)))
}

/// Files that a step names.
struct Named {
    /// From the workspace on, however it was written; what is elsewhere from the top.
    path: String,
    /// Whether it may be a folder.
    folder: bool,
}

/// The files a step says it changes.
fn changes(workspace: &str, step: &Step) -> Vec<Named> {
    let tool = step.spec.tool.as_deref();
    let files = tool.is_none_or(|tool| FILE_TOOLS.contains(&tool) || PATH_TOOLS.contains(&tool));
    let target = step.spec.target.as_deref().filter(|_| files);
    let named = |target: &str| {
        let path = from_workspace(workspace, target);
        let last = path.rsplit('/').next().unwrap_or_default();
        Named { folder: target.ends_with('/') || !last.contains('.'), path }
    };
    target.map(|target| listed(target).map(named).collect()).unwrap_or_default()
}

/// A path from the workspace on; empty where it is the workspace.
fn from_workspace(workspace: &str, path: &str) -> String {
    let whole = match path.starts_with('/') {
        true => straight(path),
        false => straight(&format!("{workspace}/{path}")),
    };
    let workspace = straight(workspace);
    match whole.strip_prefix(&workspace) {
        Some("") => String::new(),
        Some(rest) if rest.starts_with('/') => rest[1..].to_owned(),
        Some(_) | None => whole,
    }
}

/// A path from the top without detours.
fn straight(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            // Above whatever a pattern names there may be anything.
            ".." => match parts.pop() {
                Some(pattern) if is_pattern(pattern) => parts.push("**"),
                Some(_) | None => {}
            },
            _ => parts.push(part),
        }
    }
    parts.iter().map(|part| format!("/{part}")).collect()
}

fn overlap(one: &Named, other: &Named) -> bool {
    match (is_pattern(&one.path), is_pattern(&other.path)) {
        (true, false) => reaches(&one.path, other),
        (false, true) => reaches(&other.path, one),
        (false, false) => meet(&one.path, &other.path),
        (true, true) => meet(fixed(&one.path), fixed(&other.path)),
    }
}

/// Whether two paths are the same, or one is in the other.
fn meet(one: &str, other: &str) -> bool {
    one == other || lies_in(one, other) || lies_in(other, one)
}

/// Whether a pattern may name a file, or something in it where it is a folder.
fn reaches(pattern: &str, named: &Named) -> bool {
    let (start, path) = (fixed(pattern), named.path.as_str());
    let below = start == path || lies_in(start, path);
    let deep = named.folder && pattern.contains("**") && (start == path || lies_in(path, start));
    path_matches(pattern, path) || below || deep
}

/// The folder in which all that a pattern names lies.
fn fixed(pattern: &str) -> &str {
    let end = pattern.find(['*', '?', '[', '{']).unwrap_or(pattern.len());
    pattern[..end].rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn lies_in(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{StepId, StepSpec};
    use std::sync::Arc;

    const HOME: &str = "/home/me/work";

    fn step(tool: Option<&str>, target: Option<&str>) -> Step {
        Step::new(Arc::new(StepSpec {
            id: StepId("a".into()),
            text: "t".into(),
            tool: tool.map(str::to_owned),
            target: target.map(str::to_owned),
            expected_outcome: None,
            verify: None,
            needs: Vec::new(),
            agent: None,
            model: None,
        }))
    }

    #[test]
    fn what_two_steps_say_they_change_decides() {
        let cases = [
            ("src/a.rs", "src/a.rs", true),
            ("src/a.rs", "./src/a.rs", true),
            ("src/a.rs", "src/b.rs", false),
            ("src", "src/b.rs", true),
            ("src/", "srcs/b.rs", false),
            ("docs/x.md, src/a.rs", "src/a.rs, b", true),
            ("src/**", "src/deep/b.rs", true),
            ("src/*.rs", "src/deep/b.rs", false),
            ("src/*.rs", "src", true),
            ("src/*.rs", "docs/*.md", false),
            ("src/*.rs", "src/deep/*.rs", true),
            ("**/*.rs", "docs/a.md", false),
            ("**/*.rs", "src", true),
            ("*", "deep/a", false),
            // However it is written.
            ("docs/../a.md", "a.md", true),
            ("docs/../a.md", "docs/a.md", false),
            ("docs/./b/../a.md", "docs//a.md", true),
            ("/home/me/work/a.md", "./a.md", true),
            ("/home/me/work/docs/", "docs/a.md", true),
            ("/home/me/work", "a.md", true),
            (".", "deep/a.md", true),
            ("../work/a.md", "a.md", true),
            ("/home/me/works/a.md", "a.md", false),
            ("/home/me/works/a.md", "../works/a.md", true),
            ("../a.md", "a.md", false),
            ("./src/../docs/*.md", "docs/a.md", true),
            ("/home/me/work/src/*.rs", "src/a.rs", true),
            ("src/*/../a.rs", "src/a.rs", true),
            ("**/*.rs", "v1.2/", true),
            ("**/*.rs", "v1.2", false),
            ("{a,b}.md", "./b.md", true),
        ];
        for (one, other, clash) in cases {
            let [a, b] = [one, other].map(|target| step(Some("write_file"), Some(target)));
            assert_eq!(may_clash(HOME, &a, &b), clash, "{one} and {other}");
            assert_eq!(may_clash(HOME, &b, &a), clash, "{other} and {one}");
        }
    }

    #[test]
    fn commands_and_what_is_not_said_run_at_once_unless_one_has_to_be_alone() {
        let shell = || step(Some("shell"), Some("cargo test"));
        assert!(!may_clash(HOME, &shell(), &shell()));
        assert!(!may_clash(HOME, &step(None, None), &step(None, None)));
        assert!(!may_clash(HOME, &shell(), &step(None, Some("a"))));
        assert!(may_clash(HOME, &step(Some("delete_file"), Some("a")), &step(None, Some("a"))));
        let alone = Step { alone: true, ..step(None, None) };
        assert!(may_clash(HOME, &alone, &step(Some("read_file"), Some("b"))));
    }
}
