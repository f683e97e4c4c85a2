//! How a command is started: behind its walls, and not before its workspace was looked at.

use super::Args;
use crate::error::ToolError;
use crate::linked::Linked;
use crate::network::Hosts;
use crate::network::proxy::Proxy;
use crate::orders::Orders;
use crate::process::{self, Ended, Limits, Prepared, Running, Said};
use crate::sandbox::warm::{self, Place, Waiting};
use crate::sandbox::{self, Confined, Guard, Ingredients, Job as Confinement, Profile};
use crate::shell::look::{self, Seen};
use crate::shell::script::Script;
use crate::toolbox::{Means, RunContext};
use crate::workspace::Workspace;
use futures::future::Either;
use std::io::PipeWriter;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
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
    pub(super) fn orders(&self) -> Option<Orders> {
        self.profile.may_write().then(|| Orders::of(self.ws.root()))
    }

    /// Prepares the command, and a look at what it may change. The walls are made while one looks,
    /// and the command waits behind them until that is done.
    pub(super) async fn looked_at(
        &self,
        means: &Means,
    ) -> Result<(Started, impl Future<Output = Seen> + Send + use<>), ToolError> {
        let Some(orders) = self.orders() else {
            let linked = self.linked().await;
            let started = match self.warm(means, &linked).and_then(|warm| self.tell(warm, &linked))
            {
                Some(started) => started,
                None => self.prepare(means, &None, linked, Begins::AtOnce)?,
            };
            return Ok((started, Either::Left(std::future::ready(Seen::default()))));
        };
        let looking = look::begin(self.ws.root());
        let linked = self.linked().await;
        // What stands in for something would be taken for what was there.
        if orders.stand_ins_show() {
            let seen = looking.await;
            let started = self.prepare(means, &Some(orders), linked, Begins::AtOnce)?;
            return Ok((started, Either::Left(std::future::ready(seen))));
        }
        if let Some(warm) = self.warm(means, &linked) {
            let seen = looking.await;
            if self.ctx.cancel.is_cancelled() {
                return Err(ToolError::Cancelled { so_far: None });
            }
            let started = match self.tell(warm, &linked) {
                Some(started) => started,
                None => self.prepare(means, &Some(orders), linked, Begins::AtOnce)?,
            };
            return Ok((started, Either::Left(std::future::ready(seen))));
        }
        let started = self.prepare(means, &Some(orders), linked, Begins::WhenTold)?;
        Ok((started, Either::Right(looking)))
    }

    /// What it must not change although it may change the workspace.
    pub(super) async fn linked(&self) -> Arc<Linked> {
        match self.profile.may_write() {
            true => self.ctx.shell.linked.now(self.ws).await,
            false => Arc::default(),
        }
    }

    pub(super) fn prepare(
        &self,
        means: &Means,
        orders: &Option<Orders>,
        linked: Arc<Linked>,
        begins: Begins,
    ) -> Result<Started, ToolError> {
        let Self { ws, ctx, profile, args, .. } = *self;
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
        let guard = Guard::of(ws.root(), orders.as_ref());
        let prepared = process::prepare(input, |ends| {
            let script = self.script(ends.folder, wait.as_ref().map(AsRawFd::as_raw_fd)).text();
            let network = proxy.is_some();
            let mut confined = self.confined(means, &linked, network, &script, ends.report)?;
            confined.inherited.extend(wait);
            Ok(confined)
        })?;
        Ok(Started { process: Process::Cold(prepared), guard, proxy, linked, go })
    }

    fn script(&self, tell: RawFd, wait: Option<RawFd>) -> Script<'_> {
        let Self { profile, folder, args, .. } = *self;
        Script { folder, profile, tell, wait, command: &args.command }
    }

    fn confined(
        &self,
        means: &Means,
        linked: &Linked,
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
            linked,
            network,
            script,
            report,
        })
    }

    /// The sandbox that waits for this command, if it is what would be made now.
    fn warm(&self, means: &Means, linked: &Linked) -> Option<Waiting> {
        let Self { ctx, profile, args, .. } = *self;
        let has_network = !args.network.is_empty() || profile == Profile::Open;
        if has_network || !ctx.shell.warm.has(profile) {
            return None;
        }
        let now = self.confined(means, linked, false, warm::WAITS, 0).ok();
        let now = now.and_then(|now| Ingredients::of(&now, &ctx.allowed_by));
        ctx.shell.warm.take(profile, &now?)
    }

    /// Gives a sandbox that waited its command; `None` when it is not there any more.
    fn tell(&self, warm: Waiting, linked: &Arc<Linked>) -> Option<Started> {
        let script = self.script(warm.tell, None).text();
        let (running, guard) = warm.begin(&script)?;
        let process = Process::Warm(running);
        Some(Started { process, guard, proxy: None, linked: Arc::clone(linked), go: None })
    }

    /// Makes the sandbox in which the next command like this one will run.
    pub(super) async fn wait(self, means: &Means, place: Place) -> Option<()> {
        let orders = self.orders();
        // What stands in for something would be seen by the person all the while.
        if orders.as_ref().is_some_and(Orders::stand_ins_show) {
            return None;
        }
        let linked = self.linked().await;
        let guard = Guard::of(self.ws.root(), orders.as_ref());
        let (input, go) = std::io::pipe().ok()?;
        let (mut ingredients, mut tell) = (None, 0);
        let prepared = process::prepare(Some(input.into()), |ends| {
            let confined = self.confined(means, &linked, false, warm::WAITS, ends.report)?;
            ingredients = Ingredients::of(&confined, &self.ctx.allowed_by);
            tell = ends.folder;
            Ok(confined)
        });
        let running = process::start(prepared.ok()?);
        let ingredients = ingredients?;
        place.fill(Waiting { ingredients, guard, running: running.await.ok()?, tell, go });
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
    pub(super) linked: Arc<Linked>,
    /// Tells it to begin.
    pub(super) go: Option<PipeWriter>,
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
