//! `cargo xtask servers`: what others wrote and the tests talk to, MCP servers, uv and a client of
//! event streams, installed once below the target folder.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::Outcome;
use crate::command::{built, exists, finish, program};
use crate::test::shown;

/// What is installed, to the letter: another version is another test.
const NPM: [&str; 2] = [
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
];
const PYPI: [&str; 2] = ["mcp-server-git==2026.10.19", "mcp-server-time==2026.10.19"];

/// What fetches servers that are written as `uvx package`.
const UV: [&str; 1] = ["uv==0.13.8"];

/// A client of event streams that others wrote.
const CLIENTS: [&str; 1] = ["eventsource@4.1.1"];

/// Says what a folder holds; written last, so that a broken install is done again.
const STAMP: &str = "installed";

/// Takes no words.
pub fn perform(words: &[String]) -> Outcome {
    match words.first() {
        Some(word) => Err(format!("`servers` takes nothing, not `{word}`")),
        None => set_up(),
    }
}

/// Installs what is missing; a second run finds everything there.
pub fn set_up() -> Outcome {
    let folder = folder()?;
    once(&folder.join("npm"), &NPM, npm)?;
    once(&folder.join("clients"), &CLIENTS, npm)?;
    once(&folder.join("pypi"), &PYPI, pypi)?;
    once(&folder.join("uv"), &UV, pypi)
}

/// Where they are, whichever folder cargo builds into.
fn folder() -> Result<PathBuf, String> {
    Ok(built()?.with_file_name("mcp-servers"))
}

fn once(folder: &Path, packages: &[&str], install: fn(&Path, &[&str]) -> Outcome) -> Outcome {
    let (stamp, wanted) = (folder.join(STAMP), packages.join("\n"));
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    let since = Instant::now();
    println!("installing for the tests: {} …", packages.join(", "));
    let cannot = |error: std::io::Error| format!("cannot write {}: {error}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(cannot)?;
    }
    std::fs::create_dir_all(folder).map_err(cannot)?;
    install(folder, packages)?;
    std::fs::write(stamp, wanted).map_err(cannot)?;
    println!("installed, {}", shown(since));
    Ok(())
}

fn npm(folder: &Path, packages: &[&str]) -> Outcome {
    if !exists("npm") {
        return Err("MCP servers for the tests need Node.js with npm; install it first".into());
    }
    let mut npm = program("npm")?;
    npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"]);
    finish(npm.arg(folder).args(packages).env("CI", "true"))
}

fn pypi(folder: &Path, packages: &[&str]) -> Outcome {
    if !exists("python3") {
        return Err("MCP servers for the tests need Python 3 with venv; install it first".into());
    }
    finish(program("python3")?.args(["-m", "venv"]).arg(folder))?;
    let mut pip = program(folder.join("bin/python3"))?;
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    finish(pip.args(packages))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_run_installs_nothing() {
        let folder = std::env::temp_dir().join(format!("plancard-once-{}", std::process::id()));
        let make = |folder: &Path, _: &[&str]| {
            std::fs::write(folder.join("made"), "").map_err(|error| error.to_string())
        };
        let never = |_: &Path, _: &[&str]| Err("it is there already".to_string());
        assert_eq!(once(&folder, &["a", "b"], make), Ok(()));
        assert_eq!(once(&folder, &["a", "b"], never), Ok(()));
        assert!(folder.join("made").exists());
        assert!(once(&folder, &["a", "c"], never).is_err(), "another version is another install");
        assert!(!folder.join("made").exists());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
