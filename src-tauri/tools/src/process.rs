//! Runs a confined command to its end and leaves no process behind.
//!
//! The sandbox reports the first process inside its process namespace. The
//! kernel kills everything in that namespace with it, however deep and
//! whatever it detached from; so ending a command means ending that process
//! and waiting until it is gone.

mod launcher;
mod report;
pub(crate) mod serving;

use crate::cut::HeadAndTail;
use crate::error::ToolError;
use report::Report;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::io::{PipeReader, PipeWriter};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::process::Child;
use tokio_util::sync::CancellationToken;

/// How long the system may take to do what it does at once.
const PATIENCE: Duration = Duration::from_secs(10);

/// How a command ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    Exit(i32),
    /// The sandbox could not be set up, so nothing ran.
    NotStarted,
    /// Something outside killed it.
    Killed(i32),
    TimedOut,
    Cancelled,
}

/// When to stop a command.
pub(crate) struct Limits {
    pub(crate) timeout: Duration,
    pub(crate) cancel: CancellationToken,
    /// How many bytes of output to remember.
    pub(crate) remember: usize,
}

/// A command that is ready to start.
pub(crate) struct Prepared {
    command: Command,
    output: PipeReader,
    report: PipeReader,
    report_writer: PipeWriter,
}

/// Prepares what `build` makes, given the descriptor to report on.
pub(crate) fn prepare(
    build: impl FnOnce(RawFd) -> Result<Command, ToolError>,
) -> Result<Prepared, ToolError> {
    let (output, output_writer) = std::io::pipe().map_err(failed)?;
    let (report, report_writer) = std::io::pipe().map_err(failed)?;
    let mut command = build(report_writer.as_raw_fd())?;
    command
        .stdin(Stdio::null())
        .stdout(output_writer.try_clone().map_err(failed)?)
        .stderr(output_writer)
        .process_group(0);
    Ok(Prepared { command, output, report, report_writer })
}

/// Runs a command to its end.
///
/// Spawn this and stop it by its token. Dropping it kills what is running,
/// too, but in the first moments only the outer half of the sandbox is known.
pub(crate) async fn run(prepared: Prepared, limits: Limits) -> Result<(End, String), ToolError> {
    let Prepared { command, output, report, report_writer } = prepared;
    let mut output = pipe::Receiver::from_owned_fd(output.into()).map_err(failed)?;
    let report = pipe::Receiver::from_owned_fd(report.into()).map_err(failed)?;
    let deadline = tokio::time::sleep(limits.timeout);
    tokio::pin!(deadline);

    let child = launcher::launch(command, report_writer).await.map_err(failed)?;
    // Not given up even when time is over: without its first process a
    // command that is just starting could not be stopped for certain.
    let mut report = Report::new(report);
    let first = tokio::time::timeout(PATIENCE, report.first_process()).await;
    let mut tree = Tree { first: first.ok().flatten().and_then(open), child };

    let mut said = HeadAndTail::new(limits.remember);
    let mut piece = vec![0; 32 * 1024];
    let mut more = true;
    let ended = loop {
        tokio::select! {
            status = tree.child.wait() => break Ok(status.map_err(failed)?),
            () = limits.cancel.cancelled() => break Err(End::Cancelled),
            () = &mut deadline => break Err(End::TimedOut),
            read = output.read(&mut piece), if more => match read {
                Ok(0) | Err(_) => more = false,
                Ok(count) => said.push(&piece[..count]),
            },
        }
    };
    tree.end().await;
    // Nobody is left to write, so what is in the pipe is all there will be.
    while let Ok(count) = output.try_read(&mut piece)
        && count > 0
    {
        said.push(&piece[..count]);
    }
    let end = match ended {
        Err(stopped) => stopped,
        Ok(status) => match (report.exit_code(), status.signal()) {
            (Some(code), _) => End::Exit(code),
            (None, Some(signal)) => End::Killed(signal),
            (None, None) => End::NotStarted,
        },
    };
    Ok((end, said.text()))
}

fn failed(err: std::io::Error) -> ToolError {
    ToolError::io("starting the command", err)
}

/// The sandbox's process and the first process inside it.
struct Tree {
    child: Child,
    first: Option<Arc<OwnedFd>>,
}

impl Tree {
    /// Kills everything and waits until it is gone.
    async fn end(&mut self) {
        self.kill_inside();
        // It may have ended by itself, which is as good.
        let _ = self.child.start_kill();
        let gone = async {
            if let Some(first) = &self.first {
                wait_for(first.clone()).await;
            }
            let _ = self.child.wait().await;
        };
        if tokio::time::timeout(PATIENCE, gone).await.is_err() {
            tracing::error!("a command's processes did not end when killed");
        }
    }

    fn kill_inside(&self) {
        if let Some(first) = &self.first {
            // An error means that it is gone.
            let _ = pidfd_send_signal(first, Signal::KILL);
        }
    }
}

impl Drop for Tree {
    /// For a call that is dropped; the child itself is killed by its own drop.
    fn drop(&mut self) {
        self.kill_inside();
    }
}

/// A handle on a process that cannot come to mean another one.
fn open(pid: i32) -> Option<Arc<OwnedFd>> {
    let pid = rustix::process::Pid::from_raw(pid)?;
    // An error means that it ended already.
    pidfd_open(pid, PidfdFlags::empty()).ok().map(Arc::new)
}

/// Waits until a process is gone. It was killed, so this takes no time or
/// the moment that the kernel needs, in which a thread may as well block.
async fn wait_for(process: Arc<OwnedFd>) {
    if is_gone(&process, Duration::ZERO) {
        return;
    }
    let _ = tokio::task::spawn_blocking(move || is_gone(&process, PATIENCE)).await;
}

fn is_gone(process: &OwnedFd, patience: Duration) -> bool {
    let patience = Timespec { tv_sec: patience.as_secs() as i64, tv_nsec: 0 };
    let mut polled = [PollFd::new(process, PollFlags::IN)];
    matches!(poll(&mut polled, Some(&patience)), Ok(ready) if ready > 0)
}
