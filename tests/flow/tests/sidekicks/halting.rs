//! A sidekick whose own turn a person stops: someone is asked what becomes of it.

use super::conflicts::answer;
use super::copies::parallel;
use super::{first, now, release_until, requests, spawn, wait_state};
use flow::{House, me};
use plan::{Ask, AskView, Command, RoomId};
use serde_json::json;
use support::{Reply, Script, ask_user, sidekick_complete, wait_for, wait_for_some};

/// Stops the turn of a sidekick; what is asked then.
async fn stop(house: &House, room: RoomId) -> AskView {
    house.engine().stop_turn(room, &me()).await.expect("it is stopped");
    let ask = wait_for_some(async || house.view().asks.pop(), "a question").await;
    let offered = ask.detail.iter().filter(|detail| detail.name == "option");
    let offered: Vec<&str> = offered.map(|detail| detail.value.as_str()).collect();
    assert_eq!((ask.room_id, offered), (room, vec![Ask::GO_ON, Ask::STOP]));
    assert_eq!(now(house, room).state, "waiting");
    ask
}

/// A sidekick that no step asked for, once it works or asks.
async fn free(begin: Reply) -> (House, RoomId) {
    let replies = vec![begin, sidekick_complete("done")];
    let house = House::with(Script::by_room([("look", replies), ("", vec![])])).await;
    let room = spawn(&house, "look").await.id;
    wait_for(async || requests(&house, "look").len() == 1, "its turn").await;
    (house, room)
}

#[tokio::test]
async fn one_that_no_step_asked_for_goes_on_or_ends() {
    let (house, room) = free(Reply::text("hm").hold_after(1)).await;
    let ask = stop(&house, room).await;
    answer(&house, &ask, Ask::GO_ON).await;
    wait_state(&house, room, "completed").await;

    let (house, room) = free(ask_user("Which one?", &[])).await;
    wait_for(async || !house.view().asks.is_empty(), "its own question").await;
    let ask = stop(&house, room).await;
    answer(&house, &ask, Ask::STOP).await;
    wait_state(&house, room, "stopped").await;
    assert!(house.view().asks.is_empty());
}

/// A plan whose only step is under way.
async fn at_step() -> (House, RoomId) {
    let script = Script::by_room([
        ("part 1", vec![Reply::text("hm").hold_after(1), sidekick_complete("done")]),
        ("do it", vec![parallel(json!(["part 1"])), Reply::text("ok"), Reply::text("ok")]),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    let room = first(&house).await.id;
    wait_for(async || requests(&house, "part 1").len() == 1, "its turn").await;
    (house, room)
}

#[tokio::test]
async fn so_does_one_of_a_step_and_the_plan_with_it() {
    let (house, room) = at_step().await;
    let ask = stop(&house, room).await;
    assert!(ask.step_id.is_some());
    wait_for(async || house.plan().steps[0].waiting, "the step to wait").await;
    answer(&house, &ask, Ask::GO_ON).await;
    release_until(&house, "done").await;
    assert_eq!(house.plan().steps[0].result.as_deref(), Some("done"));

    let (house, room) = at_step().await;
    let ask = stop(&house, room).await;
    answer(&house, &ask, Ask::STOP).await;
    wait_for(async || house.plan().steps[0].status == "failed", "the step to fail").await;

    // Whoever resumes a plan lets all go on.
    let (house, room) = at_step().await;
    stop(&house, room).await;
    house.person(Command::Pause).await.unwrap();
    house.person(Command::Resume).await.unwrap();
    release_until(&house, "done").await;
    assert!(house.view().asks.is_empty());
}

#[tokio::test]
async fn a_paused_plan_takes_up_one_that_was_stopped_meanwhile() {
    let (house, room) = at_step().await;
    house.person(Command::Pause).await.unwrap();
    house.engine().stop_turn(room, &me()).await.unwrap();
    assert!(house.view().asks.is_empty());
    house.person(Command::Resume).await.unwrap();
    release_until(&house, "done").await;
}

#[tokio::test]
async fn one_is_put_away_only_when_it_has_ended() {
    for (house, room) in [free(Reply::text("hm").hold_after(1)).await, at_step().await] {
        let refused = house.engine().archive_room(room, &me(), true).await;
        assert_eq!(refused.map_err(|error| error.code()), Err("SIDEKICK_AT_WORK"));
        assert_eq!(now(&house, room).state, "running", "nothing was stopped for it");
        house.model.release();
        wait_state(&house, room, "completed").await;
        house.engine().archive_room(room, &me(), true).await.unwrap();
        assert!(house.engine().view(room).unwrap().archived);
    }
}
