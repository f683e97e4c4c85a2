//! The scopes of stopping, and passing over a check, by their routes.

use crate::{Desk, held, refused};
use plan::Event;
use serde_json::{Value, json};
use support::{Reply, plan_write, plan_write_with, step_done, wait_for};

fn standing(plan: &Value) -> (&str, &str, Vec<&str>) {
    let steps = plan["steps"].as_array().into_iter().flatten();
    let steps = steps.filter_map(|step| step["status"].as_str()).collect();
    (plan["state"].as_str().unwrap_or(""), plan["pause_reason"].as_str().unwrap_or(""), steps)
}

#[tokio::test]
async fn pause_after_step_waits_for_its_end_and_can_be_taken_back() {
    let script = vec![
        plan_write("goal", &["one", "two"]),
        step_done("s1", "done").hold_after(1),
        step_done("s2", "done"),
        Reply::text("Done."),
    ];
    let desk = Desk::with(script).await;
    desk.say("do it").await;
    desk.wait_started().await;
    let plan = desk.press("pause-after-step").await.ok();
    assert_eq!(standing(&plan).0, "running");
    assert_eq!(plan["pauses_after"], json!(true));
    let off = desk.client().post(&desk.at("/plan/pause-after-step"), json!({ "on": false })).await;
    assert_eq!(off.ok().get("pauses_after"), None);
    desk.press("pause-after-step").await.ok();

    desk.house.model.release();
    desk.house.wait_paused().await;
    let plan = desk.plan().await;
    assert_eq!(standing(&plan), ("paused", "supervisor", vec!["done", "pending"]));
    desk.press("resume").await.ok();
    desk.house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
}

#[tokio::test]
async fn stop_step_ends_its_command_at_once_and_resume_does_it_again() {
    let marker = format!("plancard-test-{}", engine::fresh_id().simple());
    let command = format!("bash -c 'exec -a {marker} sleep 300'");
    let script = vec![
        plan_write("goal", &["one"]),
        Reply::call("shell", json!({ "command": command })),
        step_done("s1", "done"),
        Reply::text("Done."),
    ];
    let desk = Desk::with(script).await;
    desk.say("do it").await;
    wait_for(async || flow::is_running(&marker), "the command to run").await;
    let plan = desk.press("stop-step").await.ok();
    assert_eq!(standing(&plan), ("paused", "supervisor", vec!["in_progress"]));
    wait_for(async || !flow::is_running(&marker), "the command to be gone").await;
    desk.house.wait_idle().await;
    assert_eq!(desk.house.model.requests().len(), 2, "nobody is asked meanwhile");
    desk.press("resume").await.ok();
    desk.house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
}

#[tokio::test]
async fn a_person_passes_over_a_check_that_did_not_pass() {
    let steps = json!([{ "text": "write it", "verify": { "file": "out.txt" } }]);
    let script = vec![plan_write_with("goal", steps, json!({})), step_done("s1", "sure"), held()];
    let desk = Desk::with(script).await;
    desk.say("do it").await;
    desk.house.wait("check", |event| matches!(event, Event::CheckFailed { .. })).await;
    let found = desk.plan().await["steps"][0]["check_failed"].clone();
    assert!(found.as_str().is_some_and(|words| words.contains("out.txt")), "{found}");
    let wrong = desk.press("steps/s9/override").await;
    assert_eq!(wrong.refusal(), refused(404, "STEP_NOT_FOUND"));
    let plan = desk.press("steps/s1/override").await.ok();
    assert_eq!(standing(&plan), ("done", "", vec!["done"]));
    assert_eq!(plan["steps"][0].get("check_failed"), None);
}
