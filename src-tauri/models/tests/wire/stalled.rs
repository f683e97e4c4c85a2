//! A stream in which only signs of life come is given up; one that grows, however slowly, is not.

use std::time::Duration;

use futures::future::join_all;
use models::{ModelError, ModelEvent, Patience, retry_after};

use super::server::{Answer, Seen, Server, Then, chunked, until_close};
use super::speakers::{Speaker, protocols};
use super::*;

/// What any server may send that is no part of an answer.
const EVERYWHERE: &[&str] = &[": still here\n\n", "event: ping\ndata:\n\n", "\n", "data: \n\n"];

/// What a server of this protocol may send that brings the answer no further.
fn signs_of_life(speaker: &Speaker) -> &'static [&'static str] {
    match speaker.protocol {
        Protocol::OpenAiChat => &[
            r#"{"choices":[]}"#,
            r#"{"choices":[{"delta":{}}]}"#,
            r#"{"choices":[{"delta":{"role":"assistant","content":"","reasoning_content":""}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"read_file","arguments":""}}]}}]}"#,
            r#"{"choices":[{"delta":{}}],"usage":{"prompt_tokens":9,"completion_tokens":1}}"#,
        ],
        Protocol::OpenAiResponses => &[
            r#"{"type":"keepalive"}"#,
            r#"{"type":"response.in_progress","response":{}}"#,
            r#"{"type":"response.output_text.delta","delta":""}"#,
            r#"{"type":"response.function_call_arguments.delta","delta":""}"#,
        ],
        Protocol::Anthropic => &[
            r#"{"type":"ping"}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":""}}"#,
            r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":""}}"#,
            r#"{"type":"message_delta","delta":{},"usage":{"output_tokens":3}}"#,
        ],
        Protocol::Gemini => &[
            r#"{"candidates":[]}"#,
            r#"{"candidates":[{"content":{"parts":[{"text":""}]}}]}"#,
            r#"{"candidates":[{"content":{"parts":[]}}],"usageMetadata":{"promptTokenCount":5}}"#,
        ],
        Protocol::Rehearsal | Protocol::Acp => panic!("it has no address"),
    }
}

/// Everything of the turn with two calls but its end.
fn begun(speaker: &Speaker) -> &'static [&'static str] {
    let calls = speaker.calls;
    match speaker.protocol {
        Protocol::OpenAiChat => &calls[..calls.len() - 3],
        Protocol::OpenAiResponses | Protocol::Anthropic | Protocol::Gemini => {
            &calls[..calls.len() - 1]
        }
        Protocol::Rehearsal | Protocol::Acp => panic!("it has no address"),
    }
}

fn given_up_after(stall: Duration) -> Patience {
    Patience { stall, ..Patience::default() }
}

#[tokio::test]
async fn signs_of_life_alone_are_given_up_and_no_call_was_made() {
    for speaker in protocols() {
        let own = signs_of_life(&speaker).iter().map(|data| format!("data: {data}\n\n"));
        let all = EVERYWHERE.iter().map(|&event| event.to_owned()).chain(own);
        for (sign, lines) in all.flat_map(|sign| [(sign.clone(), &[][..]), (sign, begun(&speaker))])
        {
            let place = format!("{} with {} lines and {sign:?}", speaker.name, lines.len());
            let (bytes, repeated) = (until_close(lines), sign.into_bytes());
            let mut server = Server::start(move |_| Answer {
                bytes: bytes.clone(),
                then: Then::Repeat(repeated.clone()),
            })
            .await;
            let patience = given_up_after(Duration::from_millis(100));
            let client = speaker.client_within(&server.base_url(&speaker), patience);
            let answered = tokio::time::timeout(models::SILENCE / 4, async {
                turn(&*client, hello(&speaker)).await
            });
            let (events, error) = answered.await.unwrap_or_else(|_| panic!("{place}: it hangs"));
            let error = error.expect("it was given up");
            assert_eq!(error, ModelError::Stalled { seconds: 0 }, "{place}");
            assert!(retry_after(&error, 1, 0.0).is_some(), "it is asked again");
            let only_words = events
                .iter()
                .all(|event| matches!(event, ModelEvent::Text(_) | ModelEvent::Thinking(_)));
            assert!(only_words, "{place}: {events:?}");
            server.next_request().await;
            assert_eq!(server.seen.recv().await, Some(Seen::HungUp), "{place}");
        }
    }
}

#[tokio::test]
async fn it_has_words_of_its_own() {
    let error = ModelError::Stalled { seconds: 600 };
    let words = "the model's server is still there, but for 10 minutes no part of an answer came: \
                 try again later, or choose another model";
    assert_eq!((error.to_string().as_str(), error.code()), (words, "MODEL_STALLED"));
    assert!(error.is_temporary());
}

/// Ways in which an answer grows, eight times each; `NUMBER` stands for a count.
fn growing(speaker: &Speaker) -> Vec<(&'static str, Vec<&'static str>, &'static str)> {
    match speaker.protocol {
        Protocol::OpenAiChat => vec![
            ("words", vec![], r#"{"choices":[{"delta":{"content":"a"}}]}"#),
            ("thoughts", vec![], r#"{"choices":[{"delta":{"reasoning":"a"}}]}"#),
            (
                "arguments",
                vec![
                    r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"read_file","arguments":""}}]}}]}"#,
                ],
                r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1"}}]}}]}"#,
            ),
            (
                "tokens",
                vec![],
                r#"{"choices":[{"delta":{}}],"usage":{"prompt_tokens":9,"completion_tokens":NUMBER}}"#,
            ),
        ],
        Protocol::OpenAiResponses => vec![
            ("words", vec![], r#"{"type":"response.output_text.delta","delta":"a"}"#),
            ("thoughts", vec![], r#"{"type":"response.reasoning_text.delta","delta":"a"}"#),
            (
                "arguments",
                // Longer than all arguments that follow it.
                vec![
                    r#"{"type":"response.output_item.done","item":{"type":"reasoning","encrypted_content":"sealed"}}"#,
                ],
                r#"{"type":"response.function_call_arguments.delta","delta":"1"}"#,
            ),
        ],
        Protocol::Anthropic => vec![
            (
                "words",
                vec![
                    r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
                ],
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}"#,
            ),
            (
                "arguments",
                vec![
                    r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"read_file","input":{}}}"#,
                ],
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"1"}}"#,
            ),
            (
                "tokens",
                vec![],
                r#"{"type":"message_delta","delta":{},"usage":{"output_tokens":NUMBER}}"#,
            ),
        ],
        Protocol::Gemini => vec![
            ("words", vec![], r#"{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}"#),
            (
                "tokens",
                vec![],
                r#"{"candidates":[],"usageMetadata":{"promptTokenCount":9,"thoughtsTokenCount":NUMBER}}"#,
            ),
        ],
        Protocol::Rehearsal | Protocol::Acp => panic!("it has no address"),
    }
}

/// A pause is far shorter than what is waited for, and all of them together are longer.
#[tokio::test]
async fn an_answer_that_grows_slowly_is_waited_for() {
    const TIMES: usize = 8;
    let (pause, stall) = (Duration::from_millis(400), Duration::from_millis(2400));
    let (speakers, mut rows) = (protocols(), Vec::new());
    for speaker in &speakers {
        for (what, begin, piece) in growing(speaker) {
            let more = (1..=TIMES).map(|number| piece.replace("NUMBER", &number.to_string()));
            let lines: Vec<String> = begin.into_iter().map(str::to_owned).chain(more).collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            // Without an end, so that whoever waits for it hears that it is cut.
            let bytes = chunked(&lines);
            let bytes = bytes[..bytes.len() - b"0\r\n\r\n".len()].to_vec();
            rows.push((speaker, what, bytes));
        }
    }
    let heard = rows.into_iter().map(async |(speaker, what, bytes)| {
        let server = Server::slow(bytes, TIMES, pause).await;
        let client = speaker.client_within(&server.base_url(speaker), given_up_after(stall));
        let error = turn(&*client, hello(speaker)).await.1;
        assert_eq!(error, Some(ModelError::Dropped), "{what} of {}", speaker.name);
    });
    join_all(heard).await;
}
