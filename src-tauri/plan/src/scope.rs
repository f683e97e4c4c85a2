//! What approving a step grants: what the step names, and nothing else.

use crate::rule::{glob_matches, path_matches};
use crate::{Effect, Facts, Rule, RuleAction, Step, StepSpec, Target};

/// Tools of ours that change files.
const FILE_TOOLS: [&str; 5] =
    ["write_file", "edit_file", "create_directory", "move_file", "delete_file"];

/// Whether the step's approval covers this call.
pub fn covers(step: &Step, facts: &Facts) -> bool {
    let confined = match facts.effect {
        Effect::Read | Effect::Control => return true,
        Effect::Write => true,
        Effect::Exec => facts.sandbox,
        Effect::WriteOutside | Effect::Network | Effect::Delegate => false,
    };
    if step.may_change && confined {
        return true;
    }
    let granted = |grant: &String| {
        Rule::parse(RuleAction::Allow, grant).is_some_and(|rule| rule.matches(facts))
    };
    step.grants.iter().any(granted) || names(&step.spec, facts)
}

/// What approving the step allows, in words.
pub fn words(step: &Step) -> String {
    let spec = &step.spec;
    match (&spec.tool, &spec.target) {
        _ if step.may_change => "may change the workspace".to_owned(),
        (Some(tool), Some(target)) => format!("{tool} {target}"),
        (None, Some(target)) => format!("change {target}"),
        (Some(_) | None, None) => "read only".to_owned(),
    }
}

/// Whether the step names anything that approval could grant.
pub fn names_something(spec: &StepSpec) -> bool {
    spec.target.as_deref().is_some_and(|target| !target.trim().is_empty())
}

fn names(spec: &StepSpec, facts: &Facts) -> bool {
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
        Target::Path { outside: true, .. } => false,
        Target::Path { path, outside: false } => named.split(',').map(str::trim).any(|one| {
            let one = one.trim_start_matches("./").trim_end_matches('/');
            let parent = facts.tool == "create_directory" && one.starts_with(&format!("{path}/"));
            one == path || parent || path_matches(one, path)
        }),
        Target::Host(host) => named.split([',', ' ']).any(|one| glob_matches(one, host)),
        Target::Command { text, simple } => {
            let prefixes = prefixes(named);
            text.trim() == named.trim()
                || simple.as_ref().is_some_and(|simple| {
                    simple.iter().all(|argv| prefixes.iter().any(|prefix| argv.starts_with(prefix)))
                })
        }
    }
}

/// The simple commands that a step's target names, as words.
fn prefixes(named: &str) -> Vec<Vec<String>> {
    named
        .split("&&")
        .flat_map(|part| part.split("||"))
        .flat_map(|part| part.split([';', '|']))
        .map(|part| part.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .filter(|argv| !argv.is_empty())
        .collect()
}
