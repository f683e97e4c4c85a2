//! The names of the files in a room's folder, for a small model that would else guess at them, and
//! of those that the person spoke of and that aren't there.

use super::{effects, judging};
use crate::engine::Engine;
use crate::history::whole;
use crate::live::{JournalBlobs, LiveRoom, decode};
use plan::{Event, Facts, Source};
use serde_json::json;
use tools::Workspace;

/// How many names are told, and the longest of them in bytes.
const MOST: usize = 24;
const LONGEST: usize = 100;

/// The shortest paths, in words: those that the agent may read without asking.
pub(super) fn words(engine: &Engine, live: &LiveRoom) -> Option<String> {
    let workspace = effects::workspace(live).ok()?;
    let mut names = workspace.find("", MOST + 1);
    let more = names.len() > MOST;
    let missing = missing(engine, live, &workspace, &names);
    names.truncate(MOST);
    names.retain(|name| {
        // A name can be made to read like words to the model.
        if name.len() > LONGEST || name.contains(char::is_control) {
            return false;
        }
        let args = json!({ "path": name });
        let found = engine.shared.toolbox.facts("read_file", &args, &workspace);
        found.is_ok_and(|found| {
            let (effect, targets) = judging::known_facts(found);
            let facts = Facts {
                tool: "read_file".to_owned(),
                also: Vec::new(),
                known: true,
                effect,
                source: Source::Catalogue,
                targets,
                sandbox: true,
                allowed: false,
            };
            judging::may_run(engine, live, &facts)
        })
    });
    if names.is_empty() && missing.is_empty() {
        return None;
    }
    for name in &mut names {
        if workspace.root().join(&*name).is_dir() {
            name.push('/');
        }
    }
    let rest = if more { ", and more" } else { "" };
    let mut told = match names.is_empty() {
        true => "The folder is empty.".to_owned(),
        false => format!("Here are: {}{rest}.", names.join(", ")),
    };
    if !missing.is_empty() {
        told += &format!(" Not there: {}.", missing.join(", "));
    }
    Some(engine.shared.redactor.clean(told))
}

/// The files that the person's last message names and that aren't in the folder.
fn missing(
    engine: &Engine,
    live: &LiveRoom,
    workspace: &Workspace,
    found: &[String],
) -> Vec<String> {
    let journal = &*engine.shared.journal;
    let said = journal.read_kinds(live.id.0, &["said"], None, 1).unwrap_or_default();
    let Some(Ok(Event::Said { text, .. })) = said.first().map(decode) else { return Vec::new() };
    let is_there = |name: &String| {
        let ends = |path: &String| path.ends_with(&format!("/{name}"));
        workspace.root().join(name).symlink_metadata().is_ok() || found.iter().any(ends)
    };
    let mut names = file_names(&whole(&text, &JournalBlobs(journal)));
    names.retain(|name| !is_there(name));
    names
}

/// The words of a text that look like paths of files below a folder, each once.
fn file_names(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() || "()[]<>\"'`,;".contains(c)) {
        let word = word.trim_end_matches(['.', ':', '?', '!']);
        let plain = |c: char| c.is_alphanumeric() || "._-/".contains(c);
        let (stem, ending) = word.rsplit_once('.').unwrap_or_default();
        let is_name = word.len() <= LONGEST
            && word.chars().all(plain)
            && !word.starts_with('/')
            && !word.contains("..")
            && stem.len() + ending.len() > 2
            && ending.contains(char::is_alphabetic)
            && ending.chars().all(|c| c.is_ascii_alphanumeric());
        if is_name && names.len() < MOST && !names.iter().any(|name| name == word) {
            names.push(word.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_that_look_like_files_are_names() {
        let text = "Write `src/main.py` and .gitignore, then run count.sh. Version 1.1 (see \
                    /etc/passwd, ../up.txt, http://a.example/x.txt) goes to src/main.py: e.g. now!";
        assert_eq!(file_names(text), ["src/main.py", ".gitignore", "count.sh"]);
        assert!(file_names("Tell me what 3.14 is... or not").is_empty());
    }
}
