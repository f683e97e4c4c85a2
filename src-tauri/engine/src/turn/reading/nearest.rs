//! A tool that there is not: which one may be meant. It is only named, never run.

use super::teaching::{self, AGAIN};
use models::tool_name;

/// How many are named.
const NAMED: usize = 3;

/// Words in the names of others' tools, and the tool of ours for the same.
const SAME: [(&str, &str); 32] = [
    ("bash", "shell"),
    ("terminal", "shell"),
    ("command", "shell"),
    ("exec", "shell"),
    ("run", "shell"),
    ("write", "write_file"),
    ("createfile", "write_file"),
    ("save", "write_file"),
    ("replace", "edit_file"),
    ("edit", "edit_file"),
    ("patch", "edit_file"),
    ("read", "read_file"),
    ("view", "read_file"),
    ("cat", "read_file"),
    ("list", "list_dir"),
    ("ls", "list_dir"),
    ("mkdir", "create_directory"),
    ("createdir", "create_directory"),
    ("createfolder", "create_directory"),
    ("delete", "delete_file"),
    ("remove", "delete_file"),
    ("rename", "move_file"),
    ("grep", "search"),
    ("find", "glob"),
    ("http", "fetch"),
    ("web", "fetch"),
    ("todo", "plan"),
    ("task", "spawn_sidekick"),
    ("agent", "spawn_sidekick"),
    ("question", "ask_user"),
    ("ask", "ask_user"),
    ("complete", "step_done"),
];

/// What is said of a tool that there is not. `before` is how often in a row it was called: the
/// second answer holds a whole call.
pub(crate) fn unknown(name: &str, known: &[&str], before: u32) -> String {
    let nearest = nearest(name, known);
    let mut told = match (name.trim().is_empty(), nearest.is_empty()) {
        (true, _) => "the call has no name: name the tool that you call".to_owned(),
        (false, true) => {
            format!("there is no tool called {}; the tools are {}", short(name), known.join(", "))
        }
        (false, false) => {
            let nearest = nearest.join(", ");
            format!("there is no tool called {}; the nearest ones are {nearest}", short(name))
        }
    };
    let usual = known.iter().find(|tool| **tool == "read_file").or(known.first());
    if let Some(tool) = nearest.first().or(usual).filter(|_| before > 0)
        && let Some(example) = teaching::example(tool, None, None, &[])
    {
        told.push_str(&format!("{AGAIN}; a call that works: {tool} {example}. Or answer in words"));
    }
    told
}

/// A name that a model made up, fit to be shown.
pub(crate) fn short(name: &str) -> String {
    name.chars().take(80).filter(|c| !c.is_control()).collect()
}

fn nearest<'a>(name: &str, known: &[&'a str]) -> Vec<&'a str> {
    if name.trim().is_empty() {
        return Vec::new();
    }
    let name = spelling(tool_name::rest(name).unwrap_or(name));
    let mut scored: Vec<(usize, &str)> = known
        .iter()
        .map(|tool| (score(&name, tool), *tool))
        .filter(|(score, _)| *score > 0)
        .collect();
    // Those with the same score stay in the order in which tools are told.
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().take(NAMED).map(|(_, tool)| tool).collect()
}

/// How near a tool is to a name.
fn score(name: &str, tool: &str) -> usize {
    let own = spelling(tool);
    let same = SAME.iter().filter(|(word, meant)| *meant == tool && name.contains(word)).count();
    let within = usize::from(name.contains(&own)) * 3 + usize::from(own.contains(name)) * 2;
    let typo = usize::from(distance(name, &own) <= 2) * 2;
    same + within + typo
}

fn spelling(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// How many letters have to change.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().take(64).enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let kept = before + usize::from(a != *b);
            before = row[j + 1];
            row[j + 1] = kept.min(before + 1).min(row[j] + 1);
        }
    }
    row.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_tools_are_named() {
        let known = [
            "read_file",
            "list_dir",
            "glob",
            "search",
            "write_file",
            "edit_file",
            "shell",
            "plan",
            "spawn_sidekick",
            "fetch",
        ];
        for (name, expected) in [
            ("bash", "shell"),
            ("run_terminal_cmd", "shell"),
            ("create_file", "write_file"),
            ("write", "write_file"),
            ("str_replace_editor", "edit_file"),
            ("list_directory", "list_dir"),
            ("raed_file", "read_file"),
            ("list_dirwrite_filewrite_file", "write_file"),
            ("functions.bash", "shell"),
            ("task", "spawn_sidekick"),
            ("write_file<|channel|>commentary", "write_file"),
        ] {
            let words = unknown(name, &known, 0);
            assert!(words.contains("nearest") && words.contains(expected), "{words}");
        }
        assert!(unknown("xyzzy", &known, 0).ends_with(&known.join(", ")));
        assert!(unknown(" ", &known, 0).contains("no name"));
    }

    #[test]
    fn the_second_answer_holds_a_whole_call() {
        let known = ["plan", "read_file", "edit_file"];
        for (name, call) in [
            ("str_replace_editor", r#"edit_file {"path":"#),
            ("xyzzy", r#"read_file {"path":"#),
            ("", r#"read_file {"path":"#),
        ] {
            assert!(!unknown(name, &known, 0).contains(call), "{name}");
            let again = unknown(name, &known, 1);
            assert!(again.contains(call), "{again}");
        }
    }
}
