//! A program that is talked to over its pipes, with and without a way out.

use crate::support::{User, alone, is_alone};
use crate::web::{Web, ok};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tools::{Profile, ProgramStart, ResourceLimits, Workspace};

/// Reads addresses from its input and tells what each answers.
const FETCHES: &str = "while read -r url; do curl -sS --max-time 5 \"$url\" || echo failed; done";

/// A shell that may look around in a folder and reaches nothing.
pub fn bash(folder: &Path, script: &str) -> ProgramStart {
    ProgramStart {
        workspace: Workspace::open(folder).unwrap(),
        profile: Profile::Look,
        command: "bash".to_owned(),
        args: vec!["-c".to_owned(), script.to_owned()],
        env: BTreeMap::new(),
        cwd: None,
        read: Vec::new(),
        workspaces: tools::Workspaces::default(),
        shared: Vec::new(),
        hosts: Vec::new(),
        private_hosts: Arc::default(),
        hidden: Arc::default(),
    }
}

/// What would be loaded into the sandbox itself, outside, is not.
#[tokio::test]
async fn nothing_is_loaded_into_the_sandbox_itself() {
    let folder = tempfile::tempdir().unwrap();
    let env = [("LD_PRELOAD", "/evil.so"), ("LD_AUDIT", "/evil.so"), ("FINE", "fine")];
    let start = ProgramStart {
        env: env.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        ..bash(folder.path(), "echo $FINE ${LD_PRELOAD-none}; cat")
    };
    let started = tools::start_program(start).await.unwrap();
    let said = BufReader::new(started.stdout).lines().next_line().await.unwrap();
    assert_eq!(said.as_deref(), Some("fine none"));
    // The loader says what it was asked for and could not find.
    assert_eq!(started.program.end().await, "");
}

/// What the program says to each address, and what it wrote on its error output.
async fn fetched(hosts: &[String], urls: &[String]) -> (Vec<String>, String) {
    let folder = tempfile::tempdir().unwrap();
    let start = ProgramStart {
        hosts: hosts.to_vec(),
        private_hosts: Arc::from(hosts),
        ..bash(folder.path(), FETCHES)
    };
    let mut started = tools::start_program(start).await.unwrap();
    let mut said = BufReader::new(started.stdout).lines();
    let mut lines = Vec::new();
    for url in urls {
        started.stdin.write_all(format!("{url}\n").as_bytes()).await.unwrap();
        lines.push(said.next_line().await.unwrap().unwrap());
    }
    (lines, started.program.end().await)
}

#[tokio::test]
async fn it_is_talked_to_over_its_pipes_and_reaches_what_is_granted_and_nothing_else() {
    let web = Web::serve(|path| ok("text/plain", &format!("hello from {path}\n"))).await;
    let host = format!("127.0.0.1:{}", web.port);
    let urls = [format!("http://{host}/a"), "http://other.example/".to_owned()];
    let (lines, _) = fetched(std::slice::from_ref(&host), &urls).await;
    assert_eq!(lines[0], "hello from /a");
    assert!(lines[1].contains("other.example was not granted"), "{lines:?}");
    let (lines, words) = fetched(&[], &urls[..1]).await;
    assert_eq!(lines, ["failed"]);
    assert!(words.contains("curl"), "what it wrote as errors is kept: {words}");
    assert_eq!(web.seen().len(), 1);
}

#[test]
fn one_that_had_too_many_processes_is_said_to() {
    alone("program::one_that_has_too_many_processes", User::Same);
}

#[tokio::test]
async fn one_that_has_too_many_processes() {
    let limits = ResourceLimits { processes: 50, ..ResourceLimits::default() };
    if !is_alone(limits) || !rustix::process::geteuid().is_root() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let breeds = "for _ in $(seq 70); do sleep 1000 & done; wait";
    let started = tools::start_program(bash(folder.path(), breeds)).await.unwrap();
    // It says nothing and is ended.
    let said = BufReader::new(started.stdout).lines().next_line().await.unwrap();
    assert_eq!(said, None);
    let words = started.program.end().await;
    assert!(words.contains("it was ended: it had more than 50 processes"), "{words}");
}

#[test]
fn a_program_is_found_as_a_shell_finds_it() {
    assert!(tools::find_program("bash").is_some());
    assert!(tools::find_program("/bin/sh").is_some());
    assert!(tools::find_program("no-such-program").is_none());
    assert!(tools::find_program("/etc/passwd").is_none(), "it is no program");
}
