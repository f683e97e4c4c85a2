//! `cargo xtask types`: the types the UI shares with the app, written from the Rust types.

use std::fs;
use std::path::Path;

use crate::Outcome;
use crate::command::{built, cargo, finish, program, root};

const FILE: &str = "ui/src/lib/wire.ts";

/// Writes the wire types, or with `--check` compares them.
pub fn perform(words: &[String]) -> Outcome {
    match words {
        [] => write(&generate()?),
        [word] if word == "--check" => check(),
        [.., word] => Err(format!("`types` takes --check or nothing, not `{word}`")),
    }
}

/// Fails when the stored file is not what the types would give now.
pub fn check() -> Outcome {
    let wanted = generate()?;
    let stored = fs::read_to_string(root()?.join(FILE)).unwrap_or_default();
    if stored == wanted {
        return Ok(());
    }
    Err(format!(
        "{FILE} is not what the Rust types say now; run `cargo xtask types` and commit the file"
    ))
}

/// Whether there is anything to compare: the program that writes the types, or what it wrote.
pub fn exist() -> Result<bool, String> {
    let root = root()?;
    Ok(root.join("src-tauri/examples/wire.rs").exists() || root.join(FILE).exists())
}

fn generate() -> Result<String, String> {
    // `--workspace` gives the example the dependencies that the tests have built already.
    finish(&mut cargo(&["build", "--quiet", "--workspace", "--example", "wire"])?)?;
    let wire = built()?.join("examples").join(format!("wire{}", std::env::consts::EXE_SUFFIX));
    let output = program(wire)?
        .output()
        .map_err(|error| format!("cannot start the example `wire`: {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "the example `wire` ended with {}: {}",
            output.status,
            String::from_utf8_lossy(&output.stderr).trim()
        ));
    }
    String::from_utf8(output.stdout)
        .map_err(|_| "the example `wire` wrote something other than text".into())
}

fn write(text: &str) -> Outcome {
    let path = root()?.join(FILE);
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&path, text))
        .map_err(|error| format!("cannot write {FILE}: {error}"))?;
    println!("wrote {FILE}");
    Ok(())
}
