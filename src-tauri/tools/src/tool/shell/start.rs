//! How a command is started: behind its walls, and not before its workspace was looked at.

use super::Args;
use crate::error::ToolError;
use crate::network::Hosts;
use crate::network::proxy::Proxy;
use crate::process::{self, Ended, Limits, Prepared, Running, Said};
use crate::read_only::ReadOnly;
use crate::sandbox::warm::{self, Place, Waiting};
use crate::sandbox::{self, Confined, Guard, Ingredients, Job as Confinement, Profile};
use crate::shell::changes::Snapshot;
use crate::shell::look;
use crate::shell::repositories::Repositories;
use crate::shell::script::Script;
use crate::toolbox::{Means, RunContext};
use crate::workspace::Workspace;
use std::os::fd::{OwnedFd, RawFd};
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

impl Start<'_> {
    /// Prepares the command, after a look at the files that it may change.
    pub(super) async fn looked_at(
        &self,
        means: &Means,
    ) -> Result<(Started, Option<Snapshot>), ToolError> {
        // Beside the other look.
        let files = self.profile.may_write().then(|| look::files(self.ws.root(), &self.ctx.cancel));
        let read_only = self.read_only().await?;
        let before = match files {
            Some(files) => files.await,
            None => None,
        };
        if self.ctx.cancel.is_cancelled() {
            return Err(ToolError::Cancelled { so_far: None });
        }
        let warm = self.warm(means, &read_only).and_then(|warm| self.tell(warm, &read_only));
        let started = match warm {
            Some(started) => started,
            None => self.prepare(means, read_only)?,
        };
        Ok((started, before))
    }

    /// What it must not change although it may change the workspace.
    pub(super) async fn read_only(&self) -> Result<Arc<ReadOnly>, ToolError> {
        let found = ReadOnly::of(self.ws, self.profile, &self.ctx.cancel).await?;
        if self.profile.may_write() {
            let now = || Some(Repositories::of(self.ws.root(), &found.repositories));
            self.ctx.shell.note(self.ws.root(), now);
        }
        Ok(found)
    }

    pub(super) fn prepare(
        &self,
        means: &Means,
        read_only: Arc<ReadOnly>,
    ) -> Result<Started, ToolError> {
        let Self { ws, ctx, profile, args, .. } = *self;
        let (proxy, input) = match way_out(args, profile, ctx)? {
            Some((proxy, input)) => (Some(proxy), Some(input)),
            None => (None, None),
        };
        let guard = Guard::new(ws.root(), profile, &read_only);
        let prepared = process::prepare(input, |ends| {
            let script = self.script(ends.folder).text();
            self.confined(means, &read_only, proxy.is_some(), &script, ends.report)
        })?;
        Ok(Started { process: Process::Cold(prepared), guard, proxy, read_only })
    }

    fn script(&self, tell: RawFd) -> Script<'_> {
        let Self { profile, folder, args, .. } = *self;
        Script { folder, profile, tell, command: &args.command }
    }

    fn confined(
        &self,
        means: &Means,
        read_only: &ReadOnly,
        network: bool,
        script: &str,
        report: RawFd,
    ) -> Result<Confined, ToolError> {
        let Self { ws, ctx, profile, .. } = *self;
        means.sandbox()?.command(&Confinement {
            workspace: ws.root(),
            inode: ws.inode()?,
            profile,
            hidden: &ctx.hidden,
            extra_read: &ctx.extra_read,
            workspaces: &ctx.workspaces,
            shared: &ctx.shared,
            copy_of: ws.copy_of(),
            read_only,
            network,
            script,
            report,
        })
    }

    /// The sandbox that waits for this command, if it is what would be made now.
    fn warm(&self, means: &Means, read_only: &ReadOnly) -> Option<Waiting> {
        let Self { ctx, profile, args, .. } = *self;
        let has_network = !args.network.is_empty() || profile == Profile::Open;
        if has_network || !ctx.shell.warm.has(profile) {
            return None;
        }
        let now = self.confined(means, read_only, false, warm::WAITS, 0).ok();
        let now = now.and_then(|now| Ingredients::of(&now, &ctx.allowed_by));
        ctx.shell.warm.take(profile, &now?)
    }

    /// Gives a sandbox that waited its command; `None` when it is not there any more.
    fn tell(&self, warm: Waiting, read_only: &Arc<ReadOnly>) -> Option<Started> {
        // What became a copy while it was made was not told yet.
        let has_news = warm.read_only.news().is_some();
        let read_only = if has_news { &warm.read_only } else { read_only };
        let read_only = Arc::clone(read_only);
        let script = self.script(warm.tell).text();
        let (running, guard) = warm.begin(&script)?;
        Some(Started { process: Process::Warm(running), guard, proxy: None, read_only })
    }

    /// Makes the sandbox in which the next command like this one will run.
    pub(super) async fn wait(self, means: &Means, place: Place) -> Option<()> {
        let read_only = self.read_only().await.ok()?;
        let guard = Guard::new(self.ws.root(), self.profile, &read_only);
        if !sandbox::stand_ins(self.ws.root()).is_empty() {
            // A person would see them all the while.
            guard.end();
            return None;
        }
        let (input, go) = std::io::pipe().ok()?;
        let (mut ingredients, mut tell) = (None, 0);
        let prepared = process::prepare(Some(input.into()), |ends| {
            let confined = self.confined(means, &read_only, false, warm::WAITS, ends.report)?;
            ingredients = Ingredients::of(&confined, &self.ctx.allowed_by);
            tell = ends.folder;
            Ok(confined)
        });
        let (prepared, ingredients) = (prepared.ok()?, ingredients?);
        let running = process::start(prepared).await.ok()?;
        place.fill(Waiting { ingredients, guard, running, read_only, tell, go });
        Some(())
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
    process: Process,
    guard: Guard,
    proxy: Option<Proxy>,
    /// What it could not change.
    pub(super) read_only: Arc<ReadOnly>,
}

/// Its sandbox, which is to be made or was made before.
enum Process {
    Cold(Prepared),
    Warm(Running),
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
        let running = match self.process {
            Process::Cold(prepared) => process::start(prepared).await,
            Process::Warm(running) => Ok(running),
        };
        let ended = match running {
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
