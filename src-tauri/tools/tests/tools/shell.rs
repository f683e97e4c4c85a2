use crate::support::{desk, runs, until};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tools::sandbox::{self, Availability, Confined, Job, Sandbox};
use tools::{Change, ChangeKind, ToolError, Toolbox};

#[test]
fn there_is_a_sandbox_here() {
    assert_eq!(sandbox::availability(), &Availability::Available);
}

#[tokio::test]
async fn output_and_exit_code_come_back() {
    let desk = desk();
    let output = desk.shell("echo out; echo err >&2; echo more").await;
    assert_eq!(
        (output.text.as_str(), output.exit_code, output.failed),
        ("out\nerr\nmore\n", Some(0), false)
    );
    let output = desk.shell("echo x; exit 3").await;
    assert_eq!(
        (output.text.as_str(), output.exit_code, output.failed),
        ("x\n(exit code 3)", Some(3), true)
    );
    assert_eq!(desk.shell(":").await.text, "(it succeeded, said nothing and changed no file)");
    assert_eq!(desk.shell("cat; echo done").await.text, "done\n", "there is nothing to read");
    assert_eq!(desk.shell("printf 'a\\xffb'").await.text, "a\u{fffd}b");
    assert_eq!(desk.shell("-x").await.exit_code, Some(127));
    let killed = desk.shell("kill -9 $$").await;
    assert_eq!(killed.text, "(exit code 137: ended by signal 9, SIGKILL)");
    assert!(desk.shell("bwrap; echo bwrap: x; exit 1").await.failed);
}

#[tokio::test]
async fn bad_calls_are_refused() {
    let desk = desk();
    for args in [
        json!({}),
        json!({"command": " "}),
        json!({"command": "a\0b"}),
        json!({"command": "ls", "timeout_seconds": 0}),
        json!({"command": "ls", "timeout_seconds": -1}),
        json!({"command": "ls", "network": "all"}),
        json!({"command": "ls", "network": ["*"]}),
        json!({"command": "ls", "network": ["https://a.example/x"]}),
        json!({"command": "x".repeat(200_000)}),
    ] {
        assert_eq!(desk.fails("shell", args).await, "BAD_ARGUMENTS");
    }
    let long = json!({"command": "ls", "timeout_seconds": 1e9});
    let words = desk.run("shell", long).await.unwrap_err().to_string();
    assert!(words.contains("more than 0 and at most 1000000"), "{words}");
}

#[tokio::test]
async fn without_a_sandbox_nothing_runs() {
    struct Missing;
    impl Sandbox for Missing {
        fn command(&self, _: &Job<'_>) -> Result<Confined, ToolError> {
            Err(ToolError::NoSandbox { reason: "not installed".into() })
        }
    }
    let mut desk = desk();
    desk.toolbox = Toolbox::with_sandbox(Arc::new(Missing));
    assert_eq!(desk.fails("shell", json!({"command": "touch x"})).await, "NO_SANDBOX");
    assert!(!desk.path("x").exists());
}

#[tokio::test]
async fn a_sandbox_that_cannot_be_set_up_says_so() {
    struct Broken;
    impl Sandbox for Broken {
        fn command(&self, job: &Job<'_>) -> Result<Confined, ToolError> {
            let mut command = std::process::Command::new("bwrap");
            command.args([
                "--json-status-fd",
                &job.report.to_string(),
                "--ro-bind",
                "/none",
                "/",
                "true",
            ]);
            Ok(Confined { command, inherited: Vec::new(), covered: Default::default() })
        }
    }
    let mut desk = desk();
    desk.toolbox = Toolbox::with_sandbox(Arc::new(Broken));
    assert_eq!(desk.fails("shell", json!({"command": "true"})).await, "NO_SANDBOX");
}

#[tokio::test]
async fn what_changed_is_told() {
    let desk = desk();
    desk.put("a", "1");
    desk.put("b", "1");
    let change = |path: &str, kind| Change { path: path.into(), kind, before: None, after: None };
    let output = desk.shell("echo 2 > a; rm b; mkdir d; echo 3 > d/c").await;
    assert_eq!(
        output.changed,
        [
            change("a", ChangeKind::Modified),
            change("b", ChangeKind::Deleted),
            change("d/c", ChangeKind::Created)
        ]
    );
    assert!(desk.shell("cat a").await.changed.is_empty());
}

/// The sandbox is made while the workspace is looked at, and the command waits for the end of that:
/// else some of what it changes would have been changed before.
#[tokio::test]
async fn a_command_waits_until_its_workspace_was_looked_at() {
    let desk = desk();
    for number in 0..4000 {
        desk.put(&format!("folder-{:02}/file-{:02}", number / 100, number % 100), "");
    }
    for _ in 0..3 {
        let output = desk.shell("for file in */file-*0; do echo x >> $file; done").await;
        assert!(output.changes_known);
        assert_eq!(output.changed.len(), 400);
    }
}

#[tokio::test]
async fn time_out_keeps_what_was_said_and_changed() {
    let desk = desk();
    let args = json!({"command": "echo begun; touch made; exec -a timeout-marker sleep 1000", "timeout_seconds": 0.5});
    let error = desk.run("shell", args).await.unwrap_err();
    assert_eq!(error.code(), "TIMED_OUT");
    assert!(error.to_string().contains("begun"), "{error}");
    assert_eq!(error.changed()[0].path, "made");
    assert!(!runs("timeout-marker"));
}

/// Every way a process can try to outlive its parent.
const DETACHED: &str = "
    (exec -a MARKER-a sleep 1000) &
    nohup bash -c 'exec -a MARKER-b sleep 1000' > /dev/null 2>&1 &
    setsid bash -c 'exec -a MARKER-c sleep 1000' &
    (setsid bash -c 'exec -a MARKER-d sleep 1000' > /dev/null 2>&1 < /dev/null & ) &
    (trap '' TERM HUP INT; exec -a MARKER-e sleep 1000) &
    disown -a
";

#[tokio::test]
async fn cancel_ends_the_whole_tree_at_once() {
    let desk = desk();
    let command =
        format!("{} exec -a MARKER-f sleep 1000", DETACHED).replace("MARKER", "cancel-marker");
    let stopped = async {
        for letter in ["a", "b", "c", "d", "e", "f"] {
            until("it runs", || runs(&format!("cancel-marker-{letter}"))).await;
        }
        desk.ctx.cancel.cancel();
    };
    let (answer, ()) = tokio::join!(desk.run("shell", json!({ "command": command })), stopped);
    assert_eq!(answer.unwrap_err().code(), "CANCELLED");
    assert!(!runs("cancel-marker"));
}

#[tokio::test]
async fn background_processes_end_with_the_call() {
    let desk = desk();
    let wait = "until ls /proc/*/cmdline | xargs cat | tr '\\0' ' ' | grep -q left-marker-d; do :; done; echo ready";
    let started = Instant::now();
    let output = desk.shell(&format!("{DETACHED} {wait}").replace("MARKER", "left-marker")).await;
    assert!(output.text.ends_with("ready\n") && !output.failed, "{output:?}");
    assert!(
        started.elapsed() < Duration::from_secs(30),
        "the pipe that they hold is not waited for"
    );
    assert!(!runs("left-marker"));
}

#[tokio::test]
async fn a_dropped_call_ends_its_processes() {
    let desk = desk();
    let args = json!({"command": "(exec -a dropped-marker setsid sleep 1000) & sleep 1000"});
    tokio::select! {
        _ = desk.run("shell", args) => panic!("it should not end"),
        () = until("it runs", || runs("dropped-marker")) => {}
    }
    until("it is gone", || !runs("dropped-marker")).await;
}

#[tokio::test]
async fn cancelling_at_any_moment_leaves_nothing() {
    for step in 0..40 {
        let desk = desk();
        let cancel = desk.ctx.cancel.clone();
        let args = json!({"command": "exec -a moment-marker sleep 1000"});
        let later = async {
            tokio::time::sleep(Duration::from_micros(step * 400)).await;
            cancel.cancel();
        };
        let (answer, ()) = tokio::join!(desk.run("shell", args), later);
        assert_eq!(answer.unwrap_err().code(), "CANCELLED");
        assert!(!runs("moment-marker"), "at step {step}");
    }
}

#[tokio::test]
async fn a_flood_is_capped() {
    let mut desk = desk();
    desk.ctx.timeout = Duration::from_secs(1);
    let before = memory();
    let error = desk.run("shell", json!({"command": "yes 0123456789abcdef"})).await.unwrap_err();
    assert_eq!(error.code(), "TIMED_OUT");
    assert!(error.to_string().len() < 20_000);
    assert!(memory() < before + 64 * 1024, "{} then {} KiB", before, memory());
    desk.ctx.timeout = Duration::from_secs(60);
    let output = desk.shell("echo first; seq 1 200000; echo last").await;
    assert!(output.text.starts_with("first\n1\n") && output.text.ends_with("200000\nlast\n"));
    let full = output.full.unwrap();
    assert!(output.text.len() < 17_000 && full.lines().count() == 200_002);
    assert!(output.text.contains("bytes left out: lines "), "{}", output.text);
    let output = desk.shell("seq 1 2000000").await;
    let full = output.full.unwrap();
    assert!(full.len() < 4_200_000 && full.contains("bytes were never kept"), "{}", full.len());
}

#[tokio::test]
async fn what_was_never_kept_of_an_output_is_told_truly() {
    let mut desk = desk();
    desk.ctx.timeout = Duration::from_secs(60);
    let output = desk.shell("seq -f %07g 1 900000").await;
    let full = output.full.unwrap();
    let kept: Vec<&str> = full.lines().collect();
    let is_note = |line: &str| line.starts_with("[…");
    let at = kept.iter().position(|line| is_note(line)).unwrap();
    let number = |line: &str| line.parse::<usize>().ok();
    let before = kept[..at].iter().filter_map(|line| number(line)).next_back().unwrap();
    let after = kept[at + 1..].iter().find_map(|line| number(line)).unwrap();
    assert_eq!(after, number(kept[at + 1]).unwrap());
    let missing = format!(
        "{} bytes were never kept: they begin in line {} of the output, and what was kept goes on \
         in its line {after}",
        (after - 1 - before) * 8,
        before + 1,
    );
    assert_eq!(kept[at], format!("[… {missing} …]"));

    let shown: Vec<&str> = output.text.lines().collect();
    let at = shown.iter().position(|line| is_note(line)).unwrap();
    let last = kept.len() - (shown.len() - at - 1);
    let left_out: usize = kept[at..last].iter().map(|line| line.len() + 1).sum();
    let lines = format!("lines {} to {last} of what was kept. {missing}", at + 1);
    assert_eq!(shown[at], format!("[… {left_out} bytes left out: {lines} …]"));
    assert_eq!(shown.last(), Some(&"0900000"));
}

fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_at_once() {
    let desk = Arc::new(desk());
    let calls: Vec<_> = (0..20)
        .map(|n| {
            let desk = desk.clone();
            tokio::spawn(async move {
                desk.shell(&format!("echo {n} > f{n}; cat f{n}; true")).await.text
            })
        })
        .collect();
    for (n, call) in calls.into_iter().enumerate() {
        assert_eq!(call.await.unwrap(), format!("{n}\n"));
    }
}
