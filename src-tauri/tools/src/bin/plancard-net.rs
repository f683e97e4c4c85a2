//! Runs first inside a sandbox whose command was granted network, and becomes the command.
//!
//! It opens a listening socket on the loopback of the sandbox, hands it out over its standard
//! input, and points the usual variables at it. Whoever holds the other end decides what passes.

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use std::io::{Error, IoSlice};
use std::mem::MaybeUninit;
use std::net::TcpListener;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};

const VARIABLES: [&str; 6] =
    ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("nothing was run: {error}");
            ExitCode::from(126)
        }
    }
}

/// `PROGRAM WORDS…`
fn run() -> std::io::Result<()> {
    let mut words = std::env::args_os().skip(1);
    let program = words.next().ok_or_else(|| Error::other("a program is missing"))?;
    let address = hand_out()?;
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null());
    command.envs(VARIABLES.map(|name| (name, address.as_str())));
    // Programs of Node read these variables only when told to.
    command.env("NODE_USE_ENV_PROXY", "1");
    Err(command.exec())
}

/// Opens the socket, hands it out, and gives the address to reach it by.
fn hand_out() -> std::io::Result<String> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let sockets = [listener.as_fd()];
    if !control.push(SendAncillaryMessage::ScmRights(&sockets)) {
        return Err(Error::other("a message has no room for a socket"));
    }
    sendmsg(rustix::stdio::stdin(), &[IoSlice::new(&[1])], &mut control, SendFlags::empty())?;
    Ok(format!("http://{}", listener.local_addr()?))
}
