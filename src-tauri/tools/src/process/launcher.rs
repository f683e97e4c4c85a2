//! Starts processes from one thread that lives as long as the program.
//!
//! A sandbox dies with its parent, and the kernel takes "parent" to be the
//! thread that started it. The runtime's own threads come and go, so none of
//! them may be that parent. Starting also blocks for a moment, which is no
//! work for the runtime's threads either. What it starts gives way to what a
//! person looks at: a lower priority is handed on, and this thread has it.

use super::cgroup::{self, Cgroup, Controller};
use super::view::View;
use crate::error::ToolError;
use crate::limited;
use crate::limits::ResourceLimits;
use crate::sandbox::Confined;
use rustix::io::FdFlags;
use rustix::process::setpriority_process;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock, mpsc};
use tokio::process::Child;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// A little behind everything else.
const GIVES_WAY: i32 = 5;

struct Order {
    command: Command,
    inherited: Vec<OwnedFd>,
    covered: Arc<[PathBuf]>,
    runtime: Handle,
    answer: oneshot::Sender<io::Result<Child>>,
}

/// Starts what was confined, within its limits; dropping the child kills it.
pub(super) async fn launch(mut confined: Confined) -> Result<(Child, Option<Cgroup>), ToolError> {
    let limits = ResourceLimits::current();
    let group = Cgroup::new(limits).map_err(super::failed)?;
    let by_process = !cgroup::controllers().contains(&Controller::Memory);
    let data = by_process.then_some(limits.memory_mb * 1024 * 1024);
    let mut doors = group.as_ref().map(Cgroup::doors).unwrap_or_default();
    if covers() {
        // The thread that starts processes does not see them where they are.
        let ours = Path::new("/proc").join(std::process::id().to_string()).join("root");
        doors.iter_mut().for_each(|door| *door = ours.join(door.strip_prefix("/").unwrap_or(door)));
    }
    limited::limit(&mut confined.command, &doors, data);
    let child = started(confined).await.map_err(super::failed)?;
    Ok((child, group))
}

async fn started(confined: Confined) -> io::Result<Child> {
    let Confined { command, inherited, covered } = confined;
    let (answer, answered) = oneshot::channel();
    let order = Order { command, inherited, covered, runtime: Handle::current(), answer };
    let gone = || io::Error::other("the thread that starts processes is gone");
    thread()?.orders.send(order).map_err(|_| gone())?;
    answered.await.map_err(|_| gone())?
}

/// Whether secrets can be covered for all commands at once; else each has to do it.
pub(crate) fn covers() -> bool {
    thread().is_ok_and(|launcher| launcher.covers)
}

struct Launcher {
    orders: mpsc::Sender<Order>,
    covers: bool,
}

fn thread() -> io::Result<&'static Launcher> {
    static THREAD: OnceLock<io::Result<Launcher>> = OnceLock::new();
    let started = THREAD.get_or_init(|| {
        let (orders, inbox) = mpsc::channel::<Order>();
        let (tell, told) = mpsc::channel();
        std::thread::Builder::new().name("launcher".into()).spawn(move || {
            // The warden looks for groups where it is, which is where we are from now on.
            cgroup::controllers();
            // Before we give way, for it must not.
            let _warden = super::warden::start();
            // Refused only where we run with less already.
            let _ = setpriority_process(None, GIVES_WAY);
            let mut view = View::begin();
            let _ = tell.send(view.is_some());
            inbox.into_iter().for_each(|order| carry_out(order, view.as_mut()));
        })?;
        Ok(Launcher { orders, covers: told.recv().unwrap_or(false) })
    });
    started.as_ref().map_err(|err| io::Error::new(err.kind(), err.to_string()))
}

fn carry_out(order: Order, view: Option<&mut View>) {
    let covered = match view {
        Some(view) => view.cover(&order.covered).map_err(io::Error::from),
        None if order.covered.is_empty() => Ok(()),
        None => Err(io::Error::other("secrets of this computer can't be covered")),
    };
    if let Err(error) = covered {
        let _ = order.answer.send(Err(error));
        return;
    }
    let _runtime = order.runtime.enter();
    crate::hand_none_on();
    // Inheritable for this one start only. Another thread that starts a
    // process in this instant hands on pipe ends nobody listens to for long.
    let inherit = |fd| rustix::io::fcntl_setfd(fd, FdFlags::empty());
    let inherited = order.inherited.iter().try_for_each(inherit).map_err(io::Error::from);
    let mut command = tokio::process::Command::from(order.command);
    let child = inherited.and_then(|()| command.kill_on_drop(true).spawn());
    drop(order.inherited);
    // When nobody waits any more the child is dropped here, and so killed.
    let _ = order.answer.send(child);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_process_outlives_the_thread_that_asked_for_it() {
        let (report, inherited) = io::pipe().unwrap();
        let mut command = Command::new("bwrap");
        command.args([
            "--die-with-parent",
            "--dev-bind",
            "/",
            "/",
            "sh",
            "-c",
            "sleep 0.3; exit 7",
        ]);
        let inherited = vec![inherited.into()];
        let confined = Confined { command, inherited, covered: Arc::default() };
        let runtime = Handle::current();
        let asking = std::thread::spawn(move || runtime.block_on(launch(confined)));
        let asked = tokio::task::spawn_blocking(|| asking.join().unwrap());
        let (mut child, _) = asked.await.unwrap().unwrap();
        assert_eq!(child.wait().await.unwrap().code(), Some(7));
        drop(report);
    }
}
