//! What approving a step grants: what the step names, and nothing else.

use crate::rule::{glob_matches, path_matches};
use crate::{
    CommandPattern, Effect, Facts, Rule, RuleAction, SimpleCommand, Step, StepSpec, Target, Verify,
};

/// Tools of ours that fill files; who may use one may use them all. Moving and deleting have to be
/// named.
pub(crate) const FILE_TOOLS: [&str; 3] = ["write_file", "edit_file", "create_directory"];

/// Tools of ours that touch paths, with those that only look: these grant nothing.
pub(crate) const PATH_TOOLS: [&str; 2] = ["move_file", "delete_file"];
pub(crate) const LOOKING: [&str; 6] =
    ["read_file", "list_dir", "glob", "search", "read_output", "job_output"];

/// Whether the step's approval covers this call.
pub fn covers(step: &Step, facts: &Facts) -> bool {
    match facts.reach() {
        Effect::Read | Effect::Control => true,
        Effect::Write
        | Effect::Exec
        | Effect::WriteOutside
        | Effect::Network
        | Effect::Delegate => added(step, facts) || planned(step, facts),
    }
}

/// Whether the step itself says that it will make this change.
pub fn planned(step: &Step, facts: &Facts) -> bool {
    let confined = match facts.reach() {
        Effect::Write => true,
        Effect::Exec => !facts.is_loose(),
        Effect::Read
        | Effect::Control
        | Effect::WriteOutside
        | Effect::Network
        | Effect::Delegate => false,
    };
    (step.may_change && confined) || names(&step.spec, facts) || checks(&step.spec, facts)
}

/// Whether a person added this call, every part of it, to what was approved.
pub fn added(step: &Step, facts: &Facts) -> bool {
    let rules = step.grants.iter().filter_map(|grant| Rule::parse(RuleAction::Allow, grant));
    let rules: Vec<Rule> = rules.collect();
    let granted = |part: &Facts| rules.iter().any(|rule| rule.matches(part));
    // What names its folder says where a `cd` before it leads.
    let there = |part: &Facts| {
        let mut named = rules.iter().filter(|rule| rule.names_folder() || !part.runs_command());
        part.is_cd() || named.any(|rule| rule.matches(part))
    };
    let parts = facts.parts();
    parts.iter().all(granted) || !parts.iter().all(Facts::is_cd) && parts.iter().all(there)
}

/// Whether the step names the command of this call in its very words, or a person added it.
pub(crate) fn to_the_letter(step: &Step, facts: &Facts) -> bool {
    let named = step.spec.target.as_deref().unwrap_or_default();
    let is_named = facts
        .targets
        .iter()
        .any(|target| names_command(named, target, CommandPattern::is_to_the_letter));
    is_named || added(step, facts) || checks(&step.spec, facts)
}

/// Whether this is the step's own check, to the letter: it was approved with the step.
fn checks(spec: &StepSpec, facts: &Facts) -> bool {
    let Some(Verify::Command(check)) = &spec.verify else { return false };
    facts.tool == "shell"
        && matches!(&facts.targets[..], [Target::Command { text, .. }] if text == check)
}

fn names(spec: &StepSpec, facts: &Facts) -> bool {
    if facts.effect == Effect::Delegate {
        return spec.tool.as_ref() == Some(&facts.tool);
    }
    let Some(target) = spec.target.as_deref() else { return false };
    if facts.targets.is_empty() {
        return false;
    }
    let tool_fits = match spec.tool.as_deref() {
        None => FILE_TOOLS.contains(&facts.tool.as_str()),
        Some(tool) if FILE_TOOLS.contains(&tool) => FILE_TOOLS.contains(&facts.tool.as_str()),
        Some(tool) => tool == facts.tool,
    };
    tool_fits && facts.targets.iter().all(|touched| names_target(target, facts, touched))
}

fn names_target(named: &str, facts: &Facts, touched: &Target) -> bool {
    match touched {
        Target::Path { .. } if touched.is_outside() => false,
        Target::Path { path, .. } => paths(named).any(|one| {
            let parent = facts.tool == "create_directory" && one.starts_with(&format!("{path}/"));
            one == path || parent || path_matches(one, path)
        }),
        // Only a whole address in a command names a host: a word with a dot may be a file.
        Target::Host(reached) if facts.targets.iter().any(Target::is_command) => {
            addresses(named).any(|one| host(one) == *reached)
        }
        Target::Host(reached) => {
            hosts(named).any(|one| one == *reached || glob_matches(&one, reached))
        }
        // The very tool that was there when the plan was approved.
        Target::Tool { schema, .. } => schemas(named).any(|one| one == schema),
        Target::Command { .. } => names_command(named, touched, |_| true),
    }
}

/// Whether a target names this command: in its very words, or each simple one in its folder.
fn names_command(named: &str, command: &Target, fits: impl Fn(&CommandPattern) -> bool) -> bool {
    let Target::Command { text, simple } = command else { return false };
    let patterns = CommandPattern::of_step(named).unwrap_or_default();
    let approved = |command: &SimpleCommand| {
        command.is_cd() || patterns.iter().any(|one| fits(one) && one.covers(command))
    };
    let understood = || simple.as_ref().is_some_and(|simple| simple.iter().all(approved));
    same_words(text, named)
        || simple.iter().flatten().any(|command| !command.is_cd()) && understood()
}

/// Whether two commands are the same but for blanks around them. A shell knows few blanks: any
/// other is part of a word.
fn same_words(one: &str, other: &str) -> bool {
    let blank = [' ', '\t', '\n'];
    one.trim_matches(blank) == other.trim_matches(blank)
}

/// The parts of a target with several: between commas, but for those in braces.
pub(crate) fn listed(named: &str) -> impl Iterator<Item = &str> {
    let mut deep = 0_i32;
    let parts = named.split(move |c| {
        match c {
            '{' => deep += 1,
            '}' => deep -= 1,
            _ => {}
        }
        c == ',' && deep <= 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty())
}

/// The paths that a target names: never one outside, and never the workspace as a whole, for which
/// there is the hand switch.
pub(crate) fn paths(named: &str) -> impl Iterator<Item = &str> {
    let inside = |path: &&str| path.split('/').all(|part| !matches!(part, "" | "." | ".."));
    listed(named).map(plain).filter(inside)
}

/// What stands before the hash of a server's tool.
const SCHEMA: &str = "schema:";

/// The very tools that a target names.
pub fn schemas(named: &str) -> impl Iterator<Item = &str> {
    words(named).filter(|word| is_schema(word))
}

/// The target without the tools that it names, but for those that are kept.
pub fn without_schemas(named: &str, keep: impl Fn(&str) -> bool) -> String {
    let parts = named.split(',').map(|part| {
        let stays = |word: &&str| !is_schema(word) || keep(word);
        words(part).filter(stays).collect::<Vec<_>>().join(" ")
    });
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

fn is_schema(word: &str) -> bool {
    word.starts_with(SCHEMA)
}

/// The hosts that a target of `fetch` names, or patterns of hosts.
pub(crate) fn hosts(named: &str) -> impl Iterator<Item = String> {
    words(named).map(host)
}

/// What stands between commas and blanks.
fn words(named: &str) -> impl Iterator<Item = &str> {
    named.split([',', ' ']).filter(|word| !word.is_empty())
}

/// The addresses in a command.
pub(crate) fn addresses(named: &str) -> impl Iterator<Item = &str> {
    named.split([' ', '"', '\'']).filter(|word| word.contains("://"))
}

pub(crate) fn is_pattern(words: &str) -> bool {
    words.contains(['*', '?', '[', '{'])
}

/// A path as tools name it.
pub(crate) fn plain(path: &str) -> &str {
    path.trim_start_matches("./").trim_end_matches('/')
}

/// The host of an address, which may be the host alone, as tools name it: in lower case, and with
/// its port unless that is one of the web's.
pub(crate) fn host(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or(rest).to_lowercase();
    let name = match host.rsplit_once(':') {
        Some((name, "80" | "443")) => name,
        Some(_) | None => &host,
    };
    // An address in brackets keeps them only before a port.
    name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_tool_is_named_in_what_is_left_without_them() {
        let ours = |word: &str| word == "schema:ours";
        for (named, left) in [
            ("v2 schema:later", "v2"),
            ("schema:later", ""),
            ("issue 4,schema:a schema:b , close it", "issue 4, close it"),
            ("schema:ours, schema:later v2", "schema:ours, v2"),
        ] {
            assert_eq!(without_schemas(named, ours), left);
            assert!(schemas(left).all(ours));
        }
    }

    #[test]
    fn only_what_a_shell_takes_for_blanks_is_left_out() {
        assert!(same_words(" touch y\n", "touch y"));
        for odd in ['\u{a0}', '\u{2003}', '\u{85}', '\u{c}', '\r'] {
            assert!(!same_words(&format!("touch y{odd}"), "touch y"), "{odd:?}");
        }
    }
}
