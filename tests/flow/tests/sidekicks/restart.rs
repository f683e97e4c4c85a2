//! What a restart leaves of sidekicks: everything.

use super::{now, requests, spawn, wait_state, wait_told};
use flow::{House, me};
use plan::{Command, MessageId};
use serde_json::json;
use support::{Reply, Script, sidekick_complete, wait_for};

#[tokio::test]
async fn one_that_had_not_answered_yet_goes_on_by_itself() {
    let script = Script::by_room([
        ("look", vec![Reply::text("hm").hold_after(1), sidekick_complete("done")]),
        ("", vec![]),
    ]);
    let mut house = House::with(script).await;
    let sidekick = spawn(&house, "look").await;
    house.model.request(0).await;
    house.restart().await;
    house.model.release();
    wait_state(&house, sidekick.id, "completed").await;
    wait_told(&house, "done").await;
}

#[tokio::test]
async fn one_that_was_at_work_waits_and_goes_on_when_a_person_says_so() {
    let script = Script::by_room([
        (
            "look",
            vec![
                Reply::call("shell", json!({ "command": "touch begun; sleep 300" })),
                sidekick_complete("done after all"),
            ],
        ),
        ("", vec![]),
    ]);
    let mut house = House::with(script).await;
    let sidekick = spawn(&house, "look").await;
    wait_for(async || house.workspace.has("begun"), "the command to begin").await;
    house.restart().await;
    let waiting = now(&house, sidekick.id);
    assert_eq!((waiting.state.as_str(), waiting.codename), ("waiting", sidekick.codename));
    assert_eq!(requests(&house, "look").len(), 1, "nothing is repeated");

    let say = Command::Say { message: MessageId(engine::fresh_id()), text: "go on".into() };
    house.engine().submit(sidekick.id, &me(), say).unwrap();
    let ended = wait_state(&house, sidekick.id, "completed").await;
    assert_eq!(ended.result.as_deref(), Some("done after all"));
    wait_told(&house, "done after all").await;
    house.restart().await;
    assert_eq!(now(&house, sidekick.id).state, "completed");
    assert_eq!(house.count("nudged"), 1, "and it is told once");
}
