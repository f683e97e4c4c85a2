//! Sidekicks that a person sent off by hand, beside a plan.

use super::steps::graph;
use super::{now, spawn, wait_state, wait_told};
use flow::House;
use plan::{Command, Event};
use serde_json::json;
use support::{Reply, Script, sidekick_complete, wait_for};

#[tokio::test]
async fn who_cancels_a_plan_keeps_what_they_sent_off_by_hand() {
    let script = Script::by_room([
        ("look around", vec![sidekick_complete("there are 7").hold_after(1)]),
        ("part 1", vec![sidekick_complete("one").hold_after(1)]),
        (
            "do it",
            vec![
                graph(json!([{ "id": "a", "text": "part 1" }])),
                Reply::text("It works."),
                Reply::text("There are 7."),
            ],
        ),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    let own = wait_for_handed(&house).await;
    let by_hand = spawn(&house, "look around").await.id;
    wait_for(async || super::requests(&house, "look around").len() == 1, "it to work").await;
    house.wait_idle().await;

    house
        .person(Command::Cancel { reason: "enough".into(), call: None })
        .await
        .expect("it can be cancelled");
    wait_state(&house, own, "stopped").await;
    assert_eq!(now(&house, by_hand).state, "running");
    house.model.release();
    wait_state(&house, by_hand, "completed").await;
    wait_told(&house, "there are 7").await;
    let answered = |event: &Event| matches!(event, Event::Replied { text, .. } if text.head() == "There are 7.");
    house.wait("answer", answered).await;
    assert!(!house.log().iter().any(|(_, event)| {
        matches!(event, Event::Nudged { text, .. } if text.contains("was stopped"))
    }));
}

/// The sidekick of the plan's first step, once it works.
async fn wait_for_handed(house: &House) -> plan::RoomId {
    wait_for(async || super::requests(house, "part 1").len() == 1, "the step to be worked on")
        .await;
    house.plan().steps[0].sidekick.expect("a sidekick does it")
}

#[tokio::test]
async fn a_plan_that_fails_or_ends_leaves_them_alone_too() {
    let script = Script::by_room([
        ("look around", vec![sidekick_complete("there are 7").hold_after(1)]),
        (
            "do it",
            vec![support::plan_write("g", &["one"]), support::step_failed("s1", "no", "abort")],
        ),
    ]);
    let house = House::with(script).await;
    let by_hand = spawn(&house, "look around").await.id;
    wait_for(async || super::requests(&house, "look around").len() == 1, "it to work").await;
    house.say("do it").await;
    house.wait("end", |event| matches!(event, Event::PlanFailed { .. })).await;
    assert_eq!(now(&house, by_hand).state, "running");
    house.model.release();
    wait_state(&house, by_hand, "completed").await;
}
