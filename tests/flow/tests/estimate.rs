//! What a plan may take, and what a room took.

use flow::{House, Served};
use plan::{Event, PlanMode};
use serde_json::json;
use support::{Reply, plan_write, step_done};

const PRICES: &str = "models:\n  test/scripted: { prices: { input: 1, output: 10 } }\n";

async fn waits(house: &House, after: u64) -> u64 {
    house.wait_after(after, "question", |event| matches!(event, Event::AskRaised { .. })).await
}

#[tokio::test]
async fn without_a_past_it_goes_by_the_conversation_and_with_one_by_that() {
    let script = vec![
        plan_write("first", &["a", "b"]).usage(500, 50),
        Reply::call("read_file", json!({ "path": "a" })).usage(1_000, 10),
        step_done("s1", "ok").usage(1_000, 30),
        step_done("s2", "ok").usage(4_000, 60),
        Reply::text("done").usage(9_000, 90),
        plan_write("second", &["x", "y", "z"]).usage(500, 50),
    ];
    let house = House::configured(script, PRICES, &[("a", "x")]).await;
    assert_eq!(
        house.engine().estimate(house.room, None).await.unwrap_err().code(),
        "PLAN_NOT_FOUND"
    );
    house.mode(PlanMode::Strict).await;
    house.say("go").await;
    let first = waits(&house, 0).await;
    let guess = house.engine().estimate(house.room, None).await.unwrap();
    assert_eq!(guess.model, "test/scripted");
    assert_eq!(guess.output_tokens, 2 * 3 * 400, "{guess:?}");
    assert!(guess.input_tokens > 2 * 3 * 4_000 && guess.input_tokens < 2 * 3 * 5_000, "{guess:?}");
    let dollars = (guess.input_tokens + 10 * guess.output_tokens) as f64 / 1_000_000.0;
    assert!((guess.cost.unwrap() - dollars).abs() < 0.000_01, "{guess:?}");
    assert!(guess.basis.contains("has done no step yet"), "{}", guess.basis);

    let plan = house.plan();
    let (revision, hash) = (plan.revision, plan.hash);
    let approve = plan::Command::Approve { revision, hash, model: None, fresh_context: false };
    house.person(approve).await.unwrap();
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    house.wait_idle().await;
    house.say("again").await;
    waits(&house, first).await;

    let served = Served::new(house.engine()).await;
    let at = format!("/v1/rooms/{}/plan/estimate", house.room);
    let guess = served.client.get(&at).await.ok();
    assert_eq!(
        guess,
        json!({
            "model": "test/scripted", "input_tokens": 9_000, "output_tokens": 150,
            "cost": 0.0105, "basis": "From the 2 steps that were done by test/scripted before.",
        })
    );
    let other = served.client.get(&format!("{at}?model=test/other")).await.ok();
    assert_eq!((&other["model"], &other["cost"]), (&json!("test/other"), &json!(null)));
    assert!(other["basis"].as_str().unwrap().starts_with("test/other has done no step"));
    let refusal = served.client.get(&format!("{at}?model=nowhere/x")).await.refusal();
    assert_eq!(refusal, (422, "BAD_MODEL".to_owned()));
    let refusal = served.client.get(&format!("{at}?modl=x")).await.refusal();
    assert_eq!(refusal, (400, "BAD_QUERY".to_owned()));
}

#[tokio::test]
async fn what_a_room_used_is_told_model_by_model() {
    let script = vec![Reply::text("a").usage(100, 10), Reply::text("b").usage(50, 5)];
    let mut house = House::configured(script, PRICES, &[]).await;
    let before = house.engine().usage(house.room).await.unwrap();
    assert!(before.models.is_empty(), "{before:?}");
    for words in ["one", "two"] {
        house.say(words).await;
        house.wait_idle().await;
    }
    let used = house.engine().usage(house.room).await.unwrap();
    house.restart().await;
    assert_eq!(house.engine().usage(house.room).await.unwrap(), used);
    let served = Served::new(house.engine()).await;
    let told = served.client.get(&format!("/v1/rooms/{}/usage", house.room)).await.ok();
    let expected = json!({ "models": [{
        "model": "test/scripted", "turns": 2, "input_tokens": 150, "output_tokens": 15,
        "cost": 0.0003,
    }] });
    assert_eq!(told, expected);
    let nowhere = format!("/v1/rooms/{}/usage", engine::fresh_id());
    assert_eq!(served.client.get(&nowhere).await.refusal(), (404, "ROOM_NOT_FOUND".to_owned()));
}
