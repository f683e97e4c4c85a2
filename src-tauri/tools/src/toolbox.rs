//! The tools by name: their specs, what a call will touch, and running it.

use crate::error::ToolError;
use crate::facts::Facts;
use crate::output::Output;
use crate::sandbox::{self, Profile, Sandbox};
use crate::tool::{self, Builtin};
use crate::workspace::Workspace;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// What a model is told about a tool.
#[derive(Clone, Debug)]
pub struct ToolSpec {
    /// The name it is called by.
    pub name: &'static str,
    /// What it does, for the model.
    pub description: &'static str,
    /// JSON schema of its arguments.
    pub schema: Value,
}

/// The limits a call runs under.
#[derive(Clone, Debug)]
pub struct RunContext {
    /// How much the sandbox of a command allows.
    pub profile: Profile,
    /// Stops the call.
    pub cancel: CancellationToken,
    /// The longest a call may take.
    pub timeout: Duration,
    /// Folders no tool may see, such as the app's own data.
    pub hidden: Arc<[PathBuf]>,
    /// Folders outside the workspace that commands may read.
    pub extra_read: Arc<[PathBuf]>,
}

/// All tools, cheap to clone.
#[derive(Clone)]
pub struct Toolbox {
    specs: Arc<[ToolSpec]>,
    sandbox: Option<Arc<dyn Sandbox>>,
}

impl Toolbox {
    /// The built-in tools, with the sandbox of this computer.
    pub fn builtin() -> Self {
        Self { specs: tool::ALL.iter().map(|tool| tool.spec()).collect(), sandbox: None }
    }

    /// The built-in tools, with commands confined by `sandbox`.
    pub fn with_sandbox(sandbox: Arc<dyn Sandbox>) -> Self {
        Self { sandbox: Some(sandbox), ..Self::builtin() }
    }

    /// The specs of all tools.
    pub fn specs(&self) -> &[ToolSpec] {
        &self.specs
    }

    /// Whether there is a tool of that name.
    pub fn knows(&self, name: &str) -> bool {
        self.specs.iter().any(|spec| spec.name == name)
    }

    /// What a call will touch; it changes nothing.
    pub fn facts(&self, name: &str, args: &Value, ws: &Workspace) -> Result<Facts, ToolError> {
        let (tool, spec) = self.find(name)?;
        tool.facts(spec, args, ws)
    }

    /// Carries a call out.
    pub async fn run(
        &self,
        name: &str,
        args: &Value,
        ws: &Workspace,
        ctx: &RunContext,
    ) -> Result<Output, ToolError> {
        let (tool, spec) = self.find(name)?;
        if ctx.cancel.is_cancelled() {
            return Err(ToolError::Cancelled { so_far: None });
        }
        let sandbox = || match &self.sandbox {
            Some(sandbox) => Ok(sandbox.clone()),
            None => sandbox::of_this_computer(),
        };
        tool.run(spec, args, ws, ctx, sandbox).await
    }

    fn find(&self, name: &str) -> Result<(Builtin, &ToolSpec), ToolError> {
        let mut tools = tool::ALL.iter().zip(self.specs.iter());
        match tools.find(|(_, spec)| spec.name == name) {
            Some((tool, spec)) => Ok((*tool, spec)),
            None => Err(ToolError::UnknownTool {
                name: name.into(),
                known: self.specs.iter().map(|spec| spec.name).collect::<Vec<_>>().join(", "),
            }),
        }
    }
}
