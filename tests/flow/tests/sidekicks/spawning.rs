//! How sidekicks come to be, and how their room hears of them.

use super::{all, first, requests, spawn, wait_state, wait_told};
use flow::{House, Served};
use plan::RoomKind;
use serde_json::json;
use support::{Reply, Script, sidekick_complete, spawn_sidekick, wait_for};

#[tokio::test]
async fn the_model_hands_work_over_and_is_told_what_came_of_it() {
    let script = Script::by_room([
        (
            "do it",
            vec![
                spawn_sidekick("look into note.txt"),
                Reply::text("It looks."),
                Reply::text("It says hello."),
            ],
        ),
        (
            "look into note.txt",
            vec![
                Reply::call("read_file", json!({ "path": "note.txt" })),
                sidekick_complete("The note says hello.\nIt has one line."),
            ],
        ),
    ]);
    let house = House::configured(script, "", &[("note.txt", "hello")]).await;
    house.say("do it").await;
    let sidekick = first(&house).await;
    let (adjective, animal) = sidekick.codename.split_once('-').unwrap();
    assert!(!adjective.is_empty() && !animal.is_empty(), "{}", sidekick.codename);
    let told = wait_told(&house, "hello").await;
    let words = "has finished: The note says hello.\nIt has one line.";
    assert_eq!(told, format!("Sidekick {} {words}", sidekick.codename));
    wait_for(async || requests(&house, "do it").len() == 3, "the room to answer").await;
    let last = requests(&house, "do it").pop().unwrap();
    assert!(last.texts("system").contains(&told), "{:?}", last.messages());

    let ended = wait_state(&house, sidekick.id, "completed").await;
    assert_eq!(ended.result.as_deref(), Some("The note says hello."));
    assert_eq!((ended.turns, ended.task.as_str()), (2, "look into note.txt"));
    assert!(ended.started_at.is_some() && ended.progress_at.is_some());
    let view = house.engine().view(sidekick.id).unwrap();
    assert_eq!(view.workspace, house.view().workspace);
    assert!(matches!(view.kind, RoomKind::Sidekick { parent, .. } if parent == house.room));
    house.wait_idle().await;
    assert_eq!(requests(&house, "look into").len(), 2, "nothing more runs there");
    assert_eq!(house.count("nudged"), 1);
}

#[tokio::test]
async fn only_a_sidekick_can_complete() {
    let script = Script::by_room([
        ("do it", vec![sidekick_complete("me"), Reply::text("ok")]),
        ("look", vec![sidekick_complete("done")]),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    house.wait_idle().await;
    let sidekick = spawn(&house, "look").await;
    wait_state(&house, sidekick.id, "completed").await;
    let asked = &requests(&house, "do it");
    assert!(asked[1].tool_results()[0].contains("SIDEKICK_NOT_FOUND"));
    let has = |request: &support::Recorded, tool| request.tool_names().contains(&tool);
    assert!(!has(&asked[0], "sidekick_complete") && has(&asked[0], "spawn_sidekick"));
    assert!(has(&requests(&house, "look")[0], "sidekick_complete"));
}

#[tokio::test]
async fn the_api_makes_lists_reads_steers_and_cancels_them() {
    let script = Script::by_room([
        ("first task", vec![Reply::text("hm").hold_after(1), sidekick_complete("steered")]),
        ("second task", vec![sidekick_complete("second done")]),
        ("", vec![]),
    ]);
    let house = House::with(script).await;
    let served = Served::new(house.engine()).await;
    let at = |rest: &str| format!("/v1/rooms/{}/sidekicks{rest}", house.room);
    let made = served.client.post(&at(""), json!({ "task": "first task" })).await;
    assert_eq!(made.status, 201);
    let name = made.body["codename"].as_str().unwrap().to_owned();
    let second = served.client.post(&at(""), json!({ "task": "second task" })).await.body;
    assert_ne!(second["codename"], name.as_str());
    wait_for(async || all(&house)[0].state == "completed", "the second to end").await;

    let list = served.client.get(&at("")).await.ok();
    let names: Vec<_> = list["items"].as_array().unwrap().iter().map(|s| &s["task"]).collect();
    assert_eq!(names, ["second task", "first task"]);
    let read = served.client.get(&at(&format!("/{name}"))).await.ok();
    assert_eq!((&read["state"], &read["parent"]), (&json!("running"), &json!(house.room)));
    let id = read["id"].as_str().unwrap();
    assert_eq!(served.client.get(&at(&format!("/{id}"))).await.ok()["codename"], name.as_str());
    assert_eq!(served.client.get(&at("/no-one")).await.status, 404);

    let steered =
        served.client.post(&at(&format!("/{name}/steer")), json!({ "text": "hurry" })).await;
    assert_eq!(steered.status, 202);
    let cancelled = served.client.press(&at(&format!("/{name}/cancel"))).await.ok();
    assert_eq!(
        (&cancelled["state"], &cancelled["result"]),
        (&json!("stopped"), &json!("stopped by a person"))
    );
    assert_eq!(served.client.press(&at(&format!("/{name}/cancel"))).await.status, 200);
    let empty = served.client.post(&at(""), json!({ "task": " " })).await;
    assert_eq!((empty.status, &empty.body["error"]["code"]), (422, &json!("EMPTY_MESSAGE")));
    let odd = served.client.post(&at(""), json!({ "task": "x", "model": "nobody/knows" })).await;
    assert_eq!((odd.status, &odd.body["error"]["code"]), (422, &json!("BAD_MODEL")));
    assert_eq!(all(&house).len(), 2);
}

#[tokio::test]
async fn it_may_have_a_model_of_its_own() {
    let script = Script::by_model([
        ("scripted", vec![Reply::text("ok")]),
        ("small", vec![sidekick_complete("done")]),
    ]);
    let house = House::with(script).await;
    let new = engine::NewSidekick {
        task: "look".into(),
        model: Some("test/small".into()),
        ..Default::default()
    };
    let sidekick = house.engine().spawn_sidekick(house.room, &flow::me(), new).await.unwrap();
    let ended = wait_state(&house, sidekick.id, "completed").await;
    assert_eq!(ended.model.as_deref(), Some("test/small"));
}

#[tokio::test]
async fn what_it_is_told_while_the_room_is_asked_still_wants_an_answer() {
    let script = Script::by_room([
        ("do it", vec![Reply::text("a long answer").hold_after(1), Reply::text("I see.")]),
        ("look", vec![sidekick_complete("done")]),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    house.model.request(0).await;
    spawn(&house, "look").await;
    wait_told(&house, "done").await;
    house.model.release();
    wait_for(async || house.count("replied") == 2, "both answers").await;
}

#[tokio::test]
async fn a_model_that_can_not_be_reached_fails_it_and_the_room_hears_of_it() {
    let script = Script::by_room([
        ("look", vec![Reply::status(401, r#"{"error":{"message":"bad key"}}"#, &[])]),
        ("", vec![]),
    ]);
    let house = House::with(script).await;
    let sidekick = spawn(&house, "look").await;
    wait_state(&house, sidekick.id, "failed").await;
    wait_told(&house, "has failed").await;
}
