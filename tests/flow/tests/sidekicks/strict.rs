//! A sidekick has no more rights than the room that asks.

use super::{all, log, requests, spawn, wait_state};
use flow::House;
use plan::{Event, Outcome, PlanMode};
use serde_json::json;
use support::{Reply, Script, sidekick_complete, spawn_sidekick};

#[tokio::test]
async fn in_a_strict_room_the_model_hands_nothing_over_before_a_plan_is_approved() {
    let house = House::with(vec![spawn_sidekick("write it"), Reply::text("ok")]).await;
    house.mode(PlanMode::Strict).await;
    house.say("do it").await;
    let told = house.model.request(1).await.tool_results().pop().unwrap();
    assert!(told.contains("NOT_APPROVED"), "{told}");
    assert!(all(&house).is_empty());
}

#[tokio::test]
async fn a_sidekick_of_a_strict_room_can_change_nothing() {
    let write = |path: &str| ("write_file", json!({ "path": path, "content": "x" }));
    let script = Script::by_room([
        (
            "change things",
            vec![
                Reply::calls([
                    write("a.txt"),
                    ("shell", json!({ "command": "touch b.txt" })),
                    ("spawn_sidekick", json!({ "task": "touch c.txt" })),
                    ("read_file", json!({ "path": "note.txt" })),
                ]),
                sidekick_complete("I could not"),
            ],
        ),
        ("", vec![]),
    ]);
    let house = House::configured(script, "", &[("note.txt", "hello")]).await;
    house.mode(PlanMode::Strict).await;
    let sidekick = spawn(&house, "change things").await;
    wait_state(&house, sidekick.id, "completed").await;
    assert_eq!(house.engine().view(sidekick.id).unwrap().plan_mode, PlanMode::Strict);
    assert_eq!(house.workspace.files(), [("note.txt".to_owned(), "hello".to_owned())]);
    let outcomes: Vec<Outcome> = log(&house, sidekick.id)
        .iter()
        .filter_map(|event| {
            let Event::CallEnded { outcome, .. } = event else { return None };
            Some(*outcome)
        })
        .collect();
    use Outcome::{Blocked, Ok};
    assert_eq!(outcomes, [Blocked, Blocked, Blocked, Ok, Ok]);
    assert_eq!(house.engine().sidekicks(sidekick.id).unwrap(), []);
}

#[tokio::test]
async fn a_room_that_turns_strict_holds_for_the_sidekicks_it_has() {
    let script = Script::by_room([
        (
            "write",
            vec![
                Reply::call("write_file", json!({ "path": "a.txt", "content": "x" })).hold_after(1),
                sidekick_complete("I could not"),
            ],
        ),
        ("", vec![]),
    ]);
    let house = House::with(script).await;
    let sidekick = spawn(&house, "write").await;
    house.model.request(0).await;
    house.mode(PlanMode::Strict).await;
    house.model.release();
    wait_state(&house, sidekick.id, "completed").await;
    assert!(!house.workspace.has("a.txt"));
    assert!(requests(&house, "write")[1].tool_results()[0].contains("NOT_APPROVED"));
}
