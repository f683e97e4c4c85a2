//! The same conversation through every provider, and what is sent for its next turn.

use expect_test::expect_file;
use models::{CallRequest, Kept, Message, ModelEvent, Stop};
use serde_json::Value;

use super::server::{Answer, Seen, Server, Then, chunked};
use super::speakers::{Speaker, all, protocols};
use super::*;

/// A turn as the engine keeps it: with ids of its own.
pub fn kept_turn(events: &[ModelEvent], own_ids: &[&str]) -> Message {
    let (mut text, mut calls, mut kept) = (String::new(), Vec::new(), None::<Kept>);
    for event in events {
        match event {
            ModelEvent::Text(more) => text.push_str(more),
            ModelEvent::ToolCall(call) => {
                let id = own_ids[calls.len()].to_owned();
                calls.push(CallRequest { id, ..call.clone() });
            }
            ModelEvent::Kept(some) => kept = Some(some.clone()),
            ModelEvent::Thinking(_) | ModelEvent::Usage(_) | ModelEvent::Done(_) => {}
        }
    }
    Message::Assistant { text, calls, kept }
}

/// Plays the whole conversation; what was said, and the last request.
pub async fn play(speaker: &'static Speaker) -> (Vec<Message>, String) {
    let mut server = Server::start(|n| {
        let lines = [speaker.plan, speaker.calls, speaker.words][n];
        Answer { bytes: chunked(lines), then: Then::Keep }
    })
    .await;
    let model = speaker.client(&server.base_url(speaker));
    let mut messages = vec![Message::User { text: "Compare \"a\" and b".into() }];
    let result = |call: &str, text: &str, failed: bool| Message::ToolResult {
        call: call.into(),
        text: text.into(),
        images: Vec::new(),
        failed,
    };

    let (events, error) = turn(&*model, request(speaker, &messages)).await;
    assert_eq!(error, None, "{}", speaker.name);
    let (head, _) = server.next_request().await;
    let line = format!("post {} http/1.1", speaker.path);
    assert!(head.starts_with(&line), "{}: {head}", speaker.name);
    assert!(head.contains(speaker.key), "{}: {head}", speaker.name);
    assert_eq!(head.matches(KEY).count(), 1, "the key is in its header and nowhere else");
    messages.extend([
        kept_turn(&events, &["id-plan"]),
        result("id-plan", "{\"plan_id\":1}", false),
        Message::Note { text: "Go on".into() },
    ]);

    let (mut events, error) = turn(&*model, request(speaker, &messages)).await;
    assert_eq!(error, None, "{}", speaker.name);
    messages.extend([
        kept_turn(&events, &["id-1", "id-2"]),
        result("id-1", "1\n", false),
        result("id-2", "no such file", true),
    ]);
    events.retain(|event| !matches!(event, ModelEvent::Kept(_)));
    assert_eq!(events, speaker.two_calls(), "{}", speaker.name);
    server.next_request().await;

    let (events, error) = turn(&*model, request(speaker, &messages)).await;
    assert_eq!(error, None, "{}", speaker.name);
    assert_eq!(events.first(), Some(&ModelEvent::Text("Only a is there.".into())));
    assert_eq!(events.last(), Some(&ModelEvent::Done(Stop::End)));
    let (head, body) = server.next_request().await;
    assert!(head.contains(&format!("content-length: {}", body.len())), "{head}");
    (messages, body)
}

/// Speakers for as long as the test runs.
pub fn kept_speakers<const N: usize>(speakers: [Speaker; N]) -> &'static [Speaker] {
    Box::leak(Box::new(speakers))
}

#[tokio::test]
async fn the_same_conversation_through_every_provider() {
    for speaker in kept_speakers(all()) {
        let (_, body) = play(speaker).await;
        let json: Value = serde_json::from_str(&body).expect("a request is valid JSON");
        let shown = format!("{json:#}\n");
        let expected = match speaker.name {
            "chat" => expect_file!["./requests/chat.json"],
            "xai" => expect_file!["./requests/xai.json"],
            "ollama" => expect_file!["./requests/ollama.json"],
            "lmstudio" => expect_file!["./requests/lmstudio.json"],
            "responses" => expect_file!["./requests/responses.json"],
            "anthropic" => expect_file!["./requests/anthropic.json"],
            "gemini" => expect_file!["./requests/gemini.json"],
            other => panic!("no request is kept for {other}"),
        };
        expected.assert_eq(&shown);
    }
}

#[tokio::test]
async fn a_request_with_nothing_but_words_is_valid_json() {
    for speaker in kept_speakers(protocols()) {
        let mut server =
            Server::start(|_| Answer { bytes: chunked(speaker.words), then: Then::Close }).await;
        let mut bare = hello(speaker);
        bare.system = "".into();
        bare.tail = None;
        bare.max_output = None;
        bare.tools = ToolSet::new(speaker.protocol, &[]);
        let model = speaker.client(&server.base_url(speaker));
        assert_eq!(turn(&*model, bare).await.1, None);
        let (_, body) = server.next_request().await;
        let json: Value = serde_json::from_str(&body).expect("a request is valid JSON");
        assert!(!body.contains("tools") && !body.contains("system"), "{json:#}");
    }
}

#[tokio::test]
async fn connections_are_used_again() {
    for speaker in kept_speakers(protocols()) {
        let server =
            Server::start(|_| Answer { bytes: chunked(speaker.words), then: Then::Keep }).await;
        let model = speaker.client(&server.base_url(speaker));
        for _ in 0..20 {
            assert_eq!(turn(&*model, hello(speaker)).await.1, None);
        }
        let connections = server.connections.load(std::sync::atomic::Ordering::SeqCst);
        assert!(connections <= 3, "{}: {connections} connections for 20 turns", speaker.name);
    }
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    for speaker in kept_speakers(protocols()) {
        let mut server = Server::start(|_| {
            let mut bytes = chunked(&speaker.calls[..5]);
            bytes.truncate(bytes.len() - "0\r\n\r\n".len());
            Answer { bytes, then: Then::Hang }
        })
        .await;
        let model = speaker.client(&server.base_url(speaker));
        let mut stream = model.stream(hello(speaker)).await.unwrap();
        let first = stream.next().await;
        assert_eq!(first, Some(Ok(ModelEvent::Thinking("Hm — ".into()))), "{}", speaker.name);
        server.next_request().await;
        drop(stream);
        assert_eq!(server.seen.recv().await, Some(Seen::HungUp), "{}", speaker.name);
    }
}

#[test]
fn the_key_is_not_shown() {
    let endpoint = models::Endpoint {
        base_url: "http://me:hidden@localhost/v1?key=hidden".into(),
        key: Some(KEY.into()),
        name: "home".into(),
        patience: models::Patience::default(),
    };
    let http = models::http_client();
    let shown = format!(
        "{endpoint:?} {:?} {:?} {:?} {:?}",
        models::OpenAiChat::new(endpoint.clone(), http.clone()),
        models::OpenAiResponses::new(endpoint.clone(), http.clone()),
        models::Anthropic::new(endpoint.clone(), http.clone()),
        models::Gemini::new(endpoint.clone(), http)
    );
    assert!(!shown.contains(KEY) && !shown.contains("hidden"), "{shown}");
}
