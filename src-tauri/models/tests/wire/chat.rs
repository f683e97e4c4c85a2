//! What only servers of Chat Completions do.

use super::server::{Answer, Server, Then, chunked};
use super::speakers::{chat, responses};
use super::*;

#[tokio::test]
async fn a_server_without_an_end_mark_or_usage_is_understood() {
    let speaker = chat();
    let lines = &speaker.calls[..7];
    let server = Server::start(move |_| Answer { bytes: chunked(lines), then: Then::Close }).await;
    let model = speaker.client(&server.base_url(&speaker));
    let (events, error) = turn(&*model, hello(&speaker)).await;
    assert_eq!((events.len(), error), (speaker.two_calls().len() - 1, None));
}

#[tokio::test]
async fn an_account_that_may_not_see_summaries_is_asked_without_them() {
    let speaker = responses();
    let refused = r#"{"error":{"message":"Your organization must be verified to generate reasoning summaries.","type":"invalid_request_error","param":"reasoning.summary","code":"unsupported_value"}}"#;
    let words = speaker.words;
    let mut server = Server::start(move |n| {
        let bytes = match n {
            0 => server::plain("400 Bad Request", "", refused),
            _ => chunked(words),
        };
        Answer { bytes, then: Then::Close }
    })
    .await;
    let model = speaker.client(&server.base_url(&speaker));
    for _ in 0..2 {
        assert_eq!(turn(&*model, hello(&speaker)).await.1, None);
    }
    let mut asked = Vec::new();
    for _ in 0..3 {
        asked.push(server.next_request().await.1.contains(r#""summary":"auto""#));
    }
    assert_eq!(asked, [true, false, false]);
}
