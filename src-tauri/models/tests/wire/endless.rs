//! An answer that does not end is cut off, and nothing of it is run.

use models::{LONGEST_ANSWER, ModelError, ModelEvent, Stop, retry_after};

use super::server::{Answer, Server, Then, chunked};
use super::speakers::{Speaker, protocols};
use super::*;

const PIECE: usize = 1024 * 1024;

/// A piece of words, one of a call, and the end, as a provider sends them.
fn pieces(speaker: &Speaker) -> [String; 3] {
    let long = "a".repeat(PIECE);
    let (words, call, end) = match speaker.protocol {
        Protocol::OpenAiChat => (
            r#"{"choices":[{"delta":{"content":"LONG"}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"read_file","arguments":"LONG"}}]}}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#,
        ),
        Protocol::OpenAiResponses => (
            r#"{"type":"response.output_text.delta","delta":"LONG"}"#,
            r#"{"type":"response.output_item.done","item":{"type":"function_call","call_id":"a","name":"read_file","arguments":"\"LONG\""}}"#,
            r#"{"type":"response.completed","response":{}}"#,
        ),
        Protocol::Anthropic => (
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"LONG"}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"LONG"}}"#,
            r#"{"type":"message_stop"}"#,
        ),
        Protocol::Gemini => (
            r#"{"candidates":[{"content":{"parts":[{"text":"LONG"}]}}]}"#,
            r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"read_file","args":{"path":"LONG"}}}]}}]}"#,
            r#"{"candidates":[{"content":{},"finishReason":"STOP"}],"usageMetadata":{}}"#,
        ),
        Protocol::Rehearsal | Protocol::Acp => panic!("it has no address"),
    };
    [words.replace("LONG", &long), call.replace("LONG", &long), end.to_owned()]
}

/// What a turn of so many pieces gives: the bytes of its words, its last event and its error.
async fn heard(
    speaker: &Speaker,
    words: usize,
    calls: usize,
) -> (usize, Option<ModelEvent>, Option<ModelError>) {
    let [word, call, end] = pieces(speaker);
    let begin = [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a","name":"read_file","input":{}}}"#,
    ];
    let begin = if speaker.protocol == Protocol::Anthropic { &begin[..] } else { &[] };
    let mut lines = begin.to_vec();
    lines.extend(std::iter::repeat_n(word.as_str(), words));
    lines.extend(std::iter::repeat_n(call.as_str(), calls));
    lines.push(&end);
    let bytes = chunked(&lines);
    let server = Server::start(move |_| Answer { bytes: bytes.clone(), then: Then::Close }).await;
    let client = speaker.client(&server.base_url(speaker));
    let (mut events, error) = turn(&*client, hello(speaker)).await;
    let length = |event: &ModelEvent| match event {
        ModelEvent::Text(words) => words.len(),
        ModelEvent::ToolCall(_) => panic!("a call of an answer that was cut off"),
        ModelEvent::Thinking(_)
        | ModelEvent::Kept(_)
        | ModelEvent::Usage(_)
        | ModelEvent::Done(_) => 0,
    };
    (events.iter().map(length).sum(), events.pop(), error)
}

#[tokio::test]
async fn an_answer_without_an_end_is_cut_off_and_none_of_its_calls_run() {
    let most = LONGEST_ANSWER / PIECE;
    for speaker in protocols() {
        for (words, calls) in [(most + 1, 0), (0, most + 1), (most - 1, 2)] {
            let (told, _, error) = heard(&speaker, words, calls).await;
            let error = error.expect("it was cut off");
            let said =
                "the model's answer can't be read: it was cut off, since it grew beyond 4 MiB";
            assert_eq!(error.to_string(), said, "{}", speaker.name);
            assert!(told <= LONGEST_ANSWER);
            assert_eq!(retry_after(&error, 3, 0.0), None, "it is not asked for again for ever");
        }
    }
}

#[tokio::test]
async fn a_long_answer_is_heard_to_its_end() {
    for speaker in protocols().into_iter().filter(|one| one.protocol != Protocol::Anthropic) {
        let (told, last, error) = heard(&speaker, 3, 0).await;
        assert_eq!((told, error), (3 * PIECE, None), "{}", speaker.name);
        assert_eq!(last, Some(ModelEvent::Done(Stop::End)));
    }
}
