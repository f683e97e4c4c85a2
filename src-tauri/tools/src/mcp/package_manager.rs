//! Runs npm and uv in the sandbox. They write to the folder of the install alone, and reach the
//! hosts that a person allowed.

use super::package_settings::PackageSettings;
use super::registries::Registries;
use super::servers::Surroundings;
use super::start::{is_seen, own_file, script};
use crate::cut::last_words;
use crate::error::ToolError;
use crate::network::Hosts;
use crate::network::proxy::{Proxy, Share, TurnedAway};
use crate::process::{self, End, Limits, Said};
use crate::program::find_program;
use crate::read_only::ReadOnly;
use crate::sandbox::{self, Job, Profile, Sandbox};
use crate::secrets::NoSecrets;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How long each step of a fetch may take.
const PATIENCE: Duration = Duration::from_secs(600);
/// How much of what it said is kept, and how much of that an error quotes.
const KEPT: usize = 16 * 1024;
const QUOTED: usize = 600;
/// What would fetch from elsewhere, and run what it finds there.
const NOT_THERE: [&str; 2] = ["git", "ssh"];

/// What a person allowed for an install.
#[derive(Clone, Debug, Default)]
pub struct InstallGrant {
    /// The hosts it may reach.
    pub hosts: Vec<String>,
    /// Hosts on this computer or in its own network that may be reached at all.
    pub private_hosts: Arc<[String]>,
}

/// Why nothing was fetched.
#[derive(Debug)]
pub(super) enum Unfetched {
    /// It wants to go to a host that nobody was asked about.
    Host(String),
    /// Anything else, in words.
    Failed(String),
}

impl From<String> for Unfetched {
    fn from(why: String) -> Self {
        Self::Failed(why)
    }
}

impl From<ToolError> for Unfetched {
    fn from(error: ToolError) -> Self {
        Self::Failed(error.to_string())
    }
}

/// npm or uv, as it is run for one install.
pub(super) struct PackageManager<'a> {
    /// Where the person has it, if their words say so.
    pub(super) beside: Option<&'a Path>,
    pub(super) folder: &'a Path,
    pub(super) around: &'a Surroundings,
    pub(super) grant: &'a InstallGrant,
    pub(super) registries: &'a Registries,
    /// A package that is a file.
    pub(super) file: Option<&'a Path>,
    /// Variables of its own.
    pub(super) variables: Vec<(&'static str, String)>,
}

impl PackageManager<'_> {
    /// Runs it to its end.
    pub(super) async fn run(&self, program: &str, args: &[&str]) -> Result<(), Unfetched> {
        if let Some(file) = &self.registries.unread {
            return Err(format!("{} can't be read, and may name a registry", file.display()).into());
        }
        let sandbox = match &self.around.sandbox {
            Some(sandbox) => Arc::clone(sandbox),
            None => sandbox::of_this_computer()?,
        };
        if !sandbox::has_network() {
            return Err(
                ToolError::NoNetwork { reason: "the program plancard-net is missing" }.into()
            );
        }
        let (tell, mut told) = mpsc::unbounded_channel();
        let hosts = Hosts::parse(&self.grant.hosts)?;
        let (proxy, way_out) =
            Proxy::new(hosts, Arc::clone(&self.grant.private_hosts), Share::default())?;
        let proxy = proxy.telling(tell);
        let command = self.command(&*sandbox, program)?;
        let prepared = process::prepare(Some(way_out), |ends| {
            self.confined(&*sandbox, &command, args, ends.report)
        })?;
        let (cancel, said) = (CancellationToken::new(), Said::new(KEPT));
        let _stops_when_dropped = cancel.clone().drop_guard();
        let limits = Limits { timeout: Some(PATIENCE), cancel: cancel.clone() };
        let (hears, mut problem) = (said.clone(), None);
        let mut running = tokio::spawn(async move {
            let mut serves = JoinSet::new();
            serves.spawn(proxy.serve());
            process::start(prepared).await?.finish(limits, hears).await
        });
        let ended = loop {
            tokio::select! {
                ended = &mut running => break ended,
                Some(away) = told.recv() => self.note(away, &mut problem, &cancel),
            }
        };
        while let Ok(away) = told.try_recv() {
            self.note(away, &mut problem, &cancel);
        }
        let lost = |error| ToolError::io("running it", std::io::Error::other(error));
        let ended = ended.map_err(lost)??.end;
        if ended == End::Exit(0) {
            return Ok(());
        }
        if let Some(Problem::Host(host)) = problem {
            return Err(Unfetched::Host(host));
        }
        let how = match ended {
            End::NotStarted => format!("{program} could not be confined"),
            End::TimedOut => format!("{program} took more than {} s", PATIENCE.as_secs()),
            End::OverLimit(limit) => limit.why(),
            End::Killed(signal) => format!("signal {signal} ended {program}"),
            End::Exit(_) | End::Cancelled => format!("{program} failed"),
        };
        let mut words = said.kept(&NoSecrets).text;
        for secret in self.registries.secrets.iter().filter(|secret| !secret.is_empty()) {
            words = words.replace(secret, "[redacted]");
        }
        let words = last_words(words.trim_end(), QUOTED);
        Err(Unfetched::Failed(match problem {
            Some(Problem::Words(more)) => format!("{how}: {more}\n{words}"),
            Some(Problem::Host(_)) | None => format!("{how}: {words}"),
        }))
    }

    /// Remembers the first host that it could not go to. Where that will not change, it is ended:
    /// it would try for minutes.
    fn note(&self, away: TurnedAway, problem: &mut Option<Problem>, cancel: &CancellationToken) {
        let ends = !matches!(away, TurnedAway::NotReached(_, ToolError::Io { .. }));
        let found = match away {
            TurnedAway::NotGranted(host) => Problem::Host(host.to_string()),
            TurnedAway::NotReached(_, error @ ToolError::PrivateHost { .. }) => Problem::Words(
                format!("{error}. List it in plancard.yaml under network.private_hosts."),
            ),
            TurnedAway::NotReached(host, error) => {
                Problem::Words(format!("{host}: {error}{}", self.proxy_words()))
            }
        };
        let weighs_more =
            matches!((&*problem, &found), (Some(Problem::Words(_)), Problem::Host(_)));
        if problem.is_none() || weighs_more {
            *problem = Some(found);
        }
        if ends {
            cancel.cancel();
        }
    }

    /// What is to be said of a proxy that the person needs and an install does not use.
    fn proxy_words(&self) -> String {
        let settings: &PackageSettings = &self.around.package_settings;
        settings.proxy().map_or(String::new(), |name| {
            format!(". {name} is set, but installs connect directly and don't use it")
        })
    }

    fn confined(
        &self,
        sandbox: &dyn Sandbox,
        command: &Path,
        args: &[&str],
        report: i32,
    ) -> Result<sandbox::Confined, ToolError> {
        let found = std::fs::metadata(self.folder);
        let inode = found.map_err(|error| ToolError::io("looking at a folder", error))?.ino();
        let words: Vec<String> = args.iter().map(ToString::to_string).collect();
        let programs = sandbox.programs().iter();
        let unwanted = programs.flat_map(|folder| NOT_THERE.map(|name| folder.join(name)));
        let hidden: Vec<PathBuf> = self.around.hidden.iter().cloned().chain(unwanted).collect();
        let read = self.registries.read.iter().filter(|path| !is_seen(path)).cloned();
        let own = own_file(&command.to_string_lossy(), self.folder, &[]);
        let shown: Vec<PathBuf> = read.chain(own).chain(self.file.map(Path::to_owned)).collect();
        let mut confined = sandbox.command(&Job {
            workspace: self.folder,
            inode,
            profile: Profile::Work,
            hidden: &hidden,
            extra_read: &shown,
            workspaces: &self.around.workspaces,
            shared: &[],
            copy_of: None,
            read_only: &ReadOnly::default(),
            network: true,
            script: &script(None, &command.to_string_lossy(), &words),
            report,
        })?;
        confined.command.envs(&self.registries.variables);
        confined.command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        Ok(confined)
    }

    /// Where it is: where the person said, or where commands find it, or where the person's own
    /// shell would, which is then shown.
    fn command(&self, sandbox: &dyn Sandbox, program: &str) -> Result<PathBuf, Unfetched> {
        if let Some(beside) = self.beside {
            let file = beside.with_file_name(program);
            return match file.is_file() {
                true => Ok(file),
                false => Err(format!("{program} is not at {}", file.display()).into()),
            };
        }
        if sandbox.programs().iter().any(|folder| folder.join(program).is_file()) {
            return Ok(program.into());
        }
        let found = find_program(program).and_then(|file| file.canonicalize().ok());
        found.ok_or_else(|| {
            let bring = if program == "npm" { "Node.js with npm" } else { "uv" };
            Unfetched::Failed(format!(
                "{program} is not installed. Install {bring}, then try again."
            ))
        })
    }
}

/// The first thing that stood in its way.
enum Problem {
    Host(String),
    Words(String),
}
