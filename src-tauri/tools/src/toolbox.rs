//! The tools by name: their specs, what a call will touch, and running it.

use crate::error::ToolError;
use crate::facts::Facts;
use crate::output::{NoOutputs, Output, Outputs};
use crate::sandbox::{self, Profile, Sandbox, warm};
use crate::secrets::{NoSecrets, Secrets};
use crate::shell::{Shell, programs};
use crate::tool::{self, Builtin};
use crate::workspace::Workspace;
use crate::workspaces::Workspaces;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
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

/// Makes the start of a client for `fetch`, with its settings for encryption.
pub type HttpBuilder = fn() -> reqwest::ClientBuilder;

/// The limits a call runs under.
#[derive(Clone, Debug)]
pub struct RunContext {
    /// How much the sandbox of a command allows.
    pub profile: Profile,
    /// What allows the call: a sandbox that was prepared under another plan or other rules is not
    /// used.
    pub allowed_by: Arc<str>,
    /// Stops the call.
    pub cancel: CancellationToken,
    /// The longest a call may take.
    pub timeout: Duration,
    /// The paths that a call of a file tool was judged by, as its facts name them; none where nobody
    /// judged it.
    pub judged: Option<Arc<[String]>>,
    /// Folders no tool may see, such as the app's own data.
    pub hidden: Arc<[PathBuf]>,
    /// Folders and files outside the workspace that commands may read.
    pub extra_read: Arc<[PathBuf]>,
    /// Where agents write: no link that lies there is followed to what commands may read.
    pub workspaces: Workspaces,
    /// Folders of the repository that the workspace is a copy of, which commands may read.
    pub shared: Arc<[PathBuf]>,
    /// Hosts that may be reached although they are near, as `host` or `host:port`.
    pub private_hosts: Arc<[String]>,
    /// The shell of the room: its folder and its background jobs.
    pub shell: Shell,
    /// Where long outputs are read from again.
    pub outputs: Arc<dyn Outputs>,
    /// What is not shown.
    pub secrets: Arc<dyn Secrets>,
}

impl RunContext {
    /// A context with nothing hidden, nothing listed and a new shell.
    pub fn new(profile: Profile, timeout: Duration) -> Self {
        Self {
            profile,
            allowed_by: Arc::from(""),
            cancel: CancellationToken::new(),
            timeout,
            judged: None,
            hidden: Arc::new([]),
            extra_read: Arc::new([]),
            workspaces: Workspaces::default(),
            shared: Arc::new([]),
            private_hosts: Arc::new([]),
            shell: Shell::default(),
            outputs: Arc::new(NoOutputs),
            secrets: Arc::new(NoSecrets),
        }
    }
}

/// All tools, cheap to clone.
#[derive(Clone)]
pub struct Toolbox {
    specs: Arc<[ToolSpec]>,
    means: Means,
}

/// What tools need beside the workspace.
#[derive(Clone, Default)]
pub(crate) struct Means {
    sandbox: Option<Arc<dyn Sandbox>>,
    pub(crate) http: Option<HttpBuilder>,
    pub(crate) trash: Option<PathBuf>,
    /// Places for sandboxes that are prepared before their command comes; none where none are.
    pub(crate) warm: Option<Arc<Semaphore>>,
}

impl Means {
    /// The sandbox that was given, or that of this computer.
    pub(crate) fn sandbox(&self) -> Result<Arc<dyn Sandbox>, ToolError> {
        match &self.sandbox {
            Some(sandbox) => Ok(sandbox.clone()),
            None => sandbox::of_this_computer(),
        }
    }
}

impl Toolbox {
    /// The built-in tools, with the sandbox of this computer.
    pub fn builtin() -> Self {
        Self { specs: tool::ALL.iter().map(|tool| tool.spec()).collect(), means: Means::default() }
    }

    /// The built-in tools, with commands confined by `sandbox`.
    pub fn with_sandbox(sandbox: Arc<dyn Sandbox>) -> Self {
        let means = Means { sandbox: Some(sandbox), ..Means::default() };
        Self { means, ..Self::builtin() }
    }

    /// The same tools, fetching with clients that begin so.
    pub fn with_http(mut self, http: HttpBuilder) -> Self {
        self.means.http = Some(http);
        self
    }

    /// The same tools, with deleted files going to this folder.
    pub fn with_trash(mut self, trash: PathBuf) -> Self {
        self.means.trash = Some(trash);
        self
    }

    /// The same tools, with the next sandbox of a room prepared while the model thinks.
    pub fn with_warm_sandboxes(mut self) -> Self {
        self.means.warm = Some(Arc::new(Semaphore::new(warm::MOST)));
        self
    }

    /// The specs of all tools.
    pub fn specs(&self) -> &[ToolSpec] {
        &self.specs
    }

    /// Whether there is a tool of that name.
    pub fn knows(&self, name: &str) -> bool {
        self.specs.iter().any(|spec| spec.name == name)
    }

    /// Whether a text is a command that can be run here: bash reads it, and commands find every
    /// program that it names. Words are none, even where bash would take them for one.
    pub fn is_command(&self, text: &str, ws: &Workspace) -> bool {
        let Ok(sandbox) = self.means.sandbox() else { return false };
        let is_there = |program: &str| programs::is_there(program, sandbox.programs(), ws.root());
        programs::of(text).is_some_and(|programs| programs.iter().all(|one| is_there(one)))
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
        tool.run(spec, args, ws, ctx, &self.means).await
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
