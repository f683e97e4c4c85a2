//! `create_directory`: makes a folder and its parents.

use crate::args;
use crate::error::ToolError;
use crate::facts::Facts;
use crate::files::{self, confined};
use crate::output::{Change, ChangeKind, Output};
use crate::toolbox::{RunContext, ToolSpec};
use crate::workspace::Workspace;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    path: String,
}

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "create_directory",
        description: "Make a folder in the workspace, with its parents.",
        schema: json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "description": "Relative to the workspace." }
            },
            "required": ["path"],
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
    let path = files::to_write(ws, &args.path, ctx)?;
    files::note(ws, &path, ctx).await?;
    let (_, first_made) = confined::make_folder(ws, &path)?;
    let shown = files::shown(&path);
    Ok(match first_made {
        // Taking away the first new folder takes the others away, too.
        Some(first) => Output::changed(
            format!("created {shown}/"),
            Change::unread(files::shown(first), ChangeKind::Created),
        ),
        None => Output::said(format!("{shown}/ was there already")),
    })
}
