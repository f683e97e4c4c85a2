//! What a server says during a call: its progress, and its questions.

use crate::{Mark, answer, detail, house, next_ask, next_result};
use engine::Chatter;
use plan::{AskKind, Event};
use serde_json::json;
use support::Reply;

const FREE: &str = ", effects: { ask: write, steps: write }";

#[tokio::test]
async fn a_servers_question_is_an_ask_and_the_call_goes_on_with_the_answer() {
    let mark = Mark::fresh();
    let script = vec![Reply::call("hostile__ask", json!({})), Reply::text("ok")];
    let house = house(script, &mark, FREE).await;
    house.say("go").await;
    let (at, ask) = next_ask(&house, 0).await;
    assert_eq!(ask.kind, AskKind::Elicitation);
    assert_eq!(ask.text, "The server hostile asks: How old are you?");
    assert_eq!(detail(&ask, "field"), "age (integer, required): in years");
    answer(&house, ask.id, "seven").await;
    let (_, again) = next_ask(&house, at).await;
    assert!(again.text.contains("did not fit"), "{}", again.text);
    answer(&house, again.id, "7").await;
    let (_, said) = next_result(&house, 0).await;
    assert_eq!(said, r#"{"action": "accept", "content": {"age": 7}}"#);
    house.wait_idle().await;
    assert!(house.view().asks.is_empty());
}

/// What a server was given is known to be secret, wherever it says it.
#[tokio::test]
async fn a_secret_in_a_question_or_in_a_tools_description_is_not_told() {
    let (mark, secret) = (Mark::fresh(), "given-to-the-server");
    let script = vec![Reply::call("hostile__ask", json!({})), Reply::text("ok")];
    let more = format!("{FREE}, env: {{ SERVICE_TOKEN: {secret} }}");
    let house = house(script, &mark, &more).await;
    house.say("go").await;
    let (_, ask) = next_ask(&house, 0).await;
    assert_eq!(detail(&ask, "field"), "age (integer, required): in years[redacted]");
    answer(&house, ask.id, "7").await;
    house.wait_idle().await;
    for request in house.model.requests() {
        let asked = String::from_utf8_lossy(request.body()).into_owned();
        assert!(!asked.contains(secret), "{asked}");
        assert!(asked.contains("The tool ask.[redacted]"), "{asked}");
    }
    assert!(!format!("{:?}", house.log()).contains(secret));
}

#[tokio::test]
async fn no_words_decline() {
    let mark = Mark::fresh();
    let script = vec![Reply::call("hostile__ask", json!({})), Reply::text("ok")];
    let house = house(script, &mark, FREE).await;
    house.say("go").await;
    let (_, ask) = next_ask(&house, 0).await;
    answer(&house, ask.id, "").await;
    assert_eq!(next_result(&house, 0).await.1, r#"{"action": "decline"}"#);
}

#[tokio::test]
async fn a_question_is_withdrawn_with_its_call() {
    let mark = Mark::fresh();
    let script = vec![Reply::call("hostile__ask", json!({})), Reply::text("ok")];
    let house = house(script, &mark, FREE).await;
    house.say("go").await;
    next_ask(&house, 0).await;
    house.person(plan::Command::Stop { so_far: None }).await.unwrap();
    house.wait("withdrawal", |event| matches!(event, Event::AskWithdrawn { .. })).await;
    house.wait_idle().await;
    support::wait_for(async || !mark.is_running(), "the server to be gone").await;
}

#[tokio::test]
async fn progress_is_told_live_and_is_in_no_log() {
    let mark = Mark::fresh();
    let script = vec![Reply::call("hostile__steps", json!({})), Reply::text("ok")];
    let house = house(script, &mark, FREE).await;
    let watch = house.engine().watch(house.room, 0).unwrap();
    let mut chatter = watch.chatter();
    house.say("go").await;
    let mut told = Vec::new();
    while told.len() < 2 {
        let piece = tokio::time::timeout(std::time::Duration::from_secs(60), chatter.next()).await;
        if let Some(Chatter::Progress { done, total, text, .. }) = piece.unwrap() {
            told.push((done, total, text.unwrap()));
            house.workspace.write(["go", "end"][told.len() - 1], "");
        }
    }
    assert_eq!(told, [(1.0, Some(3.0), "begun".to_owned()), (2.0, Some(3.0), "going".to_owned())]);
    house.wait_idle().await;
    assert!(house.kinds().iter().all(|kind| !kind.contains("progress")));
}
