//! Starts processes from one thread that lives as long as the program.
//!
//! A sandbox dies with its parent, and the kernel takes "parent" to be the
//! thread that started it. The runtime's own threads come and go, so none of
//! them may be that parent. Starting also blocks for a moment, which is no
//! work for the runtime's threads either. What it starts gives way to what a
//! person looks at: a lower priority is handed on, and this thread has it.

use super::group::{Doors, Group, TOGETHER};
use super::view::View;
use crate::error::ToolError;
use crate::sandbox::Confined;
use rustix::io::FdFlags;
use rustix::process::setpriority_process;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
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
    /// Made by whoever asks: the thread that starts processes may not see groups.
    doors: Option<Doors>,
    runtime: Handle,
    answer: oneshot::Sender<io::Result<Launched>>,
}

struct Launched {
    child: Child,
    in_its_group: bool,
}

/// Starts what was confined, in a group of its own where there can be one; dropping the child
/// kills it.
pub(super) async fn launch(confined: Confined) -> Result<(Child, Option<Group>), ToolError> {
    let (group, doors) = Group::new().unzip();
    match started(confined, doors).await {
        Ok(Launched { child, in_its_group }) => Ok((child, group.filter(|_| in_its_group))),
        Err(_) if group.is_some_and(|group| group.was_full()) => {
            Err(ToolError::NoRoom { most: TOGETHER })
        }
        Err(error) => Err(super::failed(error)),
    }
}

async fn started(confined: Confined, doors: Option<Doors>) -> io::Result<Launched> {
    let Confined { command, inherited, covered } = confined;
    let (answer, answered) = oneshot::channel();
    let order = Order { command, inherited, covered, doors, runtime: Handle::current(), answer };
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
    let start = || inherited.and_then(|()| command.kill_on_drop(true).spawn());
    let (in_its_group, child) = match order.doors {
        Some(mut doors) => doors.within(start),
        None => (false, start()),
    };
    drop(order.inherited);
    // When nobody waits any more the child is dropped here, and so killed.
    let _ = order.answer.send(child.map(|child| Launched { child, in_its_group }));
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
