//! A confined program that keeps running and is talked to over its pipes.

use super::report::Report;
use super::{PATIENCE, Tree, failed, launcher, open};
use crate::error::ToolError;
use crate::sandbox::Confined;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use tokio::net::unix::pipe;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

/// A program that was started, with its pipes.
pub(crate) struct Serving {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
    pub(crate) program: Program,
}

/// All processes of a program; dropping it kills them.
pub(crate) struct Program {
    tree: Tree,
    /// Held open: the sandbox writes to it when it ends.
    _report: Report,
}

impl Program {
    /// Kills everything and waits until it is gone.
    pub(crate) async fn end(mut self) {
        self.tree.end().await;
    }
}

/// Starts what `build` makes, given the descriptor to report on.
///
/// Await this in a task of its own: in its first moments only the outer half
/// of the sandbox is known, and only that is killed when this is dropped.
pub(crate) async fn start(
    build: impl FnOnce(RawFd) -> Result<Confined, ToolError>,
) -> Result<Serving, ToolError> {
    let (report, report_writer) = std::io::pipe().map_err(failed)?;
    let Confined { mut command, mut inherited } = build(report_writer.as_raw_fd())?;
    inherited.push(report_writer.into());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let report = pipe::Receiver::from_owned_fd(report.into()).map_err(failed)?;
    let mut child = launcher::launch(command, inherited).await.map_err(failed)?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let mut report = Report::new(report);
    let first = tokio::time::timeout(PATIENCE, report.first_process()).await.ok().flatten();
    let tree = Tree { pid: first, first: first.and_then(open), child };
    let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
        return Err(failed(std::io::Error::other("its pipes are missing")));
    };
    Ok(Serving { stdin, stdout, stderr, program: Program { tree, _report: report } })
}
