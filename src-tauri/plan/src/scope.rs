//! What approving a step grants: what the step names, and nothing else.

use crate::rule::{glob_matches, path_matches};
use crate::{Effect, Facts, Rule, RuleAction, Step, StepSpec, Target, Verify};

/// Tools of ours that change files.
const FILE_TOOLS: [&str; 5] =
    ["write_file", "edit_file", "create_directory", "move_file", "delete_file"];

/// Whether the step's approval covers this call.
pub fn covers(step: &Step, facts: &Facts) -> bool {
    let confined = match facts.reach() {
        Effect::Read | Effect::Control => return true,
        Effect::Write => true,
        Effect::Exec => !facts.is_loose(),
        Effect::WriteOutside | Effect::Network | Effect::Delegate => false,
    };
    if step.may_change && confined {
        return true;
    }
    let granted = |grant: &String| {
        Rule::parse(RuleAction::Allow, grant).is_some_and(|rule| rule.matches(facts))
    };
    step.grants.iter().any(granted) || names(&step.spec, facts) || checks(&step.spec, facts)
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

/// Whether this is the step's own check, to the letter: it was approved with the step.
fn checks(spec: &StepSpec, facts: &Facts) -> bool {
    let Some(Verify::Command(check)) = &spec.verify else { return false };
    facts.tool == "shell"
        && matches!(&facts.targets[..], [Target::Command { text, .. }] if text == check)
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
        Target::Path { .. } if touched.is_outside() => false,
        Target::Path { path, .. } => named.split(',').map(str::trim).any(|one| {
            let one = one.trim_start_matches("./").trim_end_matches('/');
            let parent = facts.tool == "create_directory" && one.starts_with(&format!("{path}/"));
            one == path || parent || path_matches(one, path)
        }),
        // A star in a command stands for files, never for hosts.
        Target::Host(host) if facts.targets.iter().any(Target::is_command) => {
            named.split([',', ' ']).any(|one| one == host)
        }
        Target::Host(host) => named.split([',', ' ']).any(|one| glob_matches(one, host)),
        // The very tool that was there when the plan was approved.
        Target::Tool { schema, .. } => named.split([',', ' ']).any(|one| one == schema),
        Target::Command { text, simple } => {
            let prefixes = prefixes(named);
            text.trim() == named.trim()
                || simple.as_ref().is_some_and(|simple| {
                    let approved =
                        |argv: &Vec<String>| prefixes.iter().any(|prefix| argv.starts_with(prefix));
                    !simple.is_empty() && simple.iter().all(approved)
                })
        }
    }
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
            _ if c.is_whitespace() => argv.extend(word.take()),
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
