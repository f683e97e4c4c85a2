//! `list_dir`: the names in a folder.

use crate::args;
use crate::error::ToolError;
use crate::facts::Facts;
use crate::files::{self, confined};
use crate::output::Output;
use crate::toolbox::{RunContext, ToolSpec};
use crate::workspace::Workspace;
use rustix::fs::{Dir, FileType};
use serde::Deserialize;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// The most names a model gets in one call.
const SHOWN: usize = 1000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    path: Option<String>,
}

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "list_dir",
        description: "List the names in a folder of the workspace. Folders end in /, links in @.",
        schema: json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "description": "Relative to the workspace; without it, the workspace itself." }
            },
            "additionalProperties": false
        }),
    }
}

pub(super) fn facts(spec: &ToolSpec, args: &Value, ws: &Workspace) -> Result<Facts, ToolError> {
    let args: Args = args::read(spec, args)?;
    files::reads(ws, args.path.as_deref().unwrap_or("."))
}

pub(super) async fn run(
    spec: &ToolSpec,
    args: &Value,
    ws: &Workspace,
    ctx: &RunContext,
) -> Result<Output, ToolError> {
    let args: Args = args::read(spec, args)?;
    let path = files::to_read(ws, args.path.as_deref().unwrap_or("."), ctx)?;
    let folder = confined::open_folder(ws, &path)?;
    let failed = |err| ToolError::io(format!("listing `{}`", files::shown(&path)), err);
    let here = ws.root().join(&path);
    let mut names = Vec::new();
    for entry in Dir::new(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name == "." || name == ".." || files::is_hidden(ws, &here.join(name), &ctx.hidden) {
            continue;
        }
        names.push(format!("{}{}", files::name(name), mark(entry.file_type())));
    }
    names.sort_unstable();
    Ok(show(names))
}

fn mark(kind: FileType) -> &'static str {
    match kind {
        FileType::Directory => "/",
        FileType::Symlink => "@",
        FileType::RegularFile
        | FileType::Fifo
        | FileType::Socket
        | FileType::CharacterDevice
        | FileType::BlockDevice
        | FileType::Unknown => "",
    }
}

fn show(names: Vec<String>) -> Output {
    if names.is_empty() {
        return Output::said("(the folder is empty)".into());
    }
    if names.len() <= SHOWN {
        return Output::said(names.join("\n"));
    }
    let (first, rest) = names.split_at(SHOWN);
    let note =
        format!("[… {} more names left out; list a folder below, or use search …]", rest.len());
    Output { full: Some(names.join("\n")), ..Output::said(format!("{}\n{note}", first.join("\n"))) }
}
