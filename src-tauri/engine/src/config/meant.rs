//! What a person meant by the pattern of a rule. One that could never hold is made one that does,
//! or is refused with how to write it: it might be a prohibition.

use plan::{CommandPattern, Rule, RuleAction, Words, glob_matches};

/// Tools that touch paths.
const OF_PATHS: [&str; 9] = [
    "read_file",
    "list_dir",
    "glob",
    "search",
    "write_file",
    "edit_file",
    "create_directory",
    "delete_file",
    "move_file",
];

/// The rules that a written one stands for; the error says why it can't hold and what to write.
pub(super) fn meant(rule: &Rule) -> Result<Vec<Rule>, String> {
    let Some(pattern) = rule.target.as_deref() else { return Ok(vec![rule.clone()]) };
    let pattern = pattern.trim();
    let with = |target: &str| Rule { target: Some(target.to_owned()), ..rule.clone() };
    if pattern.is_empty() {
        return Err(format!("has nothing in its brackets; for every call write `{}`", rule.tool));
    }
    let is_for = |tool: &str| glob_matches(&rule.tool, tool);
    match rule.tool.as_str() {
        "shell" => command(pattern).map(|()| vec![with(pattern)]),
        "fetch" => host(rule.action, pattern).map(|host| vec![with(&host)]),
        _ if OF_PATHS.into_iter().any(is_for) && !is_for("shell") => {
            let path = path(pattern)?;
            Ok(match path.strip_suffix('/').filter(|folder| !folder.is_empty()) {
                // The folder, and all that is in it.
                Some(folder) => vec![with(folder), with(&format!("{folder}/**"))],
                None => vec![with(&path)],
            })
        }
        _ => Ok(vec![with(pattern)]),
    }
}

fn command(pattern: &str) -> Result<(), String> {
    match pattern.strip_suffix(":*") {
        Some(program) if !program.contains(char::is_whitespace) => {
            return Err(format!("is about no program; write `shell({program} *)`"));
        }
        Some(_) | None => {}
    }
    let names_folder = pattern.starts_with("cd ") && pattern.contains("&&");
    match CommandPattern::of_rule(pattern).words {
        Words::Glob(_) if names_folder || pattern.ends_with('…') => Err("has to be one command \
            with its words, such as `cd sub && make test …`, without patterns"
            .to_owned()),
        Words::Glob(_) | Words::Exact { .. } => Ok(()),
    }
}

/// The host of an address. No rule looks at the rest of it, so one that allows must not name it.
fn host(action: RuleAction, pattern: &str) -> Result<String, String> {
    let rest = pattern.split_once("://").map_or(pattern, |(_, rest)| rest);
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = host.to_lowercase();
    // As tools name it.
    let name = match host.rsplit_once(':') {
        Some((name, "80" | "443")) if !name.ends_with(':') => name,
        Some(_) | None => &host,
    };
    if name.is_empty() {
        return Err("names no host; write one such as `fetch(docs.example)`".to_owned());
    }
    if action == RuleAction::Allow && !matches!(path, "" | "*" | "**") {
        return Err(format!("would allow the whole host; if it should, write `fetch({name})`"));
    }
    Ok(name.to_owned())
}

fn path(pattern: &str) -> Result<String, String> {
    let pattern = match (pattern.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest).to_string_lossy().into_owned(),
        (Some(_) | None, _) => pattern.to_owned(),
    };
    let plain = pattern.trim_start_matches("./").trim_start_matches('/').trim_end_matches('/');
    let is_odd = plain.split('/').any(|part| matches!(part, "" | "." | ".."));
    // A dot alone is the workspace itself.
    if is_odd && plain != "." {
        let words = "names no path as tools do; write it from the workspace on, such as \
                     `docs/**`, or whole from `/` on, without `..`";
        return Err(words.to_owned());
    }
    Ok(pattern)
}
