//! Writes a request the way Chat Completions servers read it.
//!
//! Every message is encoded with a comma in front, so that a history is a plain concatenation.

use std::borrow::Cow;

use bytes::Bytes;
use reqwest::Url;
use serde::Serialize;
use serde_json::{Value, json};

use crate::arguments;
use crate::schema_text::ordered;
use crate::transcript::SoFar;
use crate::{Force, Image, Message, ModelError, Protocol, Request, ToolSpec};

/// One message with the comma that parts it from the one before. Results are words only, so
/// their pictures follow in a message of the user when all results of a turn are in.
pub(crate) fn encode_message(message: &Message, so_far: &mut SoFar) -> Bytes {
    match message {
        Message::ToolResult { call, images, .. } => {
            let at = so_far.calls.iter().position(|(id, _)| id == call);
            let name = at.map(|at| so_far.calls.remove(at).1);
            hold(so_far, call, name.as_deref(), images);
        }
        Message::Assistant { calls, .. } => {
            so_far.calls = calls.iter().map(|call| (call.id.clone(), call.name.clone())).collect();
        }
        Message::User { .. } | Message::Note { .. } => {}
    }
    let own = encode(message);
    if so_far.pictures.is_empty() || !so_far.calls.is_empty() {
        return own;
    }
    let shown = Shown { role: "user", content: std::mem::take(&mut so_far.pictures) };
    [own, after_comma(&shown)].concat().into()
}

/// Keeps the pictures of one result, with words that say whose they are.
fn hold(so_far: &mut SoFar, call: &str, name: Option<&str>, images: &[Image]) {
    if images.is_empty() {
        return;
    }
    let words = format!("What {} showed (call {call}):", name.unwrap_or("the tool"));
    so_far.pictures.push(json!({ "type": "text", "text": words }));
    so_far.pictures.extend(
        images
            .iter()
            .map(|image| json!({ "type": "image_url", "image_url": { "url": image.data_url() } })),
    );
}

fn encode(message: &Message) -> Bytes {
    match message {
        Message::User { text } => after_comma(&Plain { role: "user", content: text }),
        Message::Note { text } => after_comma(&Plain { role: "system", content: text }),
        Message::ToolResult { call, text, images: _, failed: _ } => {
            after_comma(&Answer { role: "tool", tool_call_id: call, content: text })
        }
        Message::Assistant { text, calls, kept: _ } => after_comma(&Assistant {
            role: "assistant",
            // Servers want some content unless there are calls.
            content: (!text.is_empty() || calls.is_empty()).then_some(text),
            tool_calls: calls
                .iter()
                .map(|call| Call {
                    id: &call.id,
                    kind: "function",
                    function: Function {
                        name: arguments::name(&call.name),
                        // Many servers read what is in it.
                        arguments: arguments::object(&call.arguments).get().to_owned(),
                    },
                })
                .collect(),
        }),
    }
}

/// One entry of the list of tools.
pub(crate) fn encode_tool(tool: &ToolSpec) -> Value {
    json!({ "type": "function", "function": {
        "name": tool.name, "description": tool.description, "parameters": tool.schema,
    }})
}

/// The name of the limit on output: OpenAI's newer models refuse the one all others know.
pub(super) fn limit_field(url: &Url) -> &'static str {
    if url.host_str() == Some("api.openai.com") { "max_completion_tokens" } else { "max_tokens" }
}

/// The body in pieces; the history and the tools are shared, not copied.
pub(super) fn body(request: &Request, limit_field: &str) -> Result<Vec<Bytes>, ModelError> {
    request.check(Protocol::OpenAiChat)?;
    let mut head = format!(r#"{{"model":{},"#, Value::from(request.model.as_str()));
    head.push_str(r#""stream":true,"stream_options":{"include_usage":true},"#);
    if let Some(limit) = request.max_output {
        head.push_str(&format!(r#""{limit_field}":{limit},"#));
    }
    if let Some(thinking) = request.thinking {
        let effort = thinking.effort().unwrap_or("none");
        head.push_str(&format!(r#""reasoning_effort":"{effort}","#));
    }
    head.push_str(&forced(request.force.as_ref()));
    let mut messages: Vec<Bytes> = Vec::with_capacity(request.history.chunks().len() + 2);
    if !request.system.is_empty() {
        messages.push(after_comma(&Plain { role: "system", content: &request.system }));
    }
    messages.extend(request.history.chunks().iter().cloned());
    if let Some(tail) = &request.tail {
        messages.push(after_comma(&Plain { role: "system", content: tail }));
    }
    if let Some(first) = messages.first_mut() {
        *first = first.slice(1..);
    }
    let mut pieces = vec![head.into(), request.offered(), Bytes::from(r#""messages":["#)];
    pieces.append(&mut messages);
    pieces.push(Bytes::from("]}"));
    Ok(pieces)
}

/// The same body with every system message but the first as a user's. In a string of JSON these
/// bytes can't stand.
pub(super) fn notes_as_user(mut body: Vec<Bytes>) -> Vec<Bytes> {
    const SYSTEM: &str = r#",{"role":"system","#;
    const USER: &str = r#",{"role":"user","#;
    for piece in body.iter_mut().skip(BEFORE_MESSAGES) {
        if let Ok(text) = std::str::from_utf8(piece)
            && text.contains(SYSTEM)
        {
            *piece = text.replace(SYSTEM, USER).into();
        }
    }
    body
}

/// The pieces of a body before its messages.
const BEFORE_MESSAGES: usize = 3;

/// What the answer has to be.
fn forced(force: Option<&Force>) -> String {
    match force {
        None => String::new(),
        Some(Force::Tool(name)) => {
            let choice = json!({ "type": "function", "function": { "name": name } });
            format!(r#""tool_choice":{choice},"#)
        }
        Some(Force::Schema { tool, schema }) => held_to(tool, &ordered(schema)),
        Some(Force::Call(one)) => format!("{STEADY}{}", held_to("next", &one.schema())),
    }
}

/// A small model that picks one of a few calls does better without chance.
const STEADY: &str = r#""temperature":0,"#;

fn held_to(name: &str, schema: &str) -> String {
    let name = Value::from(name);
    let form = format!(r#"{{"name":{name},"schema":{schema}}}"#);
    format!(r#""response_format":{{"type":"json_schema","json_schema":{form}}},"#)
}

#[derive(Serialize)]
struct Plain<'a> {
    role: &'a str,
    content: &'a str,
}

#[derive(Serialize)]
struct Shown<'a> {
    role: &'a str,
    content: Vec<Value>,
}

#[derive(Serialize)]
struct Answer<'a> {
    role: &'a str,
    tool_call_id: &'a str,
    content: &'a str,
}

#[derive(Serialize)]
struct Assistant<'a> {
    role: &'a str,
    content: Option<&'a String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Call<'a>>,
}

#[derive(Serialize)]
struct Call<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: Cow<'a, str>,
    arguments: String,
}

fn after_comma(message: &impl Serialize) -> Bytes {
    let mut bytes = vec![b','];
    serde_json::to_writer(&mut bytes, message).expect("plain strings always become JSON");
    bytes.into()
}
