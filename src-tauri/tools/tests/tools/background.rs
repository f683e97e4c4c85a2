//! Commands that go on while other calls are made.

use crate::support::{desk, runs, until};
use serde_json::json;

fn start(command: &str) -> serde_json::Value {
    json!({ "command": command, "background": true })
}

#[tokio::test]
async fn a_job_is_started_read_and_waited_for() {
    let desk = desk();
    let begun = desk
        .run("shell", start("echo one; until test -e go; do sleep 0.01; done; echo two; exit 3"));
    assert!(begun.await.unwrap().text.starts_with("job 1 runs in the background"));
    let read = async |wait: f64| {
        desk.run("job_output", json!({"job": 1, "wait_seconds": wait})).await.unwrap()
    };
    loop {
        let text = read(0.0).await.text;
        if text.starts_with("one\n(still running: echo one;") {
            break;
        }
        assert!(text.starts_with("(still running"), "{text}");
    }
    desk.put("go", "");
    let ended = read(50.0).await;
    assert_eq!((ended.text.as_str(), ended.exit_code), ("one\ntwo\n(exit code 3)", Some(3)));
    assert_eq!(desk.fails("job_output", json!({"job": 2})).await, "NO_SUCH_JOB");
}

#[tokio::test]
async fn a_job_is_ended_with_all_it_started() {
    let desk = desk();
    let command = "(exec -a stop-job-marker setsid sleep 1000) & echo begun; sleep 1000";
    desk.run("shell", start(command)).await.unwrap();
    until("it runs", || runs("stop-job-marker")).await;
    loop {
        let said = desk.run("job_output", json!({"job": 1})).await.unwrap().text;
        if said.starts_with("begun") {
            break;
        }
    }
    let stopped = desk.run("job_stop", json!({"job": 1})).await.unwrap();
    assert_eq!(stopped.text, "begun\n(job 1 has ended)");
    assert!(!runs("stop-job-marker"));
}

#[tokio::test]
async fn jobs_end_with_their_shell_and_when_it_is_told_to() {
    for dropped in [true, false] {
        let mut desk = desk();
        desk.run("shell", start("exec -a end-job-marker sleep 1000")).await.unwrap();
        desk.run("shell", start("exec -a end-job-marker sleep 1000")).await.unwrap();
        until("it runs", || runs("end-job-marker")).await;
        match dropped {
            true => desk.ctx.shell = tools::Shell::default(),
            false => desk.ctx.shell.stopped().await,
        }
        until("they are gone", || !runs("end-job-marker")).await;
    }
}

#[tokio::test]
async fn there_are_only_so_many() {
    let desk = desk();
    for _ in 0..8 {
        desk.run("shell", start("sleep 1000")).await.unwrap();
    }
    let ninth = desk.run("shell", start("sleep 1000")).await.unwrap_err();
    assert_eq!(ninth.code(), "TOO_MANY_JOBS");
    let words = "8 commands run in the background already; end one with job_stop first";
    assert_eq!(ninth.to_string(), words);
    desk.run("job_stop", json!({"job": 3})).await.unwrap();
    assert!(desk.run("shell", start("sleep 1000")).await.is_ok());
    desk.ctx.shell.stopped().await;
}

#[tokio::test]
async fn a_job_is_confined_like_any_command() {
    let desk = desk();
    desk.run("shell", start("echo x > /usr/x || cat ~/.ssh/id_ed25519 || echo walls"))
        .await
        .unwrap();
    let ended = desk.run("job_output", json!({"job": 1, "wait_seconds": 50})).await.unwrap();
    assert!(ended.text.contains("walls"), "{}", ended.text);
}
