//! The time a goal may take, and what does not count against it.

use super::{Desk, Play, Who, graph, statuses};
use flow::{House, me};
use plan::{AskId, Command, Event, PauseReason};
use serde_json::json;
use std::time::Duration;
use support::{Reply, ask_user, sidekick_complete, wait_for, wait_for_some};

/// Two steps that end and one that never does, with one that waits for it.
fn play() -> Play {
    let steps = json!([
        { "id": "a", "text": "quick" },
        { "id": "b", "text": "slow" },
        { "id": "c", "text": "after slow", "needs": ["b"] },
    ]);
    Play::new(graph(steps)).node(|name, _| match name {
        "slow" => Reply::text("I have half of it").and(sidekick_complete("late")).hold_after(5),
        name => sidekick_complete(&format!("{name} is done")),
    })
}

/// What is kept of the one that never ends.
const SO_FAR: &str = "5 s were over; so far: I have half of";

fn options() -> serde_json::Value {
    json!({ "timeoutMs": 5_000 })
}

async fn run_out(desk: &Desk) {
    desk.wait_nodes(2).await;
    desk.house.wait("first step", |event| matches!(event, Event::StepDone { .. })).await;
    let slow = desk.house.plan().steps[1].sidekick.expect("it has begun");
    desk.house.hear(slow, "I have half of").await;
    desk.house.clock.advance(Duration::from_secs(6));
}

#[tokio::test]
async fn at_the_end_of_its_time_what_there_is_is_brought_together() {
    let desk = Desk::configured(play(), "", options()).await;
    run_out(&desk).await;
    let end = desk.wait_status("complete").await;
    assert_eq!(statuses(&end), ["complete", "failed", "skipped"]);
    assert_eq!(end["failedNodes"], json!(["b"]));
    assert_eq!(end["nodes"][1]["output"], SO_FAR);
    assert_eq!(end["result"], "All of it together.");
    let told = desk.asked(Who::Joins)[0].texts("system").join("\n");
    assert!(told.contains("quick is done"), "{told}");
    assert!(told.contains(&format!("failed: {SO_FAR}")), "{told}");
    wait_for(async || desk.house.model.disconnects() == 1, "the slow one to be hung up on").await;
}

#[tokio::test]
async fn before_the_end_of_its_time_who_works_is_told_to_submit() {
    let desk = Desk::configured(play(), "", options()).await;
    desk.wait_nodes(2).await;
    desk.house.wait("first step", |event| matches!(event, Event::StepDone { .. })).await;
    let slow = desk.house.plan().steps[1].sidekick.expect("it has begun");
    desk.house.hear(slow, "I have half of").await;
    desk.house.clock.advance(Duration::from_millis(4_500));
    let told = async || {
        let log = desk.house.engine().journal().read(slow.0, 0, 1_000).expect("its log");
        log.iter().any(|row| String::from_utf8_lossy(&row.body).contains("time is running low"))
    };
    wait_for(told, "it to be told").await;
    assert_eq!(statuses(&desk.graph().await)[1], "running");
}

#[tokio::test]
async fn a_step_that_is_done_and_only_has_to_be_merged_outlives_it() {
    let steps = json!([{ "id": "a", "text": "slow" }, { "id": "b", "text": "change" }]);
    let play =
        Play::new(graph(steps)).node(|name, request| match (name, request.tool_results().len()) {
            ("change", 0) => {
                let args = json!({ "path": "a.txt", "old": "two", "new": "second" });
                Reply::call("edit_file", args)
            }
            ("change", _) => sidekick_complete("changed").hold_after(1),
            _ => Reply::call("list_dir", json!({})).hold_after(1),
        });
    let house = House::configured(play, "", &[("a.txt", "one\ntwo\nthree\n")]).await;
    let desk = Desk::in_house(house, options()).await;
    desk.wait_nodes(3).await;
    desk.house.workspace.write("a.txt", "one\nfirst\nthree\n");
    desk.house.model.release();
    let ask = wait_for_some(async || desk.house.view().asks.pop(), "a question").await;
    desk.house.clock.advance(Duration::from_secs(6));
    desk.house.wait("the other's end", |event| matches!(event, Event::StepFailed { .. })).await;
    assert_eq!(statuses(&desk.graph().await), ["failed", "running"]);
    let (answer, note, revision, hash) = ("theirs".to_owned(), None, None, None);
    let answer = Command::Answer { ask: ask.id, answer, note, revision, hash };
    desk.house.engine().submit(ask.room_id, &me(), answer).expect("it is answered");
    let end = desk.wait_status("complete").await;
    assert_eq!(statuses(&end), ["failed", "complete"]);
    assert_eq!(end["nodes"][1]["output"], "changed");
    assert_eq!(desk.house.workspace.read("a.txt"), "one\nsecond\nthree\n");
}

#[tokio::test]
async fn or_it_has_failed_where_that_is_wanted() {
    let more = "planner: { onPartialCompletion: fail, timeoutMs: 5000 }";
    let desk = Desk::configured(play(), more, json!({})).await;
    run_out(&desk).await;
    let end = desk.wait_status("failed").await;
    assert_eq!(statuses(&end), ["complete", "failed", "skipped"]);
    assert_eq!(end["reason"], "5 s were over");
    assert_eq!(end["nodes"][0]["output"], "quick is done", "what there is is kept");
    assert_eq!(end["nodes"][1]["output"], SO_FAR);
    assert!(desk.asked(Who::Joins).is_empty());
}

#[tokio::test]
async fn time_that_is_over_while_it_is_split_is_a_failure() {
    let desk = Desk::configured(Play::new(Reply::text("hm").hold_after(1)), "", options()).await;
    desk.house.model.request(0).await;
    desk.house.clock.advance(Duration::from_secs(5));
    let end = desk.wait_status("failed").await;
    assert_eq!(end["reason"], "5 s were over before the goal was split into steps");
}

#[tokio::test]
async fn the_last_word_has_time_of_its_own_and_no_more() {
    let steps = json!([{ "id": "a", "text": "one" }]);
    let play = Play::new(graph(steps)).join(Reply::text("long words").hold_after(1));
    let desk = Desk::configured(play, "caps: { sidekick_seconds: 60 }", options()).await;
    wait_for(async || desk.asked(Who::Joins).len() == 1, "the last word to be asked for").await;
    desk.house.clock.advance(Duration::from_secs(50));
    // One more event, so that the time was looked at.
    desk.house.say("take your time").await;
    assert_eq!(desk.graph().await["status"], "running");
    desk.house.clock.advance(Duration::from_secs(20));
    let end = desk.wait_status("failed").await;
    assert!(end["reason"].as_str().unwrap().contains("not brought together in time"), "{end}");
    assert_eq!(end["nodes"][0]["output"], "one is done");
}

#[tokio::test]
async fn waiting_for_a_person_does_not_count() {
    let steps = json!([{ "id": "a", "text": "one" }]);
    let play = Play::new(graph(steps)).node(|_, request| match request.tool_results().is_empty() {
        true => ask_user("which?", &[]),
        false => sidekick_complete("that one"),
    });
    let desk = Desk::configured(play, "", options()).await;
    let held = |event: &Event| matches!(event, Event::PlanHeld { held: Some(_), .. });
    desk.house.wait("wait", held).await;
    let graph = desk.graph().await;
    assert_eq!((&graph["status"], &graph["waitingFor"]), (&json!("running"), &json!("answer")));
    desk.house.clock.advance(Duration::from_secs(600));
    let ask = desk.house.view().asks[0].clone();
    let answer = Command::Answer {
        ask: AskId(ask.id.0),
        answer: "the first".into(),
        note: None,
        revision: None,
        hash: None,
    };
    desk.house.engine().submit(ask.room_id, &me(), answer).expect("it is answered");
    let end = desk.wait_status("complete").await;
    assert_eq!((&end["failedNodes"], end.get("waitingFor")), (&json!([]), None));
}

#[tokio::test]
async fn nor_does_waiting_for_a_slot_or_a_pause() {
    let steps = json!([{ "id": "a", "text": "one" }]);
    let play = Play::new(graph(steps)).node(|name, _| match name {
        "one" => sidekick_complete("done"),
        _ => Reply::text("busy").hold_after(1),
    });
    let house = House::configured(play, "caps: { sidekicks: 1 }", &[]).await;
    let new = engine::NewSidekick { task: "in the way".into(), ..engine::NewSidekick::default() };
    let other = house.engine().spawn_sidekick(house.room, &me(), new).await.expect("it is made").id;
    house.model.request(0).await;
    let desk = Desk::in_house(house, options()).await;
    let held = |event: &Event| matches!(event, Event::PlanHeld { held: Some(_), .. });
    desk.house.wait("wait", held).await;
    let graph = desk.graph().await;
    assert_eq!(
        (graph.get("waitingFor"), &graph["nodes"][0]["queued"]),
        (None, &json!(true)),
        "nobody is waited for"
    );
    desk.house.clock.advance(Duration::from_secs(600));
    desk.house.person(Command::Pause).await.expect("it is paused");
    desk.house.clock.advance(Duration::from_secs(600));
    assert!(desk.house.plan().pause_reason == Some(PauseReason::Supervisor));
    desk.house.person(Command::Resume).await.expect("it goes on");
    desk.house.engine().stop_sidekick(other, &me()).await.expect("it is stopped");
    assert_eq!(desk.wait_status("complete").await["failedNodes"], json!([]));
}
