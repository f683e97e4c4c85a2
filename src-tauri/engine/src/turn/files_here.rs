//! The names of the files in a room's folder, for a small model that would else guess at them.

use super::{effects, judging};
use crate::engine::Engine;
use crate::live::LiveRoom;
use plan::{Facts, Source};
use serde_json::json;

/// How many names are told, and the longest of them in bytes.
const MOST: usize = 24;
const LONGEST: usize = 100;

/// The shortest paths, in words: those that the agent may read without asking.
pub(super) fn words(engine: &Engine, live: &LiveRoom) -> Option<String> {
    let workspace = effects::workspace(live).ok()?;
    let mut names = workspace.find("", MOST + 1);
    let more = names.len() > MOST;
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
    if names.is_empty() {
        return None;
    }
    for name in &mut names {
        if workspace.root().join(&*name).is_dir() {
            name.push('/');
        }
    }
    let rest = if more { ", and more" } else { "" };
    Some(engine.shared.redactor.clean(format!("Here are: {}{rest}.", names.join(", "))))
}
