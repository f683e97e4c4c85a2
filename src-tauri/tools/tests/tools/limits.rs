//! Limits for memory, processes and processors: as root with control groups, and as an ordinary
//! user without any. Small ones, so that no test endangers the computer.

use crate::program::bash;
use crate::support::{Desk, User, alone, desk, is_alone, runs, until};
use serde_json::json;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, BufReader};
use tools::{ResourceLimits, Toolbox};

const LIMITS: ResourceLimits = ResourceLimits {
    memory_mb: 64,
    all_memory_mb: 96,
    processes: 50,
    all_processes: 200,
    processors: None,
};

/// Without control groups, which root always can make here, each process has a limit of its own.
fn has_groups() -> bool {
    rustix::process::geteuid().is_root()
}

/// A command that is ended for memory, and what is said about it.
async fn out_of_memory(desk: &Desk, command: &str) -> String {
    let began = Instant::now();
    let ran = desk.run("shell", json!({ "command": command })).await;
    assert!(began.elapsed() < Duration::from_secs(20), "{command}");
    match ran {
        Err(error) => {
            assert_eq!(error.code(), "OUT_OF_MEMORY", "{command}: {error}");
            error.to_string()
        }
        Ok(output) => {
            assert!(!has_groups() && output.failed, "{command}: {}", output.text);
            output.text
        }
    }
}

#[test]
fn tail_of_dev_zero_ends_for_memory_and_names_the_limit() {
    for user in [User::Same, User::Ordinary] {
        alone("limits::tail_of_dev_zero", user);
    }
}

#[tokio::test]
async fn tail_of_dev_zero() {
    if !is_alone(LIMITS) {
        return;
    }
    let args = json!({ "command": "tail /dev/zero" });
    for desk in [desk(), desk().looking()] {
        let facts = Toolbox::builtin().facts("shell", &args, &desk.ws).unwrap();
        assert_eq!(facts.effect, tools::Effect::Read, "it counts as looking");
        let said = out_of_memory(&desk, "tail /dev/zero").await;
        assert!(said.contains("64 MB of memory"), "{said}");
        assert!(said.contains("`limits.memory_mb`"), "{said}");
        // So does a program that is talked to.
        let folder = tempfile::tempdir().unwrap();
        let started = tools::start_program(bash(folder.path(), "tail /dev/zero")).await.unwrap();
        let said = BufReader::new(started.stdout).lines().next_line().await.unwrap();
        assert_eq!(said, None);
        let words = started.program.end().await;
        if has_groups() {
            assert!(words.contains("it was ended: it used more than 64 MB of memory"), "{words}");
        }
        // A job says it in the same words.
        let job = json!({ "command": "tail /dev/zero", "background": true });
        desk.run("shell", job).await.unwrap();
        let job = json!({ "job": 1, "wait_seconds": 20 });
        let said = desk.run("job_output", job).await.unwrap().text;
        assert!(said.contains("64 MB of memory"), "{said}");
    }
}

#[test]
fn memory_is_limited_whatever_takes_it() {
    for user in [User::Same, User::Ordinary] {
        alone("limits::memory_in_other_ways", user);
    }
}

#[tokio::test]
async fn memory_in_other_ways() {
    if !is_alone(LIMITS) {
        return;
    }
    let desk = desk();
    let fill = |mb: u32| format!("python3 -c \"x = b'x' * ({mb} << 20); print('enough')\"");
    // At its edge, from both sides.
    assert_eq!(desk.shell(&fill(40)).await.text, "enough\n");
    out_of_memory(&desk, &fill(80)).await;
    if !has_groups() {
        return;
    }
    // Files in memory count, and so do those that left their session.
    for command in [
        "dd if=/dev/zero of=/tmp/full bs=1M count=200",
        "dd if=/dev/zero of=\"$HOME/full\" bs=1M count=200",
        "dd if=/dev/zero of=/dev/shm/full bs=1M count=200",
        &format!(
            "{0} & {0} & {0} & wait",
            fill(30).replace("print('enough')", "__import__('time').sleep(1000)")
        ),
        &format!("setsid {} & wait $!", fill(80)),
    ] {
        out_of_memory(&desk, command).await;
    }
    // The next one starts with nothing used.
    assert_eq!(desk.shell(&fill(40)).await.text, "enough\n");
}

#[test]
fn commands_have_a_limit_of_memory_together() {
    alone("limits::two_that_want_too_much", User::Same);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_that_want_too_much() {
    if !is_alone(LIMITS) || !has_groups() {
        return;
    }
    let fill =
        "python3 -c \"import time; x = b'x' * (50 << 20); open('there', 'w'); time.sleep(9)\"";
    let (one, other) = (desk(), desk());
    let job = json!({ "command": fill, "background": true });
    one.run("shell", job.clone()).await.unwrap();
    until("it has its memory", || one.path("there").exists()).await;
    other.run("shell", job).await.unwrap();
    let mut said = String::new();
    for desk in [&one, &other] {
        let job = json!({ "job": 1, "wait_seconds": 20 });
        said += &desk.run("job_output", job).await.unwrap().text;
    }
    assert!(said.contains("together used more than 96 MB"), "{said}");
    assert_eq!(said.matches("`limits.all_memory_mb`").count(), 1, "only one of them: {said}");
}

#[test]
fn processes_are_limited_at_the_edge_of_the_settings() {
    for user in [User::Same, User::Ordinary] {
        alone("limits::processes_at_the_edge", user);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_at_the_edge() {
    if !is_alone(LIMITS) {
        return;
    }
    let desk = desk();
    let start = |count: u32| {
        format!(
            "for i in $(seq {count}); do setsid bash -c 'exec -a edge_marker sleep 1000' & done 2>/dev/null; \
             jobs -p | wc -l"
        )
    };
    // Beside them there are the shell and the sandbox.
    assert_eq!(desk.shell(&start(45)).await.text, "45\n");
    let command = json!({ "command": start(60), "timeout_seconds": 20 });
    match desk.run("shell", command).await {
        Err(error) if has_groups() => {
            assert_eq!(error.code(), "TOO_MANY_PROCESSES", "{error}");
            let words =
                "more than 50 processes and threads at once; the limit is `limits.processes`";
            assert!(error.to_string().contains(words), "{error}");
        }
        // The shell tries again for a while, and then gives up.
        Err(error) => assert_eq!(error.code(), "TIMED_OUT", "{error}"),
        Ok(output) => assert!(!has_groups() && !output.text.contains("60"), "{}", output.text),
    }
    assert!(!runs("edge_marker"));
}

#[test]
fn processors_are_limited_and_confined_commands_end_first() {
    alone("limits::processors", User::Same);
    alone("limits::processors", User::Ordinary);
}

#[tokio::test]
async fn processors() {
    if !is_alone(ResourceLimits { processors: Some(1), ..LIMITS }) {
        return;
    }
    let desk = desk();
    assert_eq!(desk.shell("cat /proc/self/oom_score_adj").await.text, "500\n");
    // It can't take that back, for itself or for others.
    for process in ["self", "1", "$$"] {
        let command = format!("echo 0 > /proc/{process}/oom_score_adj");
        let output = desk.shell(&command).await;
        assert!(output.failed, "{}", output.text);
    }
    assert_eq!(desk.shell("cat /proc/{self,1,$$}/oom_score_adj").await.text, "500\n500\n500\n");
    // Nobody counts files in memory where there are no control groups.
    for folder in ["/tmp", "/dev/shm", "$HOME"] {
        let size = desk.shell(&format!("stat -f -c '%b %S' {folder}")).await.text;
        let size: u64 = size.split_whitespace().map(|part| part.parse::<u64>().unwrap()).product();
        assert!(size <= LIMITS.memory_mb << 20, "{folder}: {size}");
    }
    if !has_groups() {
        return;
    }
    // Two that spin have the time of one.
    let spin = "import os, time\nos.fork()\nend = time.time() + 2\nwhile time.time() < end: pass\n\
                print(time.process_time())\n";
    desk.put("spin.py", spin);
    let output = desk.shell("python3 spin.py").await;
    let used: f64 = output.text.lines().map(|line| line.parse::<f64>().unwrap()).sum();
    assert!(used < 2.5, "{used} s of 2 s");
}
