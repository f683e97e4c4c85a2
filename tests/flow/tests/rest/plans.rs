//! Supervising a plan: every button in every state.

use crate::{Desk, held, refused};
use plan::Event;
use serde_json::{Value, json};
use support::{Reply, plan_write, plan_write_with, step_done, step_failed};

/// A plan of two steps that runs and waits for its model.
async fn running() -> Desk {
    let desk = Desk::with(vec![plan_write("goal", &["one", "two"]), held(), held(), held()]).await;
    desk.say("do it").await;
    desk.wait_started().await;
    desk
}

/// A plan that waits for a person.
async fn waiting() -> Desk {
    let steps = json!([{ "text": "write", "tool": "write_file", "target": "out.txt" }, "two"]);
    let desk = Desk::with(vec![plan_write_with("goal", steps, json!({})), held(), held()]).await;
    desk.strict().await;
    desk.say("do it").await;
    desk.wait_asked().await;
    desk
}

async fn patch(desk: &Desk, body: Value) -> flow::Answer {
    desk.client().send("PATCH", &desk.at("/plan"), Some(body.to_string())).await
}

async fn approve(desk: &Desk, revision: &Value, hash: &Value) -> flow::Answer {
    let body = json!({ "revision": revision, "hash": hash });
    desk.client().post(&desk.at("/plan/approve"), body).await
}

fn state(plan: &Value) -> (&str, &str) {
    (plan["state"].as_str().unwrap_or(""), plan["pause_reason"].as_str().unwrap_or(""))
}

#[tokio::test]
async fn without_a_plan_every_button_says_so_and_reading_gives_null() {
    let desk = Desk::with(vec![]).await;
    assert_eq!(desk.plan().await, Value::Null);
    for button in ["pause", "resume", "cancel", "reject", "steps/s1/skip", "steps/s1/retry"] {
        assert_eq!(desk.press(button).await.refusal(), refused(404, "PLAN_NOT_FOUND"), "{button}");
    }
    let answer = approve(&desk, &json!(1), &json!("0".repeat(64))).await;
    assert_eq!(answer.refusal(), refused(404, "PLAN_NOT_FOUND"));
    let answer = patch(&desk, json!({ "revision": 1, "edits": [] })).await;
    assert_eq!(answer.refusal(), refused(404, "PLAN_NOT_FOUND"));
}

#[tokio::test]
async fn pause_and_resume_are_answered_the_same_when_it_is_so_already() {
    let desk = running().await;
    let resumed = desk.press("resume").await.ok();
    assert_eq!(state(&resumed), ("running", ""), "resume of a running plan");
    let again = desk.press("resume").await.ok();
    assert_eq!((again, desk.house.count("resumed")), (resumed, 0), "unchanged");

    let paused = desk.press("pause").await.ok();
    assert_eq!(state(&paused), ("paused", "supervisor"));
    let again = desk.press("pause").await.ok();
    assert_eq!((again, desk.house.count("paused")), (paused.clone(), 1), "unchanged");
    assert_eq!(desk.plan().await, paused);
    assert_eq!(state(&desk.press("resume").await.ok()), ("running", ""));
}

#[tokio::test]
async fn a_waiting_plan_or_a_draft_cannot_be_paused_or_resumed() {
    let desk = waiting().await;
    assert_eq!(desk.press("pause").await.refusal(), refused(409, "PLAN_NOT_PAUSABLE"));
    assert_eq!(desk.press("resume").await.refusal(), refused(409, "PLAN_NOT_RESUMABLE"));
    for button in ["steps/s1/skip", "steps/s1/retry"] {
        assert_eq!(
            desk.press(button).await.refusal(),
            refused(409, "PLAN_NOT_RUNNING"),
            "{button}"
        );
    }
    let body = json!({ "reason": "not like this" });
    let draft = desk.client().post(&desk.at("/plan/reject"), body).await.ok();
    assert_eq!(state(&draft), ("draft", ""));
    assert_eq!(desk.press("pause").await.refusal(), refused(409, "PLAN_NOT_PAUSABLE"));
    assert_eq!(desk.press("reject").await.refusal(), refused(409, "PLAN_NOT_WAITING"));
    let answer = approve(&desk, &draft["revision"], &draft["hash"]).await;
    assert_eq!(answer.refusal(), refused(409, "PLAN_NOT_WAITING"), "a rejected draft never starts");
    let told = desk.house.model.request(1).await.tool_results().pop().unwrap();
    assert_eq!(told, r#"{"approved":false,"reason":"not like this"}"#);
}

#[tokio::test]
async fn cancel_answers_the_last_plan_again_and_again() {
    let desk = running().await;
    let body = json!({ "reason": "enough" });
    let cancelled = desk.client().post(&desk.at("/plan/cancel"), body).await.ok();
    assert_eq!(state(&cancelled), ("cancelled", ""));
    assert_eq!(cancelled["end_reason"], "enough");
    assert!(cancelled["steps"].as_array().unwrap().iter().all(|step| step["status"] == "skipped"));
    assert_eq!(desk.plan().await, Value::Null, "there is no active plan");
    assert_eq!(desk.press("cancel").await.ok(), cancelled);
    assert_eq!(desk.house.count("plan_cancelled"), 1);
    for button in ["pause", "resume"] {
        assert_eq!(desk.press(button).await.refusal(), refused(404, "PLAN_NOT_FOUND"), "{button}");
    }
    let graph = desk.client().get(&format!("/plans/{}", cancelled["id"].as_str().unwrap())).await;
    let graph = graph.ok();
    assert_eq!((&graph["status"], &graph["nodeCount"]), (&json!("cancelled"), &json!(2)));
    assert_eq!(graph["nodes"][1]["status"], "skipped");
}

#[tokio::test]
async fn only_what_was_shown_can_be_approved() {
    let desk = waiting().await;
    let plan = desk.plan().await;
    assert_eq!(state(&plan), ("awaiting_approval", ""));
    let other_hash = json!("0".repeat(64));
    for (revision, hash) in
        [(json!(2), &plan["hash"]), (json!(1), &other_hash), (json!(0), &plan["hash"])]
    {
        let answer = approve(&desk, &revision, hash).await;
        assert_eq!(answer.refusal(), refused(409, "PLAN_CONFLICT"));
        assert_eq!(answer.body["error"]["revision"], 1, "the current revision is told");
        let words = answer.body["error"]["message"].as_str().unwrap();
        assert_eq!(words.contains("hash"), *hash == other_hash, "{words}");
    }
    let edit = json!({ "revision": 1, "edits": [{ "op": "set", "step": "s2", "text": "deux" }] });
    let edited = patch(&desk, edit.clone()).await.ok();
    assert_eq!((state(&edited).0, &edited["revision"]), ("awaiting_approval", &json!(2)));
    let stale = patch(&desk, edit).await;
    assert_eq!(stale.refusal(), refused(409, "PLAN_CONFLICT"));
    assert_eq!(stale.body["error"]["revision"], 2);
    let stale = approve(&desk, &plan["revision"], &plan["hash"]).await;
    assert_eq!((stale.refusal().0, &stale.body["error"]["revision"]), (409, &json!(2)));
    assert_eq!(state(&desk.plan().await).0, "awaiting_approval", "nothing was unlocked");

    let running = approve(&desk, &edited["revision"], &edited["hash"]).await.ok();
    assert_eq!(state(&running), ("running", ""));
    let approval = &running["approval"];
    assert_eq!((&approval["plan"], &approval["revision"]), (&running["id"], &json!(2)));
    assert_eq!(approval["hash"], edited["hash"]);
    assert_eq!(approval["by"], json!({ "kind": "person", "principal": "owner", "surface": "api" }));
    let again = approve(&desk, &edited["revision"], &edited["hash"]).await;
    assert_eq!(again.refusal(), refused(409, "PLAN_NOT_WAITING"));
}

#[tokio::test]
async fn edits_of_a_person_are_checked_like_those_of_the_agent() {
    let graph = plan_write_with("goal", json!(["one", "two"]), json!({ "mode": "graph" }));
    let desk = Desk::with(vec![graph]).await;
    desk.strict().await;
    desk.say("do it").await;
    desk.wait_asked().await;
    let edits = |edit: Value| json!({ "revision": 1, "edits": [edit] });
    for (edit, status, code) in [
        (json!({ "op": "set", "step": "s9", "text": "x" }), 404, "STEP_NOT_FOUND"),
        (json!({ "op": "set", "step": "s2", "text": " " }), 422, "EMPTY_STEP"),
        (json!({ "op": "set", "step": "s2", "needs": ["s2"] }), 422, "CYCLE"),
        (json!({ "op": "add", "new": { "text": "x", "needs": ["zz"] } }), 422, "UNKNOWN_NEED"),
        (json!({ "op": "explode" }), 422, "BAD_BODY"),
    ] {
        let answer = patch(&desk, edits(edit.clone())).await;
        assert_eq!(answer.refusal(), refused(status, code), "{edit}");
    }
    assert_eq!(desk.plan().await["revision"], 1, "nothing was stored");
    let add = edits(json!({ "op": "add", "after": "s2", "new": "three" }));
    let added = patch(&desk, add).await.ok();
    let texts: Vec<&Value> =
        added["steps"].as_array().unwrap().iter().map(|step| &step["text"]).collect();
    assert_eq!(texts, [&json!("one"), &json!("two"), &json!("three")]);
    assert_eq!((&added["revision"], state(&added).0), (&json!(2), "awaiting_approval"));
}

#[tokio::test]
async fn steps_are_skipped_and_tried_again_by_id_or_position() {
    let desk = running().await;
    desk.press("pause").await.ok();
    let status = |plan: &Value, n: usize| plan["steps"][n]["status"].as_str().unwrap().to_owned();
    let skipped = desk.press("steps/s1/skip").await.ok();
    assert_eq!(status(&skipped, 0), "skipped");
    assert_eq!(desk.press("steps/s1/skip").await.refusal(), refused(409, "STEP_NOT_RUNNING"));
    assert_eq!(desk.press("steps/s9/skip").await.refusal(), refused(404, "STEP_NOT_FOUND"));
    assert_eq!(desk.press("steps/s2/retry").await.refusal(), refused(409, "STEP_NOT_RUNNING"));
    let again = desk.press("steps/s1/retry").await.ok();
    assert_eq!(status(&again, 0), "pending");
    let skipped = desk.press("steps/1/skip").await.ok();
    assert_eq!(status(&skipped, 0), "skipped", "a number is a position");
    assert_eq!(desk.press("steps/9/skip").await.refusal(), refused(404, "STEP_NOT_FOUND"));
}

#[tokio::test]
async fn an_ended_plan_has_its_full_view_by_id_also_after_newer_ones() {
    let report = "a result\n\nwith all that is to say of it";
    let script = vec![
        plan_write("first", &["one", "two"]),
        step_failed("s1", "the disk is full", "retry"),
        step_done("s1", report),
        step_failed("s2", "not needed", "skip"),
        Reply::text("done"),
        plan_write("second", &["one"]),
        held(),
    ];
    let desk = Desk::with(script).await;
    desk.say("do it").await;
    desk.house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    desk.house.wait_idle().await;
    let id = desk.house.plan().id;
    let path = desk.at(&format!("/plans/{id}"));
    let before = desk.client().get(&path).await.ok();
    assert_eq!(before["steps"][0]["result"], "a result");
    assert_eq!(before["steps"][0]["output"], report);
    assert!(before["report"].is_object() && before["usage"].is_object(), "{before}");
    let graph = desk.client().get(&format!("/plans/{id}")).await.ok();
    assert_eq!(graph["nodes"][0]["output"], report);
    assert_eq!(graph["nodes"][0]["agentId"], "default");
    let skipped = &graph["nodes"][1];
    assert_eq!(
        (skipped.get("output"), &skipped["reason"], &skipped["agentId"]),
        (None, &json!("not needed"), &json!("default"))
    );

    desk.say("another").await;
    let second = |event: &Event| matches!(event, Event::PlanWritten { content, .. } if content.goal == "second");
    desk.house.wait("second plan", second).await;
    assert_eq!(desk.client().get(&path).await.ok(), before);
    assert_eq!(desk.client().get(&format!("/plans/{id}")).await.ok(), graph);
    let elsewhere = format!("/v1/rooms/{}/plans/{id}", engine::fresh_id());
    assert_eq!(desk.client().get(&elsewhere).await.refusal(), refused(404, "ROOM_NOT_FOUND"));
    let unknown = desk.at(&format!("/plans/{}", engine::fresh_id()));
    assert_eq!(desk.client().get(&unknown).await.refusal(), refused(404, "PLAN_NOT_FOUND"));
}

#[tokio::test]
async fn the_error_that_a_step_reports_is_in_the_view_of_the_plan() {
    let script = vec![
        plan_write("g", &["one"]),
        step_failed("s1", "the disk is full", "retry"),
        Reply::text("a long answer").hold_after(1),
    ];
    let desk = Desk::with(script).await;
    desk.say("do it").await;
    desk.house.model.request(2).await;
    let plan = desk.plan().await;
    let step = &plan["steps"][0];
    assert_eq!(
        (&step["status"], &step["error"], &step["attempts"]),
        (&json!("in_progress"), &json!("the disk is full"), &json!(1))
    );
    let graph = desk.client().get(&format!("/plans/{}", plan["id"].as_str().unwrap())).await.ok();
    assert_eq!(graph["nodes"][0]["error"], "the disk is full");
    assert_eq!(graph["nodes"][0].get("output"), None);
}

#[tokio::test]
async fn a_plan_waits_for_someone_only_where_it_does() {
    let desk = Desk::with(vec![plan_write("g", &["one"]), held()]).await;
    desk.say("do it").await;
    desk.wait_started().await;
    let id = desk.house.plan().id;
    let mut feed = desk.client().follow(&format!("/plans/{id}/stream"), None).await;
    let started = |heard: &flow::Heard| heard.name == "node.started";
    let heard = feed.until("the first step", started).await;
    assert!(heard.iter().all(|heard| heard.data.get("waitingFor").is_none()), "{heard:#?}");
    assert!(heard.iter().any(|heard| heard.name == "plan.updated"), "{heard:#?}");
    assert_eq!(heard.last().expect("it was heard").data["agentId"], "default");
}

#[tokio::test]
async fn a_plan_that_ended_is_told_as_a_graph_for_ever() {
    let script = vec![
        plan_write("first", &["one"]),
        step_done("s1", "a result"),
        Reply::text("done"),
        plan_write("second", &["one"]),
        held(),
    ];
    let desk = Desk::with(script).await;
    desk.say("do it").await;
    desk.house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    desk.house.wait_idle().await;
    let id = desk.house.plan().id;
    let path = format!("/plans/{id}");
    let before = desk.client().get(&path).await.ok();
    assert_eq!(before["status"], "complete");
    assert_eq!(
        (&before["failedNodes"], &before["nodes"][0]["output"]),
        (&json!([]), &json!("a result"))
    );
    desk.say("another").await;
    let second = |event: &Event| matches!(event, Event::PlanWritten { content, .. } if content.goal == "second");
    desk.house.wait("second plan", second).await;
    assert_eq!(desk.client().get(&path).await.ok(), before);
    let running = desk.plan().await;
    let graph =
        desk.client().get(&format!("/plans/{}", running["id"].as_str().unwrap())).await.ok();
    assert_eq!((&graph["status"], &graph["goal"]), (&json!("running"), &json!("second")));
}
