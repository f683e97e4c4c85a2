//! What an answer has to be, as each protocol says it.

use models::{Force, OneCall, ToolSet, ToolSpec};
use serde_json::Value;

use super::server::{Answer, Server, Then, chunked};
use super::speakers::{Speaker, protocols};
use super::*;

async fn asked(speaker: &Speaker, force: Option<Force>) -> Value {
    let bytes = chunked(speaker.words);
    let mut server =
        Server::start(move |_| Answer { bytes: bytes.clone(), then: Then::Keep }).await;
    let model = speaker.client(&server.base_url(speaker));
    let mut request = hello(speaker);
    request.thinking = Some(models::Thinking::Low);
    request.force = force;
    let (_, error) = turn(&*model, request).await;
    assert_eq!(error, None, "{}", speaker.name);
    let (_, body) = server.next_request().await;
    serde_json::from_str(&body).expect("a request is JSON")
}

#[tokio::test]
async fn a_tool_is_forced_in_the_words_of_each_protocol() {
    for speaker in &protocols() {
        let body = asked(speaker, Some(Force::Tool("read_file".into()))).await;
        let (field, expected) = match speaker.protocol {
            Protocol::OpenAiChat => {
                ("tool_choice", json!({ "type": "function", "function": { "name": "read_file" } }))
            }
            Protocol::OpenAiResponses => {
                ("tool_choice", json!({ "type": "function", "name": "read_file" }))
            }
            Protocol::Anthropic => ("tool_choice", json!({ "type": "tool", "name": "read_file" })),
            Protocol::Gemini => (
                "toolConfig",
                json!({ "functionCallingConfig": {
                    "mode": "ANY", "allowedFunctionNames": ["read_file"],
                }}),
            ),
            Protocol::Rehearsal | Protocol::Acp => continue,
        };
        assert_eq!(body[field], expected, "{}", speaker.name);
        assert!(body["tools"].is_array(), "{}", speaker.name);
        if speaker.protocol == Protocol::Anthropic {
            assert_eq!(body["thinking"], Value::Null, "it would be refused");
        }
    }
}

#[tokio::test]
async fn words_are_held_to_a_schema_and_no_tool_is_beside_it() {
    let schema = json!({ "type": "object", "properties": { "steps": { "type": "array" } } });
    let force = Force::Schema { tool: "write_plan".into(), schema: schema.clone() };
    for speaker in &protocols() {
        let body = asked(speaker, Some(force.clone())).await;
        match speaker.protocol {
            Protocol::OpenAiChat => {
                let form = json!({ "name": "write_plan", "schema": schema });
                let expected = json!({ "type": "json_schema", "json_schema": form });
                assert_eq!(body["response_format"], expected);
            }
            Protocol::OpenAiResponses => {
                let format = &body["text"]["format"];
                assert_eq!((&format["name"], &format["schema"]), (&json!("write_plan"), &schema));
            }
            Protocol::Anthropic => {
                assert_eq!(body["tool_choice"], json!({ "type": "tool", "name": "write_plan" }));
                assert_eq!(body["tools"].as_array().map(Vec::len), Some(1));
                assert_eq!(body["tools"][0]["input_schema"], schema);
                continue;
            }
            Protocol::Gemini => {
                let config = &body["generationConfig"];
                assert_eq!(config["responseMimeType"], "application/json");
                assert_eq!(config["responseJsonSchema"], schema);
            }
            Protocol::Rehearsal | Protocol::Acp => continue,
        }
        assert_eq!(body["tools"], Value::Null, "{}", speaker.name);
    }
}

/// What a model has read so far stays read only if the tools stay where they are.
#[tokio::test]
async fn one_call_is_held_to_a_schema_beside_the_tools_where_a_protocol_can() {
    let write = json!({
        "type": "object",
        "properties": { "content": { "type": "string" }, "path": { "type": "string" } },
        "required": ["path", "content"]
    });
    let one = OneCall { tools: vec![("write_file".into(), write)], answer: true };
    for speaker in &protocols() {
        let plain = asked(speaker, None).await;
        let body = asked(speaker, Some(Force::Call(one.clone()))).await;
        assert_eq!(body["tools"], plain["tools"], "{}", speaker.name);
        let schema = match speaker.protocol {
            Protocol::OpenAiChat => &body["response_format"]["json_schema"]["schema"],
            Protocol::OpenAiResponses => &body["text"]["format"]["schema"],
            Protocol::Anthropic | Protocol::Gemini => {
                assert_eq!(body, plain, "{} is asked as ever", speaker.name);
                continue;
            }
            Protocol::Rehearsal | Protocol::Acp => continue,
        };
        let names: Vec<&Value> = schema["anyOf"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|one| &one["properties"]["name"]["const"])
            .collect();
        assert_eq!(names, [&json!("write_file"), &json!("answer")], "{}", speaker.name);
        assert_eq!(body["temperature"], json!(0), "{}", speaker.name);
    }
}

#[tokio::test]
async fn without_it_nothing_is_forced() {
    for speaker in &protocols() {
        let body = asked(speaker, None).await;
        for field in ["tool_choice", "toolConfig", "response_format", "text"] {
            assert_eq!(body[field], Value::Null, "{}", speaker.name);
        }
    }
}

#[test]
fn a_list_of_tools_knows_their_names() {
    let spec = |name: &str| ToolSpec {
        name: name.into(),
        description: String::new(),
        schema: json!({ "type": "object" }),
    };
    let set = ToolSet::new(Protocol::Rehearsal, &[spec("a"), spec("b")]);
    assert_eq!(set.names(), ["a", "b"]);
}
