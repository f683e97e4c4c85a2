//! The walls between the crates, as the architecture draws them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every crate that a crate is built with, itself included.
fn tree(package: &str) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--offline",
            "--edges",
            "normal,build",
            "--prefix",
            "none",
            "--format",
            "{p}",
        ])
        .args(["--package", package])
        .current_dir(root())
        .output()
        .expect("cargo tree runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| line.split(' ').next())
        .map(str::to_owned)
        .collect()
}

fn assert_without(package: &str, forbidden: &[&str]) {
    let tree = tree(package);
    assert!(tree.contains(package));
    for name in forbidden {
        assert!(!tree.contains(*name), "{package} must not know {name}");
    }
}

#[test]
fn plan_has_only_what_is_allowed() {
    let manifest = std::fs::read_to_string(root().join("src-tauri/plan/Cargo.toml")).unwrap();
    let section = manifest.split("[dependencies]\n").nth(1).unwrap().split("\n[").next().unwrap();
    let named: BTreeSet<&str> = section
        .lines()
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| !name.is_empty())
        .collect();
    let allowed: BTreeSet<&str> =
        ["blake3", "globset", "serde", "serde_json", "thiserror", "ts-rs", "utoipa", "uuid"].into();
    assert_eq!(named, allowed);
    assert_without("plan", &["tokio", "futures", "rand", "getrandom", "rusqlite", "reqwest"]);
}

#[test]
fn plan_reads_no_clock_and_no_unordered_map() {
    let words = ["SystemTime", "Instant::", "HashMap", "HashSet", "std::fs", "std::env", "async "];
    for file in rust_files(&root().join("src-tauri/plan/src")) {
        let text = std::fs::read_to_string(&file).unwrap();
        let code: String =
            text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        for word in words {
            assert!(!code.contains(word), "{} uses {word}", file.display());
        }
    }
}

#[test]
fn models_and_tools_do_not_know_plans() {
    assert_without("models", &["plan", "tools", "engine", "tauri"]);
    assert_without("tools", &["plan", "models", "engine", "tauri"]);
}

#[test]
fn the_engine_knows_no_window() {
    for package in ["engine", "plancard"] {
        assert_without(package, &["tauri", "gtk", "webkit2gtk", "wry", "tao"]);
    }
}

#[test]
fn sql_lives_in_the_journal_only() {
    let journal = root().join("src-tauri/engine/src/journal");
    for file in rust_files(&root().join("src-tauri")) {
        let inside = file.canonicalize().unwrap().starts_with(journal.canonicalize().unwrap());
        let text = std::fs::read_to_string(&file).unwrap();
        let this = file.ends_with("xtask/tests/walls.rs");
        assert!(inside || this || !text.contains("rusqlite"), "{} knows SQL", file.display());
    }
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            files.push(path);
        }
    }
    files
}
