//! What an agent wants to do with a tool of its own, as the gate sees it.
//!
//! It is judged like each tool of ours that would do the same; the strictest answer holds. What is
//! not understood counts as running a program.

use crate::engine::Engine;
use crate::excerpts::Excerpts;
use crate::turn::{Performed, known_facts};
use plan::{Detail, Effect, Facts, Outcome, Source, Target};
use serde_json::{Value, json};
use tools::Workspace;

/// The facts of an agent's wish; `blank` is what is known of any call.
pub(crate) fn facts(
    engine: &Engine,
    workspace: &Workspace,
    args: &Value,
    blank: Facts,
) -> Result<Facts, (&'static str, String)> {
    // Nobody is asked for a yes that can't be given.
    if args["once"] == false {
        let words = "the agent offers no answer for this once, and is never told yes for always";
        return Err(("ONLY_ALWAYS", words.to_owned()));
    }
    let toolbox = &engine.shared.toolbox;
    let known = |tool: &str, args: &Value| match toolbox.facts(tool, args, workspace) {
        Ok(found) => Ok(known_facts(found)),
        Err(error) => Err((error.code(), error.to_string())),
    };
    let like = |tool: &str, effect, targets| Facts {
        tool: tool.to_owned(),
        known: true,
        effect,
        targets,
        ..blank.clone()
    };
    let each = |tool: &str, more: fn(&str) -> Value, effect| {
        let mut targets: Vec<Target> = Vec::new();
        for path in paths(args) {
            for target in known(tool, &more(path))?.1 {
                // It may name a path in two ways.
                if !targets.contains(&target) {
                    targets.push(target);
                }
            }
        }
        Ok(like(tool, effect, targets))
    };
    let also = |facts: Facts, tools: &[&str]| Facts {
        also: tools.iter().map(|tool| (*tool).to_owned()).collect(),
        ..facts
    };
    let words = |text: String| vec![Target::Command { text, simple: None }];
    let unclear = || like("shell", Effect::Exec, words(title(args).to_owned()));
    match args["kind"].as_str().unwrap_or_default() {
        "think" => Ok(like(models::PERMISSION, Effect::Read, Vec::new())),
        "read" => each("read_file", |path| json!({ "path": path }), Effect::Read),
        "search" => {
            let mut facts =
                each("search", |path| json!({ "pattern": "", "path": path }), Effect::Read)?;
            if facts.targets.is_empty() {
                facts.targets = known("search", &json!({ "pattern": "" }))?.1;
            }
            Ok(also(facts, &["glob", "list_dir", "read_file"]))
        }
        "edit" => {
            let facts =
                each("write_file", |path| json!({ "path": path, "content": "" }), Effect::Write)?;
            Ok(also(facts, &["edit_file"]))
        }
        "delete" => each("delete_file", |path| json!({ "path": path }), Effect::Write),
        "move" => each("move_file", |path| json!({ "from": path, "to": path }), Effect::Write),
        "execute" => {
            let Some(command) = args["command"].as_str() else { return Ok(unclear()) };
            let (effect, targets) = known("shell", &json!({ "command": command }))?;
            Ok(like("shell", effect, targets))
        }
        "fetch" => {
            let Some(url) = args["url"].as_str() else {
                return Ok(like("fetch", Effect::Network, Vec::new()));
            };
            let (effect, targets) = known("fetch", &json!({ "url": url }))?;
            Ok(like("fetch", effect, targets))
        }
        // In another mode it may do unasked what it asks about now.
        "switch_mode" => {
            let mode = words(format!("switch its mode: {}", title(args)));
            let facts = like(models::PERMISSION, Effect::WriteOutside, mode);
            Ok(Facts { source: Source::Nobody, ..facts })
        }
        _ => Ok(unclear()),
    }
}

fn paths(args: &Value) -> impl Iterator<Item = &str> {
    args["paths"].as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn title(args: &Value) -> &str {
    args["title"].as_str().unwrap_or("something that it does not name")
}

/// The agent's own words for it, shown with a question.
pub(crate) fn detail(tool: &str, args: &Value, shown: &mut Excerpts<'_>) -> Option<Detail> {
    (tool == models::PERMISSION).then(|| shown.fact("description", title(args)))
}

/// The agent may do it; it does so itself.
pub(crate) fn allowed() -> Performed {
    Performed {
        outcome: Outcome::Ok,
        text: "The agent may do this once.".to_owned(),
        full: None,
        changed: Vec::new(),
        contents: Vec::new(),
        images: Vec::new(),
    }
}
