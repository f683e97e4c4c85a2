//! Who has sidekicks of its own ends when their changes are where they belong.

use super::copies::{edit, wait_no_copies};
use super::{now, requests, spawn, wait_state};
use flow::{House, me};
use plan::{AskKind, AskView, Command};
use serde_json::json;
use support::{Reply, Script, sidekick_complete, spawn_sidekick, wait_for, wait_for_some};

fn answer(house: &House, ask: &AskView, answer: &str) {
    let (answer, note, revision, hash) = (answer.to_owned(), None, None, None);
    let answer = Command::Answer { ask: ask.id, answer, note, revision, hash };
    house.engine().submit(ask.room_id, &me(), answer).expect("it is answered");
}

/// One whose own sidekick is done and asks about a conflict, and that is done itself.
async fn done_before_its_own() -> (House, plan::RoomId, AskView) {
    let script = Script::by_room([
        ("below", vec![edit("a.txt", "two", "second"), sidekick_complete("changed").hold_after(1)]),
        (
            "above",
            vec![
                spawn_sidekick("below"),
                Reply::call("list_dir", json!({})).hold_after(1),
                sidekick_complete("too early").hold_after(1),
                Reply::text("I wait for it."),
                sidekick_complete("all is there"),
            ],
        ),
    ]);
    let house = House::configured(script, "", &[("a.txt", "one\ntwo\nthree\n")]).await;
    let above = spawn(&house, "above").await.id;
    wait_for(async || requests(&house, "below").len() == 2, "the change").await;
    house.workspace.write("a.txt", "one\nfirst\nthree\n");
    house.model.release();
    let ask = wait_for_some(async || house.view().asks.pop(), "a question").await;
    assert_eq!((ask.kind, ask.plan_id), (AskKind::Conflict, None), "it is no plan's");
    wait_for(async || requests(&house, "above").len() == 3, "the other to be done").await;
    house.model.release();
    (house, above, ask)
}

#[tokio::test]
async fn who_is_done_before_its_own_are_merged_waits_for_them() {
    let (house, above, ask) = done_before_its_own().await;
    wait_for(async || requests(&house, "above").len() == 4, "the answer").await;
    let told = requests(&house, "above").pop().unwrap().tool_results();
    assert!(told[2].contains("SIDEKICK_NOT_SETTLED"), "{told:?}");
    assert_eq!(house.view().asks.len(), 1, "it is still asked");
    wait_state(&house, above, "waiting").await;
    answer(&house, &ask, "theirs");
    let ended = wait_state(&house, above, "completed").await;
    assert_eq!(ended.result.as_deref(), Some("all is there"));
    assert_eq!(house.workspace.read("a.txt"), "one\nsecond\nthree\n");
    let heard = requests(&house, "above").pop().unwrap().texts("system").join("\n");
    assert!(heard.contains("has finished: changed"), "{heard}");
    wait_no_copies(&house.data()).await;
}

#[tokio::test]
async fn who_stops_it_does_without_what_its_own_have_done() {
    let (house, above, ask) = done_before_its_own().await;
    house.engine().stop_sidekick(above, &me()).await.unwrap();
    wait_for(async || house.view().asks.is_empty(), "no question").await;
    wait_no_copies(&house.data()).await;
    assert_eq!(house.workspace.read("a.txt"), "one\nfirst\nthree\n");
    let result = now(&house, ask.room_id).result.unwrap();
    assert!(result.contains("was not taken over"), "{result}");
}
