//! A program of ours that is killed in any moment leaves no process and no control group behind.

use crate::crowds::groups_of;
use crate::support::{desk, runs, until};
use serde_json::json;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tools::{ResourceLimits, leftovers};

/// Names the word in the commands when this test program is the one to be killed.
const TO_BE_KILLED: &str = "PLANCARD_TEST_KILLED_MARK";
/// How often one is killed. What has to be hit is a small part of a start.
const TIMES: usize = 40;
/// Commands that are started at the same time, over and over.
const AT_ONCE: usize = 6;
/// Fork bombs that run at the same time.
const BOMBS: usize = 2;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_starts_commands_without_end() {
    // Only for the test below, which starts this one alone.
    let Ok(mark) = std::env::var(TO_BE_KILLED) else { return };
    for _ in 0..AT_ONCE {
        let mark = mark.clone();
        tokio::spawn(async move {
            let desk = desk().looking();
            loop {
                desk.shell(&format!("true {mark}")).await;
            }
        });
    }
    std::future::pending::<()>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_runs_fork_bombs() {
    // The same.
    let Ok(mark) = std::env::var(TO_BE_KILLED) else { return };
    let limits = ResourceLimits { processes: 400, all_processes: TOGETHER, ..Default::default() };
    limits.apply();
    let bombs = (0..BOMBS).map(|_| {
        let mark = mark.clone();
        tokio::spawn(async move {
            let desk = desk();
            // It rests where it is refused more, or nobody else would have a turn.
            let bomb = "import os, time\nwhile True:\n  try: os.fork()\n  \
                        except OSError: time.sleep(0.1)\n";
            desk.put("bomb.py", bomb);
            loop {
                // Each is ended, and the next one begins.
                let _ = desk
                    .run("shell", json!({ "command": format!("python3 bomb.py {mark}") }))
                    .await;
            }
        })
    });
    let _bombs: Vec<_> = bombs.collect();
    std::future::pending::<()>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_with_a_sandbox_that_waits() {
    // The same.
    let Ok(mark) = std::env::var(TO_BE_KILLED) else { return };
    let mut desk = desk();
    desk.toolbox = desk.toolbox.with_warm_sandboxes();
    desk.shell("x=1").await;
    until("one waits", || desk.ctx.shell.prepared() == 1).await;
    std::fs::write(mark, "").unwrap();
    std::future::pending::<()>().await;
}

/// A program to be killed, at the latest when the test is over.
struct Doomed(Child);

impl Doomed {
    /// It has no time to clear up, so its folders are made in one of ours.
    fn start(what: &str, mark: &str, folders: &Path) -> Self {
        let started = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &format!("killed::{what}")])
            .env(TO_BE_KILLED, mark)
            .env("TMPDIR", folders)
            .stdout(Stdio::null())
            .spawn();
        Self(started.unwrap())
    }

    fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Doomed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The mark of a program that we started.
fn mark_of(child: &Child) -> String {
    let (ours, _) = leftovers::mark().unwrap().split_once('.').unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    let began = stat.rsplit_once(") ").unwrap().1.split(' ').nth(19).unwrap();
    format!("{ours}.{}.{began}", child.id())
}

#[tokio::test]
async fn nothing_is_left_of_sandboxes_that_were_just_starting() {
    let folders = tempfile::tempdir().unwrap();
    let mut killed = Vec::new();
    for time in 0..TIMES {
        let mark = format!("killed-{}-{time}-marker", std::process::id());
        let child =
            Doomed::start("a_program_that_starts_commands_without_end", &mark, folders.path());
        // Seen so often, at another moment of a start each time.
        for _ in 0..=time % 8 {
            until("a sandbox is starting", || runs(&mark)).await;
        }
        killed.push(mark_of(&child.0));
        child.kill();
        until("everything is gone", || !runs(&mark)).await;
    }
    let left = || killed.iter().any(|mark| !groups_of(mark).is_empty());
    until("no group is left", || !left()).await;
}

#[tokio::test]
async fn nothing_is_left_of_a_sandbox_that_waited() {
    for _ in 0..5 {
        let folders = tempfile::tempdir().unwrap();
        let ready = folders.path().join("ready");
        let child = Doomed::start(
            "a_program_with_a_sandbox_that_waits",
            ready.to_str().unwrap(),
            folders.path(),
        );
        until("one waits", || ready.exists()).await;
        // Its workspace lies there, and is named by what waits.
        let waits = || runs(folders.path().to_str().unwrap());
        assert!(waits());
        let program = mark_of(&child.0);
        child.kill();
        until("nothing is left", || !waits() && groups_of(&program).is_empty()).await;
    }
}

/// The number of a program's warden.
fn warden_of(program: &str) -> Option<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let mut pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.find(|pid| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let mut words = line.split(|byte| *byte == 0);
        words.next().is_some_and(|name| name.ends_with(b"plancard-warden"))
            && words.next() == Some(program.as_bytes())
    })
}

#[tokio::test]
async fn the_next_start_clears_up_when_the_warden_was_killed_as_well() {
    let folders = tempfile::tempdir().unwrap();
    let what = "a_program_that_starts_commands_without_end";
    let marks = ["first", "next"].map(|name| format!("{name}-{}-marker", std::process::id()));
    let first = Doomed::start(what, &marks[0], folders.path());
    until("a sandbox is starting", || runs(&marks[0])).await;
    let program = mark_of(&first.0);
    let warden = i32::try_from(warden_of(&program).unwrap()).unwrap();
    let warden = rustix::process::Pid::from_raw(warden).unwrap();
    rustix::process::kill_process(warden, rustix::process::Signal::KILL).unwrap();
    first.kill();
    let next = Doomed::start(what, &marks[1], folders.path());
    until("nothing of the first is left", || groups_of(&program).is_empty() && !runs(&marks[0]))
        .await;
    until("the next one is at work", || runs(&marks[1])).await;
    next.kill();
    until("nothing of the next is left", || !runs(&marks[1])).await;
}

/// As many processes and threads as all commands may have together.
const TOGETHER: u64 = 500;

/// How many there are in a group.
fn tasks(group: &Path) -> Option<u64> {
    std::fs::read_to_string(group.join("pids.current")).ok()?.trim().parse().ok()
}

#[tokio::test]
async fn fork_bombs_do_not_outgrow_the_program_nor_outlive_it() {
    if !rustix::process::geteuid().is_root() {
        // Only root has groups everywhere.
        return;
    }
    let folders = tempfile::tempdir().unwrap();
    for time in 0..3 {
        let mark = format!("bombs-{}-{time}-marker", std::process::id());
        let child = Doomed::start("a_program_that_runs_fork_bombs", &mark, folders.path());
        let program = mark_of(&child.0);
        let name = format!("plancard-{program}");
        let of_all = || {
            let mut all = groups_of(&program).into_iter();
            all.find(|group| group.ends_with(&name) && tasks(group).is_some())
        };
        let most = || of_all().and_then(|all| tasks(&all)).unwrap_or(0);
        until("the bombs are large", || most() > 300).await;
        child.kill();
        let mut peak = 0;
        until("no group is left", || {
            peak = peak.max(most());
            groups_of(&program).is_empty()
        })
        .await;
        assert!(!runs(&mark), "no process is left");
        println!("at most {peak} after the end");
        assert!(peak <= TOGETHER, "{peak}");
    }
}
