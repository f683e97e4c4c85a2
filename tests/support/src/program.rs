//! The programs that tests start, built as people get them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A program of ours beside this test, brought up to date: `cargo test` builds
/// the programs of a package only for that package's own tests. Its package has
/// the same name. `PLANCARD_PROGRAMS` names a folder in which all of them are.
pub fn program(name: &str) -> PathBuf {
    static BUILT: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if let Some(folder) = std::env::var_os("PLANCARD_PROGRAMS").map(PathBuf::from) {
        return folder.join(name);
    }
    let folder = folder();
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    if !built.contains(name) {
        build(name, &folder);
        built.insert(name.to_owned());
    }
    folder.join(name)
}

fn folder() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows where it is");
    let beside = test.parent().expect("a program is in a folder");
    // A test is in the `deps` of a build, any other program of ours beside what it starts.
    let in_deps = beside.file_name().is_some_and(|name| name == "deps");
    let folder = if in_deps { beside.parent().expect("a build is in a folder") } else { beside };
    folder.to_owned()
}

fn build(package: &str, folder: &Path) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = std::process::Command::new(cargo);
    build.args(["build", "--quiet", "--package", package, "--target-dir"]);
    build.arg(folder.parent().expect("a build is in the target folder"));
    if folder.file_name().is_some_and(|profile| profile == "release") {
        build.arg("--release");
    }
    // What cargo tells this test about its own package would make it build others anew.
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            build.env_remove(name);
        }
    }
    let built = build.current_dir(env!("CARGO_MANIFEST_DIR")).status();
    assert!(built.expect("cargo can be started").success(), "{package} can be built");
}
