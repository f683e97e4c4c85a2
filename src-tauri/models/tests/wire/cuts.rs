//! A stream that ends anywhere gives all of the turn or an error that is tried again, and never
//! half a call.

use models::{ModelError, ModelEvent, retry_after};

use super::conversation::kept_speakers;
use super::server::{Answer, Server, Then, chunked, until_close};
use super::speakers::{Speaker, protocols};
use super::*;

/// Cuts the answer after every byte; says how many cuts still gave the whole turn.
async fn cut_everywhere(speaker: &Speaker, answer: Vec<u8>) -> usize {
    let length = answer.len();
    let server = Server::start(move |n| Answer {
        bytes: answer[..n.min(answer.len())].to_vec(),
        then: Then::Close,
    })
    .await;
    let model = speaker.client(&server.base_url(speaker));
    let mut whole = 0;
    for cut in 0..=length {
        let (mut events, error) = turn(&*model, hello(speaker)).await;
        let place = format!("{} cut at {cut}", speaker.name);
        match error {
            None => {
                events.retain(|event| !matches!(event, ModelEvent::Kept(_)));
                assert_eq!(events, speaker.two_calls(), "{place}");
                whole += 1;
            }
            Some(error) => {
                assert_eq!(error, ModelError::Dropped, "{place}");
                assert!(retry_after(&error, 1, 0.0).is_some());
                let only_words = events
                    .iter()
                    .all(|event| matches!(event, ModelEvent::Text(_) | ModelEvent::Thinking(_)));
                assert!(only_words, "{place}: {events:?}");
            }
        }
    }
    whole
}

#[tokio::test]
async fn a_chunked_stream_cut_anywhere() {
    for speaker in kept_speakers(protocols()) {
        let whole = cut_everywhere(speaker, chunked(speaker.calls)).await;
        // From the end of the last mark: "\r\n", then "0\r\n\r\n". Gemini has no mark.
        let expected = if speaker.protocol == Protocol::Gemini { 1 } else { 8 };
        assert_eq!(whole, expected, "{}", speaker.name);
    }
}

#[tokio::test]
async fn a_stream_without_framing_cut_anywhere() {
    for speaker in kept_speakers(protocols()) {
        let whole = cut_everywhere(speaker, until_close(speaker.calls)).await;
        // Nothing can be missing once the usage has come, so a lost "[DONE]" is no loss.
        let is_chat = speaker.protocol == Protocol::OpenAiChat;
        let expected = if is_chat { "data: [DONE]\n\n".len() + 1 } else { 1 };
        assert_eq!(whole, expected, "{}", speaker.name);
    }
}
