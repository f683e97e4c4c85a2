//! What an agent wants to do with a tool of its own, as the gate sees it.
//!
//! It is judged like the tool of ours that would do the same. What is not understood counts as
//! running a program.

use crate::engine::Engine;
use crate::turn::{Performed, known_facts};
use plan::{Detail, Effect, Facts, Outcome, Target};
use serde_json::{Value, json};
use tools::{ToolError, Workspace};

/// The facts of an agent's wish; `blank` is what is known of any call.
pub(crate) fn facts(
    engine: &Engine,
    workspace: &Workspace,
    args: &Value,
    blank: Facts,
) -> Result<Facts, ToolError> {
    let toolbox = &engine.shared.toolbox;
    let each = |tool: &str, more: fn(&str) -> Value, effect| {
        let mut targets = Vec::new();
        for path in paths(args) {
            targets.extend(known_facts(toolbox.facts(tool, &more(path), workspace)?).1);
        }
        Ok(Facts { tool: tool.to_owned(), known: true, effect, targets, ..blank.clone() })
    };
    let unclear = || Facts {
        tool: "shell".to_owned(),
        known: true,
        effect: Effect::Exec,
        targets: vec![Target::Command { text: title(args).to_owned(), simple: None }],
        ..blank.clone()
    };
    match args["kind"].as_str().unwrap_or_default() {
        "read" | "search" | "think" => {
            each("read_file", |path| json!({ "path": path }), Effect::Read)
        }
        "edit" | "delete" | "move" if paths(args).next().is_some() => {
            each("write_file", |path| json!({ "path": path, "content": "" }), Effect::Write)
        }
        "execute" => {
            let Some(command) = args["command"].as_str() else { return Ok(unclear()) };
            let found = toolbox.facts("shell", &json!({ "command": command }), workspace)?;
            let (effect, targets) = known_facts(found);
            Ok(Facts { tool: "shell".to_owned(), known: true, effect, targets, ..blank.clone() })
        }
        "fetch" => {
            let host = args["url"].as_str().and_then(host).unwrap_or_default();
            let targets = vec![Target::Host(host.to_owned())];
            let tool = "fetch".to_owned();
            Ok(Facts { tool, known: true, effect: Effect::Network, targets, ..blank.clone() })
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

fn host(url: &str) -> Option<&str> {
    let rest = url.split_once("://")?.1;
    rest.split(['/', '?', '#']).next()?.rsplit('@').next()
}

/// The agent's own words for it, shown with a question.
pub(crate) fn detail(tool: &str, args: &Value) -> Option<Detail> {
    (tool == models::PERMISSION).then(|| {
        let words: String = title(args).chars().take(1_000).collect();
        Detail::new("description", words)
    })
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
