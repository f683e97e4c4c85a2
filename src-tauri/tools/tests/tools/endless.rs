//! Files that never come to an end, where Plancard itself looks for small ones.

use crate::support::{Desk, desk};
use serde_json::json;
use std::future::Future;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::time::Duration;
use tools::Profile;

/// Long enough for anything that does not wait for ever.
const PATIENCE: Duration = Duration::from_secs(120);

async fn ends<T>(what: &str, doing: impl Future<Output = T>) -> T {
    let ended = tokio::time::timeout(PATIENCE, doing).await;
    ended.unwrap_or_else(|_| panic!("never: {what}"))
}

fn repository() -> Desk {
    let desk = desk();
    let git = |args: &[&str]| {
        let done = Command::new("git").arg("-C").arg(desk.ws.root()).args(args).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q"]);
    desk.put("a.txt", "needle\n");
    git(&["add", "."]);
    desk
}

/// Puts a pipe, or a link to a device, in the place of a file.
fn plant(desk: &Desk, name: &str, device: Option<&str>) {
    let path = desk.path(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let _ = std::fs::remove_file(&path);
    match device {
        Some(device) => symlink(device, &path).unwrap(),
        None => {
            assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_waits_for_a_pipe_or_reads_a_device() {
    for name in [
        ".gitmodules",
        ".gitignore",
        ".ignore",
        "sub/.gitignore",
        ".git/index",
        ".git/HEAD",
        ".git/config",
        ".git/config.worktree",
        ".git/commondir",
        ".git/info/exclude",
        ".git/modules/m/config",
        ".git/worktrees/t/gitdir",
        ".git/worktrees/t/commondir",
        "sub/.git",
        "sub/.git/config",
        "sub/.git/commondir",
    ] {
        for device in [None, Some("/dev/zero")] {
            let desk = repository();
            plant(&desk, name, device);
            let what = format!("{name} {device:?}");
            // Whether it works is another matter.
            for (tool, args) in [
                ("shell", json!({"command": "echo x > made"})),
                ("shell", json!({"command": "ls"})),
                ("search", json!({"pattern": "needle"})),
                ("glob", json!({"pattern": "*"})),
                ("write_file", json!({"path": "b", "content": "x"})),
            ] {
                let _ = ends(&format!("{what}: {tool}"), desk.run(tool, args)).await;
            }
            let ws = desk.ws.clone();
            let found = tokio::task::spawn_blocking(move || ws.find("a", 9));
            ends(&format!("{what}: find"), found).await.unwrap();
            let found = desk.run("search", json!({"pattern": "needle"})).await.unwrap();
            assert_eq!(found.text, "a.txt:1:needle", "{what}");
        }
    }
}

/// The same when a command made it, and is looked at afterwards.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_hangs_after_a_command_that_made_such_a_file() {
    for made in [
        "mkdir -p x/.git && ln -s /dev/zero x/.git/config",
        "mkdir -p x/.git && mkfifo x/.git/config x/.git/commondir",
        "mkdir x && mkfifo x/.git",
        "mkfifo .git",
        "ln -s /dev/zero .git",
        "mkfifo .gitmodules .gitignore .ignore",
        "mkdir .git && mkfifo .git/index .git/config .git/HEAD",
        "git init -q && printf '[include]\\npath = /dev/zero\\n' >> .git/config",
    ] {
        let desk = desk();
        let output = ends(made, desk.shell(made)).await;
        assert!(!output.failed, "{made}: {}", output.text);
        let _ = ends(made, desk.run("shell", json!({"command": "echo x > y"}))).await;
        let _ = ends(made, desk.run("shell", json!({"command": "git status"}))).await;
    }
}

/// A lock on git's folder is another way to make somebody wait.
#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_locks_gits_folder_holds_nobody_up() {
    let desk = repository();
    let mut looking = desk.ctx.clone();
    looking.profile = Profile::Look;
    // One that may write would meet our own lock.
    let command = "exec 9<.git; flock -x 9; echo locked; sleep 1000";
    let job = json!({"command": command, "background": true});
    desk.toolbox.run("shell", &job, &desk.ws, &looking).await.unwrap();
    let mut said = String::new();
    while !said.contains("locked") {
        let wait = json!({"job": 1, "wait_seconds": 1});
        said = ends("the lock", desk.run("job_output", wait)).await.unwrap().text;
    }
    let output = ends("the next command", desk.shell("echo x > made")).await;
    assert!(!output.failed, "{}", output.text);
    ends("stopping it", desk.run("job_stop", json!({"job": 1}))).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pattern_that_would_take_minutes_is_refused_and_very_long_lines_are_passed_over() {
    let desk = desk();
    desk.put("one-line.txt", "x".repeat(2 * 1024 * 1024));
    desk.put("short.txt", "xylophone\n");
    let huge = json!({ "pattern": "(x{1000}){1000}" });
    assert_eq!(ends("a huge pattern", desk.fails("search", huge)).await, "BAD_ARGUMENTS");
    let found = ends("a search", desk.run("search", json!({ "pattern": "x" }))).await.unwrap();
    let note = "[not searched in whole: one-line.txt has a line of more than 1 MB]";
    assert_eq!(found.text, format!("short.txt:1:xylophone\n{note}"));
    // What people write is small enough.
    let usual = json!({ "pattern": r"(?i)\b(fn|struct|enum)\s+\w+\s*<[^>]*>|\p{L}{3,12}phone" });
    assert!(ends("a search", desk.run("search", usual)).await.unwrap().text.contains("xylophone"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_does_not_make_a_file_larger_than_can_be_read_again() {
    let desk = desk();
    desk.put("a.txt", "x".repeat(300_000));
    let edit = json!({ "path": "a.txt", "old": "x", "new": "y".repeat(1_000), "all": true });
    assert_eq!(desk.fails("edit_file", edit).await, "TOO_LARGE");
    assert_eq!(std::fs::metadata(desk.path("a.txt")).unwrap().len(), 300_000);
}
