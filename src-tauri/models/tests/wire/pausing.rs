//! A provider that pauses a turn is asked to go on, and the turn is one.

use models::{ModelEvent, Stop, Usage};
use serde_json::Value;

use super::server::{Answer, Server, Then, chunked};
use super::speakers::anthropic;
use super::*;

/// Words after signed thinking, ended for this reason.
fn part(words: &str, stop: &str) -> Vec<u8> {
    let thinking = r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":"SEAL"}}"#;
    let text = format!(
        r#"{{"type":"content_block_start","index":1,"content_block":{{"type":"text","text":"{words}"}}}}"#
    );
    let end = format!(
        r#"{{"type":"message_delta","delta":{{"stop_reason":"{stop}"}},"usage":{{"input_tokens":10,"output_tokens":2}}}}"#
    );
    chunked(&[thinking, &text, &end, r#"{"type":"message_stop"}"#])
}

#[tokio::test]
async fn a_paused_turn_goes_on_where_it_stopped() {
    let speaker = anthropic();
    let mut server = Server::start(|n| {
        let bytes = match n {
            0 => part("One, ", "pause_turn"),
            1 => part("two, ", "pause_turn"),
            _ => part("three.", "end_turn"),
        };
        Answer { bytes, then: Then::Keep }
    })
    .await;
    let model = speaker.client(&server.base_url(&speaker));
    let mut bare = hello(&speaker);
    bare.tail = None;
    let (events, error) = turn(&*model, bare).await;
    assert_eq!(error, None);
    let said = conversation::kept_turn(&events, &[]);
    let usage = Usage { input: 30, output: 6, ..Usage::default() };
    let ended: Vec<&ModelEvent> =
        events.iter().filter(|event| !matches!(event, ModelEvent::Kept(_))).collect();
    let text = |words: &str| ModelEvent::Text(words.into());
    let expected = [
        text("One, "),
        text("two, "),
        text("three."),
        ModelEvent::Usage(usage),
        ModelEvent::Done(Stop::End),
    ];
    assert_eq!(ended, expected.iter().collect::<Vec<_>>());

    let mut asked = Vec::new();
    for _ in 0..3 {
        let (_, body) = server.next_request().await;
        asked.push(serde_json::from_str::<Value>(&body).unwrap());
    }
    let said_in = |body: &Value| -> Vec<String> {
        let turns = body["messages"].as_array().unwrap().iter();
        let model = turns.filter(|message| message["role"] == "assistant");
        let blocks = model.flat_map(|message| message["content"].as_array().unwrap());
        let word = |block: &Value, name: &str| block[name].as_str().unwrap_or_default().to_owned();
        blocks.map(|block| word(block, "text") + &word(block, "signature")).collect()
    };
    assert_eq!(said_in(&asked[0]), [""; 0]);
    assert_eq!(said_in(&asked[1]), ["SEAL", "One, "]);
    assert_eq!(said_in(&asked[2]), ["SEAL", "One, ", "SEAL", "two, "]);
    let last = asked[1]["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(last["role"], "user", "no model is asked to finish its own sentence");

    // Told again later, it is in the order in which it came.
    turn(&*model, request(&speaker, &[Message::User { text: "Hello".into() }, said])).await;
    let body: Value = serde_json::from_str(&server.next_request().await.1).unwrap();
    assert_eq!(said_in(&body), ["SEAL", "One, ", "SEAL", "two, ", "SEAL", "three."]);
}

#[tokio::test]
async fn one_that_only_pauses_is_given_up() {
    let speaker = anthropic();
    let server =
        Server::start(|_| Answer { bytes: part("", "pause_turn"), then: Then::Keep }).await;
    let model = speaker.client(&server.base_url(&speaker));
    let (_, error) = turn(&*model, hello(&speaker)).await;
    let message = "it pauses again and again".to_owned();
    assert_eq!(error, Some(models::ModelError::Malformed { message }));
}
