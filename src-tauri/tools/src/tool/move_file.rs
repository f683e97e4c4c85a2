//! `move_file`: gives a file or folder another place or name.

use crate::args;
use crate::error::ToolError;
use crate::facts::Facts;
use crate::files::{self, confined};
use crate::output::{Change, ChangeKind, Output};
use crate::read_only;
use crate::toolbox::{RunContext, ToolSpec};
use crate::workspace::Workspace;
use rustix::fs::RenameFlags;
use rustix::io::Errno;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    from: String,
    to: String,
}

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "move_file",
        description: "Move or rename a file or folder of the workspace, making the folders above \
            its new place. Nothing is replaced: there must be nothing at `to`.",
        schema: json!({
            "type": "object",
            "properties": {
                "from": { "type": "string", "description": "Relative to the workspace." },
                "to": { "type": "string", "description": "Its whole new path, relative to the workspace." }
            },
            "required": ["from", "to"],
            "additionalProperties": false
        }),
    }
}

pub(super) fn facts(spec: &ToolSpec, args: &Value, ws: &Workspace) -> Result<Facts, ToolError> {
    let args: Args = args::read(spec, args)?;
    files::moves(ws, &args.from, &args.to)
}

pub(super) async fn run(
    spec: &ToolSpec,
    args: &Value,
    ws: &Workspace,
    ctx: &RunContext,
) -> Result<Output, ToolError> {
    let args: Args = args::read(spec, args)?;
    let from = files::entry_to_change(ws, &args.from, ctx)?;
    let to = files::entry_to_change(ws, &args.to, ctx)?;
    files::refuse_git(ws, &to, files::Touched::Path)?;
    let (old_folder, old_name) = confined::open_parent(ws, &from)?;
    // Before folders are made for nothing.
    if confined::kind_at(&old_folder, old_name)?.is_none() {
        return Err(ToolError::NotFound { path: args.from });
    }
    let (looked_at, moved, cancel) = (ws.clone(), from.clone(), ctx.cancel.clone());
    let look = move || read_only::refuse_to_move(&looked_at, &moved, &cancel);
    files::off_the_loop(u64::MAX, look).await?;
    files::note(ws, &to, ctx).await?;
    let new_name = to.file_name().ok_or_else(|| ToolError::Exists { path: args.to.clone() })?;
    let parent = to.parent().unwrap_or(Path::new(""));
    let (new_folder, first_made) = confined::make_folder(ws, parent)?;
    let moved = rustix::fs::renameat_with(
        &old_folder,
        old_name,
        &new_folder,
        new_name,
        RenameFlags::NOREPLACE,
    );
    match moved {
        Ok(()) => {}
        Err(Errno::EXIST) => return Err(ToolError::Exists { path: args.to }),
        Err(Errno::INVAL) => {
            return Err(args::bad(spec, "`to` lies inside `from`; a folder can't go into itself"));
        }
        Err(other) => return Err(ToolError::io(format!("moving `{}`", args.from), other)),
    }
    let (shown_from, shown_to) = (files::shown(&from), files::shown(&to));
    let mut changed = vec![
        Change::unread(shown_from.clone(), ChangeKind::Deleted),
        Change::unread(shown_to.clone(), ChangeKind::Created),
    ];
    changed.extend(first_made.map(|made| Change::unread(files::shown(made), ChangeKind::Created)));
    Ok(Output { changed, ..Output::said(format!("moved {shown_from} to {shown_to}")) })
}
