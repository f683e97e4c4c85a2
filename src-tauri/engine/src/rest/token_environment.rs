//! Takes a token out of the environment of this program.
//!
//! Removing a variable leaves it in the memory that `/proc/PID/environ` shows. So the program starts
//! itself again, in the same process and without the variable, and reads the token from a pipe.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Error, ErrorKind, PipeReader, Read, Result, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::OnceLock;

/// The variable that brings a token.
pub(super) const VARIABLE: &str = "PLANCARD_TOKEN";
/// Names the process and its descriptor for the pipe, so that nothing that is started later takes
/// it for its own.
const PIPE: &str = "PLANCARD_TOKEN_PIPE";
/// A pipe takes as much before anybody reads from it.
const LONGEST: usize = 4096;

static TAKEN: OnceLock<String> = OnceLock::new();

/// The token that was taken, if there was one.
pub(super) fn taken() -> Option<String> {
    TAKEN.get().cloned()
}

/// Takes the token, if the environment brings one. Call this before anything else is begun: where
/// it does, the program starts anew.
pub fn take_token() -> std::result::Result<(), String> {
    let outcome = match std::env::var(VARIABLE) {
        Ok(token) if token.len() <= LONGEST => Err(start_without(&token)),
        Ok(_) => Err(Error::new(ErrorKind::InvalidInput, "it is too long")),
        // What is no plain text is refused later.
        Err(_) => receive(),
    };
    outcome.map_err(|error| format!("{VARIABLE} can't be taken over: {error}"))
}

/// Becomes this very program again. Returns only when that fails.
fn start_without(token: &str) -> Error {
    let prepared = || -> Result<(Command, PipeReader)> {
        let (reader, mut writer) = std::io::pipe()?;
        writer.write_all(token.as_bytes())?;
        rustix::io::fcntl_setfd(&reader, rustix::io::FdFlags::empty())?;
        let mut words = std::env::args_os();
        let name = words.next().unwrap_or_else(|| OsString::from("plancard"));
        let mut command = Command::new(std::env::current_exe()?);
        command.arg0(name).args(words).env_remove(VARIABLE);
        command.env(PIPE, format!("{}:{}", std::process::id(), reader.as_raw_fd()));
        Ok((command, reader))
    };
    match prepared() {
        // The pipe stays open; what comes after closes it to what it starts itself.
        Ok((mut command, _pipe)) => command.exec(),
        Err(error) => error,
    }
}

fn receive() -> Result<()> {
    let pipe = std::env::var(PIPE).unwrap_or_default();
    let Some((process, descriptor)) = pipe.split_once(':') else { return Ok(()) };
    if process.parse() != Ok(std::process::id()) || descriptor.parse::<u32>().is_err() {
        return Ok(());
    }
    let mut token = String::new();
    let pipe = File::open(format!("/proc/self/fd/{descriptor}"))?;
    pipe.take(LONGEST as u64).read_to_string(&mut token)?;
    let _ = TAKEN.set(token);
    Ok(())
}
