//! A step that is changed while its sidekick works is done as it is shown.

use super::copies::{copies, parallel, wait_no_copies, write};
use super::{all, now, release_until, requests};
use flow::House;
use plan::{AskId, Command, Edit, Patch, StepRef};
use serde_json::json;
use support::{Reply, Script, plan_write_with, sidekick_complete, wait_for};

fn change(step: u32, to: Patch) -> Command {
    let edits = vec![Edit::Set { step: StepRef::Number(step), to }];
    let ask = AskId(engine::fresh_id());
    Command::Revise { edits, reason: None, seen: None, ask, call: None }
}

fn text(words: &str) -> Patch {
    Patch { text: Some(words.to_owned()), ..Patch::default() }
}

/// Two steps at once, of which the first is to be changed.
async fn two() -> House {
    let second = vec![write("o.txt", "x").hold_after(1), sidekick_complete("other").hold_after(1)];
    let script = Script::by_room([
        (
            "old words",
            vec![write("old.txt", "x").hold_after(1), sidekick_complete("old").hold_after(1)],
        ),
        ("new words", vec![write("new.txt", "x"), sidekick_complete("new")]),
        ("part 2", [second.clone(), second].concat()),
        (
            "do it",
            vec![parallel(json!(["old words", "part 2"])), Reply::text("ok"), Reply::text("ok")],
        ),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "old words").len() == 1, "the first").await;
    wait_for(async || requests(&house, "part 2").len() == 1, "the second").await;
    house.model.release();
    wait_for(async || requests(&house, "old words").len() == 2, "what was written").await;
    wait_for(async || requests(&house, "part 2").len() == 2, "what was written beside it").await;
    assert_eq!(copies(&house.data()).len(), 2);
    house
}

async fn assert_new(house: &House) {
    release_until(house, "done").await;
    let plan = house.plan();
    assert_eq!(plan.steps[0].result.as_deref(), Some("new"));
    assert!(house.workspace.has("new.txt") && house.workspace.has("o.txt"));
    assert!(!house.workspace.has("old.txt"), "that was for other words");
    let mut old = all(house).into_iter();
    let old = old.find(|one| one.task.starts_with("old words")).expect("it is there");
    assert_eq!(now(house, old.id).state, "stopped");
    assert_eq!(all(house).len(), 3, "the other one went on");
    wait_no_copies(&house.data()).await;
}

#[tokio::test]
async fn it_is_handed_over_anew() {
    let house = two().await;
    house.person(change(1, text("new words"))).await.unwrap();
    assert_new(&house).await;
}

#[tokio::test]
async fn after_a_pause_when_it_was_changed_in_one() {
    let house = two().await;
    house.person(Command::Pause).await.unwrap();
    house.person(change(1, text("new words"))).await.unwrap();
    house.person(Command::Resume).await.unwrap();
    assert_new(&house).await;
}

#[tokio::test]
async fn a_change_of_another_step_disturbs_nobody() {
    let venue = json!({ "venue": "sidekick" });
    let script = Script::by_room([
        ("part 1", vec![sidekick_complete("1").hold_after(1), sidekick_complete("2")]),
        (
            "do it",
            vec![
                plan_write_with("g", json!(["part 1", "part 2"]), venue),
                Reply::text("ok"),
                Reply::text("ok"),
            ],
        ),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "part 1").len() == 1, "the first").await;
    house.person(change(2, text("part 2, better"))).await.unwrap();
    release_until(&house, "done").await;
    assert_eq!(all(&house).len(), 1);
    let told = requests(&house, "part 1")[1].texts("user").pop().unwrap();
    assert!(told.starts_with("part 2, better"), "{told}");
}

#[tokio::test]
async fn one_that_does_a_whole_plan_is_told_the_step_anew() {
    let venue = json!({ "venue": "sidekick" });
    let replies = vec![
        sidekick_complete("1"),
        sidekick_complete("old").hold_after(1),
        sidekick_complete("new"),
    ];
    let script = Script::by_room([
        ("part 1", replies),
        (
            "do it",
            vec![
                plan_write_with("g", json!(["part 1", "part 2"]), venue),
                Reply::text("ok"),
                Reply::text("ok"),
            ],
        ),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "part 1").len() == 2, "the second step").await;
    house.person(change(2, text("part 2, better"))).await.unwrap();
    release_until(&house, "done").await;
    assert_eq!(house.plan().steps[1].result.as_deref(), Some("new"));
    assert_eq!(all(&house).len(), 1, "the same one does it");
    let told = requests(&house, "part 1")[2].texts("user").pop().unwrap();
    assert!(told.starts_with("part 2, better"), "{told}");
}
