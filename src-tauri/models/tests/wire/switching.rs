//! A conversation that goes on with a model of another provider, or with another model.

use models::{Message, Thinking};
use serde_json::Value;

use super::conversation::{kept_speakers, play};
use super::server::{Answer, Server, Then, chunked};
use super::speakers::{Speaker, anthropic, protocols};
use super::*;

/// What belongs to one provider and must not be told to another.
const SECRETS: [&str; 4] = ["EqQBsigned", "EmwKAhgB", "gAAAsealed", "CuEsigned"];

pub async fn sent(speaker: &'static Speaker, request: Request) -> String {
    let mut server =
        Server::start(|_| Answer { bytes: chunked(speaker.words), then: Then::Close }).await;
    let model = speaker.client(&server.base_url(speaker));
    assert_eq!(turn(&*model, request).await.1, None, "{}", speaker.name);
    server.next_request().await.1
}

/// The same conversation as the engine reads it for another model.
fn without_kept(messages: &[Message]) -> Vec<Message> {
    let forget = |message: &Message| match message.clone() {
        Message::Assistant { text, calls, kept: _ } => {
            Message::Assistant { text, calls, kept: None }
        }
        other @ (Message::User { .. } | Message::ToolResult { .. } | Message::Note { .. }) => other,
    };
    messages.iter().map(forget).collect()
}

#[tokio::test]
async fn what_one_provider_keeps_is_told_to_no_other() {
    for from in kept_speakers(protocols()) {
        let (messages, own) = play(from).await;
        let its_own = SECRETS.iter().filter(|secret| own.contains(**secret)).count();
        let expected = match from.protocol {
            Protocol::Anthropic => 2,
            Protocol::OpenAiResponses | Protocol::Gemini => 1,
            Protocol::OpenAiChat | Protocol::Rehearsal | Protocol::Acp => 0,
        };
        assert_eq!(its_own, expected, "{} is told its own again", from.name);
        for to in kept_speakers(protocols()) {
            if to.protocol == from.protocol {
                continue;
            }
            // Whether the engine left it out or not, no other protocol writes it.
            for messages in [messages.clone(), without_kept(&messages)] {
                let body = sent(to, request(to, &messages)).await;
                let leaked = SECRETS.iter().any(|secret| body.contains(secret));
                assert!(!leaked && !body.contains("Hm — both"), "{} to {}", from.name, to.name);
                for words in ["id-plan", "id-1", "id-2", "no such file", "Two files — reading."] {
                    assert!(body.contains(words), "{} to {}: {words}", from.name, to.name);
                }
                serde_json::from_str::<Value>(&body).expect("a request is valid JSON");
            }
        }
    }
}

#[tokio::test]
async fn a_newer_gemini_takes_calls_of_others_with_a_stand_in_for_their_signature() {
    let [_, _, from, gemini] = kept_speakers(protocols()) else { panic!("four protocols") };
    let (messages, _) = play(from).await;
    let body = sent(gemini, request(gemini, &messages)).await;
    // The first call of each turn.
    assert_eq!(body.matches("skip_thought_signature_validator").count(), 2);
    let mut older = Transcript::for_model(Protocol::Gemini, "gemini-2.5-pro");
    messages.iter().for_each(|message| older.push(message));
    let request = Request { history: older.snapshot(), ..request(gemini, &messages) };
    assert!(!sent(gemini, request).await.contains("thoughtSignature"));
}

#[tokio::test]
async fn an_older_claude_does_not_think_in_a_turn_that_another_began() {
    let [older] = kept_speakers([Speaker { model: "claude-haiku-4-5", ..anthropic() }]) else {
        panic!("one speaker")
    };
    let (messages, _) = play(older).await;
    let asked = |messages: &[Message]| Request {
        thinking: Some(Thinking::Low),
        force: None,
        ..request(older, messages)
    };
    let budget = r#""budget_tokens":2048"#;
    assert!(sent(older, asked(&messages)).await.contains(budget));
    let mut foreign = without_kept(&messages);
    assert!(!sent(older, asked(&foreign)).await.contains("budget_tokens"));
    foreign.push(Message::User { text: "Go on".into() });
    assert!(sent(older, asked(&foreign)).await.contains(budget));
}
