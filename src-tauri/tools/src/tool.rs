//! The built-in tools, one file each.

mod create_directory;
mod delete_file;
mod edit_file;
mod fetch;
mod glob;
mod job_output;
mod job_stop;
mod list_dir;
mod move_file;
mod read_file;
mod read_output;
mod search;
mod shell;
mod write_file;

use crate::error::ToolError;
use crate::facts::Facts;
use crate::output::Output;
use crate::toolbox::{Means, RunContext, ToolSpec};
use crate::workspace::Workspace;
use serde_json::Value;

/// A tool that is part of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    ReadFile,
    ListDir,
    Glob,
    Search,
    WriteFile,
    EditFile,
    CreateDirectory,
    MoveFile,
    DeleteFile,
    Shell,
    JobOutput,
    JobStop,
    ReadOutput,
    Fetch,
}

/// Every built-in tool, in the order a model is told about them.
pub(crate) const ALL: [Builtin; 14] = [
    Builtin::ReadFile,
    Builtin::ListDir,
    Builtin::Glob,
    Builtin::Search,
    Builtin::WriteFile,
    Builtin::EditFile,
    Builtin::CreateDirectory,
    Builtin::MoveFile,
    Builtin::DeleteFile,
    Builtin::Shell,
    Builtin::JobOutput,
    Builtin::JobStop,
    Builtin::ReadOutput,
    Builtin::Fetch,
];

impl Builtin {
    pub(crate) fn spec(self) -> ToolSpec {
        match self {
            Self::ReadFile => read_file::spec(),
            Self::ListDir => list_dir::spec(),
            Self::Glob => glob::spec(),
            Self::Search => search::spec(),
            Self::WriteFile => write_file::spec(),
            Self::EditFile => edit_file::spec(),
            Self::CreateDirectory => create_directory::spec(),
            Self::MoveFile => move_file::spec(),
            Self::DeleteFile => delete_file::spec(),
            Self::Shell => shell::spec(),
            Self::JobOutput => job_output::spec(),
            Self::JobStop => job_stop::spec(),
            Self::ReadOutput => read_output::spec(),
            Self::Fetch => fetch::spec(),
        }
    }

    pub(crate) fn facts(
        self,
        spec: &ToolSpec,
        args: &Value,
        ws: &Workspace,
    ) -> Result<Facts, ToolError> {
        match self {
            Self::ReadFile => read_file::facts(spec, args, ws),
            Self::ListDir => list_dir::facts(spec, args, ws),
            Self::Glob => glob::facts(spec, args, ws),
            Self::Search => search::facts(spec, args, ws),
            Self::WriteFile => write_file::facts(spec, args, ws),
            Self::EditFile => edit_file::facts(spec, args, ws),
            Self::CreateDirectory => create_directory::facts(spec, args, ws),
            Self::MoveFile => move_file::facts(spec, args, ws),
            Self::DeleteFile => delete_file::facts(spec, args, ws),
            Self::Shell => shell::facts(spec, args, ws),
            Self::JobOutput => job_output::facts(spec, args),
            Self::JobStop => job_stop::facts(spec, args),
            Self::ReadOutput => read_output::facts(spec, args),
            Self::Fetch => fetch::facts(spec, args),
        }
    }

    /// Carries a call out.
    pub(crate) async fn run(
        self,
        spec: &ToolSpec,
        args: &Value,
        ws: &Workspace,
        ctx: &RunContext,
        means: &Means,
    ) -> Result<Output, ToolError> {
        match self {
            Self::ReadFile => read_file::run(spec, args, ws, ctx).await,
            Self::ListDir => list_dir::run(spec, args, ws, ctx).await,
            Self::Glob => glob::run(spec, args, ws, ctx).await,
            Self::Search => search::run(spec, args, ws, ctx).await,
            Self::WriteFile => write_file::run(spec, args, ws, ctx).await,
            Self::EditFile => edit_file::run(spec, args, ws, ctx).await,
            Self::CreateDirectory => create_directory::run(spec, args, ws, ctx).await,
            Self::MoveFile => move_file::run(spec, args, ws, ctx).await,
            Self::DeleteFile => delete_file::run(spec, args, ws, ctx, means).await,
            Self::Shell => shell::run(spec, args, ws, ctx, means).await,
            Self::JobOutput => job_output::run(spec, args, ws, ctx).await,
            Self::JobStop => job_stop::run(spec, args, ws, ctx).await,
            Self::ReadOutput => read_output::run(spec, args, ctx).await,
            Self::Fetch => fetch::run(spec, args, ctx, means).await,
        }
    }
}
