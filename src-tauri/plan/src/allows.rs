//! What approving a plan allows, counted: no more and no less than the gate lets pass.

use crate::rule::glob_matches;
use crate::scope::{
    FILE_TOOLS, LOOKING, PATH_TOOLS, addresses, host, hosts, is_pattern, listed, paths, plain,
    schemas,
};
use crate::{CommandPattern, Plan, Rule, RuleAction, SPAWN, Step, StepSpec, Verify, granted};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What approving a plan allows, counted over the steps that have not ended.
#[derive(
    Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
pub struct Allows {
    /// Single files.
    pub files: u32,
    /// Folders, and files by a pattern.
    pub patterns: u32,
    /// Commands, each in its folder and with its words.
    pub commands: u32,
    /// Commands with a `…` after them: any more words.
    #[serde(default)]
    pub with_more: u32,
    /// Commands in any folder, as rules of earlier versions allow them.
    #[serde(default)]
    pub any_folder: u32,
    /// Commands that are more than words, such as a pattern: they are allowed as they are written.
    #[serde(default)]
    pub as_written: u32,
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

/// What is allowed, each thing once.
#[derive(Default)]
struct Named {
    files: BTreeSet<String>,
    patterns: BTreeSet<String>,
    commands: BTreeSet<CommandPattern>,
    as_written: BTreeSet<String>,
    checks: BTreeSet<String>,
    hosts: BTreeSet<String>,
    host_patterns: BTreeSet<String>,
    tools: BTreeSet<String>,
}

/// Counts what approving allows. What two steps name counts once.
pub fn allows(plan: &Plan) -> Allows {
    let (mut named, mut free) = (Named::default(), 0);
    for step in plan.steps.iter().filter(|step| !step.state.is_terminal()) {
        free += u32::from(step.may_change);
        if let Some(Verify::Command(check)) = &step.spec.verify {
            named.checks.insert(check.clone());
        }
        if granted::hands_on(step) {
            named.tools.insert(SPAWN.to_owned());
        }
        if let Some(target) = step.spec.target.as_ref().filter(|_| names_something(&step.spec)) {
            named.planned(step.spec.tool.as_deref(), target);
        }
        for grant in &step.grants {
            named.added(grant);
        }
    }
    let count = |names: BTreeSet<String>| number(names.len());
    let (any_folder, in_theirs): (Vec<CommandPattern>, Vec<CommandPattern>) =
        named.commands.into_iter().partition(|pattern| pattern.folder.is_none());
    let (exact, with_more): (Vec<CommandPattern>, Vec<CommandPattern>) =
        in_theirs.into_iter().partition(CommandPattern::is_to_the_letter);
    Allows {
        files: count(named.files),
        patterns: count(named.patterns),
        commands: number(exact.len()),
        with_more: number(with_more.len()),
        any_folder: number(any_folder.len()),
        as_written: count(named.as_written),
        checks: count(named.checks),
        hosts: count(named.hosts),
        host_patterns: count(named.host_patterns),
        tools: count(named.tools),
        free,
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl Named {
    /// What a step names.
    fn planned(&mut self, tool: Option<&str>, target: &str) {
        match tool {
            Some("shell") => {
                match CommandPattern::of_step(target) {
                    Some(commands) => self.commands.extend(commands),
                    None => drop(self.as_written.insert(target.trim().to_owned())),
                }
                self.hosts.extend(addresses(target).map(host));
            }
            Some("fetch") => hosts(target).for_each(|host| self.host(host)),
            Some(tool) if LOOKING.contains(&tool) => {}
            Some(tool) if !FILE_TOOLS.contains(&tool) && !PATH_TOOLS.contains(&tool) => {
                self.tools.insert(format!("{tool} {target}"));
            }
            Some(_) | None => paths(target).for_each(|path| self.path(path)),
        }
    }

    /// What a person added. It may be what no step can name, such as a file outside.
    fn added(&mut self, grant: &str) {
        let Some(rule) = Rule::parse(RuleAction::Allow, grant) else { return };
        let tool = unescaped(&rule.tool);
        let target = rule.target.as_deref().map_or("*".to_owned(), unescaped);
        let mut of_paths = FILE_TOOLS.iter().chain(&PATH_TOOLS);
        match of_paths.any(|name| glob_matches(&rule.tool, name)) {
            true => self.path(plain(&target)),
            false if tool == "shell" => {
                let target = rule.target.unwrap_or_else(|| "*".to_owned());
                self.commands.insert(CommandPattern::of_rule(&target));
            }
            false => self.planned(Some(&tool), &target),
        }
    }

    fn path(&mut self, path: &str) {
        let paths = if is_pattern(path) { &mut self.patterns } else { &mut self.files };
        paths.insert(path.to_owned());
    }

    fn host(&mut self, host: String) {
        let hosts = if is_pattern(&host) { &mut self.host_patterns } else { &mut self.hosts };
        hosts.insert(host);
    }
}

/// What approving the step allows, in words.
pub fn words(step: &Step) -> String {
    let spec = &step.spec;
    let mut words = match (&spec.tool, &spec.target) {
        _ if step.may_change => "may change the workspace".to_owned(),
        (_, None) => "read only".to_owned(),
        (_, Some(_)) if !names_something(spec) => "read only".to_owned(),
        (Some(tool), Some(target))
            if tool == "shell" && CommandPattern::of_step(target).is_none() =>
        {
            format!("{tool} {target}, as it is written")
        }
        (Some(tool), Some(target)) => format!("{tool} {}", grantable(Some(tool), target)),
        (None, Some(target)) => format!("change {}", grantable(None, target)),
    };
    if let Some(Verify::Command(check)) = &spec.verify {
        words += &format!("; check {check}");
    }
    for grant in &step.grants {
        words += &format!("; also {}", unescaped(grant));
    }
    words
}

/// The target, without paths that no approval allows.
fn grantable(tool: Option<&str>, target: &str) -> String {
    let of_paths = tool.is_none_or(|tool| FILE_TOOLS.contains(&tool) || PATH_TOOLS.contains(&tool));
    if !of_paths || paths(target).count() == listed(target).count() {
        return target.to_owned();
    }
    paths(target).collect::<Vec<_>>().join(", ")
}

/// Whether the step names anything that approval could grant, or that it will read.
pub fn names_something(spec: &StepSpec) -> bool {
    let Some(target) = spec.target.as_deref().filter(|target| !target.trim().is_empty()) else {
        return false;
    };
    match spec.tool.as_deref() {
        Some("shell" | "fetch" | SPAWN) => true,
        Some(tool) if LOOKING.contains(&tool) => true,
        Some(tool) if FILE_TOOLS.contains(&tool) || PATH_TOOLS.contains(&tool) => {
            paths(target).next().is_some()
        }
        None => paths(target).next().is_some(),
        // Tools of servers are known by their schema; whatever has none is no tool.
        Some(_) => schemas(target).next().is_some(),
    }
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
