//! A room that held a council is deleted with everything the council left.

use super::{answer, b_wins, begin, now, three, wait_asked, wait_state};
use flow::{House, me};
use plan::{Command, RoomId};
use serde_json::json;
use std::path::Path;
use support::wait_for;

fn entries(folder: &Path) -> Vec<String> {
    let found = std::fs::read_dir(folder).into_iter().flatten().flatten();
    found.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Nothing is stored of the room or its members, and nothing is left on disk.
async fn wait_all_gone(house: &House, members: &[RoomId]) {
    let journal = house.engine().journal();
    for room in members.iter().chain([&house.room]) {
        assert!(journal.room(room.0).unwrap().is_none(), "{room}");
        assert!(journal.read(room.0, 0, 10).unwrap().is_empty(), "{room}");
    }
    assert_eq!(journal.sidekicks(None).unwrap().len(), 0);
    assert!(house.engine().overview().unwrap().rooms.is_empty());
    let folders = ["copies", "snapshots"].map(|name| house.data().join(name));
    let empty = async || folders.iter().all(|folder| entries(folder).is_empty());
    wait_for(empty, "copies and answers to be gone").await;
}

fn rooms(house: &House) -> Vec<RoomId> {
    now(house).members.iter().map(|member| member.room_id).collect()
}

#[tokio::test]
async fn while_members_talk_and_one_looks_around() {
    let look = || support::Reply::call("list_dir", json!({}));
    let house = three(
        vec![look(), answer("Plain", "a").hold_after(1)],
        vec![answer("Better", "b")],
        vec![look(), answer("Third", "c").hold_after(1)],
    )
    .await;
    begin(&house, json!({})).await;
    wait_asked(&house, "a", 2).await;
    wait_asked(&house, "c", 2).await;
    wait_for(async || !now(&house).members[1].answers.is_empty(), "an answer").await;
    let members = rooms(&house);
    assert_eq!(house.engine().room_size(house.room).unwrap().sidekicks, 0, "members are none");
    let refused = house.engine().delete_room(members[0], &me()).await.unwrap_err();
    assert_eq!(refused.code(), "MEMBER_ROOM");
    house.engine().delete_room(house.room, &me()).await.expect("it can be deleted");
    wait_all_gone(&house, &members).await;
}

#[tokio::test]
async fn after_it_is_done_and_archived() {
    let [a, b, c] = b_wins();
    let house = three(a, b, c).await;
    begin(&house, json!({})).await;
    wait_state(&house, "done").await;
    house.wait_idle().await;
    house.engine().archive_room(house.room, &me(), true).await.expect("it can be put away");
    let members = rooms(&house);
    house.engine().delete_room(house.room, &me()).await.expect("it can be deleted");
    wait_all_gone(&house, &members).await;
    assert!(house.workspace.has("b.txt"), "what was done stays");
}

#[tokio::test]
async fn after_a_restart_with_members_in_the_middle_of_a_turn() {
    let mut house = three(
        vec![answer("Plain", "a")],
        vec![answer("Better", "b").hold_after(1)],
        vec![answer("Third", "c").hold_after(1)],
    )
    .await;
    begin(&house, json!({})).await;
    wait_asked(&house, "b", 1).await;
    wait_asked(&house, "c", 1).await;
    wait_for(async || !now(&house).members[0].answers.is_empty(), "an answer").await;
    let members = rooms(&house);
    house.restart().await;
    house.engine().delete_room(house.room, &me()).await.expect("it can be deleted");
    wait_all_gone(&house, &members).await;
}

#[tokio::test]
async fn while_the_winner_judges() {
    let [a, mut b, c] = b_wins();
    b.acts[1] = answer("x", "x").hold_after(1);
    let house = three(a, b, c).await;
    begin(&house, json!({ "max_orchestration_restarts": 1 })).await;
    house.wait("review", |event| matches!(event, plan::Event::CouncilReviewBegan)).await;
    house.person(Command::Pause).await.expect("it is paused");
    let members = rooms(&house);
    house.engine().delete_room(house.room, &me()).await.expect("it can be deleted");
    wait_all_gone(&house, &members).await;
}
