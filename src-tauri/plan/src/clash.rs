//! Which steps of a plan do not run at once. Each that changes something works in a copy of its
//! own, so what a step does not say is no hindrance; what two say they will both change is.

use crate::Step;
use crate::rule::path_matches;
use crate::scope::{FILE_TOOLS, PATH_TOOLS, is_pattern, listed, plain};

/// Whether two steps say that they change the same files, or one of them has to be alone.
pub fn may_clash(one: &Step, other: &Step) -> bool {
    one.alone
        || other.alone
        || changes(one).iter().any(|a| changes(other).iter().any(|b| overlap(a, b)))
}

/// The files a step says it changes.
fn changes(step: &Step) -> Vec<&str> {
    let tool = step.spec.tool.as_deref();
    let files = tool.is_none_or(|tool| FILE_TOOLS.contains(&tool) || PATH_TOOLS.contains(&tool));
    let target = step.spec.target.as_deref().filter(|_| files);
    target.map(|target| listed(target).map(plain).collect()).unwrap_or_default()
}

fn overlap(one: &str, other: &str) -> bool {
    match (is_pattern(one), is_pattern(other)) {
        (false, false) => one == other || lies_in(one, other) || lies_in(other, one),
        (true, false) => reaches(one, other),
        (false, true) => reaches(other, one),
        (true, true) => {
            let (one, other) = (fixed(one), fixed(other));
            one == other || lies_in(one, other) || lies_in(other, one)
        }
    }
}

/// Whether a pattern may name a file, or something in it where it is a folder.
fn reaches(pattern: &str, path: &str) -> bool {
    let start = fixed(pattern);
    let below = start == path || lies_in(start, path);
    let folder = !path.rsplit('/').next().unwrap_or(path).contains('.');
    let deep = folder && pattern.contains("**") && (start == path || lies_in(path, start));
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
        ];
        for (one, other, clash) in cases {
            let [a, b] = [one, other].map(|target| step(Some("write_file"), Some(target)));
            assert_eq!(may_clash(&a, &b), clash, "{one} and {other}");
            assert_eq!(may_clash(&b, &a), clash, "{other} and {one}");
        }
    }

    #[test]
    fn commands_and_what_is_not_said_run_at_once_unless_one_has_to_be_alone() {
        let shell = || step(Some("shell"), Some("cargo test"));
        assert!(!may_clash(&shell(), &shell()));
        assert!(!may_clash(&step(None, None), &step(None, None)));
        assert!(!may_clash(&shell(), &step(None, Some("a"))));
        assert!(may_clash(&step(Some("delete_file"), Some("a")), &step(None, Some("a"))));
        let alone = Step { alone: true, ..step(None, None) };
        assert!(may_clash(&alone, &step(Some("read_file"), Some("b"))));
    }
}
