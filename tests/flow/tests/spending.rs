//! Limits of rooms and days, each at its edge.

use flow::House;
use plan::{Command, Event, PauseReason};
use std::time::Duration;
use support::{Reply, plan_write, step_done};

const DAY: Duration = Duration::from_secs(86_400);

fn trouble(event: &Event) -> bool {
    matches!(event, Event::Trouble { code, .. } if code == "LIMIT_REACHED")
}

#[tokio::test]
async fn a_room_is_asked_no_more_once_it_used_up_its_tokens() {
    let script = vec![
        plan_write("g", &["a"]).usage(60, 39),
        Reply::text("one token is left").usage(1, 0),
        step_done("s1", "ok"),
        Reply::text("done"),
    ];
    let mut house = House::configured(script, "spending: { room_tokens: 100 }", &[]).await;
    house.say("do it").await;
    house.wait_paused().await;
    let plan = house.plan();
    assert_eq!(plan.pause_reason, Some(PauseReason::Cap));
    let words = plan.pause_detail.unwrap();
    assert!(words.contains("tokens for this room"), "{words}");
    assert_eq!(house.model.requests().len(), 2);
    // Going on without raising it, or after a restart, asks nobody.
    let before = house.view().seq;
    house.restart().await;
    house.person(Command::Resume).await.unwrap();
    house
        .wait_after(before, "pause", |event| {
            matches!(event, Event::Paused { reason: PauseReason::Cap, .. })
        })
        .await;
    assert_eq!(house.model.requests().len(), 2);
}

#[tokio::test]
async fn a_day_counts_all_rooms_and_ends() {
    let script = vec![
        Reply::text("a").usage(50, 49),
        Reply::text("b").usage(1, 0),
        Reply::text("tomorrow").usage(1, 1),
    ];
    let mut house = House::configured(script, "spending: { day_tokens: 100 }", &[]).await;
    house.say("one").await;
    house.wait_idle().await;
    let folder = house.workspace.path();
    let other = house.engine().create_room(&flow::me(), None, &folder, None).await.unwrap();
    let first = std::mem::replace(&mut house.room, other.id);
    house.say("two").await;
    house.wait_idle().await;
    house.room = first;
    house.say("three").await;
    house.wait("limit", trouble).await;
    assert_eq!(house.model.requests().len(), 2);
    house.clock.advance(DAY);
    house.say("four").await;
    house
        .wait(
            "reply",
            |event| matches!(event, Event::Replied { text, .. } if text.head() == "tomorrow"),
        )
        .await;
}

#[tokio::test]
async fn money_is_counted_by_the_prices() {
    let more = "models:\n  test/scripted: { prices: { input: 1, output: 1 } }\nspending: { room_cost_micros: 100 }";
    let house =
        House::configured(vec![Reply::text("a").usage(60, 40), Reply::text("b")], more, &[]).await;
    house.say("one").await;
    house.wait_idle().await;
    house.say("two").await;
    house.wait("limit", trouble).await;
    assert_eq!(house.model.requests().len(), 1);
}
