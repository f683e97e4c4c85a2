//! A confined program that keeps running and is talked to over its pipes.

use super::report::Report;
use super::{Tree, failed};
use crate::error::ToolError;
use crate::limits::Exceeded;
use crate::sandbox::Confined;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
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
    /// The limit that it was ended for.
    pub(crate) fn exceeded(&self) -> Option<Exceeded> {
        self.tree.exceeded().filter(|limit| limit.ends())
    }

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
    let Started { stdin, stdout, stderr, program } = begin(Stdio::piped(), build).await?;
    let Some(stdin) = stdin else { return Err(no_pipes()) };
    Ok(Serving { stdin, stdout, stderr, program })
}

/// The same for a program with a way out, whose socket takes the place of its input. So the
/// program's input is another descriptor, which `build` is given, too.
pub(crate) async fn start_with_way_out(
    way_out: OwnedFd,
    build: impl FnOnce(RawFd, RawFd) -> Result<Confined, ToolError>,
) -> Result<Serving, ToolError> {
    let (input, stdin) = std::io::pipe().map_err(failed)?;
    let stdin = ChildStdin::from_std(OwnedFd::from(stdin).into()).map_err(failed)?;
    let serving = begin(way_out.into(), |report| {
        let mut confined = build(report, input.as_raw_fd())?;
        confined.inherited.push(input.into());
        Ok(confined)
    });
    let Started { stdout, stderr, program, .. } = serving.await?;
    Ok(Serving { stdin, stdout, stderr, program })
}

async fn begin(
    input: Stdio,
    build: impl FnOnce(RawFd) -> Result<Confined, ToolError>,
) -> Result<Started, ToolError> {
    let (report, report_writer) = std::io::pipe().map_err(failed)?;
    let mut confined = build(report_writer.as_raw_fd())?;
    confined.inherited.push(report_writer.into());
    let command = confined.command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.process_group(0);
    let report = pipe::Receiver::from_owned_fd(report.into()).map_err(failed)?;
    let (mut tree, report) = Tree::begin(confined, report).await?;
    let child = &mut tree.child;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (stdin, Some(stdout), Some(stderr)) = pipes else { return Err(no_pipes()) };
    let program = Program { tree, _report: report };
    Ok(Started { stdin, stdout, stderr, program })
}

/// A program whose input may be something else than a pipe.
struct Started {
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    stderr: ChildStderr,
    program: Program,
}

fn no_pipes() -> ToolError {
    failed(std::io::Error::other("its pipes are missing"))
}
