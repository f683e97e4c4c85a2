//! The built-in tools, one file each.

mod create_directory;
mod edit_file;
mod list_dir;
mod read_file;
mod search;
mod shell;
mod write_file;

use crate::error::ToolError;
use crate::facts::Facts;
use crate::output::Output;
use crate::sandbox::Sandbox;
use crate::toolbox::{RunContext, ToolSpec};
use crate::workspace::Workspace;
use serde_json::Value;
use std::sync::Arc;

/// A tool that is part of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    ReadFile,
    ListDir,
    Search,
    WriteFile,
    EditFile,
    CreateDirectory,
    Shell,
}

/// Every built-in tool, in the order a model is told about them.
pub(crate) const ALL: [Builtin; 7] = [
    Builtin::ReadFile,
    Builtin::ListDir,
    Builtin::Search,
    Builtin::WriteFile,
    Builtin::EditFile,
    Builtin::CreateDirectory,
    Builtin::Shell,
];

impl Builtin {
    pub(crate) fn spec(self) -> ToolSpec {
        match self {
            Self::ReadFile => read_file::spec(),
            Self::ListDir => list_dir::spec(),
            Self::Search => search::spec(),
            Self::WriteFile => write_file::spec(),
            Self::EditFile => edit_file::spec(),
            Self::CreateDirectory => create_directory::spec(),
            Self::Shell => shell::spec(),
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
            Self::Search => search::facts(spec, args, ws),
            Self::WriteFile => write_file::facts(spec, args, ws),
            Self::EditFile => edit_file::facts(spec, args, ws),
            Self::CreateDirectory => create_directory::facts(spec, args, ws),
            Self::Shell => shell::facts(spec, args),
        }
    }

    /// Carries a call out; `sandbox` is asked for only by tools that need one.
    pub(crate) async fn run(
        self,
        spec: &ToolSpec,
        args: &Value,
        ws: &Workspace,
        ctx: &RunContext,
        sandbox: impl FnOnce() -> Result<Arc<dyn Sandbox>, ToolError>,
    ) -> Result<Output, ToolError> {
        match self {
            Self::ReadFile => read_file::run(spec, args, ws, ctx).await,
            Self::ListDir => list_dir::run(spec, args, ws, ctx).await,
            Self::Search => search::run(spec, args, ws, ctx).await,
            Self::WriteFile => write_file::run(spec, args, ws, ctx).await,
            Self::EditFile => edit_file::run(spec, args, ws, ctx).await,
            Self::CreateDirectory => create_directory::run(spec, args, ws, ctx).await,
            Self::Shell => shell::run(spec, args, ws, ctx, sandbox).await,
        }
    }
}
