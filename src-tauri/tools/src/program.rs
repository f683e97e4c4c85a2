//! A program that runs in the sandbox and is talked to over its pipes.

use crate::error::ToolError;
use crate::limits::Exceeded;
use crate::mcp::{Said, own_file, script};
use crate::network::Hosts;
use crate::network::proxy::{Proxy, Share};
use crate::process::serving;
use crate::read_only::ReadOnly;
use crate::sandbox::{self, Confined, Guard, Job, Profile, Sandbox};
use crate::workspace::Workspace;
use crate::workspaces::Workspaces;
use std::collections::BTreeMap;
use std::os::fd::RawFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

/// How long the last words of a program that ended may take to be read.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A program to start.
#[derive(Clone)]
pub struct ProgramStart {
    /// Where it works.
    pub workspace: Workspace,
    /// How much it may do.
    pub profile: Profile,
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Added to its environment.
    pub env: BTreeMap<String, String>,
    /// The folder it starts in, below the workspace unless absolute.
    pub cwd: Option<PathBuf>,
    /// Folders and files outside the workspace that it may read.
    pub read: Vec<PathBuf>,
    /// Where agents write: no link that lies there is followed to what it may read.
    pub workspaces: Workspaces,
    /// Folders of the repository that the workspace is a copy of, which it may read.
    pub shared: Vec<PathBuf>,
    /// Hosts that it may reach.
    pub hosts: Vec<String>,
    /// Hosts on this computer or in its own network that may be reached at all.
    pub private_hosts: Arc<[String]>,
    /// Folders that have to be empty for it.
    pub hidden: Arc<[PathBuf]>,
}

/// A program that was started, with its pipes.
pub struct Started {
    /// What it hears.
    pub stdin: ChildStdin,
    /// What it says.
    pub stdout: ChildStdout,
    /// The program itself.
    pub program: Program,
}

/// All processes of a program; dropping it kills them.
pub struct Program {
    processes: serving::Program,
    guard: Guard,
    said: Said,
    listening: JoinHandle<()>,
    /// Its way out; dropping it closes it.
    _proxy: Option<JoinSet<()>>,
}

impl Program {
    /// The limit that it was ended for.
    pub(crate) fn exceeded(&self) -> Option<Exceeded> {
        self.processes.exceeded()
    }

    /// Kills everything, and gives what it last wrote on its error output, or why it was ended.
    pub async fn end(self) -> String {
        let exceeded = self.processes.exceeded();
        self.processes.end().await;
        self.guard.end();
        let _ = tokio::time::timeout(LAST_WORDS, self.listening).await;
        if let Some(limit) = exceeded {
            self.said.note(&limit.why());
        }
        self.said.end()
    }
}

/// Starts a program. It is ended again when this is dropped before it is done.
pub async fn start(start: ProgramStart) -> Result<Started, ToolError> {
    start_in(sandbox::of_this_computer()?, start, Said::default(), |_| {}).await
}

/// The same in this sandbox, for somebody who keeps what it says and notes that it has begun.
pub(crate) async fn start_in(
    sandbox: Arc<dyn Sandbox>,
    start: ProgramStart,
    said: Said,
    begun: impl FnOnce(&Said) + Send + 'static,
) -> Result<Started, ToolError> {
    // In a task of its own: in its first moments only the outer half of the sandbox is known.
    let started = tokio::spawn(async move {
        let ProgramStart { workspace, profile, .. } = &start;
        let read_only = ReadOnly::of(workspace, *profile, &CancellationToken::new()).await?;
        let guard = Guard::new(workspace.root(), *profile, &read_only);
        let (serving, proxy) = confined(&*sandbox, &start, &read_only).await?;
        begun(&said);
        let listening = tokio::spawn(said.clone().listen(serving.stderr));
        let program = Program { processes: serving.program, guard, said, listening, _proxy: proxy };
        Ok(Started { stdin: serving.stdin, stdout: serving.stdout, program })
    });
    let lost = |error| ToolError::io("starting the program", std::io::Error::other(error));
    started.await.map_err(lost)?
}

async fn confined(
    sandbox: &dyn Sandbox,
    start: &ProgramStart,
    read_only: &ReadOnly,
) -> Result<(serving::Serving, Option<JoinSet<()>>), ToolError> {
    let folder = start.workspace.root();
    let inode = start.workspace.inode()?;
    let script = script(start.cwd.as_deref(), &start.command, &start.args);
    let mut shown = start.read.clone();
    shown.extend(own_file(&start.command, folder, &start.read));
    let build = |report: RawFd, script: &str, network: bool| {
        let mut started = sandbox.command(&Job {
            workspace: folder,
            inode,
            profile: start.profile,
            hidden: &start.hidden,
            extra_read: &shown,
            workspaces: &start.workspaces,
            shared: &start.shared,
            copy_of: start.workspace.copy_of(),
            read_only,
            network,
            script,
            report,
        })?;
        // These would be for the sandbox itself, which is outside.
        started.command.envs(start.env.iter().filter(|(name, _)| !name.starts_with("LD_")));
        Ok::<Confined, ToolError>(started)
    };
    if start.hosts.is_empty() {
        let serving = serving::start(|report| build(report, &script, false)).await?;
        return Ok((serving, None));
    }
    if !sandbox::has_network() {
        return Err(ToolError::NoNetwork { reason: "the program plancard-net is missing" });
    }
    let hosts = Hosts::parse(&start.hosts)
        .map_err(|problem| ToolError::io("reading hosts", std::io::Error::other(problem)))?;
    let (proxy, way_out) = Proxy::new(hosts, Arc::clone(&start.private_hosts), Share::default())?;
    let serving = serving::start_with_way_out(way_out, |report, input| {
        build(report, &format!("{script} <&{input} {input}<&-"), true)
    });
    let mut serves = JoinSet::new();
    serves.spawn(proxy.serve());
    Ok((serving.await?, Some(serves)))
}

/// A program of ours: beside the one that runs, or one folder up, where tests are built.
pub(crate) fn beside_us(name: &str) -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?.canonicalize().ok()?;
    let folders = own.ancestors().skip(1).take(2);
    folders.map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Where a program is, by its name as a shell looks for it.
pub fn find_program(command: &str) -> Option<PathBuf> {
    let is_program = |file: &Path| {
        use std::os::unix::fs::PermissionsExt;
        file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    if command.contains('/') {
        return Some(PathBuf::from(command)).filter(|file| is_program(file));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(command)).find(|file| is_program(file))
}
