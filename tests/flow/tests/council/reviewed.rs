//! The winner judges its work: what keeps it from that is told, and is no yes.

use super::{answer, begin, execute, now, three, voice, vote, wait_state, wait_until};
use flow::House;
use plan::{Command, PauseReason};
use serde_json::json;
use std::time::Duration;
use support::Reply;

const BAD_KEY: &str = r#"{"error":{"message":"Incorrect API key","code":"invalid_api_key"}}"#;
const USED_UP: &str =
    r#"{"error":{"message":"quota","code":"insufficient_quota","type":"insufficient_quota"}}"#;

fn submit() -> Reply {
    Reply::call("submit", json!({}))
}

/// A council whose winner is answered with these when it judges.
async fn judging(review: Vec<Reply>) -> House {
    let acts = [vec![execute("b.txt")], review].concat();
    let house = three(
        vec![answer("Plain", "a.txt"), vote("agent2", "b is better")],
        voice(vec![answer("Better", "b.txt"), vote("agent2", "mine")], acts),
        vec![answer("Third", "c.txt"), vote("agent2", "b is best")],
    )
    .await;
    begin(&house, json!({ "max_orchestration_restarts": 1 })).await;
    house
}

#[tokio::test]
async fn a_rejected_key_pauses_it_until_a_person_resumes() {
    let house = judging(vec![Reply::status(401, BAD_KEY, &[]), submit()]).await;
    let council = wait_state(&house, "paused").await;
    assert_eq!(council.pause_reason, Some(PauseReason::Provider));
    let why = council.pause_detail.unwrap_or_default();
    assert!(why.contains("key"), "{why}");
    let seen = house.engine().overview().unwrap().rooms.pop().unwrap().council.unwrap();
    assert!(seen.talks && !seen.planned, "lists tell of it: {seen:?}");
    house.person(Command::Resume).await.expect("it goes on");
    wait_state(&house, "done").await;
    assert_eq!(house.count("council_ended"), 1);
}

#[tokio::test]
async fn a_rate_limit_is_waited_for() {
    let limited = Reply::status(429, USED_UP, &[("retry-after", "600")]);
    let house = judging(vec![limited, submit()]).await;
    let council = wait_state(&house, "paused").await;
    assert_eq!(council.pause_reason, Some(PauseReason::Quota));
    assert!(council.pause_until.is_some());
    let requests = house.model.requests().len();
    house.clock.advance(Duration::from_secs(600));
    wait_state(&house, "done").await;
    assert_eq!(house.model.requests().len(), requests + 1, "it is asked again by itself");
}

#[tokio::test]
async fn stop_pauses_it() {
    let house = judging(vec![submit().hold_after(0), submit()]).await;
    let judges = |one: &support::Recorded| one.tool_names().contains(&"submit");
    let asked = async || house.model.requests().iter().any(judges);
    wait_until(&house, asked, "the winner to judge").await;
    house.engine().stop_turn(house.room, &flow::me()).await.unwrap();
    assert_eq!(now(&house).state, "paused");
    house.model.release();
    house.wait_idle().await;
    assert_eq!(house.count("council_ended"), 0, "nobody has submitted it");
    house.person(Command::Resume).await.expect("it goes on");
    wait_state(&house, "done").await;
}

#[tokio::test]
async fn who_calls_anything_else_without_end_has_submitted_it() {
    let write = Reply::call("write_file", json!({ "path": "more.txt", "content": "more" }));
    let house = judging(vec![write; 30]).await;
    wait_state(&house, "done").await;
    house.wait_idle().await;
    assert!(!house.workspace.has("more.txt"), "nothing else is done in the review");
    assert_eq!(house.count("council_paused"), 0);
}
