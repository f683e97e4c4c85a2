//! `edit_file`: replaces a text in a file by another.

use crate::args;
use crate::error::ToolError;
use crate::facts::Facts;
use crate::files::{self, confined, replace};
use crate::output::Output;
use crate::runs_later;
use crate::tool::read_file::{self, LARGEST};
use crate::toolbox::{RunContext, ToolSpec};
use crate::workspace::Workspace;
use serde::Deserialize;
use serde_json::{Value, json};

/// The longest file that is shown where a text was not found in it, in bytes.
const SHOWN: usize = 2_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    path: String,
    old: String,
    new: String,
    #[serde(default)]
    all: bool,
}

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "edit_file",
        description: "Replace a text in a file of the workspace. `old` has to be in the file \
            exactly once, unless `all` is true.",
        schema: json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "description": "Relative to the workspace." },
                "old": { "type": "string", "description": "The text to replace, exactly as it is in the file." },
                "new": { "type": "string", "description": "What stands there afterwards." },
                "all": { "type": "boolean", "description": "Replace every occurrence." }
            },
            "required": ["path", "old", "new"],
            "additionalProperties": false
        }),
    }
}

pub(super) fn facts(spec: &ToolSpec, args: &Value, ws: &Workspace) -> Result<Facts, ToolError> {
    files::writes(ws, &read(spec, args)?.path)
}

fn read(spec: &ToolSpec, args: &Value) -> Result<Args, ToolError> {
    let args: Args = args::read(spec, args)?;
    if args.old.is_empty() {
        return Err(args::bad(spec, "`old` is empty; use write_file to make a file"));
    }
    if args.old == args.new {
        return Err(args::bad(spec, "`old` and `new` are the same"));
    }
    Ok(args)
}

pub(super) async fn run(
    spec: &ToolSpec,
    args: &Value,
    ws: &Workspace,
    ctx: &RunContext,
) -> Result<Output, ToolError> {
    let args = read(spec, args)?;
    let path = files::to_write(ws, &args.path, ctx)?;
    let (file, stat) = confined::open_file(ws, &path)?;
    let size = stat.st_size as u64;
    let ws = ws.clone();
    files::off_the_loop(size, move || {
        let text = read_file::text_of(file, size, &args.path)?;
        let times = text.matches(&args.old).count();
        let edited = match (times, args.all) {
            (0, _) => {
                let holds = (text.len() <= SHOWN).then_some(text);
                return Err(ToolError::TextNotThere { path: args.path, holds });
            }
            (1, _) | (_, true) => {
                let size = (text.len() - times * args.old.len()) + times * args.new.len();
                let size = size as u64;
                if size > LARGEST {
                    return Err(ToolError::TooLarge { path: args.path, size, limit: LARGEST });
                }
                text.replace(&args.old, &args.new)
            }
            (times, false) => {
                return Err(ToolError::TextNotUnique { path: args.path, times });
            }
        };
        let replaced = replace::replace(&ws, &path, edited.as_bytes())?;
        let places = if times == 1 { "place" } else { "places" };
        let path = &replaced.change.path;
        let text = format!("edited {path} in {times} {places}{}", runs_later::mark(path));
        Ok(Output::replaced(text, replaced))
    })
    .await
}
