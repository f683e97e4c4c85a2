//! Runs a confined command to its end and leaves no process behind.
//!
//! The sandbox reports the first process inside its process namespace. The
//! kernel kills everything in that namespace with it, however deep and
//! whatever it detached from; so ending a command means ending that process
//! and waiting until it is gone.

mod cgroup;
mod launcher;
mod report;
pub(crate) mod serving;
mod systemd;
mod view;
mod warden;

use crate::cut::{HeadAndTail, Kept};
use crate::error::ToolError;
use crate::limits::Exceeded;
use crate::sandbox::Confined;
use crate::secrets::Secrets;
use cgroup::Cgroup;
pub(crate) use cgroup::{Controller, controllers, end_of as end_groups_of};
pub(crate) use launcher::covers;
use report::Report;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;
use rustix::process::{PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::io::{PipeReader, PipeWriter};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::process::Child;
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;

/// How long the system may take to do what it does at once.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long killed processes may take to be gone. Hundreds of them on a busy machine take longer
/// than any one, and nobody is told that it ended before they are.
const ENDING: Duration = Duration::from_secs(90);

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Exit(i32),
    /// The sandbox could not be set up, so nothing ran.
    NotStarted,
    /// Something outside killed it.
    Killed(i32),
    /// It went over a limit and was ended.
    OverLimit(Exceeded),
    TimedOut,
    Cancelled,
}

/// When to stop a command.
pub(crate) struct Limits {
    /// How long it may run; `None` for as long as it is wanted.
    pub(crate) timeout: Option<Duration>,
    pub(crate) cancel: CancellationToken,
}

/// What a command has said so far.
#[derive(Clone)]
pub(crate) struct Said(Arc<Mutex<HeadAndTail>>);

impl Said {
    /// Remembers at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self(Arc::new(Mutex::new(HeadAndTail::new(limit))))
    }

    /// All that is remembered.
    pub(crate) fn kept(&self, secrets: &dyn Secrets) -> Kept {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).kept(secrets)
    }

    fn push(&self, bytes: &[u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
    }
}

/// A command that is ready to start.
pub(crate) struct Prepared {
    confined: Confined,
    output: PipeReader,
    report: PipeReader,
    folder: PipeReader,
    ours: [PipeWriter; 2],
}

/// Descriptors a command inherits, by number.
#[derive(Clone, Copy)]
pub(crate) struct Ends {
    /// Where the sandbox reports.
    pub(crate) report: RawFd,
    /// Where the command says which folder it ended in.
    pub(crate) folder: RawFd,
}

/// Prepares what `build` makes, given the descriptors it may name. The
/// command reads from `input`, or from nothing.
pub(crate) fn prepare(
    input: Option<OwnedFd>,
    build: impl FnOnce(Ends) -> Result<Confined, ToolError>,
) -> Result<Prepared, ToolError> {
    let (output, output_writer) = std::io::pipe().map_err(failed)?;
    let (report, report_writer) = std::io::pipe().map_err(failed)?;
    let (folder, folder_writer) = std::io::pipe().map_err(failed)?;
    let ends = Ends { report: report_writer.as_raw_fd(), folder: folder_writer.as_raw_fd() };
    let mut confined = build(ends)?;
    confined
        .command
        .stdin(input.map_or_else(Stdio::null, Stdio::from))
        .stdout(output_writer.try_clone().map_err(failed)?)
        .stderr(output_writer)
        .process_group(0);
    Ok(Prepared { confined, output, report, folder, ours: [report_writer, folder_writer] })
}

/// A command that was started.
pub(crate) struct Running {
    tree: Tree,
    output: pipe::Receiver,
    folder: pipe::Receiver,
    report: Report,
}

/// What came of a command.
pub(crate) struct Ended {
    pub(crate) end: End,
    /// The folder it said it stood in at the end; nothing vouches for it.
    pub(crate) folder: Option<String>,
    /// The limit that it went over, also where it went on after that.
    pub(crate) exceeded: Option<Exceeded>,
}

/// Starts a command; returns when its first process is known.
///
/// Spawn this and what follows, and stop it by its token. Dropping it kills
/// what is running, too, but where there are no control groups only the outer
/// half of the sandbox is known in the first moments.
pub(crate) async fn start(prepared: Prepared) -> Result<Running, ToolError> {
    let Prepared { mut confined, output, report, folder, ours } = prepared;
    let receiver = |end: PipeReader| pipe::Receiver::from_owned_fd(end.into()).map_err(failed);
    let (output, report, folder) = (receiver(output)?, receiver(report)?, receiver(folder)?);
    confined.inherited.extend(ours.map(OwnedFd::from));
    let (tree, report) = Tree::begin(confined, report).await?;
    Ok(Running { tree, output, folder, report })
}

impl Running {
    /// Whether it is gone already.
    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.tree.child.try_wait(), Ok(None))
    }

    /// Waits for its end, or brings it about.
    pub(crate) async fn finish(self, limits: Limits, said: Said) -> Result<Ended, ToolError> {
        let Self { mut tree, mut output, folder, mut report } = self;
        let deadline = tokio::time::sleep(limits.timeout.unwrap_or(Duration::MAX));
        tokio::pin!(deadline);
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
        let exceeded = tree.exceeded();
        // Nobody is left to write, so what is in the pipe is all there will be.
        while let Ok(count) = output.try_read(&mut piece)
            && count > 0
        {
            said.push(&piece[..count]);
        }
        let end = match ended {
            Err(stopped) => stopped,
            Ok(status) => match (report.exit_code(), status.signal(), exceeded) {
                (Some(0), ..) => End::Exit(0),
                (_, _, Some(limit)) if limit.ends() => End::OverLimit(limit),
                (Some(code), ..) => End::Exit(code),
                (None, Some(signal), _) => End::Killed(signal),
                (None, None, _) => End::NotStarted,
            },
        };
        let folder = match folder.try_read(&mut piece) {
            Ok(count) => String::from_utf8(piece[..count].to_vec()).ok(),
            Err(_) => None,
        };
        let folder = folder.map(|path| path.trim_end_matches('\n').to_owned());
        Ok(Ended { end, folder: folder.filter(|path| !path.is_empty()), exceeded })
    }
}

fn failed(err: std::io::Error) -> ToolError {
    ToolError::io("starting the command", err)
}

/// The sandbox's process and the first process inside it.
struct Tree {
    child: Child,
    first: Option<Arc<OwnedFd>>,
    /// Ends it all when it goes over a limit.
    watched: Option<AbortHandle>,
    /// Removed after all else.
    group: Option<Arc<Cgroup>>,
}

impl Tree {
    /// Starts what was confined; comes back when its first process is known.
    async fn begin(
        confined: Confined,
        report: pipe::Receiver,
    ) -> Result<(Self, Report), ToolError> {
        let (child, group) = launcher::launch(confined).await?;
        // Not given up even when time is over: without its first process a
        // command that is just starting could not be stopped for certain.
        let mut report = Report::new(report);
        let pid = tokio::time::timeout(PATIENCE, report.first_process()).await.ok().flatten();
        let (first, group) = (pid.and_then(open), group.map(Arc::new));
        let watched = group.clone().map(|group| {
            let first = first.clone();
            let watching = tokio::spawn(async move {
                group.goes_over().await;
                kill(first.as_deref(), Some(&group));
            });
            watching.abort_handle()
        });
        Ok((Self { child, first, watched, group }, report))
    }

    /// The limit that it went over.
    fn exceeded(&self) -> Option<Exceeded> {
        self.group.as_ref().and_then(|group| group.exceeded())
    }

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
        if tokio::time::timeout(ENDING, gone).await.is_err() {
            tracing::error!("a command's processes did not end when killed");
        }
    }

    fn kill_inside(&self) {
        if let Some(watched) = &self.watched {
            watched.abort();
        }
        kill(self.first.as_deref(), self.group.as_deref());
    }
}

/// Kills the first process of a sandbox, with which all end, and what is in its groups: among
/// thousands the first would wait for its turn to end.
fn kill(first: Option<&OwnedFd>, group: Option<&Cgroup>) {
    if let Some(first) = first {
        // An error means that it is gone.
        let _ = pidfd_send_signal(first, Signal::KILL);
    }
    if let Some(group) = group {
        group.kill();
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
    let _ = tokio::task::spawn_blocking(move || is_gone(&process, ENDING)).await;
}

fn is_gone(process: &OwnedFd, patience: Duration) -> bool {
    let patience = Timespec { tv_sec: patience.as_secs() as i64, tv_nsec: 0 };
    let mut polled = [PollFd::new(process, PollFlags::IN)];
    let ready = retry_on_intr(|| poll(&mut polled, Some(&patience)));
    matches!(ready, Ok(ready) if ready > 0)
}
