//! A stream that ends anywhere gives all of the turn or an error, and never half a call.

use models::{ModelError, ModelEvent};

use super::conversation::{TWO_CALLS, two_calls};
use super::server::{Answer, Server, Then, chunked, until_close};
use super::*;

/// Cuts the answer after every byte; says how many cuts still gave the whole turn.
async fn cut_everywhere(answer: Vec<u8>) -> usize {
    let length = answer.len();
    let server = Server::start(move |n| Answer {
        bytes: answer[..n.min(answer.len())].to_vec(),
        then: Then::Close,
    })
    .await;
    let model = model(&server.base_url);
    let mut whole = 0;
    for cut in 0..=length {
        let (events, error) = turn(&model, hello()).await;
        match error {
            None => {
                assert_eq!(events, two_calls(), "cut at {cut}");
                whole += 1;
            }
            Some(error) => {
                assert_eq!(error, ModelError::Dropped, "cut at {cut}");
                let only_words = events.iter().all(|event| matches!(event, ModelEvent::Text(_)));
                assert!(only_words, "cut at {cut}: {events:?}");
            }
        }
    }
    whole
}

#[tokio::test]
async fn a_chunked_stream_cut_anywhere() {
    let whole = cut_everywhere(chunked(&TWO_CALLS)).await;
    // From the end of the last mark: "\r\n", then "0\r\n\r\n".
    assert_eq!(whole, 8);
}

#[tokio::test]
async fn a_stream_without_framing_cut_anywhere() {
    let whole = cut_everywhere(until_close(&TWO_CALLS)).await;
    // Nothing can be missing once the usage has come, so a lost "[DONE]" is no loss.
    assert_eq!(whole, "data: [DONE]\n\n".len() + 1);
}

#[tokio::test]
async fn a_server_without_an_end_mark_or_usage_is_understood() {
    let server =
        Server::start(|_| Answer { bytes: chunked(&TWO_CALLS[..6]), then: Then::Close }).await;
    let (events, error) = turn(&model(&server.base_url), hello()).await;
    assert_eq!((events.len(), error), (two_calls().len() - 1, None));
}
