//! An answer that says the same again and again is cut off, and its server is told to stop.

use std::time::Duration;

use models::{CallRequest, ModelEvent, Patience, Stop};

use super::server::{Answer, Seen, Server, Then, until_close};
use super::speakers::{Speaker, protocols};
use super::*;

/// One token of an answer, `TOKEN` standing for what it says; what begins the answer comes before.
struct Tokens {
    begin: &'static [&'static str],
    token: &'static str,
}

fn words(speaker: &Speaker) -> Tokens {
    match speaker.protocol {
        Protocol::OpenAiChat => {
            Tokens { begin: &[], token: r#"{"choices":[{"delta":{"content":"TOKEN"}}]}"# }
        }
        Protocol::OpenAiResponses => {
            Tokens { begin: &[], token: r#"{"type":"response.output_text.delta","delta":"TOKEN"}"# }
        }
        Protocol::Anthropic => Tokens {
            begin: &[
                r#"{"type":"message_start","message":{"usage":{"input_tokens":9}}}"#,
                r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
            ],
            token: r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"TOKEN"}}"#,
        },
        Protocol::Gemini => Tokens {
            begin: &[],
            token: r#"{"candidates":[{"content":{"parts":[{"text":"TOKEN"}]}}]}"#,
        },
        Protocol::Rehearsal | Protocol::Acp => panic!("it has no address"),
    }
}

/// The arguments of a call, where the protocol sends them piece by piece.
fn arguments(speaker: &Speaker) -> Option<Tokens> {
    match speaker.protocol {
        Protocol::OpenAiChat => Some(Tokens {
            begin: &[
                r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"read_file","arguments":"{\"path\": \""}}]}}]}"#,
            ],
            token: r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"TOKEN"}}]}}]}"#,
        }),
        Protocol::OpenAiResponses => Some(Tokens {
            begin: &[
                r#"{"type":"response.output_item.added","item":{"type":"function_call","call_id":"a","name":"read_file","arguments":""}}"#,
                r#"{"type":"response.function_call_arguments.delta","delta":"{\"path\": \""}"#,
            ],
            token: r#"{"type":"response.function_call_arguments.delta","delta":"TOKEN"}"#,
        }),
        Protocol::Anthropic => Some(Tokens {
            begin: &[
                r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"read_file","input":{}}}"#,
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"path\": \""}}"#,
            ],
            token: r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"TOKEN"}}"#,
        }),
        Protocol::Gemini => None,
        Protocol::Rehearsal | Protocol::Acp => panic!("it has no address"),
    }
}

/// What comes of a server that says these tokens for ever.
async fn heard(speaker: &Speaker, tokens: &Tokens) -> Vec<ModelEvent> {
    let token = tokens.token.replace("TOKEN", "ab ");
    let again = format!("data: {token}\n\n").repeat(20).into_bytes();
    let begin = until_close(tokens.begin);
    let answer = move |_| Answer { bytes: begin.clone(), then: Then::Repeat(again.clone()) };
    let mut server = Server::start(answer).await;
    let patience = Patience { repetition: Duration::from_millis(20), ..Patience::default() };
    let client = speaker.client_within(&server.base_url(speaker), patience);
    let (events, error) = turn(&*client, hello(speaker)).await;
    assert!(error.is_none(), "{}: {error:?}", speaker.name);
    assert!(matches!(server.seen.recv().await, Some(Seen::Request { .. })), "{}", speaker.name);
    assert_eq!(server.seen.recv().await, Some(Seen::HungUp), "{}: it goes on", speaker.name);
    events
}

#[tokio::test]
async fn words_without_end_are_cut_off_and_their_tokens_count() {
    for speaker in protocols() {
        let mut events = heard(&speaker, &words(&speaker)).await;
        assert_eq!(events.pop(), Some(ModelEvent::Done(Stop::Repetition)), "{}", speaker.name);
        let Some(ModelEvent::Usage(usage)) = events.pop() else { panic!("{}", speaker.name) };
        assert!(usage.input + usage.output > 0, "{}", speaker.name);
        let said: usize = events
            .iter()
            .map(|event| {
                let ModelEvent::Text(words) = event else { panic!("{}: {event:?}", speaker.name) };
                words.len()
            })
            .sum();
        assert!((2_000..100_000).contains(&said), "{}: {said} bytes", speaker.name);
    }
}

#[tokio::test]
async fn a_call_without_end_is_cut_off_and_delivered_as_broken() {
    for speaker in protocols() {
        let Some(tokens) = arguments(&speaker) else { continue };
        let mut events = heard(&speaker, &tokens).await;
        assert_eq!(events.pop(), Some(ModelEvent::Done(Stop::Repetition)), "{}", speaker.name);
        let call = events.iter().find_map(|event| match event {
            ModelEvent::ToolCall(call) => Some(call),
            ModelEvent::Text(_)
            | ModelEvent::Thinking(_)
            | ModelEvent::Kept(_)
            | ModelEvent::Usage(_)
            | ModelEvent::Done(_) => None,
        });
        let CallRequest { name, arguments, sent, .. } = call.expect("the call");
        assert_eq!((name.as_str(), sent), ("read_file", &None), "{}", speaker.name);
        assert!(arguments.starts_with(r#"{"path": "ab "#) && !arguments.ends_with('}'));
    }
}

#[tokio::test]
async fn what_repeats_itself_and_comes_fast_is_heard_to_its_end() {
    for speaker in protocols() {
        let Tokens { begin, token } = words(&speaker);
        let token = token.replace("TOKEN", "ab ");
        let tokens = std::iter::repeat_n(token.as_str(), 2_000);
        let end = speaker.words.iter().copied();
        let lines: Vec<&str> = begin.iter().copied().chain(tokens).chain(end).collect();
        let bytes = server::chunked(&lines);
        let server =
            Server::start(move |_| Answer { bytes: bytes.clone(), then: Then::Close }).await;
        let client = speaker.client(&server.base_url(&speaker));
        let (events, error) = turn(&*client, hello(&speaker)).await;
        assert!(error.is_none(), "{}: {error:?}", speaker.name);
        assert_eq!(events.last(), Some(&ModelEvent::Done(Stop::End)), "{}", speaker.name);
    }
}
