//! A no stays a no: in every mode nothing starts and nothing asks again until a new revision.

use crate::{Scene, code};
use serde_json::{Value, json};
use support::{Reply, plan_cancel, plan_run, plan_write_with, step_done, submit_plan};

fn steps() -> Value {
    json!([{ "description": "write it", "tool": "write_file", "target": "out.txt",
             "expected_outcome": "a file" }])
}

fn write() -> Reply {
    Reply::call("write_file", json!({ "path": "out.txt", "content": "x" }))
}

fn in_shell() -> Reply {
    Reply::call("shell", json!({ "command": "echo x > out.txt" }))
}

/// What an agent tries that was told no, and the code it is told.
fn tries() -> Vec<(Reply, &'static str)> {
    vec![
        (write(), "NOT_APPROVED"),
        (in_shell(), "NOT_APPROVED"),
        (plan_run(), "PLAN_SENT_BACK"),
        (step_done("s1", "done anyway"), "PLAN_NOT_RUNNING"),
    ]
}

/// The codes the model was told since it was told no.
fn codes(scene: &Scene, since: usize) -> Vec<String> {
    scene.results()[since..].iter().map(|told| code(told)).collect()
}

#[tokio::test]
async fn after_a_reject_nothing_starts_and_nothing_asks_until_a_new_revision() {
    for (mode, first) in [
        ("off", submit_plan("first", steps(), "why")),
        ("soft", submit_plan("first", steps(), "why")),
        ("strict", submit_plan("first", steps(), "why")),
        ("strict", plan_write_with("first", steps(), json!({}))),
    ] {
        let expected: Vec<&str> = tries().iter().map(|(_, code)| *code).collect();
        let mut script = vec![first];
        script.extend(tries().into_iter().map(|(reply, _)| reply));
        script.push(Reply::text("I can't."));
        // The same again after a message.
        script.extend(tries().into_iter().map(|(reply, _)| reply));
        script.push(Reply::text("I still can't."));
        script.push(submit_plan("second", steps(), "as you said"));
        let scene = Scene::new(mode, script, &[]).await;
        scene.say("do it").await;
        scene.wait_for_plan().await;
        let draft = scene.reject("not like this").await;
        assert_eq!(draft["state"], "draft", "{mode}");
        scene.wait_idle().await;
        let told: Value = serde_json::from_str(&scene.results()[0]).unwrap();
        assert_eq!(told, json!({ "approved": false, "reason": "not like this" }), "{mode}");
        assert_eq!(codes(&scene, 1), expected, "{mode}");

        scene.say("why is nothing done?").await;
        scene.wait_idle().await;
        assert_eq!(codes(&scene, 1 + expected.len()), expected, "{mode}, after a message");
        assert_eq!(scene.state().await.0, "draft", "{mode}");
        assert_eq!(scene.asks().await, Vec::<Value>::new(), "{mode}");
        assert_eq!(scene.count("ask_raised").await, 1, "{mode}: it asked once");
        assert_eq!(scene.count("started").await, 0, "{mode}");
        assert_eq!(scene.workspace.files(), [], "{mode}");

        scene.say("write another one").await;
        let plan = scene.wait_for_plan().await;
        assert_eq!(plan["revision"], 2, "{mode}: a new revision asks in every mode");
        assert_eq!(scene.asks().await.len(), 1, "{mode}");
        assert_eq!(scene.workspace.files(), [], "{mode}");
    }
}

/// Who gives the plan up has no plan, and the no stands: in every mode the next plan waits.
#[tokio::test]
async fn giving_up_what_was_rejected_unlocks_nothing() {
    for mode in ["off", "soft", "strict"] {
        let tries = || [write(), in_shell(), plan_run()];
        let expected = ["NOT_APPROVED", "NOT_APPROVED", "PLAN_NOT_FOUND"];
        let mut script = vec![submit_plan("first", steps(), "why")];
        script.push(plan_cancel("then without a plan"));
        script.extend(tries());
        script.push(Reply::text("I can't."));
        script.extend(tries());
        script.push(Reply::text("I still can't."));
        script.push(plan_write_with("second", steps(), json!({})));
        script.extend([write(), step_done("s1", "written"), Reply::text("Done.")]);
        let mut scene = Scene::new(mode, script, &[]).await;
        scene.say("do it").await;
        scene.wait_for_plan().await;
        scene.reject("no").await;
        scene.wait_idle().await;
        let told = scene.results()[1].clone();
        assert!(told.contains("until they approve another plan"), "{mode}: {told}");
        assert_eq!(codes(&scene, 2), expected, "{mode}");

        scene.restart().await;
        scene.say("why is nothing done?").await;
        scene.wait_idle().await;
        assert_eq!(codes(&scene, 2 + expected.len()), expected, "{mode}, after a restart");
        assert_eq!(scene.workspace.files(), [], "{mode}");

        let said = scene.say("write another one").await;
        let plan = scene.wait_for_plan().await;
        assert_eq!(plan["goal"], "second", "{mode}: it waits");
        scene.approve(&plan).await.ok();
        scene.until(said, "plan_done").await;
        assert!(scene.workspace.has("out.txt"), "{mode}");
    }
}

#[tokio::test]
async fn plan_off_after_a_reject_starts_nothing_and_unlocks_nothing() {
    let script = vec![
        submit_plan("first", steps(), "why"),
        Reply::text("A pity."),
        write(),
        in_shell(),
        plan_run(),
        Reply::text("I can't."),
        submit_plan("second", steps(), "as you said"),
        write(),
        step_done("s1", "written"),
        Reply::text("Done."),
    ];
    let scene = Scene::new("strict", script, &[]).await;
    scene.say("do it").await;
    scene.wait_for_plan().await;
    scene.reject("no").await;
    scene.wait_idle().await;
    let requests = scene.model.requests().len();
    scene.mode("off").await;
    scene.wait_idle().await;
    assert_eq!(scene.state().await.0, "draft");
    assert_eq!(scene.model.requests().len(), requests, "nobody is even asked");

    scene.say("and now?").await;
    scene.wait_idle().await;
    assert_eq!(codes(&scene, 1), ["NOT_APPROVED", "NOT_APPROVED", "PLAN_SENT_BACK"]);
    assert_eq!((scene.count("started").await, scene.workspace.files()), (0, vec![]));

    scene.say("another plan, then").await;
    let plan = scene.wait_for_plan().await;
    assert_eq!((&plan["revision"], scene.workspace.files()), (&json!(2), vec![]));
    scene.approve(&plan).await.ok();
    scene.wait_idle().await;
    assert_eq!(scene.workspace.read("out.txt"), "x");
}

/// The other way round: what runs is not stopped by the mode, but in strict it changes nothing
/// without an approval.
#[tokio::test]
async fn a_plan_that_runs_without_an_approval_changes_nothing_once_the_mode_is_strict() {
    let plan = json!([{ "text": "write it", "tool": "write_file", "target": "out.txt" }]);
    let script = vec![
        plan_write_with("goal", plan, json!({})),
        Reply::text("One moment please.").hold_after(2).and(write()),
        in_shell(),
        Reply::text("I can't."),
    ];
    let scene = Scene::new("off", script, &[]).await;
    scene.say("do it").await;
    scene.model.request(1).await;
    scene.mode("strict").await;
    assert_eq!(scene.state().await.0, "running");
    scene.model.release();
    scene.model.request(3).await;
    assert_eq!(codes(&scene, 1), ["NOT_APPROVED", "NOT_APPROVED"]);
    assert_eq!(scene.workspace.files(), []);
}
