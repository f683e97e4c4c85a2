//! A stream that ends anywhere gives all of the turn or an error that is tried again, and never
//! half a call.

use models::{ModelError, ModelEvent, Stop, retry_after};

use super::conversation::kept_speakers;
use super::server::{Answer, Server, Then, chunked, until_close};
use super::speakers::{Speaker, all, chat};
use super::*;

/// Cuts the answer after every byte; says how many cuts still gave the whole turn, and how many
/// all of it but the usage.
async fn cut_everywhere(speaker: &Speaker, answer: Vec<u8>) -> (usize, usize) {
    let length = answer.len();
    let server = Server::start(move |n| Answer {
        bytes: answer[..n.min(answer.len())].to_vec(),
        then: Then::Close,
    })
    .await;
    let model = speaker.client(&server.base_url(speaker));
    let (mut whole, mut uncounted) = (0, 0);
    for cut in 0..=length {
        let (mut events, error) = turn(&*model, hello(speaker)).await;
        let place = format!("{} cut at {cut}", speaker.name);
        match error {
            None => {
                events.retain(|event| !matches!(event, ModelEvent::Kept(_)));
                let mut expected = speaker.two_calls();
                if speaker.usage.is_some() && !events.iter().any(is_usage) {
                    expected.retain(|event| !is_usage(event));
                    uncounted += 1;
                } else {
                    whole += 1;
                }
                assert_eq!(events, expected, "{place}");
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
    (whole, uncounted)
}

fn is_usage(event: &ModelEvent) -> bool {
    matches!(event, ModelEvent::Usage(_))
}

#[tokio::test]
async fn a_chunked_stream_cut_anywhere() {
    for speaker in kept_speakers(all()) {
        let whole = cut_everywhere(speaker, chunked(speaker.calls)).await;
        // From the end of the last mark: "\r\n", then "0\r\n\r\n". Gemini has no mark.
        let expected = if speaker.protocol == Protocol::Gemini { 1 } else { 8 };
        assert_eq!(whole, (expected, 0), "{}", speaker.name);
    }
}

#[tokio::test]
async fn a_stream_without_framing_cut_anywhere() {
    for speaker in kept_speakers(all()) {
        let whole = cut_everywhere(speaker, until_close(speaker.calls)).await;
        // Once there is a reason to finish, only the usage can be missing, and "[DONE]" is no loss.
        let length = |line: &str| format!("data: {line}\n\n").len();
        let expected = match speaker.calls {
            [.., done] if speaker.usage.is_none() => (length(done) + 1, 0),
            [.., finish, usage, done] if speaker.protocol == Protocol::OpenAiChat => {
                assert!(finish.contains("finish_reason") && usage.contains("prompt_tokens"));
                (length(done) + 1, length(usage))
            }
            _ => (1, 0),
        };
        assert_eq!(whole, expected, "{}", speaker.name);
    }
}

#[tokio::test]
async fn a_reason_to_finish_is_an_end_and_nothing_else_is() {
    let words = r#"{"choices":[{"delta":{"content":"Yes."}}]}"#;
    let finish = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
    let speaker = chat();
    for (lines, is_whole) in [(&[words, finish][..], true), (&[words][..], false)] {
        for answer in [chunked(lines), until_close(lines)] {
            let server =
                Server::start(move |_| Answer { bytes: answer.clone(), then: Then::Close }).await;
            let model = speaker.client(&server.base_url(&speaker));
            let (events, error) = turn(&*model, hello(&speaker)).await;
            assert_eq!(error, (!is_whole).then_some(ModelError::Dropped));
            let mut expected = vec![ModelEvent::Text("Yes.".into())];
            expected.extend(is_whole.then_some(ModelEvent::Done(Stop::End)));
            assert_eq!(events, expected);
        }
    }
}
