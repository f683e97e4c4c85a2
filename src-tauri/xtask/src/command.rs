//! Starting other programs from the top of the workspace.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;

/// The folder with the workspace's `Cargo.toml`.
pub fn root() -> Result<PathBuf, String> {
    let own = env::var_os("CARGO_MANIFEST_DIR").ok_or("start this as `cargo xtask`")?;
    Path::new(&own)
        .ancestors()
        .nth(2)
        .map(Path::to_path_buf)
        .ok_or_else(|| "xtask is not two folders below the workspace".into())
}

/// The folder cargo puts development builds into: the one this program was started from.
///
/// Programs are started from here rather than with `cargo run --package`, which would choose
/// features for that package alone and build half of the dependencies again.
pub fn built() -> Result<PathBuf, String> {
    let own = env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    own.parent().map(Path::to_path_buf).ok_or_else(|| "this program has no folder".into())
}

/// The folder beside it for release builds.
pub fn released() -> Result<PathBuf, String> {
    Ok(built()?.with_file_name("release"))
}

/// A program that starts at the top of the workspace, as if from a person's shell.
pub fn program(name: impl AsRef<OsStr>) -> Result<Command, String> {
    let mut command = Command::new(name);
    command.current_dir(root()?);
    // `cargo xtask` describes this package in the environment. Build scripts that watch these
    // names would otherwise run again each time cargo is started by hand in between.
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    Ok(command)
}

/// The cargo that started this program, with these words.
pub fn cargo(words: &[&str]) -> Result<Command, String> {
    let mut command = program(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))?;
    command.args(words);
    Ok(command)
}

/// Waits for a command to end well.
pub fn finish(command: &mut Command) -> Outcome {
    let status =
        command.status().map_err(|error| format!("cannot start {}: {error}", shown(command)))?;
    if status.success() {
        return Ok(());
    }
    Err(format!("{} ended with {status}", shown(command)))
}

/// Becomes the command, so that signals and its exit code are its own.
#[cfg(unix)]
pub fn become_it(command: &mut Command) -> Outcome {
    use std::os::unix::process::CommandExt;
    let error = command.exec();
    Err(format!("cannot start {}: {error}", shown(command)))
}

/// Stands in for the command until it ends.
#[cfg(not(unix))]
pub fn become_it(command: &mut Command) -> Outcome {
    finish(command)
}

/// Whether a program of that name can be started.
pub fn exists(name: &str) -> bool {
    let Some(path) = env::var_os("PATH") else {
        return false;
    };
    env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

/// The command as a person would type it.
fn shown(command: &Command) -> String {
    let name = Path::new(command.get_program()).file_stem().unwrap_or(command.get_program());
    let mut words = vec![name.to_string_lossy()];
    words.extend(command.get_args().map(OsStr::to_string_lossy));
    format!("`{}`", words.join(" "))
}
