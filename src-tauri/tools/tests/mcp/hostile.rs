//! A server that does everything wrong.

use crate::desk::{SECRET, desk, hostile, until};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;
use tools::mcp::{Reach, Server, State, effect, wire_name};
use tools::{ChangeKind, Effect};

#[tokio::test]
async fn its_tools_are_listed_under_its_own_name_and_shadow_nothing() {
    let desk = desk().looking();
    let (server, _) = hostile(&[]);
    let tools = desk.list(&server).await.unwrap();
    let names: Vec<String> = tools.iter().map(|tool| tool.full_name()).collect();
    for name in ["hostile.read_file", "hostile.plan", "hostile.echo", "hostile.resources_list"] {
        assert!(names.iter().any(|known| known == name), "{names:?}");
    }
    for name in names {
        let wire = wire_name(&name);
        assert!(wire.starts_with("hostile__"), "{wire}");
    }
    assert_eq!(desk.says(&server, "read_file", json!({})).await, "not your file");
}

#[tokio::test]
async fn a_call_gives_words_back_and_a_failure_of_the_tool_is_an_answer() {
    let desk = desk();
    let (server, _) = hostile(&[]);
    assert_eq!(desk.says(&server, "echo", json!({ "text": "hello" })).await, "hello");
    let failed = desk.call(&server, "fail", json!({})).await.unwrap();
    assert!(failed.failed && failed.text == "it did not work");
    let picture = desk.says(&server, "picture", json!({})).await;
    assert_eq!(picture, "look:\n[image, image/png, 6 bytes; not shown]");
}

/// Also one that lies across the place where a long answer is cut, of which all is kept.
#[tokio::test]
async fn a_long_answer_is_kept_whole_and_shows_no_part_of_a_secret() {
    let desk = desk();
    let (server, _) = hostile(&[]);
    for before in 8190 - SECRET.len()..8194 {
        let text = format!("{}{SECRET}{}", "x".repeat(before), "y".repeat(20_000));
        let output = desk.call(&server, "echo", json!({ "text": text })).await.unwrap();
        assert!(output.text.len() < 17_000 && output.text.contains("bytes left out"));
        assert!(!output.text.contains("s3c") && !output.text.contains("ken"), "{before}");
        let full = output.full.expect("all of it is kept");
        assert!(full.contains("[redacted]") && full.len() > 28_000);
    }
}

#[tokio::test]
async fn what_it_writes_is_on_the_receipt() {
    let desk = desk();
    let (server, _) = hostile(&[]);
    let args = json!({ "path": "made.txt", "text": "x" });
    let output = desk.call(&server, "write", args).await.unwrap();
    let changed: Vec<_> = output.changed.iter().map(|one| (one.path.as_str(), one.kind)).collect();
    assert_eq!(changed, [("made.txt", ChangeKind::Created)]);
}

#[tokio::test]
async fn it_does_not_write_through_a_link_to_the_outside() {
    let desk = desk();
    let (server, _) = hostile(&[]);
    let outside = tempfile::tempdir().unwrap();
    let letter = outside.path().join("letter");
    std::fs::write(&letter, "LETTER").unwrap();
    std::fs::hard_link(&letter, desk.place.workspace.root().join("linked")).unwrap();
    let _ = desk.call(&server, "write", json!({ "path": "linked", "text": "x" })).await;
    let _ = desk.call(&server, "write", json!({ "path": "made", "text": "x" })).await;
    assert!(desk.place.workspace.root().join("made").exists());
    assert_eq!(std::fs::read_to_string(letter).unwrap(), "LETTER");
}

#[tokio::test]
async fn a_call_that_hangs_ends_at_its_limit_and_so_does_the_process() {
    let mut desk = desk();
    let (server, mark) = hostile(&[]);
    desk.list(&server).await.unwrap();
    desk.limits.timeout = Duration::from_millis(300);
    let before = crate::desk::running(&mark);
    assert!(!before.is_empty());
    assert_eq!(desk.fails(&server, "hang", json!({})).await, "TIMED_OUT");
    assert_eq!(crate::desk::running(&mark), Vec::<i32>::new());
    assert!(desk.servers.said("hostile").contains("hanging"));
    desk.limits.timeout = Duration::from_secs(60);
    assert_eq!(desk.says(&server, "echo", json!({ "text": "again" })).await, "again");
}

#[tokio::test]
async fn a_flood_on_its_error_output_blocks_nobody_and_its_end_is_kept() {
    let desk = desk();
    let (server, _) = hostile(&[]);
    assert_eq!(desk.says(&server, "flood", json!({})).await, "dry again");
    until("the end of the flood", || desk.servers.said("hostile").contains("flood 199999 ")).await;
    assert!(desk.servers.said("hostile").len() < 70_000);
}

#[tokio::test]
async fn one_that_dies_during_a_call_is_told_with_its_last_words_and_started_again() {
    let desk = desk();
    let (server, mark) = hostile(&[]);
    let error = desk.call(&server, "die", json!({})).await.unwrap_err();
    assert_eq!(error.code(), "MCP_GONE");
    assert!(error.to_string().contains("goodbye"), "{error}");
    assert_eq!(crate::desk::running(&mark), Vec::<i32>::new());
    assert_eq!(desk.says(&server, "echo", json!({ "text": "back" })).await, "back");
}

#[tokio::test]
async fn one_that_breeds_is_ended_with_all_it_made() {
    few_processes();
    for tool in ["breed", "explode"] {
        let desk = desk();
        let (server, mark) = hostile(&[]);
        let error = desk.call(&server, tool, json!({})).await.unwrap_err();
        assert_eq!(error.code(), "MCP_GONE", "{tool}");
        assert!(error.to_string().contains(BRED), "{tool}: {error}");
        assert_eq!(crate::desk::running(&mark), Vec::<i32>::new(), "{tool}");
        let health = desk.servers.health();
        assert!(health[0].problem.as_ref().is_some_and(|why| why.contains(BRED)), "{health:?}");
        assert!(desk.servers.said("hostile").contains(BRED));
    }
}

/// Why it was ended, for the room and for the settings.
const BRED: &str = "it was ended: it had more than 512 processes and threads at once";

/// So few that a server which breeds reaches them soon; no other needs as many.
fn few_processes() {
    tools::ResourceLimits { processes: 512, ..Default::default() }.apply();
}

#[tokio::test]
async fn one_that_breeds_at_its_start_is_said_to() {
    few_processes();
    let desk = desk();
    let (server, mark) = hostile(&["--breed"]);
    let error = desk.list(&server).await.unwrap_err();
    assert_eq!(error.code(), "MCP_NOT_STARTED");
    assert!(error.to_string().contains(BRED), "{error}");
    assert_eq!(crate::desk::running(&mark), Vec::<i32>::new());
}

/// What would be loaded into the sandbox itself, outside, is not.
#[tokio::test]
async fn nothing_is_loaded_into_the_sandbox_itself() {
    let desk = desk();
    let (mut server, _) = hostile(&[]);
    let Reach::Program { env, .. } = &mut server.reach else { unreachable!() };
    for (name, value) in [("LD_PRELOAD", "/evil.so"), ("LD_AUDIT", "/evil.so"), ("FINE", "fine")] {
        env.insert(name.to_owned(), value.to_owned());
    }
    let seen = desk.says(&server, "look_around", json!({})).await;
    assert!(seen.contains("\"FINE\": \"fine\"") && !seen.contains("evil.so"), "{seen}");
    // The loader says what it was asked for and could not find.
    assert!(!desk.servers.said("hostile").contains("evil.so"));
}

#[tokio::test]
async fn one_that_keeps_dying_is_left_alone_for_longer_and_longer() {
    let desk = desk();
    let (server, _) = hostile(&["--crash"]);
    let mut codes = Vec::new();
    while codes.last() != Some(&"MCP_RESTING") {
        let error = desk.list(&server).await.unwrap_err();
        assert!(error.to_string().contains("I will not start"), "{error}");
        codes.push(error.code());
        assert!(codes.len() < 10, "{codes:?}");
    }
    // At once, then after one and two seconds, which are waited for; four are not.
    assert_eq!(&codes[..4], ["MCP_NOT_STARTED"; 4]);
    let health = desk.servers.health();
    assert_eq!((health.len(), health[0].state, health[0].failures), (1, State::Resting, 4));
}

#[tokio::test]
async fn a_lie_about_reading_is_held_to_its_word() {
    let desk = desk().looking();
    let (mut server, _) = hostile(&[]);
    let tools = desk.list(&server).await.unwrap();
    let lie = tools.iter().find(|tool| tool.name == "lie").unwrap();
    assert_eq!(effect(&server, lie, false).0, Effect::WriteOutside, "it is not believed");
    server.trusted = true;
    assert_eq!(effect(&server, lie, false).0, Effect::Read);
    // Even where it is believed: what only reads runs where nothing can be written.
    let said = desk.says(&server, "lie", json!({})).await;
    assert!(said.starts_with("stopped:"), "{said}");
    assert!(!desk.path().join("lied.txt").exists());
}

#[tokio::test]
async fn a_tool_that_changed_behind_our_back_is_not_run() {
    let desk = desk();
    let (server, _) = hostile(&[]);
    let first = desk.list(&server).await.unwrap();
    let before = first.iter().find(|tool| tool.name == "shift").unwrap().clone();
    std::fs::write(desk.path().join("changed"), "").unwrap();
    let error = desk.call_as(&server, "shift", &before.hash, json!({})).await.unwrap_err();
    assert_eq!(error.code(), "MCP_CHANGED");
    let tools = desk.list(&server).await.unwrap();
    let after = tools.iter().find(|tool| tool.name == "shift").unwrap();
    assert_ne!(before.hash, after.hash);
    let echo = |tools: &[tools::mcp::McpTool]| {
        tools.iter().find(|tool| tool.name == "echo").unwrap().hash.clone()
    };
    assert_eq!(echo(&first), echo(&tools), "others stay what they were");
    let ran = desk.call_as(&server, "shift", &after.hash, json!({ "text": "ok" })).await.unwrap();
    assert_eq!(ran.text, "ok");
}

#[tokio::test]
async fn an_answer_of_fifty_megabytes_ends_the_server_and_not_us() {
    let desk = desk();
    let (server, mark) = hostile(&[]);
    assert_eq!(desk.fails(&server, "big", json!({})).await, "MCP_TOO_LONG");
    assert_eq!(crate::desk::running(&mark), Vec::<i32>::new());
    assert_eq!(desk.says(&server, "echo", json!({ "text": "small" })).await, "small");
}

#[tokio::test]
async fn progress_for_nobody_and_after_the_end_is_ignored() {
    let desk = desk();
    let (server, _) = hostile(&[]);
    assert_eq!(desk.says(&server, "late", json!({})).await, "done");
    // It has answered once more, so everything it said before was heard.
    assert_eq!(desk.says(&server, "echo", json!({ "text": "next" })).await, "next");
    let heard = desk.ear.heard.lock().unwrap();
    assert!(heard.iter().all(|one| one.text.as_deref() == Some("half way")), "{heard:?}");
}

#[tokio::test]
async fn progress_is_heard_while_the_call_runs() {
    let desk = desk();
    let (server, _) = hostile(&[]);
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    *desk.ear.tell.lock().unwrap() = Some(tell);
    let call = desk.says(&server, "steps", json!({}));
    let watch = async {
        for (heard, then) in [("begun", "go"), ("going", "end")] {
            assert_eq!(told.recv().await.as_deref(), Some(heard));
            std::fs::write(desk.path().join(then), "").unwrap();
        }
    };
    let (said, ()) = tokio::join!(call, watch);
    assert_eq!(said, "done");
}

#[tokio::test]
async fn its_question_reaches_a_person_and_the_answer_reaches_it() {
    let desk = desk();
    let (server, _) = hostile(&[]);
    *desk.ear.words.lock().unwrap() = Some("7".to_owned());
    let said = desk.says(&server, "ask", json!({})).await;
    assert_eq!(said, r#"{"action": "accept", "content": {"age": 7}}"#);
    let asked = desk.ear.asked.lock().unwrap().pop().unwrap();
    assert_eq!(asked.message, "How old are you?");
    assert_eq!((asked.fields[0].name.as_str(), asked.fields[0].required), ("age", true));
    *desk.ear.words.lock().unwrap() = None;
    let said = desk.says(&server, "ask", json!({})).await;
    assert_eq!(said, r#"{"action": "decline"}"#);
}

#[tokio::test]
async fn it_sees_no_secrets_no_network_and_not_its_supervisor() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let desk = desk();
    let (server, _) = hostile(&[]);
    let outside = tempfile::tempdir().unwrap();
    let args = json!({ "port": port, "path": outside.path() });
    let seen: Value = serde_json::from_str(&desk.says(&server, "look_around", args).await).unwrap();
    assert_ne!(seen["network"], "reached");
    assert_eq!(seen["hidden"], false);
    assert_eq!(seen["cwd"], desk.path().to_str().unwrap());
    let env = seen["env"].as_object().unwrap();
    assert!(env.contains_key("PATH") && !env.contains_key("CARGO_MANIFEST_DIR"), "{env:?}");
}

#[tokio::test]
async fn it_cannot_plant_a_hook() {
    let desk = desk();
    std::fs::create_dir(desk.path().join(".git")).unwrap();
    let (server, _) = hostile(&[]);
    for _ in 0..2 {
        let said = desk.says(&server, "plant", json!({})).await;
        assert!(said.contains("refused") && !said.contains("planted"), "{said}");
        assert!(!desk.path().join(".git/hooks/pre-commit").exists());
    }
    desk.servers.end_all().await;
    assert!(!desk.path().join(".git/hooks").exists());
}

#[tokio::test]
async fn tools_that_no_model_can_be_shown_are_left_out_and_told() {
    let desk = desk().looking();
    let (server, _) = hostile(&["--bad-tools"]);
    let tools = desk.list(&server).await.unwrap();
    assert_eq!(tools.iter().filter(|tool| tool.name == "echo").count(), 1);
    assert!(tools.iter().all(|tool| tool.name != "list"));
    let said = desk.servers.said("hostile");
    assert!(said.contains("not an object") && said.contains("there already"), "{said}");
    for _ in 0..3 {
        desk.list(&server).await.unwrap();
    }
    assert_eq!(desk.servers.said("hostile"), said, "each is said once");
}

#[tokio::test]
async fn a_list_without_end_has_one() {
    let desk = desk().looking();
    let (server, _) = hostile(&["--endless"]);
    let tools = desk.list(&server).await.unwrap();
    assert!(tools.len() < 30, "{}", tools.len());
}

#[tokio::test]
async fn words_before_its_first_message_are_no_reason_to_give_up() {
    let desk = desk().looking();
    let (server, _) = hostile(&["--noise"]);
    assert_eq!(desk.says(&server, "echo", json!({ "text": "x" })).await, "x");
}

#[tokio::test]
async fn its_resources_are_tools_of_that_server() {
    let desk = desk().looking();
    let (server, _) = hostile(&[]);
    let tools = desk.list(&server).await.unwrap();
    let list = tools.iter().find(|tool| tool.name == "resources_list").unwrap();
    let said_by = |trusted| effect(&Server { trusted, ..server.clone() }, list, false).0;
    assert_eq!(said_by(false), Effect::WriteOutside, "what it reads is its own affair");
    assert_eq!(said_by(true), Effect::Read, "it runs where nothing can be written");
    let said = desk.says(&server, "resources_list", json!({})).await;
    assert_eq!(said, "test://one (one, text/plain)");
    let said = desk.says(&server, "resources_read", json!({ "uri": "test://one" })).await;
    assert_eq!(said, "the words of test://one");
    assert_eq!(desk.fails(&server, "resources_read", json!({})).await, "MCP_REFUSED");
}

/// What an agent put in the place of a listed folder shows a server nothing, also when it starts
/// anew.
#[tokio::test]
async fn a_link_of_an_agents_making_shows_it_nothing() {
    let desk = desk();
    let (room, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let room = room.path().canonicalize().unwrap();
    desk.workspaces.add(&room);
    let data = room.join("data");
    std::fs::create_dir(&data).unwrap();
    for folder in [&data, outside.path()] {
        std::fs::write(folder.join("book"), "").unwrap();
    }
    let (mut server, _) = hostile(&[]);
    let Reach::Program { read, .. } = &mut server.reach else { panic!("it is a program") };
    read.push(data.clone());
    let sees = async |file: PathBuf| {
        let seen = desk.says(&server, "look_around", json!({ "path": file })).await;
        serde_json::from_str::<Value>(&seen).unwrap()["hidden"] == true
    };
    assert!(sees(data.join("book")).await);
    desk.servers.end_at(desk.place.workspace.root()).await;
    std::fs::rename(&data, room.join("aside")).unwrap();
    std::os::unix::fs::symlink(outside.path(), &data).unwrap();
    assert!(!sees(data.join("book")).await);
    assert!(!sees(outside.path().canonicalize().unwrap().join("book")).await);
}
