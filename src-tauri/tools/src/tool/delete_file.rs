//! `delete_file`: puts a file or folder into the trash.

use crate::args;
use crate::error::ToolError;
use crate::facts::Facts;
use crate::files::{self, confined, replace, trash};
use crate::output::{Change, ChangeKind, Output};
use crate::toolbox::{Means, RunContext, ToolSpec};
use crate::workspace::Workspace;
use rustix::fs::FileType;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    path: String,
}

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "delete_file",
        description: "Move a file or folder of the workspace to the person's trash, from which it \
            can be restored.",
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
    files::changes_entries(ws, &[&args.path])
}

pub(super) async fn run(
    spec: &ToolSpec,
    args: &Value,
    ws: &Workspace,
    ctx: &RunContext,
    means: &Means,
) -> Result<Output, ToolError> {
    let args: Args = args::read(spec, args)?;
    let path = files::entry_to_change(ws, &args.path, ctx)?;
    let (ws, trash, cancel) = (ws.clone(), means.trash.clone(), ctx.cancel.clone());
    // Reading the old content, and a trash on another disk, can take a while.
    files::off_the_loop(u64::MAX, move || {
        let (folder, name) = confined::open_parent(&ws, &path)?;
        let Some(kind) = confined::kind_at(&folder, name)? else {
            return Err(ToolError::NotFound { path: args.path });
        };
        let old = match kind {
            FileType::RegularFile => replace::content(&ws, &path)?,
            FileType::Directory
            | FileType::Symlink
            | FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => None,
        };
        trash::put(&ws, &path, trash.as_deref(), &cancel)?;
        let shown = files::shown(&path);
        let (before, text) = old.map_or((None, None), |old| (Some(old.hash), old.text));
        let change = Change { before, ..Change::unread(shown.clone(), ChangeKind::Deleted) };
        let output = Output::changed(format!("moved {shown} to the trash"), change);
        Ok(Output { contents: text.into_iter().collect(), ..output })
    })
    .await
}
