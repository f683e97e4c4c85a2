//! What an approval is of, and what it is good for.

use crate::{Scene, code};
use flow::Answer;
use serde_json::{Value, json};
use support::{Reply, plan_write, plan_write_with, step_done, wait_for_some};

fn plan_for(target: &str) -> Reply {
    let steps = json!([{ "text": "write it", "tool": "write_file", "target": target }]);
    plan_write_with("goal", steps, json!({}))
}

fn write(path: &str) -> Reply {
    Reply::call("write_file", json!({ "path": path, "content": "x" }))
}

/// A plan for `out.txt` that waits; once it may, the agent writes that file.
async fn waiting() -> Scene {
    let script = vec![
        plan_for("out.txt"),
        write("out.txt"),
        step_done("s1", "written"),
        Reply::text("Done."),
    ];
    let scene = Scene::new("strict", script, &[]).await;
    scene.say("do it").await;
    scene.wait_for_plan().await;
    scene
}

fn conflict(answer: &Answer) {
    assert_eq!(answer.refusal(), (409, "PLAN_CONFLICT".to_owned()));
    assert_eq!(answer.body["error"]["revision"], 2, "the one that is shown now is told");
}

#[tokio::test]
async fn revision_1_can_not_be_approved_once_there_is_revision_2() {
    let scene = waiting().await;
    let (first, ask) = (scene.plan().await, scene.wait_asked("approval").await);
    let edit = json!({ "revision": 1, "edits": [
        { "op": "set", "step": "s1", "target": "elsewhere.txt" } ] });
    scene.client().send("PATCH", &scene.at("/plan"), Some(edit.to_string())).await.ok();

    conflict(&scene.approve(&first).await);
    let yes = json!({ "answer": "approve", "revision": first["revision"], "hash": first["hash"] });
    conflict(&scene.answer(&ask, yes).await);
    let half = json!({ "answer": "approve", "revision": 2, "hash": first["hash"] });
    conflict(&scene.answer(&ask, half).await);
    conflict(&scene.answer(&ask, json!({ "answer": "approve" })).await);

    scene.wait_idle().await;
    let shown = scene.plan().await;
    assert_eq!((&shown["state"], &shown["revision"]), (&json!("awaiting_approval"), &json!(2)));
    assert_eq!(shown["steps"][0]["target"], "elsewhere.txt");
    assert_eq!(shown["approval"], Value::Null);
    assert_eq!((scene.count("approved").await, scene.count("started").await), (0, 0));
    assert_eq!((scene.model.requests().len(), scene.workspace.files()), (1, vec![]));
    assert_eq!(scene.asks().await.len(), 1, "the same question still stands");
}

#[tokio::test]
async fn the_same_holds_for_a_second_revision_of_the_agents() {
    let script = vec![
        plan_for("out.txt"),
        plan_for("elsewhere.txt"),
        write("out.txt"),
        write("elsewhere.txt"),
        step_done("s1", "written"),
        Reply::text("Done."),
    ];
    let scene = Scene::new("strict", script, &[]).await;
    scene.say("do it").await;
    let first = scene.wait_for_plan().await;
    scene.say("somewhere else, please").await;
    scene.model.request(1).await;
    let second = scene.wait_for_plan().await;
    assert_eq!(second["revision"], 2);
    conflict(&scene.approve(&first).await);
    assert_eq!(scene.state().await.0, "awaiting_approval");

    scene.approve(&second).await.ok();
    let drift = scene.wait_asked("drift").await;
    assert!(drift["text"].as_str().unwrap().contains("out.txt"), "{drift}");
    assert_eq!(scene.workspace.files(), [], "what revision 1 named is not allowed");
    scene.answer(&drift, json!({ "answer": "refuse" })).await.ok();
    scene.wait_idle().await;
    let files: Vec<String> = scene.workspace.files().into_iter().map(|(path, _)| path).collect();
    assert_eq!(files, ["elsewhere.txt"]);
}

#[tokio::test]
async fn killed_while_it_waits_the_same_question_is_there_and_a_yes_goes_on() {
    let mut scene = waiting().await;
    let (before, asked) = (scene.plan().await, scene.asks().await);
    scene.kill().await;
    assert_eq!(scene.asks().await, asked, "the same question, under the same id");
    assert_eq!(scene.plan().await, before);
    assert_eq!((scene.model.requests().len(), scene.workspace.files()), (1, vec![]));

    // Killed once more, to be sure that waiting is no state of memory.
    scene.kill().await;
    assert_eq!(scene.asks().await, asked);
    let yes =
        json!({ "answer": "approve", "revision": before["revision"], "hash": before["hash"] });
    scene.answer(&asked[0], yes).await.ok();
    scene.until(0, "plan_done").await;
    scene.wait_idle().await;
    assert_eq!(scene.workspace.read("out.txt"), "x");
    let told: Value = serde_json::from_str(&scene.results()[0]).unwrap();
    assert_eq!(told["approved"], true, "the call that waited is answered");
    assert_eq!((scene.count("approved").await, scene.count("ask_raised").await), (1, 1));
}

#[tokio::test]
async fn killed_while_it_waits_a_no_is_told_and_unlocks_nothing() {
    let mut scene = waiting().await;
    let asked = scene.asks().await;
    scene.kill().await;
    scene.answer(&asked[0], json!({ "answer": "reject", "note": "no" })).await.ok();
    scene.model.request(2).await;
    assert_eq!(code(&scene.results()[1]), "NOT_APPROVED");
    assert_eq!(scene.workspace.files(), []);
}

#[tokio::test]
async fn a_plan_of_bare_words_may_read_and_nothing_else() {
    let script = vec![
        plan_write("goal", &["look around", "write it down"]),
        Reply::call("read_file", json!({ "path": "note.txt" })),
        Reply::call("shell", json!({ "command": "cat note.txt" })),
        step_done("s1", "looked"),
        write("out.txt"),
        Reply::call("edit_file", json!({ "path": "note.txt", "old": "hello", "new": "gone" })),
        Reply::call("shell", json!({ "command": "echo x > out.txt" })),
        Reply::call("create_directory", json!({ "path": "made" })),
        Reply::text("I can't."),
    ];
    let scene = Scene::new("strict", script, &[("note.txt", "hello\n")]).await;
    let before = crate::tree::tree(&scene.workspace.path(), &[]);
    scene.say("do it").await;
    let plan = scene.wait_for_plan().await;
    scene.approve(&plan).await.ok();
    let scope = scene.plan().await["approval"]["scope"].clone();
    assert_eq!(scope, json!(["read only", "read only"]));
    for number in 1..=4 {
        let ask = scene.wait_asked("drift").await;
        assert_eq!(scene.state().await, ("paused".to_owned(), "drift".to_owned()));
        assert_eq!(crate::tree::tree(&scene.workspace.path(), &[]), before, "{ask}");
        scene.answer(&ask, json!({ "answer": "refuse" })).await.ok();
        scene.model.request(4 + number).await;
    }
    let results = scene.results();
    assert!(results[0].contains("these steps name no target"), "{}", results[0]);
    assert!(results[1].contains("hello") && results[2].contains("hello"), "{results:?}");
    assert!(results[4..].iter().all(|told| told.contains("refused this call")), "{results:?}");
    assert_eq!(crate::tree::tree(&scene.workspace.path(), &[]), before);
}

/// Until a person turns the hand switch of such a step. That is a new revision: a yes to the old
/// one is no yes to it.
#[tokio::test]
async fn the_hand_switch_lets_a_step_of_bare_words_change_the_workspace() {
    let script = vec![
        plan_write("goal", &["write it down"]),
        write("out.txt"),
        step_done("s1", "written"),
        Reply::text("Done."),
    ];
    let scene = Scene::new("strict", script, &[]).await;
    let said = scene.say("do it").await;
    let plan = scene.wait_for_plan().await;
    let switch = json!({ "revision": 1, "on": true });
    let switched =
        scene.client().post(&scene.at("/plan/steps/s1/may-change"), switch.clone()).await;
    assert_eq!(switched.ok()["steps"][0]["may_change"], true);
    let late = scene.client().post(&scene.at("/plan/steps/s1/may-change"), switch).await;
    assert_eq!(late.refusal(), (409, "PLAN_CONFLICT".to_owned()));
    assert_eq!(scene.approve(&plan).await.refusal(), (409, "PLAN_CONFLICT".to_owned()));
    assert!(!scene.workspace.has("out.txt"));
    scene.approve(&scene.plan().await).await.ok();
    scene.until(said, "plan_done").await;
    assert!(scene.workspace.has("out.txt"));
}

/// Comments are one round: the agent gets them all, and what nobody spoke of stays.
#[tokio::test]
async fn comments_on_single_steps_reach_the_agent_together() {
    let full = |steps: serde_json::Value| plan_write_with("goal", steps, json!({}));
    let script = vec![
        full(json!([
            { "id": "one", "text": "write a", "tool": "write_file", "target": "a.txt" },
            { "id": "two", "text": "write b", "tool": "write_file", "target": "b.txt" },
        ])),
        full(json!([
            { "id": "one", "text": "write a", "tool": "write_file", "target": "**" },
            { "id": "two", "text": "write c", "tool": "write_file", "target": "c.txt" },
        ])),
    ];
    let scene = Scene::new("strict", script, &[]).await;
    scene.say("do it").await;
    scene.wait_for_plan().await;
    let comments = json!({ "revision": 1, "on": [{ "step": "two", "text": "call it c" }] });
    scene.client().post(&scene.at("/plan/comment"), comments).await.ok();
    scene.model.request(1).await;
    assert!(scene.result().contains("Step 2 (write b): call it c"), "{}", scene.result());
    let plan = wait_for_some(
        async || {
            let plan = scene.plan().await;
            (plan["revision"] == 2 && plan["state"] == "awaiting_approval").then_some(plan)
        },
        "the second revision",
    )
    .await;
    let targets = [&plan["steps"][0]["target"], &plan["steps"][1]["target"]];
    assert_eq!(targets, ["a.txt", "c.txt"]);
}

/// What nobody spoke of can't be talked away: the agent hears which steps stay, and tries again.
#[tokio::test]
async fn a_plan_that_throws_other_steps_away_is_not_shown() {
    let one = json!({ "id": "one", "text": "write a", "tool": "write_file", "target": "a.txt" });
    let two = json!({ "id": "two", "text": "write b", "tool": "write_file", "target": "b.txt" });
    let submit = |steps: serde_json::Value| {
        let plan = json!({ "title": "all of it", "steps": steps, "rationale": "so" });
        Reply::call("submit_plan", plan)
    };
    let step = |words: &str, target: &str| {
        json!({ "description": words, "tool": "write_file", "target": target,
                "expected_outcome": "it is there" })
    };
    let edit = json!([{ "op": "set", "step": "one", "target": "**" }]);
    let script = vec![
        plan_write_with("goal", json!([one, two]), json!({})),
        submit(json!([step("write everything", "**")])),
        submit(json!([step("write a", "a.txt"), step("write c", "c.txt")])),
        Reply::call("plan", json!({ "action": "revise", "edits": edit })),
        submit(json!([step("write a gently", "**"), step("write c", "c.txt")])),
    ];
    let scene = Scene::new("strict", script, &[]).await;
    scene.say("do it").await;
    scene.wait_for_plan().await;
    // A person's own word for the first step, before they speak of the second.
    let mine = json!([{ "op": "set", "step": "one", "text": "write a gently" }]);
    let body = Some(json!({ "revision": 1, "edits": mine }).to_string());
    let patched = scene.client().send("PATCH", &scene.at("/plan"), body).await.ok();
    let comments = json!({ "revision": patched["revision"],
                           "on": [{ "step": "two", "text": "call it c" }] });
    scene.client().post(&scene.at("/plan/comment"), comments).await.ok();
    for request in [2, 3, 4] {
        let told = scene.model.request(request).await.tool_results().pop().unwrap();
        assert!(
            told.contains("PLAN_STEPS_STAY") && told.contains("one (write a gently)"),
            "{told}"
        );
    }
    let plan = scene.wait_for_plan().await;
    assert_eq!((&plan["revision"], &plan["goal"]), (&json!(3), &json!("goal")));
    let first = &plan["steps"][0];
    assert_eq!(first["text"], "write a gently");
    assert_eq!((&first["id"], &first["target"]), (&json!("one"), &json!("a.txt")));
    assert_eq!(plan["steps"][1]["target"], "c.txt");
}
