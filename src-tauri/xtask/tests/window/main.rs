//! The walls around the window, read from the sources: which commands its page may call, what the
//! page may load, and what its code may not do. Whoever widens one of them has to say so here.

mod commands;
mod page;
mod policy;

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn json(path: &str) -> serde_json::Value {
    serde_json::from_str(&text(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The files below a folder whose names end in one of these, from the top of the workspace.
fn files(folder: &str, endings: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root().join(folder)).expect("the folder is there") {
        let entry = entry.expect("it can be read");
        let path = format!("{folder}/{}", entry.file_name().display());
        if entry.path().is_dir() {
            found.extend(files(&path, endings));
        } else if endings.iter().any(|ending| path.ends_with(ending)) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// What stands between two marks, the first time they come.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("`{start}` is not there"));
    rest.split_once(end).unwrap_or_else(|| panic!("`{end}` is not there")).0
}
