//! Servers that people really use, from the package registries.

use crate::desk::{Desk, desk, program, running, until};
use serde_json::json;
use std::path::{Path, PathBuf};
use tools::Effect;
use tools::mcp::{Reach, Server, State, effect};

/// The folder that `cargo xtask servers` fills.
pub fn installed(program: &str) -> (PathBuf, PathBuf) {
    let test = std::env::current_exe().unwrap();
    let folder = test.ancestors().nth(3).unwrap().join("mcp-servers");
    let file = folder.join(program);
    assert!(file.exists(), "{} is missing; `cargo xtask servers` installs it", file.display());
    (folder, file)
}

fn node(name: &str, args: &[&str]) -> Server {
    let (folder, file) = installed(&format!("npm/node_modules/.bin/mcp-server-{name}"));
    let mut words = vec![file.to_str().unwrap()];
    words.extend(args);
    program(name, "node", &words, &[&folder])
}

fn python(name: &str, args: &[&str]) -> Server {
    let (folder, file) = installed(&format!("pypi/bin/mcp-server-{name}"));
    program(name, file.to_str().unwrap(), args, &[&folder])
}

async fn names(desk: &Desk, server: &Server) -> Vec<String> {
    desk.list(server).await.unwrap().into_iter().map(|tool| tool.name).collect()
}

#[tokio::test]
async fn the_filesystem_server_reads_and_writes_in_the_workspace_alone() {
    let desk = desk();
    std::fs::write(desk.path().join("a.txt"), "hello").unwrap();
    let server = node("filesystem", &["${workspace}"]);
    let tools = names(&desk, &server).await;
    assert!(tools.contains(&"read_text_file".to_owned()), "{tools:?}");
    let path = desk.path().join("a.txt");
    assert_eq!(desk.says(&server, "read_text_file", json!({ "path": path })).await, "hello");
    let new = desk.path().join("b.txt");
    let output = desk.call(&server, "write_file", json!({ "path": new, "content": "new" })).await;
    assert_eq!(output.unwrap().changed[0].path, "b.txt");
    assert_eq!(std::fs::read_to_string(new).unwrap(), "new");
    let outside = desk.call(&server, "read_text_file", json!({ "path": "/etc/hostname" })).await;
    assert!(outside.unwrap().failed);
}

#[tokio::test]
async fn the_filesystem_server_can_not_write_where_it_may_only_look() {
    let desk = desk().looking();
    let server = node("filesystem", &["."]);
    let new = desk.path().join("b.txt");
    let args = json!({ "path": new, "content": "new" });
    assert!(desk.call(&server, "write_file", args).await.unwrap().failed);
    assert!(!new.exists());
}

#[tokio::test]
async fn the_everything_server_answers_tells_its_progress_and_asks() {
    let desk = desk().looking();
    let server = node("everything", &[]);
    let said = desk.says(&server, "echo", json!({ "message": "hi" })).await;
    assert_eq!(said, "Echo: hi");
    let said = desk.says(&server, "get-sum", json!({ "a": 2, "b": 3 })).await;
    assert!(said.contains('5'), "{said}");
    let said = desk.says(&server, "get-tiny-image", json!({})).await;
    assert!(said.contains("[an image, PNG, "), "{said}");
    let args = json!({ "duration": 0.2, "steps": 4 });
    desk.says(&server, "trigger-long-running-operation", args).await;
    assert!(!desk.ear.heard.lock().unwrap().is_empty());
    let said = desk.says(&server, "resources_list", json!({})).await;
    assert!(said.contains("demo://"), "{said}");
    let uri = said.split_whitespace().next().unwrap().to_owned();
    assert!(!desk.says(&server, "resources_read", json!({ "uri": uri })).await.is_empty());
    desk.says(&server, "trigger-elicitation-request", json!({})).await;
    assert!(!desk.ear.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn what_calls_itself_read_only_sees_no_secret_of_ours() {
    let desk = desk().looking();
    let mut server = node("everything", &[]);
    server.trusted = true;
    let tools = desk.list(&server).await.unwrap();
    let get_env = tools.iter().find(|tool| tool.name == "get-env").unwrap();
    assert_eq!(effect(&server, get_env, false).0, Effect::Read, "the trap: it says so");
    let said = desk.says(&server, "get-env", json!({})).await;
    assert!(said.contains("PATH") && !said.contains("CARGO_MANIFEST_DIR"), "{said}");
}

#[tokio::test]
async fn a_long_call_is_cancelled_and_leaves_nothing() {
    let desk = desk();
    let mark = format!("everything-mark-{}", std::process::id());
    // The first argument chooses how it talks; more are ignored.
    let server = node("everything", &["stdio", &mark]);
    let cancel = desk.limits.cancel.clone();
    let args = json!({ "duration": 600, "steps": 6000 });
    let call = desk.call(&server, "trigger-long-running-operation", args);
    let stop = async {
        until("it has begun", || !desk.ear.heard.lock().unwrap().is_empty()).await;
        assert!(!running(&mark).is_empty());
        cancel.cancel();
    };
    let (ended, ()) = tokio::join!(call, stop);
    assert_eq!(ended.unwrap_err().code(), "CANCELLED");
    assert_eq!(running(&mark), Vec::<i32>::new());
}

#[tokio::test]
async fn the_git_server_looks_and_is_restarted_when_killed() {
    let desk = desk();
    let git = |words: &[&str]| {
        let done = std::process::Command::new("git").args(words).current_dir(desk.path()).output();
        assert!(done.unwrap().status.success());
    };
    git(&["init", "--quiet"]);
    std::fs::write(desk.path().join("new.txt"), "x").unwrap();
    let server = python("git", &[]);
    let args = json!({ "repo_path": desk.path() });
    let said = desk.says(&server, "git_status", args.clone()).await;
    assert!(said.contains("new.txt"), "{said}");
    let tools = desk.list(&server).await.unwrap();
    let checkout = tools.iter().find(|tool| tool.name == "git_checkout").unwrap();
    let trusted = Server { trusted: true, ..server.clone() };
    assert_eq!(effect(&trusted, checkout, false).0, Effect::WriteOutside);
    let mark = desk.path().display().to_string();
    for pid in running(&mark) {
        // Some of them die with the first.
        let _ = std::process::Command::new("kill").args(["-9", &pid.to_string()]).output();
    }
    until("it is gone", || running(&mark).is_empty()).await;
    until("that is seen", || desk.servers.health()[0].state == State::Resting).await;
    assert!(desk.says(&server, "git_status", args).await.contains("new.txt"));
}

/// Sends a signal to everything a server runs.
fn signal(mark: &str, name: &str) {
    for pid in running(mark) {
        // Some of them die with the first.
        let _ = std::process::Command::new("kill").args([name, &pid.to_string()]).output();
    }
}

/// The same server behind a program that keeps answers back when it is told to.
fn withholding(mut server: Server) -> Server {
    let Reach::Program { command, args, read, .. } = &mut server.reach else { unreachable!() };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/support/mcp/withhold.py");
    let script = script.canonicalize().unwrap();
    read.push(script.clone());
    let inner = std::mem::replace(command, "python3".to_owned());
    args.splice(0..0, [script.display().to_string(), inner]);
    server
}

/// A call that waits for something that never comes, in a server as people have it.
#[tokio::test]
async fn a_file_that_never_ends_is_read_until_the_call_is_cancelled() {
    let desk = desk();
    let (server, mark) = (node("filesystem", &["${workspace}"]), desk.path().display().to_string());
    let pipe = desk.path().join("pipe");
    let kind = rustix::fs::FileType::Fifo;
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, kind, mode, 0).unwrap();
    let stop = async {
        // It can be opened as soon as somebody reads it, and ends when nobody has it open.
        let mut writer = None;
        until("it is read", || {
            let flags = rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::NONBLOCK;
            writer = rustix::fs::open(&pipe, flags, rustix::fs::Mode::empty()).ok();
            writer.is_some()
        })
        .await;
        desk.limits.cancel.cancel();
        writer
    };
    let call = desk.call(&server, "read_text_file", json!({ "path": pipe }));
    let (ended, _writer) = tokio::join!(call, stop);
    assert_eq!(ended.unwrap_err().code(), "CANCELLED");
    assert_eq!(running(&mark), Vec::<i32>::new());
}

/// All four go through the same: listed, called, cancelled, killed, and started again.
#[tokio::test]
async fn each_server_is_listed_called_cancelled_killed_and_started_again() {
    let everything = json!({ "message": "hi" });
    let time = json!({ "timezone": "Europe/Berlin" });
    let rows = [
        (node("filesystem", &["${workspace}"]), "list_directory", None, "new.txt"),
        (node("everything", &[]), "echo", Some(everything), "Echo: hi"),
        (python("git", &[]), "git_status", None, "new.txt"),
        (python("time", &[]), "get_current_time", Some(time), "Europe/Berlin"),
    ];
    let rows = rows.map(|(server, tool, args, words)| (withholding(server), tool, args, words));
    for (server, tool, args, words) in rows {
        let mut desk = desk();
        let (path, mark) = (desk.path().to_owned(), desk.path().display().to_string());
        let mut git = std::process::Command::new("git");
        assert!(git.args(["init", "-q"]).current_dir(&path).status().unwrap().success());
        std::fs::write(path.join("new.txt"), "x").unwrap();
        let here = if tool == "git_status" { "repo_path" } else { "path" };
        let args = args.unwrap_or_else(|| json!({ here: path }));
        assert!(names(&desk, &server).await.contains(&tool.to_owned()), "{}", server.name);
        let said = desk.says(&server, tool, args.clone()).await;
        assert!(said.contains(words), "{}: {said}", server.name);

        // No answer comes, so the call is still under way.
        std::fs::write(path.join("withhold"), "").unwrap();
        std::fs::write(path.join("heard"), "").unwrap();
        let heard = |method: &str| {
            let heard = std::fs::read_to_string(path.join("heard")).unwrap();
            heard.lines().any(|line| line == method)
        };
        let cancel = desk.limits.cancel.clone();
        let stop = async {
            until("it is called", || heard("tools/call")).await;
            cancel.cancel();
        };
        let (ended, ()) = tokio::join!(desk.call(&server, tool, args.clone()), stop);
        assert_eq!(ended.unwrap_err().code(), "CANCELLED", "{}", server.name);
        assert_eq!(running(&mark), Vec::<i32>::new(), "{} after a cancel", server.name);
        std::fs::remove_file(path.join("withhold")).unwrap();
        desk.limits.cancel = Default::default();
        let said = desk.says(&server, tool, args.clone()).await;
        assert!(said.contains(words), "{} after a cancel: {said}", server.name);

        signal(&mark, "-KILL");
        until("it is gone", || running(&mark).is_empty()).await;
        let resting = || desk.servers.health().iter().all(|one| one.state == State::Resting);
        until("that is seen", resting).await;
        let said = desk.says(&server, tool, args).await;
        assert!(said.contains(words), "{} after a kill: {said}", server.name);
        desk.servers.end_all().await;
        assert_eq!(running(&mark), Vec::<i32>::new(), "{}", server.name);
    }
}

#[tokio::test]
async fn the_time_server_is_shared_by_all_workspaces() {
    let desk = desk();
    let mut server = python("time", &["--local-timezone", "UTC"]);
    server.share = true;
    let args = json!({ "timezone": "Europe/Berlin" });
    let said = desk.says(&server, "get_current_time", args).await;
    assert!(said.contains("Europe/Berlin"), "{said}");
    let failed = desk.call(&server, "get_current_time", json!({ "timezone": "Nowhere" })).await;
    assert!(failed.unwrap().failed, "a tool's failure is an answer");
    assert_eq!(desk.servers.health()[0].workspace, None);
}

#[tokio::test]
async fn a_program_that_is_not_there_is_told_in_words() {
    let desk = desk();
    let server = program("nothing", "no-such-server", &[], &[] as &[&Path]);
    let error = desk.list(&server).await.unwrap_err();
    assert_eq!(error.code(), "MCP_NOT_STARTED");
    assert!(error.to_string().contains("no-such-server: not found"), "{error}");
}
