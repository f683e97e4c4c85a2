//! Whole turns, and what is sent for the next one.

use std::sync::atomic::Ordering;

use models::{CallRequest, Message, ModelEvent, Stop, Usage};

use super::server::{Answer, Seen, Server, Then, chunked};
use super::*;

/// Text, two calls side by side, usage: as OpenAI streams it.
pub const TWO_CALLS: [&str; 8] = [
    r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"Two files — "}}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"reading."}}]}"#,
    r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"read_file","arguments":"{\"path\":"}},{"index":1,"id":"c2","type":"function","function":{"name":"read_file","arguments":"{\"path\":"}}]}}]}"#,
    r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"a\"}"}},{"index":1,"function":{"arguments":"\"b\"}"}}]}}]}"#,
    r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
    r#"{"choices":[],"usage":{"prompt_tokens":90,"completion_tokens":12,"prompt_tokens_details":{"cached_tokens":64}}}"#,
    "[DONE]",
];

pub fn two_calls() -> Vec<ModelEvent> {
    vec![
        ModelEvent::Text("Two files — ".into()),
        ModelEvent::Text("reading.".into()),
        ModelEvent::ToolCall(read("c1", "a")),
        ModelEvent::ToolCall(read("c2", "b")),
        ModelEvent::Usage(Usage { input: 90, output: 12, cache_read: 64, cache_write: 0 }),
        ModelEvent::Done(Stop::ToolCalls),
    ]
}

fn read(id: &str, path: &str) -> CallRequest {
    let arguments = format!(r#"{{"path":"{path}"}}"#);
    CallRequest { id: id.into(), name: "read_file".into(), arguments }
}

#[tokio::test]
async fn results_of_two_calls_go_back_in_the_next_request() {
    let mut server = Server::start(|n| {
        let lines: &[&str] = match n {
            0 => &TWO_CALLS,
            _ => {
                &[r#"{"choices":[{"delta":{"content":"Same."},"finish_reason":"stop"}]}"#, "[DONE]"]
            }
        };
        Answer { bytes: chunked(lines), then: Then::Keep }
    })
    .await;
    let model = model(&server.base_url);
    let mut messages = vec![Message::User { text: "Compare \"a\" and b".into() }];
    assert_eq!(turn(&model, request(&messages)).await, (two_calls(), None));
    let (head, _) = server.next_request().await;
    assert!(head.starts_with("post /v1/chat/completions http/1.1"), "{head}");
    assert!(head.contains("authorization: bearer sk-very-secret"), "{head}");

    let calls = vec![read("c1", "a"), read("c2", "b")];
    messages.extend([
        Message::Assistant { text: "Two files — reading.".into(), calls },
        Message::ToolResult { call: "c1".into(), text: "1\n".into() },
        Message::ToolResult { call: "c2".into(), text: "1\n".into() },
        Message::Note { text: "Go on".into() },
    ]);
    let (events, error) = turn(&model, request(&messages)).await;
    assert_eq!(events, [ModelEvent::Text("Same.".into()), ModelEvent::Done(Stop::End)]);
    assert_eq!(error, None);
    let (head, body) = server.next_request().await;
    let expected = concat!(
        r#"{"model":"small","stream":true,"stream_options":{"include_usage":true},"max_tokens":512,"#,
        r#""tools":[{"function":{"description":"Reads a file","name":"read_file","parameters":{"type":"object"}},"type":"function"}],"#,
        r#""messages":[{"role":"system","content":"Be brief"},"#,
        r#"{"role":"user","content":"Compare \"a\" and b"},"#,
        r#"{"role":"assistant","content":"Two files — reading.","tool_calls":["#,
        r#"{"id":"c1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}},"#,
        r#"{"id":"c2","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"b\"}"}}]},"#,
        r#"{"role":"tool","tool_call_id":"c1","content":"1\n"},"#,
        r#"{"role":"tool","tool_call_id":"c2","content":"1\n"},"#,
        r#"{"role":"system","content":"Go on"},"#,
        r#"{"role":"system","content":"No plan"}]}"#,
    );
    assert_eq!(body, expected);
    assert!(head.contains(&format!("content-length: {}", expected.len())), "{head}");
}

#[tokio::test]
async fn a_request_with_nothing_but_words_is_valid_json() {
    let mut server =
        Server::start(|_| Answer { bytes: chunked(&TWO_CALLS), then: Then::Close }).await;
    let mut bare = request(&[Message::User { text: "Hi".into() }]);
    bare.system = "".into();
    bare.tail = None;
    bare.max_output = None;
    bare.tools = ToolSet::new(Protocol::OpenAiChat, &[]);
    turn(&model(&server.base_url), bare).await;
    let (_, body) = server.next_request().await;
    let expected = r#"{"model":"small","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"Hi"}]}"#;
    assert_eq!(body, expected);
}

#[tokio::test]
async fn connections_are_used_again() {
    let server = Server::start(|_| Answer { bytes: chunked(&TWO_CALLS), then: Then::Keep }).await;
    let model = model(&server.base_url);
    for _ in 0..20 {
        assert_eq!(turn(&model, hello()).await, (two_calls(), None));
    }
    let connections = server.connections.load(Ordering::SeqCst);
    assert!(connections <= 3, "{connections} connections for 20 turns");
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let mut server = Server::start(|_| {
        let mut bytes = chunked(&TWO_CALLS[..2]);
        bytes.truncate(bytes.len() - "0\r\n\r\n".len());
        Answer { bytes, then: Then::Hang }
    })
    .await;
    let mut stream = model(&server.base_url).stream(hello()).await.unwrap();
    let first = stream.next().await;
    assert_eq!(first, Some(Ok(ModelEvent::Text("Two files — ".into()))));
    server.next_request().await;
    drop(stream);
    assert_eq!(server.seen.recv().await, Some(Seen::HungUp));
}

#[test]
fn the_key_is_not_shown() {
    let shown = format!("{:?}", model("http://me:hidden@localhost/v1"));
    assert!(!shown.contains(KEY) && !shown.contains("hidden"), "{shown}");
}
