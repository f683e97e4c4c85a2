//! `plancard council`: in an engine of its own or the one that runs, and how it ends.

use crate::{plancard, said};
use flow::{Client, Place};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Output;
use support::{Reply, Script, ScriptedModel, ask_user, program, step_done};
use tokio::io::{AsyncBufReadExt, BufReader};

fn answer(content: &str) -> Reply {
    Reply::call("new_answer", json!({ "content": content, "steps": ["look"] }))
}

fn vote(member: &str, reason: &str) -> Reply {
    Reply::call("vote", json!({ "agent_id": member, "reason": reason }))
}

fn held() -> Reply {
    Reply::text("a long look").hold_after(1)
}

/// Two agents with these replies and plan mode, and a folder to work in.
struct Scene {
    model: ScriptedModel,
    place: Place,
    folder: PathBuf,
}

impl Scene {
    async fn of(mode: &str, a: Vec<Reply>, b: Vec<Reply>) -> Self {
        let model = ScriptedModel::start(Script::by_model([("a", a), ("b", b)])).await;
        let place = Place::new(&format!(
            "providers:\n  test: {{ type: openai, base_url: \"{}\" }}\n\
             agents:\n  default: {{ model: test/a, plan_mode: {mode} }}\n  \
             b: {{ model: test/b, plan_mode: {mode} }}\n",
            model.base_url()
        ));
        let folder = place.home().join("work");
        std::fs::create_dir(&folder).expect("a folder can be made");
        Self { model, place, folder }
    }

    /// One that the second agent wins.
    async fn won(mode: &str) -> Self {
        let a = vec![answer("Sort by \x1b[31msize"), vote("agent2", "it is calmer")];
        let b = vec![
            answer("Sort by colour"),
            vote("agent2", "it is mine"),
            step_done("s1", "looked"),
            Reply::text("All is sorted."),
        ];
        Self::of(mode, a, b).await
    }

    async fn council(&self, words: &[&str]) -> Output {
        let folder = self.folder.to_str().expect("the folder is text");
        let mut all = vec!["council", "--folder", folder];
        all.extend(words);
        plancard(&self.place, &all).await
    }
}

fn objects(ran: &Output) -> Vec<Value> {
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
    said(&ran.stdout).lines().map(read).collect()
}

#[tokio::test]
async fn it_shows_answers_votes_and_the_result_and_ends_with_0() {
    let scene = Scene::won("off").await;
    let ran = scene.council(&["tidy the shelf"]).await;
    let (out, errors) = (said(&ran.stdout), said(&ran.stderr));
    assert_eq!(ran.status.code(), Some(0), "{out}\n{errors}");
    for words in [
        "Council:\n  agent1 is default (test/a)\n  agent2 is b (test/b)\n",
        "agent1 answered (agent1.1):\n  Sort by \\u{1b}[31msize\n  1. look\n",
        "agent1 voted for agent2.1: it is calmer\n",
        "agent2 wins with 2 of 2 votes\n",
        "Step 1 (look) done: looked\n",
        "All is sorted.\nThe council has ended.\n",
    ] {
        assert!(out.contains(words), "{words:?} in {out}");
    }
    assert_eq!(errors, "");
}

/// Nothing is set up: the built-in model plays three members, and its plan is carried out for real.
#[tokio::test]
async fn without_a_key_three_built_in_members_show_a_council() {
    let place = Place::new("");
    let folder = place.home().join("work");
    std::fs::create_dir(&folder).expect("a folder can be made");
    let (config, at) = (place.config(), folder.to_str().expect("text"));
    let config = config.to_str().expect("text");
    let words = ["council", "--config", config, "--folder", at, "tidy the meeting notes"];
    let ran = plancard(&place, &words).await;
    let (out, errors) = (said(&ran.stdout), said(&ran.stderr));
    assert_eq!(ran.status.code(), Some(0), "{out}\n{errors}");
    for member in ["agent1 is quick", "agent2 is careful", "agent3 is thorough"] {
        assert!(out.contains(member), "{member} in {out}");
    }
    // All of it is told, however fast they are.
    for told in ["agent1 answered", "agent2 answered", "agent3 answered", ") done"] {
        assert!(out.contains(told), "{told} in {out}");
    }
    // Two votes for it decide, whether or not the third is in by then.
    assert!(out.contains("agent2 wins with 2 of "), "{out}");
    let written: Vec<_> = walk(&folder);
    assert_eq!(written, ["rehearsal", "rehearsal/index.md"], "only the winner's plan was done");
}

/// Everything below a folder.
fn walk(folder: &Path) -> Vec<String> {
    let (mut left, mut found) = (vec![folder.to_owned()], Vec::new());
    while let Some(one) = left.pop() {
        for entry in std::fs::read_dir(one).expect("it can be listed").flatten() {
            let path = entry.path();
            let name = path.strip_prefix(folder).expect("it is below").to_string_lossy();
            found.push(name.into_owned());
            if path.is_dir() {
                left.push(path);
            }
        }
    }
    found.sort();
    found
}

#[tokio::test]
async fn with_json_every_line_is_an_object_and_the_last_is_the_result() {
    let scene = Scene::won("off").await;
    let ran = scene.council(&["--json", "--members", "default,b", "tidy"]).await;
    let lines = objects(&ran);
    let kinds: Vec<&str> = lines.iter().filter_map(|line| line["type"].as_str()).collect();
    assert_eq!(kinds.len(), lines.len(), "each says what it is");
    assert_eq!((kinds.first(), kinds.last()), (Some(&"room"), Some(&"result")));
    for kind in [
        "council_started",
        "council_answered",
        "council_voted",
        "council_decided",
        "step_done",
        "council_ended",
    ] {
        assert!(kinds.contains(&kind), "{kind} in {kinds:?}");
    }
    let result = lines.last().unwrap();
    assert_eq!((&result["state"], &result["exit_code"]), (&json!("done"), &json!(0)));
    assert_eq!(result["council"]["winner"], "agent2");
    assert_eq!(ran.status.code(), Some(0));
}

#[tokio::test]
async fn a_plan_that_waits_for_approval_is_left_waiting_with_4() {
    let scene = Scene::won("strict").await;
    let ran = scene.council(&["tidy"]).await;
    let out = said(&ran.stdout);
    assert_eq!(ran.status.code(), Some(4), "{out}");
    assert!(out.contains("\nThe plan waits for your approval.\nApprove or reject it in the window: plancard plancard://room/"), "{out}");
    assert!(!out.contains("[y/N]"), "nobody is asked where there is no terminal: {out}");
    assert!(!out.contains("Step 1"), "{out}");
    let serve = scene.place.start().await;
    let rooms = serve.client.get("/v1/rooms").await.ok();
    let room = rooms["items"].as_array().unwrap().iter().find(|room| room["kind"] == "chat");
    let id = room.unwrap()["id"].as_str().unwrap();
    let plan = serve.client.get(&format!("/v1/rooms/{id}/plan")).await.ok();
    assert_eq!(plan["state"], "awaiting_approval");
    // What it prints for those without a window is the answer to exactly this plan.
    let approve = out.lines().find(|line| line.contains("/plan/approve")).expect("a way on");
    assert!(approve.contains("--unix-socket") && approve.contains("plancard.sock'"), "{approve}");
    assert!(approve.contains(plan["hash"].as_str().unwrap()), "{approve}");
    assert!(out.contains("/plan/reject"), "{out}");
}

/// The path and the body of a printed request.
fn printed<'a>(out: &'a str, path: &str) -> (&'a str, Value) {
    let line = out.lines().find(|line| line.contains(path));
    let line = line.unwrap_or_else(|| panic!("{path} in {out}"));
    let (_, rest) = line.split_once("http://plancard").expect("an address");
    let (path, sent) = rest.split_once(' ').expect("what is sent");
    let body = sent.split_once("-d '").map(|(_, body)| body.trim_end_matches('\''));
    (path, body.map_or(Value::Null, |body| serde_json::from_str(body).expect("JSON")))
}

/// The command itself was the engine, so its council stands still once it has ended.
#[tokio::test]
async fn a_question_that_is_left_is_answered_and_the_council_resumed_by_what_is_printed() {
    let a = vec![answer("Sort by size"), vote("agent2", "it is calmer")];
    let b = vec![
        answer("Sort by colour"),
        vote("agent2", "it is mine"),
        ask_user("Which colour?", &["red", "blue"]),
        step_done("s1", "looked"),
        Reply::text("All is sorted."),
    ];
    let scene = Scene::of("off", a, b).await;
    let ran = scene.council(&["tidy"]).await;
    let out = said(&ran.stdout);
    assert_eq!(ran.status.code(), Some(4), "{out}");
    let (answer, mut body) = printed(&out, "/answer ");
    let (resume, nothing) = printed(&out, "/council/resume ");
    assert!(out.find("/answer ") < out.find("/council/resume "), "in this order: {out}");
    assert_eq!(nothing, Value::Null);
    body["answer"] = json!("red");
    let serve = scene.place.start().await;
    let client = Client::on_socket(&scene.place.data());
    client.post(answer, body).await.ok();
    assert_eq!(council_of(&client).await["state"], "paused");
    client.press(resume).await.ok();
    let done = async || council_of(&client).await["state"] == "done";
    support::wait_for(done, "the council to end").await;
    drop(serve);
}

#[tokio::test]
async fn the_plan_is_shown_with_what_its_steps_touch_and_how_they_are_checked() {
    let step = json!({
        "text": "Clear it", "tool": "shell", "target": "rm -rf old",
        "verify": { "command": "test ! -e old" },
    });
    let answer = |steps: Value| {
        Reply::call("new_answer", json!({ "content": steps.to_string(), "steps": steps }))
    };
    let a = vec![answer(json!([step])), vote("agent1", "it is clear")];
    let b = vec![answer(json!(["look"])), vote("agent1", "it is safe")];
    let scene = Scene::of("strict", a, b).await;
    let out = said(&scene.council(&["clear", "the", "old", "one"]).await.stdout);
    let plan = &out[out.find("\nPlan:").expect("it has a plan")..];
    let shown = "  1. Clear it\n     shell rm -rf old\n     check: test ! -e old\n";
    assert!(plan.contains(shown), "{out}");
}

#[tokio::test]
async fn a_folder_that_no_room_can_have_says_how_another_is_named() {
    let scene = Scene::of("off", vec![], vec![]).await;
    let home = scene.place.home();
    std::fs::create_dir_all(home.join("up/work")).unwrap();
    let mut command = scene.place.command(&program("plancard"));
    let ran = command.current_dir(home).args(["council", "tidy"]).output().await.unwrap();
    let errors = said(&ran.stderr);
    assert_eq!(ran.status.code(), Some(1), "{errors}");
    assert!(errors.trim_end().ends_with("(with --folder DIR)"), "{errors}");
}

#[tokio::test]
async fn a_configuration_beside_the_folder_is_no_part_of_it_and_one_in_it_is_named() {
    let place = Place::new("");
    let home = place.home();
    std::fs::create_dir_all(home.join("up/work")).unwrap();
    std::fs::create_dir(home.join("up/conf")).unwrap();
    let council = async |config: &str| {
        std::fs::write(home.join("up/work").join(config), "").unwrap();
        let mut command = place.command(&program("plancard"));
        command.current_dir(home.join("up/work")).args(["council", "--config", config, "tidy"]);
        command.output().await.unwrap()
    };
    let beside = council("../conf/plan.yaml").await;
    assert_eq!(beside.status.code(), Some(0), "{}", said(&beside.stderr));
    let inside = said(&council("plan.yaml").await.stderr);
    assert!(
        inside.contains("up/work/plan.yaml, which is Plancard's own; move that out"),
        "{inside}"
    );
}

#[tokio::test]
async fn a_council_in_which_nobody_answers_ends_with_1() {
    let broken = || vec![Reply::status(400, r#"{"error":{"message":"no"}}"#, &[])];
    let scene = Scene::of("off", broken(), broken()).await;
    let ran = scene.council(&["tidy"]).await;
    let out = said(&ran.stdout);
    assert_eq!(ran.status.code(), Some(1), "{out}");
    assert!(out.contains("agent1 is out: ") && out.contains("\nFailed: "), "{out}");
}

#[tokio::test]
async fn the_engine_that_runs_is_used_and_a_cancel_there_ends_it_with_3() {
    let scene = Scene::of("off", vec![held()], vec![held()]).await;
    let serve = scene.place.start().await;
    let client = Client::on_socket(&scene.place.data());
    let cancel = async {
        scene.model.request(1).await;
        let rooms = client.get("/v1/rooms").await.ok();
        let rooms = rooms["items"].as_array().unwrap().clone();
        let room = rooms.iter().find(|room| room["kind"] == "chat").unwrap();
        let id = room["id"].as_str().unwrap();
        assert_eq!(room["workspace"], json!(scene.folder));
        client.press(&format!("/v1/rooms/{id}/council/cancel")).await.ok();
    };
    let (ran, ()) = tokio::join!(scene.council(&["tidy"]), cancel);
    assert_eq!(ran.status.code(), Some(3), "{}", said(&ran.stdout));
    assert!(said(&ran.stdout).ends_with("\nCancelled.\n"), "{}", said(&ran.stdout));
    drop(serve);
}

/// Starts a council, interrupts it when its members are at work, and gives how it ended.
async fn interrupted(scene: &Scene) -> (Option<i32>, String) {
    let mut command = scene.place.command(&program("plancard"));
    let mut child = command
        .args(["council", "tidy", "--folder"])
        .arg(&scene.folder)
        .spawn()
        .expect("the program can be started");
    let mut lines = BufReader::new(child.stdout.take().expect("its output is ours")).lines();
    while let Some(line) = lines.next_line().await.expect("its output is text") {
        if line.starts_with("  agent2 is") {
            break;
        }
    }
    scene.model.request(1).await;
    let id = child.id().expect("it is running").to_string();
    let asked = tokio::process::Command::new("kill").args(["-INT", &id]).status().await;
    assert!(asked.expect("kill can be started").success());
    let ended = child.wait_with_output().await.expect("it can be waited for");
    (ended.status.code(), said(&ended.stderr))
}

async fn council_of(client: &Client) -> Value {
    let rooms = client.get("/v1/rooms").await.ok();
    let mut rooms = rooms["items"].as_array().into_iter().flatten();
    let room = rooms.find(|room| room["kind"] == "chat").expect("the council has a room");
    room["council"].clone()
}

#[tokio::test]
async fn ctrl_c_pauses_a_council_of_its_own_and_cancels_nothing() {
    let scene = Scene::of("off", vec![held()], vec![held()]).await;
    let (code, errors) = interrupted(&scene).await;
    assert_eq!(code, Some(130), "{errors}");
    assert!(
        errors.contains("Paused. Resume it in the window: plancard plancard://room/"),
        "{errors}"
    );
    let serve = scene.place.start().await;
    let council = council_of(&serve.client).await;
    let stands = (&council["state"], &council["pause_reason"]);
    assert_eq!(stands, (&json!("paused"), &json!("interrupted")));
}

#[tokio::test]
async fn ctrl_c_leaves_a_council_of_the_running_engine_at_work() {
    let scene = Scene::of("off", vec![held()], vec![held()]).await;
    let serve = scene.place.start().await;
    let (code, errors) = interrupted(&scene).await;
    assert_eq!(code, Some(130), "{errors}");
    assert!(errors.contains("Left. It goes on in the running Plancard"), "{errors}");
    assert_eq!(council_of(&serve.client).await["state"], "answering");
}

#[tokio::test]
async fn what_can_not_start_says_why_and_leaves_with_1_or_2() {
    let scene = Scene::of("off", vec![], vec![]).await;
    for (words, code, why) in [
        (&["--members", "default,nobody", "tidy"][..], 1, "nobody"),
        (&["--members", "b", "tidy"], 1, "needs 2 members or more"),
        (&["  "], 2, "say what the council is about"),
        (&[], 2, "<TASK>"),
        (&["--room", "x", "tidy"], 2, "--folder"),
    ] {
        let ran = scene.council(words).await;
        let errors = said(&ran.stderr);
        assert_eq!(ran.status.code(), Some(code), "{words:?}: {errors}");
        assert!(errors.contains(why), "{why:?} in {errors}");
    }
    assert!(scene.model.requests().is_empty(), "no model was asked");
    let serve = scene.place.start().await;
    let rooms = serve.client.get("/v1/rooms").await.ok();
    assert_eq!(rooms["items"], json!([]), "and no room was made");
}

#[tokio::test]
async fn with_json_what_can_not_start_ends_with_a_result_too() {
    let scene = Scene::of("off", vec![], vec![]).await;
    let ran = scene.council(&["--json", "--members", "b", "tidy"]).await;
    let result = objects(&ran).pop().expect("a line");
    assert_eq!((&result["type"], &result["exit_code"]), (&json!("result"), &json!(1)));
    assert!(result["error"].as_str().is_some_and(|why| why.contains("2 members")), "{result}");
    assert_eq!(ran.status.code(), Some(1));
    let missing = scene.place.home().join("nowhere.yaml");
    let missing = missing.to_str().expect("it is text");
    let ran = scene.council(&["--config", missing, "tidy"]).await;
    let errors = said(&ran.stderr);
    assert!(errors.contains(missing), "the file is named: {errors}");
}

#[tokio::test]
async fn what_hides_in_an_answer_is_shown_by_its_name() {
    let hidden = "Sort\u{202e} by\u{200b} size";
    let a = vec![answer(hidden), vote("agent2", "it is calmer")];
    let b = vec![answer("Sort by colour"), vote("agent2", "it is mine"), Reply::text("No.")];
    let scene = Scene::of("strict", a, b).await;
    let out = said(&scene.council(&["tidy"]).await.stdout);
    assert!(out.contains("  Sort⟨U+202E⟩ by⟨U+200B⟩ size\n"), "{out}");
    assert!(!out.contains(['\u{202e}', '\u{200b}']), "{out}");
}

#[tokio::test]
async fn a_council_can_be_held_in_a_room_that_is_there() {
    let scene = Scene::won("off").await;
    let serve = scene.place.start().await;
    let new = json!({ "workspace": scene.folder, "title": "Shelf" });
    let client = Client::on_socket(&scene.place.data());
    let room = client.post("/v1/rooms", new).await.ok()["id"].as_str().unwrap().to_owned();
    let ran = plancard(&scene.place, &["council", "--json", "--room", &room, "tidy"]).await;
    assert_eq!(objects(&ran)[0]["room_id"], room.as_str());
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran.stderr));
    let nowhere = engine::fresh_id().to_string();
    let ran = plancard(&scene.place, &["council", "--room", &nowhere, "tidy"]).await;
    assert_eq!(ran.status.code(), Some(1));
    assert!(said(&ran.stderr).contains("no such room"), "{}", said(&ran.stderr));
    drop(serve);
}
