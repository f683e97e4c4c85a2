//! What a sidekick gets to read.

use super::{requests, wait_state};
use engine::{ContextMode, NewSidekick};
use flow::{House, me};
use support::{Reply, Script, sidekick_complete};

async fn asked(mode: ContextMode) -> support::Recorded {
    let script = Script::by_room([
        ("the password is xyzzy", vec![Reply::text("I will remember it.")]),
        ("find the door", vec![sidekick_complete("found")]),
        ("", vec![]),
    ]);
    let house = House::with(script).await;
    house.say("the password is xyzzy").await;
    house.wait("reply", |event| matches!(event, plan::Event::Replied { .. })).await;
    let new =
        NewSidekick { task: "find the door".into(), context_mode: mode, ..NewSidekick::default() };
    let made = house.engine().spawn_sidekick(house.room, &me(), new).await;
    let sidekick = made.expect("a sidekick is made");
    wait_state(&house, sidekick.id, "completed").await;
    requests(&house, "find the door").remove(0)
}

#[tokio::test]
async fn task_only_shows_nothing_of_the_room() {
    let request = asked(ContextMode::TaskOnly).await;
    assert_eq!(request.texts("user"), ["find the door"]);
    assert!(!String::from_utf8_lossy(request.body()).contains("xyzzy"));
}

#[tokio::test]
async fn full_shows_what_was_said_there() {
    let request = asked(ContextMode::Full).await;
    assert_eq!(request.texts("user"), ["find the door"]);
    let told = request.texts("system").join("\n");
    assert!(told.contains("Person: the password is xyzzy\nAgent: I will remember it."), "{told}");
}
