//! `write_file`: makes a file or replaces its whole content.

use crate::args;
use crate::error::ToolError;
use crate::facts::Facts;
use crate::files::{self, confined, replace};
use crate::output::{ChangeKind, Output};
use crate::runs_later;
use crate::tool::read_file::LARGEST;
use crate::toolbox::{RunContext, ToolSpec};
use crate::workspace::Workspace;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    path: String,
    content: String,
}

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "write_file",
        description: "Write a whole file of the workspace, making its folders. \
            Use edit_file to change a part of one.",
        schema: json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "description": "Relative to the workspace." },
                "content": { "type": "string", "description": "The whole new content." }
            },
            "required": ["path", "content"],
            "additionalProperties": false
        }),
    }
}

pub(super) fn facts(spec: &ToolSpec, args: &Value, ws: &Workspace) -> Result<Facts, ToolError> {
    let args: Args = args::read(spec, args)?;
    files::writes(ws, &args.path)
}

pub(super) async fn run(
    spec: &ToolSpec,
    args: &Value,
    ws: &Workspace,
    ctx: &RunContext,
) -> Result<Output, ToolError> {
    let args: Args = args::read(spec, args)?;
    let size = args.content.len() as u64;
    if size > LARGEST {
        return Err(ToolError::TooLarge { path: args.path, size, limit: LARGEST });
    }
    let path = files::to_write(ws, &args.path, ctx)?;
    files::note(ws, &path, ctx).await?;
    // The old content is read, too: its hash is part of the answer.
    let old_size = confined::stat(ws, &path)?.map_or(0, |stat| stat.st_size as u64);
    let ws = ws.clone();
    files::off_the_loop(size.max(old_size), move || {
        let replaced = replace::replace(&ws, &path, args.content.as_bytes())?;
        let verb = match replaced.change.kind {
            ChangeKind::Created => "created",
            ChangeKind::Modified => "replaced",
            ChangeKind::Deleted => "deleted",
        };
        let change = &replaced.change;
        let text = match change.before.is_some() && change.before == change.after {
            true => format!("{} already held exactly this; nothing changed", change.path),
            false => {
                let later = runs_later::mark(&change.path);
                format!("{verb} {} ({size} bytes){later}", change.path)
            }
        };
        Ok(Output::replaced(text, replaced))
    })
    .await
}
