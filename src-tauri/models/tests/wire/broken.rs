//! Calls that can't be read: the answer is good all the same, and the next request is, too.

use models::{CallRequest, ModelEvent, Protocol, Stop, Usage};
use serde_json::Value;

use super::server::{Answer, Server, Then, chunked};
use super::speakers::{Speaker, protocols};
use super::*;

/// How far the call came in an answer that reached its limit.
const SENT: &str = r#"{"path": "a.txt", "content": "one tw"#;

/// A good call, then one that the limit cut; Gemini tells of a call that it could not read instead.
fn cut(protocol: Protocol) -> Vec<String> {
    let sent = Value::from(SENT);
    match protocol {
        Protocol::OpenAiChat => vec![
            format!(
                r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":0,"id":"c1","function":{{"name":"list_dir","arguments":""}}}},{{"index":1,"id":"c2","function":{{"name":"write_file","arguments":{sent}}}}}]}}}}]}}"#
            ),
            r#"{"choices":[{"delta":{},"finish_reason":"length"}],"usage":{"prompt_tokens":9,"completion_tokens":4}}"#.into(),
            "[DONE]".into(),
        ],
        Protocol::OpenAiResponses => vec![
            r#"{"type":"response.output_item.done","item":{"type":"function_call","call_id":"c1","name":"list_dir","arguments":"{}"}}"#.into(),
            r#"{"type":"response.output_item.added","item":{"type":"function_call","call_id":"c2","name":"write_file","arguments":""}}"#.into(),
            format!(r#"{{"type":"response.function_call_arguments.delta","delta":{sent}}}"#),
            r#"{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"},"usage":{"input_tokens":9,"output_tokens":4}}}"#.into(),
        ],
        Protocol::Anthropic => vec![
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c1","name":"list_dir","input":{}}}"#.into(),
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c2","name":"write_file","input":{}}}"#.into(),
            format!(
                r#"{{"type":"content_block_delta","index":1,"delta":{{"type":"input_json_delta","partial_json":{sent}}}}}"#
            ),
            r#"{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"input_tokens":9,"output_tokens":4}}"#.into(),
            r#"{"type":"message_stop"}"#.into(),
        ],
        Protocol::Gemini => vec![
            r#"{"candidates":[{"content":{},"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"Malformed function call: print(default_api.write_file(path=\"a.txt\""}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":4}}"#.into(),
        ],
        Protocol::Rehearsal | Protocol::Acp => Vec::new(),
    }
}

async fn heard(
    speaker: &Speaker,
    lines: &[String],
    messages: &[Message],
) -> (Vec<ModelEvent>, Value) {
    let bytes = chunked(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let mut server =
        Server::start(move |_| Answer { bytes: bytes.clone(), then: Then::Keep }).await;
    let model = speaker.client(&server.base_url(speaker));
    let (mut events, error) = turn(&*model, request(speaker, messages)).await;
    assert_eq!(error, None, "{}", speaker.name);
    events.retain(|event| !matches!(event, ModelEvent::Kept(_)));
    let (_, body) = server.next_request().await;
    (events, serde_json::from_str(&body).expect("a request is JSON"))
}

#[tokio::test]
async fn a_cut_call_is_delivered_as_it_was_sent_and_counts() {
    for speaker in &protocols() {
        let (events, _) = heard(speaker, &cut(speaker.protocol), &[]).await;
        let usage = ModelEvent::Usage(Usage { input: 9, output: 4, ..Usage::default() });
        let call =
            |id, name, arguments| ModelEvent::ToolCall(CallRequest::new(id, name, arguments));
        let expected = match speaker.protocol {
            Protocol::Gemini => vec![
                call("call_0", "write_file", r#"(path="a.txt""#),
                usage,
                ModelEvent::Done(Stop::ToolCalls),
            ],
            Protocol::OpenAiChat
            | Protocol::OpenAiResponses
            | Protocol::Anthropic
            | Protocol::Rehearsal
            | Protocol::Acp => vec![
                call("c1", "list_dir", "{}"),
                call("c2", "write_file", SENT),
                usage,
                ModelEvent::Done(Stop::Length),
            ],
        };
        assert_eq!(events, expected, "{}", speaker.name);
    }
}

#[tokio::test]
async fn what_goes_back_of_it_is_an_object_with_a_plain_name() {
    let calls = vec![
        CallRequest::new("1", "write_file", SENT),
        CallRequest::new("2", "functions.shell<|x|>", r#"{"command": "ls"}"#),
    ];
    let result = |call: &str| Message::ToolResult {
        call: call.into(),
        text: "no".into(),
        images: Vec::new(),
        failed: true,
    };
    let messages = [
        Message::User { text: "Do it".into() },
        Message::Assistant { text: String::new(), calls, kept: None },
        result("1"),
        result("2"),
    ];
    for speaker in &protocols() {
        let words: Vec<String> = speaker.words.iter().map(|line| (*line).to_owned()).collect();
        let (_, body) = heard(speaker, &words, &messages).await;
        let parse = |text: &Value| serde_json::from_str::<Value>(text.as_str().unwrap()).unwrap();
        let calls: Vec<(Value, Value)> = match speaker.protocol {
            Protocol::OpenAiChat => body["messages"][2]["tool_calls"]
                .as_array()
                .unwrap()
                .iter()
                .map(|call| &call["function"])
                .map(|call| (call["name"].clone(), parse(&call["arguments"])))
                .collect(),
            Protocol::OpenAiResponses => body["input"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|item| item["type"] == "function_call")
                .map(|call| (call["name"].clone(), parse(&call["arguments"])))
                .collect(),
            Protocol::Anthropic => body["messages"][1]["content"]
                .as_array()
                .unwrap()
                .iter()
                .map(|call| (call["name"].clone(), call["input"].clone()))
                .collect(),
            Protocol::Gemini => body["contents"][1]["parts"]
                .as_array()
                .unwrap()
                .iter()
                .map(|part| &part["functionCall"])
                .map(|call| (call["name"].clone(), call["args"].clone()))
                .collect(),
            Protocol::Rehearsal | Protocol::Acp => Vec::new(),
        };
        let expected = vec![
            (json!("write_file"), json!({ "arguments": SENT })),
            (json!("functions_shell__x__"), json!({ "command": "ls" })),
        ];
        assert_eq!(calls, expected, "{}", speaker.name);
    }
}
