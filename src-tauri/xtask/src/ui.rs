//! The window's own part: its packages, its checks, and the files that are built into the app.

use crate::Outcome;
use crate::command::{exists, finish, program, root};
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

/// What npm writes last when it has installed everything; older than the lock means stale.
const INSTALLED: &str = "node_modules/.package-lock.json";

/// What the built files are made from.
const SOURCES: [&str; 6] = [
    "src",
    "index.html",
    "package-lock.json",
    "vite.config.ts",
    "svelte.config.js",
    "tsconfig.json",
];

/// Installs the packages if they are missing or older than the lock.
pub fn set_up() -> Outcome {
    if !exists("npm") {
        return Err("the window needs Node.js 20.19 or newer with npm; install it first".into());
    }
    let folder = root()?.join("ui");
    let age = |file: &str| folder.join(file).metadata().and_then(|found| found.modified()).ok();
    if let (Some(installed), Some(lock)) = (age(INSTALLED), age("package-lock.json"))
        && installed >= lock
    {
        return Ok(());
    }
    println!("installing the window's packages …");
    finish(npm(&["ci", "--no-audit", "--no-fund"])?.env("CI", "true"))
}

/// Builds the files that are embedded in the app, if their sources are newer. Files that are
/// written anew make cargo compile the app again, which takes minutes for a release.
pub fn build() -> Outcome {
    set_up()?;
    let folder = root()?.join("ui");
    let changed = SOURCES.iter().filter_map(|name| newest(&folder.join(name))).max();
    if newest(&folder.join("dist/index.html")) >= changed {
        return Ok(());
    }
    finish(&mut npm(&["run", "--silent", "build"])?)
}

/// Checks types and runs the window's tests.
pub fn check() -> Outcome {
    set_up()?;
    finish(&mut npm(&["run", "--silent", "check"])?)?;
    finish(&mut npm(&["run", "--silent", "test"])?)
}

fn npm(words: &[&str]) -> Result<Command, String> {
    let mut command = program("npm")?;
    command.current_dir(root()?.join("ui")).args(words);
    Ok(command)
}

/// When a file was last written, or the last of all in a folder; a folder is written when one of
/// its files comes or goes.
fn newest(path: &Path) -> Option<SystemTime> {
    let own = path.metadata().and_then(|found| found.modified()).ok();
    let inside = path.read_dir().into_iter().flatten().flatten();
    inside.filter_map(|entry| newest(&entry.path())).chain(own).max()
}
