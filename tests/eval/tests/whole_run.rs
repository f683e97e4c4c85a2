//! A whole run: the real server, a scripted model, two tasks.

use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use support::{Recorded, Reply, Script, ScriptedModel};
use tokio::process::Command;

const KEY: &str = "sk-a-key-that-nobody-keeps";

/// Does the two tasks as a good model would; its second answer repeats the key, as some servers do.
fn script() -> Script {
    Script::from_fn(|request: &Recorded| {
        let said = request.texts("user").join("\n");
        if said.contains("capital") {
            return Reply::text(format!("Paris. Your key is {KEY}."));
        }
        if !said.contains("two files") {
            return Reply::text("Hello.");
        }
        if !request.tool_results().is_empty() {
            return Reply::text("Both files are there.");
        }
        Reply::calls([
            ("write_file", json!({ "path": "a.txt", "content": "apple" })),
            ("write_file", json!({ "path": "b.txt", "content": "banana" })),
        ])
    })
}

async fn eval(words: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_eval"))
        .args(words)
        .env("EVAL_TEST_KEY", KEY)
        .stdin(Stdio::null())
        .output()
        .await
        .expect("the evaluation can be started");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{errors}");
    said
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there").flatten() {
        if entry.path().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.push(entry.path());
        }
    }
    found
}

fn results(folder: &Path, run: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join(format!("{run}.jsonl"))).expect("the results");
    text.lines().map(|line| serde_json::from_str(line).expect("a result is JSON")).collect()
}

#[tokio::test]
async fn a_run_does_its_tasks_keeps_no_key_and_goes_on_where_it_was() {
    let model = ScriptedModel::start(script()).await;
    let folder = tempfile::tempdir().expect("a folder");
    let (address, place) = (model.base_url(), folder.path().display().to_string());
    let server = support::program("plancard").display().to_string();
    let common = [
        "--address",
        &address,
        "--model",
        "scripted",
        "--key-env",
        "EVAL_TEST_KEY",
        "--bin",
        &server,
        "--folder",
        &place,
        "--run",
        "one",
    ];

    let first = [&common[..], &["--tasks", "two-files"]].concat();
    eval(&first).await;
    let asked = model.requests().len();

    let both = [&common[..], &["--tasks", "two-files,capital"]].concat();
    let said = eval(&both).await;
    assert!(said.contains("two-files: in the run already"), "{said}");
    assert!(said.contains("| done | 2 of 2 |"), "{said}");
    // The warm-up and the question, beside the check of what the model can do.
    let in_rooms = |request: &&Recorded| {
        let first = &request.json()["messages"][0]["content"];
        first.as_str().is_some_and(|words| words.starts_with("You work for a person"))
    };
    assert_eq!(model.requests()[asked..].iter().filter(in_rooms).count(), 2);

    let results = results(folder.path(), "one");
    let done: Vec<&Value> = results.iter().map(|result| &result["done"]).collect();
    assert_eq!(done, [true, true]);
    assert_eq!(results[0]["turns"], 2);
    assert_eq!(results[0]["calls"], 2);
    assert_eq!(results[1]["planned"], false);

    let sent = model.requests()[0].header("authorization").map(str::to_owned);
    assert_eq!(sent, Some(format!("Bearer {KEY}")), "the model is asked with the key");
    let kept = files(folder.path());
    assert!(kept.iter().any(|file| file.ends_with("two-files/002.sse")), "{kept:?}");
    for file in kept {
        let text = String::from_utf8_lossy(&std::fs::read(&file).expect("it is read")).into_owned();
        assert!(!text.contains(KEY), "{} holds the key", file.display());
    }
    let answer = folder.path().join("recordings/one/capital/001.sse");
    let answer = std::fs::read_to_string(answer).expect("the answer is recorded");
    assert!(answer.contains("[removed]"), "{answer}");
}

#[tokio::test]
async fn the_bare_loop_does_the_same_tasks() {
    let model = ScriptedModel::start(script()).await;
    let folder = tempfile::tempdir().expect("a folder");
    let (address, place) = (model.base_url(), folder.path().display().to_string());
    let words = [
        "--address",
        &address,
        "--bare",
        "--folder",
        &place,
        "--run",
        "bare",
        "--tasks",
        "two-files,capital",
    ];
    let said = eval(&words).await;
    assert!(said.contains("| done | 2 of 2 |"), "{said}");
    let results = results(folder.path(), "bare");
    assert_eq!(results[0]["model"], "scripted", "the first that the server lists");
    assert_eq!(results[0]["calls"], 2);
    let report = eval(&["--report", "bare", "--folder", &place]).await;
    assert!(report.contains("| two-files (make) | done |"), "{report}");
}

#[tokio::test]
async fn a_task_that_is_not_done_says_what_is_missing() {
    let model = ScriptedModel::start(Script::from_fn(|_| Reply::text("Hello, all is done."))).await;
    let folder = tempfile::tempdir().expect("a folder");
    let (address, place) = (model.base_url(), folder.path().display().to_string());
    let server = support::program("plancard").display().to_string();
    let words = [
        "--address",
        &address,
        "--model",
        "scripted",
        "--bin",
        &server,
        "--folder",
        &place,
        "--run",
        "lies",
        "--tasks",
        "two-files",
    ];
    eval(&words).await;
    let results = results(folder.path(), "lies");
    assert_eq!(results[0]["done"], false);
    assert_eq!(results[0]["missed"], "there is no file a.txt");
    assert_eq!(results[0]["ended"], "rest");
}
