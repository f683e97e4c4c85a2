//! A plan approved for two files, and an agent that edits a third.

use crate::Scene;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use support::{Reply, plan_write_with, step_done};

fn edit(path: &str, old: &str, new: &str) -> Reply {
    Reply::call("edit_file", json!({ "path": path, "old": old, "new": new }))
}

fn plan() -> Reply {
    let steps = json!([
        { "text": "first", "tool": "edit_file", "target": "a.txt" },
        { "text": "second", "tool": "edit_file", "target": "b.txt" },
    ]);
    plan_write_with("goal", steps, json!({}))
}

/// Up to the question about the third file; what comes after it in the script is `then`.
async fn drifting(then: Vec<Reply>) -> (Scene, Value) {
    let mut script = vec![
        plan(),
        edit("a.txt", "one", "two"),
        step_done("s1", "edited"),
        edit("c.txt", "one", "two"),
    ];
    script.extend(then);
    let files = [("a.txt", "one"), ("b.txt", "one"), ("c.txt", "one")];
    let scene = Scene::new("strict", script, &files).await;
    scene.say("do it").await;
    let plan = scene.wait_for_plan().await;
    scene.approve(&plan).await.ok();
    let ask = scene.wait_asked("drift").await;
    assert_eq!(scene.state().await, ("paused".to_owned(), "drift".to_owned()));
    assert_eq!(scene.workspace.read("a.txt"), "two", "what was approved is done");
    assert_eq!(scene.workspace.read("c.txt"), "one", "the rest waits before it begins");
    assert!(ask["text"].as_str().unwrap().contains("c.txt"), "{ask}");
    assert_eq!(ask["answers"], json!(["once", "add", "refuse", "refuse_stop"]));
    (scene, ask)
}

fn rest() -> Vec<Reply> {
    vec![edit("b.txt", "one", "two"), step_done("s2", "edited"), Reply::text("Done.")]
}

async fn answer(scene: &Scene, ask: &Value, word: &str) {
    scene.answer(ask, json!({ "answer": word })).await.ok();
}

fn read(scene: &Scene) -> [String; 3] {
    ["a.txt", "b.txt", "c.txt"].map(|path| scene.workspace.read(path))
}

#[tokio::test]
async fn once_lets_this_edit_pass_and_asks_about_the_next() {
    let mut then = vec![edit("c.txt", "two", "three")];
    then.extend(rest());
    let (scene, ask) = drifting(then).await;
    answer(&scene, &ask, "once").await;
    let again = scene.wait_asked("drift").await;
    assert_ne!(again["id"], ask["id"]);
    assert_eq!(scene.workspace.read("c.txt"), "two", "the one that was asked about, once");
    answer(&scene, &again, "refuse").await;
    scene.until(0, "plan_done").await;
    assert_eq!(read(&scene), ["two", "two", "two"]);
}

#[tokio::test]
async fn add_puts_the_file_into_the_plan_and_asks_no_more() {
    let mut then = vec![edit("c.txt", "two", "three")];
    then.extend(rest());
    let (scene, ask) = drifting(then).await;
    answer(&scene, &ask, "add").await;
    scene.until(0, "plan_done").await;
    assert_eq!(read(&scene), ["two", "two", "three"]);
    assert_eq!(scene.count("granted").await, 1);
    let asked = scene.log().await;
    let drifts = asked.iter().filter(|heard| heard.data["ask"]["kind"] == "drift").count();
    assert_eq!(drifts, 1);
}

/// A grant is for what the step said, and ends with the plan.
#[tokio::test]
async fn what_was_added_ends_with_the_plan() {
    let mut then = rest();
    then.push(edit("c.txt", "two", "three"));
    then.push(Reply::text("I can't."));
    let (scene, ask) = drifting(then).await;
    answer(&scene, &ask, "add").await;
    scene.until(0, "plan_done").await;
    scene.wait_idle().await;
    scene.say("and again").await;
    scene.wait_idle().await;
    assert_eq!(crate::code(&scene.result()), "NOT_APPROVED");
    assert_eq!(read(&scene), ["two", "two", "two"]);
}

#[tokio::test]
async fn refuse_leaves_the_file_alone_and_the_plan_goes_on() {
    let (scene, ask) = drifting(rest()).await;
    scene.answer(&ask, json!({ "answer": "refuse", "note": "not that one" })).await.ok();
    let told = scene.model.request(4).await.tool_results().pop().unwrap();
    assert_eq!(told, "The person refused this call: not that one");
    scene.until(0, "plan_done").await;
    assert_eq!(read(&scene), ["two", "two", "one"]);
}

#[tokio::test]
async fn refuse_and_stop_leaves_the_file_alone_and_the_plan_paused() {
    let (scene, ask) = drifting(rest()).await;
    answer(&scene, &ask, "refuse_stop").await;
    scene.wait_idle().await;
    assert_eq!(scene.state().await, ("paused".to_owned(), "supervisor".to_owned()));
    assert_eq!(scene.model.requests().len(), 4, "nobody is asked to go on");
    assert_eq!(read(&scene), ["two", "one", "one"]);
    scene.client().press(&scene.at("/plan/resume")).await.ok();
    scene.until(0, "plan_done").await;
    assert_eq!(read(&scene), ["two", "two", "one"]);
}

#[tokio::test]
async fn the_question_outlives_a_kill_and_the_edit_is_made_once() {
    let (mut scene, ask) = drifting(rest()).await;
    scene.kill().await;
    assert_eq!(scene.asks().await, std::slice::from_ref(&ask));
    assert_eq!(read(&scene), ["two", "one", "one"]);
    answer(&scene, &ask, "once").await;
    scene.until(0, "plan_done").await;
    assert_eq!(read(&scene), ["two", "two", "two"]);
}

#[tokio::test]
async fn a_program_that_was_approved_is_not_another_of_that_name_elsewhere() {
    let run = |more: Value| {
        let mut args = json!({ "command": "./s.sh" });
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        Reply::call("shell", args)
    };
    let moved = Reply::call("shell", json!({ "command": "cd sub" })).and(run(json!({})));
    let steps = json!([{ "text": "run it", "tool": "shell", "target": "./s.sh" }]);
    let script = vec![
        plan_write_with("goal", steps, json!({})),
        run(json!({ "folder": "." })),
        run(json!({ "folder": "sub" })),
        moved,
        step_done("s1", "ran"),
        Reply::text("Done."),
    ];
    let files = [
        ("s.sh", "#!/bin/sh\necho top >> said\n"),
        ("sub/s.sh", "#!/bin/sh\necho sub >> ../said\n"),
    ];
    let scene = Scene::new("strict", script, &files).await;
    for path in ["s.sh", "sub/s.sh"] {
        let path = scene.workspace.path().join(path);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    scene.say("do it").await;
    let plan = scene.wait_for_plan().await;
    scene.approve(&plan).await.ok();
    for what in ["in another folder", "after moving there"] {
        let ask = scene.wait_asked("drift").await;
        assert!(ask["text"].as_str().unwrap().contains("sub"), "{what}: {ask}");
        assert_eq!(scene.workspace.read("said"), "top\n", "{what}");
        answer(&scene, &ask, "refuse").await;
    }
    scene.until(0, "plan_done").await;
    assert_eq!(scene.workspace.read("said"), "top\n");
}
