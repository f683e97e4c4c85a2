//! Looking is free in strict mode before anything is approved.

use crate::{Scene, outcome};
use serde_json::json;
use std::process::Command;
use support::{Reply, TempWorkspace};

/// A real repository with a cargo project in it.
fn project() -> TempWorkspace {
    let workspace = TempWorkspace::new(&[
        ("Cargo.toml", "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
        ("src/lib.rs", "pub fn wanted() {}\n"),
    ]);
    let run = |program: &str, args: &[&str]| {
        let done = Command::new(program).current_dir(workspace.path()).args(args).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    // Without it, cargo would want to write one.
    run("cargo", &["generate-lockfile", "--offline"]);
    run("git", &["init", "-q"]);
    run("git", &["add", "."]);
    let who = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
    run("git", &[&who[..], &["commit", "-qm", "the first commit"]].concat());
    workspace
}

/// The tools this needs are among the packages that `cargo xtask test` asks for; a computer
/// without one of them fails here rather than tests less.
#[tokio::test]
async fn git_log_rg_ls_and_cargo_metadata_work_before_approval() {
    let looks = [
        ("shell", json!({ "command": "git log --oneline" }), "the first commit"),
        ("shell", json!({ "command": "git status --short" }), ""),
        ("shell", json!({ "command": "git show HEAD:src/lib.rs" }), "pub fn wanted"),
        ("shell", json!({ "command": "rg -n wanted" }), "src/lib.rs:1:pub fn wanted"),
        ("shell", json!({ "command": "ls -a" }), "Cargo.toml"),
        ("shell", json!({ "command": "cd src && ls && cat lib.rs | head -n 1" }), "lib.rs"),
        ("shell", json!({ "command": "cargo metadata --offline", "folder": "." }), "\"packages\""),
        ("shell", json!({ "command": "cargo tree --offline", "folder": "." }), "small v0.1.0"),
        ("search", json!({ "pattern": "wanted" }), "src/lib.rs"),
        ("read_file", json!({ "path": "src/lib.rs" }), "pub fn wanted"),
        ("list_dir", json!({ "path": "." }), "Cargo.toml"),
        ("glob", json!({ "pattern": "**/*.rs" }), "src/lib.rs"),
    ];
    let mut script: Vec<Reply> =
        looks.iter().map(|(tool, args, _)| Reply::call(*tool, args.clone())).collect();
    script.push(Reply::text("I have seen it."));
    let scene = Scene::configured("strict", script, project(), "").await;
    let before = crate::tree::tree(&scene.workspace.path(), &[]);
    scene.say("look around").await;
    scene.wait_idle().await;
    let log = scene.log().await;
    let ended: Vec<_> = log.iter().filter(|heard| heard.name == "call_ended").collect();
    assert_eq!(ended.len(), looks.len());
    for ((tool, args, words), (ended, told)) in looks.iter().zip(ended.iter().zip(scene.results()))
    {
        assert_eq!(outcome(ended).0, "ok", "{tool} {args}: {told}");
        assert!(told.contains(words), "{tool} {args}: {told}");
    }
    assert_eq!(scene.count("ask_raised").await, 0);
    assert_eq!(crate::tree::tree(&scene.workspace.path(), &[]), before);
}

/// Cargo would write the lock file that is missing, which a look must not; it says what works.
#[tokio::test]
async fn without_a_lock_file_cargo_says_what_works() {
    let workspace = project();
    std::fs::remove_file(workspace.path().join("Cargo.lock")).unwrap();
    let metadata = |options: &str| {
        Reply::call("shell", json!({ "command": format!("cargo metadata {options}") }))
    };
    let script = vec![
        metadata("--offline"),
        metadata("--no-deps --offline"),
        Reply::text("I have seen it."),
    ];
    let scene = Scene::configured("strict", script, workspace, "").await;
    scene.say("look around").await;
    scene.wait_idle().await;
    let told = scene.results();
    assert!(told[0].contains("`cargo metadata --no-deps --offline` needs none"), "{}", told[0]);
    assert!(told[1].contains("\"packages\""), "{}", told[1]);
    assert!(!scene.workspace.path().join("Cargo.lock").exists());
}
