//! A provider that does not work, or a limit, while sidekicks do the steps of a plan: the plan
//! stands still and says why, and nothing is lost.

use super::{all, log, requests};
use flow::House;
use plan::{Command, Event, PauseReason};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use support::{Recorded, Reply, Script, plan_write_with, sidekick_complete, wait_for};

const BAD_KEY: &str = r#"{"error":{"message":"Incorrect API key","code":"invalid_api_key"}}"#;

fn both() -> Reply {
    plan_write_with("g", json!(["part 1", "part 2"]), json!({ "mode": "parallel" }))
}

fn nobody_failed(house: &House) {
    for step in house.plan().steps {
        assert_eq!(step.status, "in_progress");
        let room = step.sidekick.expect("it was handed over");
        let ended = log(house, room).iter().any(|event| event.kind() == "sidekick_ended");
        assert!(!ended, "{:?}", log(house, room));
    }
}

#[tokio::test]
async fn a_bad_key_pauses_the_plan_and_all_go_on_when_it_is_put_right() {
    let works = Arc::new(AtomicBool::new(false));
    let has_key = Arc::clone(&works);
    let script = Script::from_fn(move |request: &Recorded| {
        let said = request.texts("user").first().cloned().unwrap_or_default();
        match (said.starts_with("part"), has_key.load(Ordering::SeqCst)) {
            (true, true) => sidekick_complete("done"),
            (true, false) => Reply::status(401, BAD_KEY, &[]),
            (false, _) if request.tool_results().is_empty() => both(),
            (false, _) => Reply::text("ok"),
        }
    });
    let mut house = House::with(script).await;
    house.say("do it").await;
    house.wait_paused().await;
    let plan = house.plan();
    assert_eq!(plan.pause_reason, Some(PauseReason::Provider));
    let why = plan.pause_detail.expect("it says why");
    assert!(why.contains("key"), "{why}");
    wait_for(async || all(&house).iter().all(|one| one.state == "queued"), "both to wait").await;
    house.wait_idle().await;
    assert_eq!(house.count("paused"), 1, "it is said once");
    nobody_failed(&house);

    // Resumed too early, it says so again; and a restart loses nothing.
    let before = house.view().seq;
    house.person(Command::Resume).await.unwrap();
    house.wait_after(before, "pause", |event| matches!(event, Event::Paused { .. })).await;
    house.restart().await;
    nobody_failed(&house);

    works.store(true, Ordering::SeqCst);
    house.person(Command::Resume).await.unwrap();
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    assert_eq!(all(&house).len(), 2, "the same ones went on");
}

#[tokio::test]
async fn a_limit_on_spending_pauses_the_plan() {
    // Neither of them alone, but both together.
    let look = || Reply::call("list_dir", json!({})).usage(50, 10);
    let script = Script::by_room([
        ("part 1", vec![look(), sidekick_complete("1").hold_after(1)]),
        ("part 2", vec![look(), sidekick_complete("2").hold_after(1)]),
        ("do it", vec![both().usage(1, 1), Reply::text("ok").usage(1, 1)]),
    ]);
    let house = House::configured(script, "spending: { room_tokens: 100 }", &[]).await;
    house.say("do it").await;
    house.wait_paused().await;
    let plan = house.plan();
    assert_eq!(plan.pause_reason, Some(PauseReason::Cap));
    let why = plan.pause_detail.expect("it says why");
    assert!(why.contains("tokens for this room"), "{why}");
    nobody_failed(&house);
    // The one that was first may be asked before the other's turn counts.
    assert!(requests(&house, "part").len() <= 3, "nobody is asked beyond it");
}
