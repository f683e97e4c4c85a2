//! Slots: who works at once, who waits, and who is next.

use super::{all, now, requests, spawn, wait_state};
use engine::NewSidekick;
use flow::{House, me};
use plan::{Actor, Ask, AskView, Command, RoomId};
use serde_json::json;
use std::collections::BTreeMap;
use support::{Reply, Script, ask_user, sidekick_complete, wait_for};

const THREE: &str = "caps: { sidekicks: 3 }";

/// How many sidekicks of a room are in each state.
fn states(house: &House, room: RoomId) -> BTreeMap<String, usize> {
    let mut states = BTreeMap::new();
    for sidekick in house.engine().sidekicks(room).expect("the room is there") {
        *states.entry(sidekick.state).or_default() += 1;
    }
    states
}

fn counted(states: &BTreeMap<String, usize>, state: &str) -> usize {
    states.get(state).copied().unwrap_or(0)
}

/// One that nobody waits for.
async fn spawn_quietly(house: &House, room: RoomId, task: String) -> RoomId {
    let new = NewSidekick { task, ..NewSidekick::default() };
    let agent = Actor::agent("default");
    let made = house.engine().spawn_sidekick(room, &agent, new).await;
    made.expect("a sidekick is made").id
}

/// Every sidekick looks once, when it is let, and is done.
fn patient() -> Script {
    Script::from_fn(|request| {
        let said = request.texts("user").first().cloned().unwrap_or_default();
        match said.starts_with("task") {
            true if request.tool_results().is_empty() => {
                Reply::call("read_file", json!({ "path": "a" })).hold_after(1)
            }
            true => sidekick_complete("done"),
            false => Reply::text("ok"),
        }
    })
}

#[tokio::test]
async fn twenty_with_three_slots_three_at_once_and_seventeen_queued() {
    let house = House::configured(patient(), THREE, &[]).await;
    for n in 0..20 {
        spawn(&house, &format!("task {n}")).await;
    }
    wait_for(async || house.model.requests().len() == 3, "three to be asked").await;
    let now = states(&house, house.room);
    assert_eq!((counted(&now, "running"), counted(&now, "queued")), (3, 17), "{now:?}");
    assert!(all(&house).iter().all(|one| (one.state == "queued") == one.started_at.is_none()));

    house.model.release();
    let mut most = 0;
    wait_for(
        async || {
            house.model.release();
            let now = states(&house, house.room);
            most = most.max(counted(&now, "running"));
            counted(&now, "completed") == 20
        },
        "all to end",
    )
    .await;
    assert!(most <= 3, "{most}");
}

#[tokio::test]
async fn two_rooms_share_fairly() {
    let house = House::configured(patient(), "caps: { sidekicks: 2 }", &[]).await;
    let folder = house.workspace.path();
    let other = house.engine().create_room(&me(), None, &folder, None).await.unwrap().id;
    let mut first = Vec::new();
    for n in 0..6 {
        first.push(spawn_quietly(&house, house.room, format!("task a{n}")).await);
    }
    wait_for(async || house.model.requests().len() == 2, "two to be asked").await;
    let second = spawn_quietly(&house, other, "task b".to_owned()).await;
    assert_eq!(now(&house, second).state, "queued");
    // Each asks for its slot by itself, so on a busy computer a few more may be before it.
    for asked in 3.. {
        let works = first.iter().find(|one| now(&house, **one).state == "running");
        house.engine().stop_sidekick(*works.expect("some work"), &me()).await.unwrap();
        wait_for(async || requests(&house, "task").len() == asked, "the next to be asked").await;
        if !requests(&house, "task b").is_empty() {
            break;
        }
    }
    let left = counted(&states(&house, house.room), "queued");
    assert!(left > 0, "the one that came late did not wait for all");
}

#[tokio::test]
async fn what_a_person_waits_for_is_next_and_who_waits_for_a_person_holds_no_slot() {
    let script = Script::from_fn(|request| {
        let said = request.texts("user").first().cloned().unwrap_or_default();
        match said.as_str() {
            "ask" if request.tool_results().is_empty() => ask_user("which?", &[]),
            _ => Reply::text("hm").hold_after(1),
        }
    });
    let house = House::configured(script, "caps: { sidekicks: 1 }", &[]).await;
    let asking = spawn_quietly(&house, house.room, "ask".to_owned()).await;
    wait_state(&house, asking, "waiting").await;
    let works = spawn_quietly(&house, house.room, "one".to_owned()).await;
    wait_state(&house, works, "running").await;
    let late = spawn_quietly(&house, house.room, "two".to_owned()).await;
    let urgent = spawn(&house, "three").await.id;
    house.engine().stop_sidekick(works, &me()).await.unwrap();
    wait_state(&house, urgent, "running").await;
    assert_eq!(now(&house, late).state, "queued");
}

#[tokio::test]
async fn a_queued_one_that_is_stopped_is_never_asked() {
    let house = House::configured(patient(), "caps: { sidekicks: 1 }", &[]).await;
    spawn(&house, "task one").await;
    let second = spawn(&house, "task two").await;
    let third = spawn(&house, "task three").await;
    house.model.request(0).await;
    house.engine().stop_sidekick(second.id, &me()).await.unwrap();
    house.model.release();
    wait_for(
        async || {
            house.model.release();
            now(&house, third.id).state == "completed"
        },
        "the third",
    )
    .await;
    assert!(requests(&house, "task two").is_empty());
}

#[tokio::test]
async fn the_queue_goes_on_after_a_restart() {
    let mut house = House::configured(patient(), "caps: { sidekicks: 1 }", &[]).await;
    for n in 0..4 {
        spawn(&house, &format!("task {n}")).await;
    }
    house.model.request(0).await;
    house.restart().await;
    let asks = house.view().asks;
    assert_eq!(asks.len(), 4, "each waits for a person");
    for AskView { id: ask, room_id, .. } in asks {
        let (answer, note) = (Ask::GO_ON.to_owned(), None);
        let answer = Command::Answer { ask, answer, note, revision: None, hash: None };
        house.engine().submit(room_id, &me(), answer).unwrap();
    }
    wait_for(
        async || {
            house.model.release();
            counted(&states(&house, house.room), "completed") == 4
        },
        "all to end",
    )
    .await;
}
