//! How a command is started: behind its walls, and not before its workspace was looked at.

use super::Args;
use crate::error::ToolError;
use crate::network::Hosts;
use crate::network::proxy::Proxy;
use crate::process::{self, Ended, Limits, Prepared, Said};
use crate::read_only::ReadOnly;
use crate::sandbox::{self, Guard, Job as Confinement, Profile};
use crate::shell::changes::Snapshot;
use crate::shell::look;
use crate::shell::script::Script;
use crate::toolbox::{Means, RunContext};
use crate::workspace::Workspace;
use futures::future::Either;
use std::io::PipeWriter;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::oneshot;

/// A command about to be confined.
pub(super) struct Start<'a> {
    pub(super) ws: &'a Workspace,
    pub(super) ctx: &'a RunContext,
    pub(super) profile: Profile,
    pub(super) folder: &'a Path,
    pub(super) args: &'a Args,
}

/// When a command begins.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Begins {
    AtOnce,
    /// When it is told to.
    WhenTold,
}

impl Start<'_> {
    /// Prepares the command, and a look at the files that it may change. The walls are made while
    /// one looks, and the command waits behind them until that is done.
    pub(super) async fn looked_at(
        &self,
        means: &Means,
    ) -> Result<(Started, impl Future<Output = Option<Snapshot>> + Send + use<>), ToolError> {
        if !self.profile.may_write() {
            let started = self.prepare(means, self.read_only().await?, Begins::AtOnce)?;
            return Ok((started, Either::Left(std::future::ready(None))));
        }
        let looking = look::files(self.ws.root());
        let started = self.prepare(means, self.read_only().await?, Begins::WhenTold)?;
        Ok((started, Either::Right(looking)))
    }

    /// What it must not change although it may change the workspace.
    pub(super) async fn read_only(&self) -> Result<Arc<ReadOnly>, ToolError> {
        ReadOnly::of(self.ws, self.profile, &self.ctx.cancel).await
    }

    pub(super) fn prepare(
        &self,
        means: &Means,
        read_only: Arc<ReadOnly>,
        begins: Begins,
    ) -> Result<Started, ToolError> {
        let Self { ws, ctx, profile, args, .. } = *self;
        let sandbox = means.sandbox()?;
        let (proxy, input) = match way_out(args, profile, ctx)? {
            Some((proxy, input)) => (Some(proxy), Some(input)),
            None => (None, None),
        };
        let (wait, go) = match begins {
            Begins::AtOnce => (None, None),
            Begins::WhenTold => {
                let (wait, go) = std::io::pipe()
                    .map_err(|err| ToolError::io("holding the command back", err))?;
                (Some(OwnedFd::from(wait)), Some(go))
            }
        };
        let guard = Guard::new(ws.root(), profile);
        let inode = ws.inode()?;
        let prepared = process::prepare(input, |ends| {
            let script = Script {
                folder: self.folder,
                profile,
                tell: ends.folder,
                wait: wait.as_ref().map(AsRawFd::as_raw_fd),
                command: &args.command,
            };
            let mut confined = sandbox.command(&Confinement {
                workspace: ws.root(),
                inode,
                profile,
                hidden: &ctx.hidden,
                extra_read: &ctx.extra_read,
                workspaces: &ctx.workspaces,
                shared: &ctx.shared,
                copy_of: ws.copy_of(),
                read_only: &read_only,
                network: proxy.is_some(),
                script: &script.text(),
                report: ends.report,
            })?;
            confined.inherited.extend(wait);
            Ok(confined)
        })?;
        Ok(Started { prepared, guard, proxy, read_only, go })
    }
}

/// The proxy of a call that was granted hosts, and its end for the inside.
fn way_out(
    args: &Args,
    profile: Profile,
    ctx: &RunContext,
) -> Result<Option<(Proxy, OwnedFd)>, ToolError> {
    let open = profile == Profile::Open && sandbox::has_network();
    let share = ctx.shell.share.clone();
    if args.network.is_empty() {
        let whole = || Proxy::new(Hosts::All, Arc::default(), share).map(Some);
        return if open { whole() } else { Ok(None) };
    }
    if !sandbox::has_network() {
        return Err(ToolError::NoNetwork { reason: "the program plancard-net is missing" });
    }
    // They were read when the arguments were.
    let hosts = Hosts::parse(&args.network).map_err(|problem| ToolError::BadArguments {
        tool: "shell",
        problem,
        allowed: "network (a list of hosts)".into(),
    })?;
    Proxy::new(hosts, Arc::clone(&ctx.private_hosts), share).map(Some)
}

/// A command behind its walls, with what has to be done around it.
pub(super) struct Started {
    prepared: Prepared,
    guard: Guard,
    proxy: Option<Proxy>,
    /// What it could not change.
    pub(super) read_only: Arc<ReadOnly>,
    /// Tells it to begin.
    pub(super) go: Option<PipeWriter>,
}

impl Started {
    /// Runs it, and says on `begun` when it does.
    pub(super) async fn finish(
        mut self,
        limits: Limits,
        said: Said,
        begun: Option<oneshot::Sender<()>>,
    ) -> Result<Ended, ToolError> {
        let proxy = self.proxy.take().map(|proxy| tokio::spawn(proxy.serve()));
        let ended = match process::start(self.prepared).await {
            Ok(running) => {
                // Nobody may be waiting any more.
                let _ = begun.map(|begun| begun.send(()));
                running.finish(limits, said).await
            }
            Err(error) => Err(error),
        };
        if let Some(proxy) = proxy {
            proxy.abort();
        }
        self.guard.end();
        ended
    }
}
