//! A program of ours that is killed in any moment leaves no process and no control group behind.

use crate::crowds::groups_of;
use crate::support::{desk, runs, until};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tools::leftovers;

/// Names the word in the commands when this test program is the one to be killed.
const TO_BE_KILLED: &str = "PLANCARD_TEST_KILLED_MARK";
/// How often one is killed. What has to be hit is a small part of a start.
const TIMES: usize = 40;
/// Commands that are started at the same time, over and over.
const AT_ONCE: usize = 6;

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

/// It has no time to clear up, so its folders are made in one of ours.
fn start(mark: &str, folders: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed::a_program_that_starts_commands_without_end"])
        .env(TO_BE_KILLED, mark)
        .env("TMPDIR", folders)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
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
        let mut child = start(&mark, folders.path());
        // Seen so often, at another moment of a start each time.
        for _ in 0..=time % 8 {
            until("a sandbox is starting", || runs(&mark)).await;
        }
        killed.push(mark_of(&child));
        child.kill().unwrap();
        child.wait().unwrap();
        until("everything is gone", || !runs(&mark)).await;
    }
    let left = || killed.iter().any(|mark| !groups_of(mark).is_empty());
    until("no group is left", || !left()).await;
}
