//! A small model replaces no file that it has not seen. It would write what it imagines, and what a
//! person had in the file would be gone.

use super::calls::Cleared;
use super::{effects, judging};
use crate::config::ModelRef;
use crate::engine::Engine;
use crate::live::LiveRoom;
use plan::{CallId, Facts, Outcome, Text};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;

/// The longest file that is shown, in bytes.
const SHOWN: u64 = 2_000;

/// What a room's agent has seen of files since the start, as it named them.
#[derive(Default)]
pub(crate) struct Seen {
    paths: HashSet<String>,
    /// Commands may have shown any file that they name.
    commands: String,
}

impl Seen {
    fn has(&self, path: &str) -> bool {
        self.paths.contains(plain(path)) || self.commands.contains(plain(path))
    }

    fn add(&mut self, tool: &str, args: &Value) {
        let path = args["path"].as_str();
        match tool {
            // Who edits a file knows a part of it.
            "read_file" | "write_file" => {
                self.paths.extend(path.map(plain).map(str::to_owned));
            }
            "shell" => {
                self.commands.push_str(args["command"].as_str().unwrap_or_default());
                self.commands.push('\n');
            }
            _ => {}
        }
    }
}

fn plain(path: &str) -> &str {
    path.trim_start_matches("./")
}

/// Takes note of a call that went well.
pub(super) fn went_well(live: &LiveRoom, call: CallId) {
    let mut inner = live.lock();
    let Some(request) = inner.room.call(call).map(|open| &open.request) else { return };
    let args = match &request.args {
        Text::Inline(text) => serde_json::from_str(text).ok(),
        Text::Blob { .. } => {
            inner.long_args.get(&call).and_then(|text| serde_json::from_str(text).ok())
        }
    };
    let tool = request.tool.clone();
    if let Some(args) = args {
        inner.seen.add(&tool, &args);
    }
}

/// Why a file is not replaced by a call that may run, with what it holds.
pub(super) async fn why(engine: &Engine, live: &Arc<LiveRoom>, call: &Cleared) -> Option<String> {
    let path = call.args["path"].as_str().filter(|_| call.tool == "write_file")?;
    {
        let inner = live.lock();
        let (provider, model) = inner.room.spoke.as_deref()?.split_once('/')?;
        let small = engine.profile(&ModelRef::new(provider, model)).simple;
        if !small || inner.seen.has(path) {
            return None;
        }
    }
    let workspace = effects::workspace(live).ok()?;
    let found = std::fs::symlink_metadata(workspace.root().join(plain(path))).ok()?;
    if !found.is_file() || found.len() == 0 {
        return None;
    }
    let held = match found.len() <= SHOWN {
        true => read(engine, live, call.id, path).await,
        false => None,
    };
    let why = format!(
        "write_file would replace all of {path}. To change a part of it, use edit_file. To replace \
         it"
    );
    let Some(held) = held else { return Some(format!("{why}, read it first.")) };
    live.lock().seen.paths.insert(plain(path).to_owned());
    Some(format!("{why}, send the same call again. It holds:\n{held}"))
}

/// What a file holds, where it may be read without asking.
async fn read(engine: &Engine, live: &Arc<LiveRoom>, id: CallId, path: &str) -> Option<String> {
    let (tool, args) = ("read_file".to_owned(), json!({ "path": path }));
    let facts = judging::facts(engine, live, id, &tool, &args).ok()?;
    // What was allowed is the writing.
    let facts = Facts { allowed: false, ..facts };
    if !judging::may_run(engine, live, &facts) {
        return None;
    }
    let profile = tools::Profile::Look;
    let call = Cleared { id, tool, args, facts, profile, notes: Vec::new() };
    let read = effects::perform(engine, live, &call).await;
    (read.outcome == Outcome::Ok).then_some(read.text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_was_read_written_or_named_in_a_command_is_seen() {
        let mut seen = Seen::default();
        seen.add("read_file", &json!({ "path": "./a.txt" }));
        seen.add("shell", &json!({ "command": "cat docs/b.txt" }));
        seen.add("list_dir", &json!({ "path": "c.txt" }));
        assert!(seen.has("a.txt") && seen.has("./docs/b.txt"));
        assert!(!seen.has("c.txt") && !seen.has("b/a.txt"));
    }
}
