//! A Python with pytest for the tests of the sandbox, made once beside the builds.

use crate::Outcome;
use crate::command::{built, finish, program};

/// Makes it, if it is not there.
pub fn provide() -> Outcome {
    let folder = built()?.with_file_name("pytest");
    if folder.join("bin/pytest").exists() {
        return Ok(());
    }
    println!("making a Python with pytest in {} …", folder.display());
    finish(program("python3")?.args(["-m", "venv", "--clear"]).arg(&folder)).map_err(
        |sentence| format!("{sentence}; Python needs its module venv (python3-venv on Debian)"),
    )?;
    let words = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pytest"];
    finish(program(folder.join("bin/python"))?.args(words))
}
