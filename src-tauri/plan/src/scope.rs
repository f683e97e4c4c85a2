//! What approving a step grants: what the step names, and nothing else.

use crate::rule::{glob_matches, path_matches};
use crate::{Effect, Facts, Plan, Rule, RuleAction, Step, StepSpec, Target, Verify};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Tools of ours that fill files; who may use one may use them all. Moving and deleting have to be
/// named.
pub(crate) const FILE_TOOLS: [&str; 3] = ["write_file", "edit_file", "create_directory"];

/// Tools of ours that touch paths, with those that only look: these grant nothing.
pub(crate) const PATH_TOOLS: [&str; 2] = ["move_file", "delete_file"];
const LOOKING: [&str; 6] = ["read_file", "list_dir", "glob", "search", "read_output", "job_output"];

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
    facts.parts().iter().all(granted)
}

/// What approving a plan allows, counted over the steps that have not ended.
#[derive(
    Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
pub struct Allows {
    /// Single files.
    pub files: u32,
    /// Folders, and files by a pattern.
    pub patterns: u32,
    /// Commands.
    pub commands: u32,
    /// Commands that check a step.
    pub checks: u32,
    /// Hosts on the network.
    pub hosts: u32,
    /// Hosts by a pattern.
    pub host_patterns: u32,
    /// Other tools.
    pub tools: u32,
    /// Steps that may change the whole workspace by hand.
    pub free: u32,
}

/// Counts what approving allows. What two steps name counts once.
pub fn allows(plan: &Plan) -> Allows {
    let mut free = 0;
    let mut named: [BTreeSet<String>; 7] = Default::default();
    let [files, patterns, commands, checks, hosts, host_patterns, tools] = &mut named;
    let mut count = |tool: Option<&str>, target: &str| match tool {
        Some("shell") => {
            commands.extend(prefixes(target).iter().map(|argv| argv.join(" ")));
            hosts.extend(addresses(target).map(host));
        }
        Some("fetch") => {
            for one in listed(target).map(host) {
                if is_pattern(&one) {
                    host_patterns.insert(one)
                } else {
                    hosts.insert(one)
                };
            }
        }
        Some(tool) if LOOKING.contains(&tool) => {}
        Some(tool) if !FILE_TOOLS.contains(&tool) && !PATH_TOOLS.contains(&tool) => {
            tools.insert(format!("{tool} {target}"));
        }
        Some(_) | None => {
            for path in listed(target).map(|one| plain(one).to_owned()) {
                let inside = !path.starts_with('/') && path.split('/').all(|part| part != "..");
                match is_pattern(&path) {
                    true if inside => patterns.insert(path),
                    false if inside => files.insert(path),
                    // Nothing outside can be granted.
                    true | false => false,
                };
            }
        }
    };
    for step in plan.steps.iter().filter(|step| !step.state.is_terminal()) {
        free += u32::from(step.may_change);
        if let Some(Verify::Command(check)) = &step.spec.verify {
            checks.insert(check.clone());
        }
        if let Some(target) = &step.spec.target {
            count(step.spec.tool.as_deref(), target);
        }
        for grant in &step.grants {
            let Some(rule) = Rule::parse(RuleAction::Allow, grant) else { continue };
            let target = rule.target.as_deref().map_or("*".to_owned(), unescaped);
            count(Some(&unescaped(&rule.tool)), &target);
        }
    }
    let [files, patterns, commands, checks, hosts, host_patterns, tools] =
        named.map(|names| u32::try_from(names.len()).unwrap_or(u32::MAX));
    Allows { files, patterns, commands, checks, hosts, host_patterns, tools, free }
}

/// What approving the step allows, in words.
pub fn words(step: &Step) -> String {
    let spec = &step.spec;
    let mut words = match (&spec.tool, &spec.target) {
        _ if step.may_change => "may change the workspace".to_owned(),
        (Some(tool), Some(target)) => format!("{tool} {target}"),
        (None, Some(target)) => format!("change {target}"),
        (Some(_) | None, None) => "read only".to_owned(),
    };
    if let Some(Verify::Command(check)) = &spec.verify {
        words += &format!("; check {check}");
    }
    for grant in &step.grants {
        words += &format!("; also {}", unescaped(grant));
    }
    words
}

/// Whether the step names anything that approval could grant.
pub fn names_something(spec: &StepSpec) -> bool {
    spec.target.as_deref().is_some_and(|target| !target.trim().is_empty())
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
        Target::Path { path, .. } => listed(named).map(plain).any(|one| {
            let parent = facts.tool == "create_directory" && one.starts_with(&format!("{path}/"));
            one == path || parent || path_matches(one, path)
        }),
        // Only a whole address in a command names a host: a word with a dot may be a file.
        Target::Host(reached) if facts.targets.iter().any(Target::is_command) => {
            addresses(named).any(|one| host(one) == *reached)
        }
        Target::Host(reached) => named
            .split([',', ' '])
            .map(host)
            .any(|one| one == *reached || glob_matches(&one, reached)),
        // The very tool that was there when the plan was approved.
        Target::Tool { schema, .. } => named.split([',', ' ']).any(|one| one == schema),
        Target::Command { text, simple } => {
            let prefixes = prefixes(named);
            same_words(text, named)
                || simple.as_ref().is_some_and(|simple| {
                    let approved =
                        |argv: &Vec<String>| prefixes.iter().any(|prefix| argv.starts_with(prefix));
                    !simple.is_empty() && simple.iter().all(approved)
                })
        }
    }
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

/// The addresses in a command.
fn addresses(named: &str) -> impl Iterator<Item = &str> {
    named.split([' ', '"', '\'']).filter(|word| word.contains("://"))
}

pub(crate) fn is_pattern(words: &str) -> bool {
    words.contains(['*', '?', '[', '{'])
}

/// What a rule that was made for exactly one thing is about.
fn unescaped(pattern: &str) -> String {
    let mut words = String::new();
    let mut rest = pattern;
    while let Some(at) = rest.find('[') {
        let mut inside = rest[at + 1..].chars();
        match (inside.next(), inside.next()) {
            (Some(one), Some(']')) => {
                words.push_str(&rest[..at]);
                words.push(one);
                rest = &rest[at + 1 + one.len_utf8() + 1..];
            }
            _ => {
                words.push_str(&rest[..=at]);
                rest = &rest[at + 1..];
            }
        }
    }
    words + rest
}

/// A path as tools name it.
pub(crate) fn plain(path: &str) -> &str {
    path.trim_start_matches("./").trim_end_matches('/')
}

/// The host of an address, which may be the host alone, as tools name it: in lower case, and with
/// its port unless that is one of the web's.
fn host(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or(rest).to_lowercase();
    let name = match host.rsplit_once(':') {
        Some((name, "80" | "443")) => name,
        Some(_) | None => &host,
    };
    // An address in brackets keeps them only before a port.
    name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name).to_owned()
}

/// The simple commands that a step's target names, as words. What stands in
/// quotes is one word, whatever is in it; a comment names nothing, and neither
/// does a target whose words are not certain.
fn prefixes(named: &str) -> Vec<Vec<String>> {
    let mut commands = Vec::new();
    let mut argv: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = named.chars().peekable();
    while let Some(c) = chars.next() {
        let doubled = c == '&' && chars.peek() == Some(&'&');
        match c {
            '\\' => return Vec::new(),
            _ if quote == Some(c) => quote = None,
            _ if quote.is_some() => word.get_or_insert_default().push(c),
            '\'' | '"' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            '#' if word.is_none() => break,
            ';' | '|' | '\n' | '&' if c != '&' || doubled => {
                if doubled {
                    chars.next();
                }
                argv.extend(word.take());
                commands.push(std::mem::take(&mut argv));
            }
            ' ' | '\t' => argv.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Vec::new();
    }
    argv.extend(word);
    commands.push(argv);
    commands.retain(|argv| !argv.is_empty());
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_shell_takes_for_blanks_is_left_out() {
        assert!(same_words(" touch y\n", "touch y"));
        for odd in ['\u{a0}', '\u{2003}', '\u{85}', '\u{c}', '\r'] {
            assert!(!same_words(&format!("touch y{odd}"), "touch y"), "{odd:?}");
            assert_eq!(prefixes(&format!("touch y{odd}z")), [["touch", &format!("y{odd}z")]]);
        }
    }
}
