//! Writes a request the way Anthropic's Messages are read.
//!
//! There are two sides. Everything between two turns of the model is one message of the user, with
//! the results of all its calls, so a message stays open until the other side speaks. Its last
//! block stays open as well: a request closes it with the mark up to which the provider caches.
//!
//! ```text
//!   {"role":"user","content":[{…       first
//!   },{…                               another block of the same side
//!   }]},{"role":"assistant","content":[{…      the other side
//! ```

use std::iter;

use bytes::Bytes;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::thinking;
use crate::arguments;
use crate::kept::{Part, parts};
use crate::transcript::{Side, SoFar};
use crate::{Force, Image, Message, ModelError, Protocol, Request, ToolSpec};

/// The limit on output for models nobody told us about; the protocol wants one.
const USUAL_OUTPUT: u32 = 32_000;

/// Up to here the provider keeps what it has read.
const CACHE: &str = r#""cache_control":{"type":"ephemeral"}"#;

/// The blocks of one message, which end open.
pub(crate) fn encode_message(message: &Message, so_far: &mut SoFar) -> Bytes {
    let mut bytes = Vec::new();
    match message {
        Message::User { text } => {
            so_far.unthought = false;
            words(&mut bytes, so_far, Side::User, text);
        }
        Message::Note { text } => words(&mut bytes, so_far, Side::User, text),
        Message::ToolResult { call, text, images, failed } => {
            let text = if text.is_empty() { "(no output)" } else { text };
            // A result that is marked as an error may hold nothing but words.
            let is_error = *failed && images.is_empty();
            let content = content(text, images);
            let result = Answered { kind: "tool_result", tool_use_id: call, content, is_error };
            block(&mut bytes, so_far, Side::User, &result);
        }
        Message::Assistant { text, calls, kept } => {
            let parts = parts(Protocol::Anthropic, text, calls, kept.as_ref());
            so_far.unthought = !calls.is_empty() && !matches!(parts.first(), Some(Part::Own(_)));
            for part in parts {
                match part {
                    Part::Own(value) => block(&mut bytes, so_far, Side::Model, value),
                    Part::Text { text, mark: _ } => words(&mut bytes, so_far, Side::Model, text),
                    Part::Call { call, mark: _ } => {
                        let input = arguments::object(&call.arguments);
                        let (id, name) = (&call.id, &arguments::name(&call.name));
                        let call = Call { kind: "tool_use", id, name, input };
                        block(&mut bytes, so_far, Side::Model, &call);
                    }
                }
            }
        }
    }
    bytes.into()
}

/// One entry of the list of tools.
pub(crate) fn encode_tool(tool: &ToolSpec) -> Value {
    json!({ "name": tool.name, "description": tool.description, "input_schema": tool.schema })
}

/// Marks the end of the list: the provider caches up to there.
pub(crate) fn mark_last(mut tools: Vec<Value>) -> Vec<Value> {
    if let Some(last) = tools.last_mut() {
        last["cache_control"] = json!({ "type": "ephemeral" });
    }
    tools
}

/// The body in pieces; the history and the tools are shared, not copied.
pub(super) fn body(request: &Request) -> Result<Vec<Bytes>, ModelError> {
    request.check(Protocol::Anthropic)?;
    let most = request.max_output.unwrap_or(USUAL_OUTPUT);
    let mut head = format!(
        r#"{{"model":{},"max_tokens":{most},"stream":true,{}"#,
        Value::from(request.model.as_str()),
        match request.force {
            // It can't be held to a tool while it thinks.
            Some(Force::Tool(_) | Force::Schema { .. }) => String::new(),
            Some(Force::Call(_)) | None => thinking::fields(request, most),
        }
    );
    if !request.system.trim().is_empty() {
        let text = Value::from(&*request.system);
        head.push_str(&format!(r#""system":[{{"type":"text","text":{text},{CACHE}}}],"#));
    }
    let mut pieces = vec![head.into(), tools(request), Bytes::from(r#""messages":["#)];
    pieces.extend(request.history.chunks().iter().cloned());
    pieces.push(end(request.history.open(), request.tail.as_deref()).into());
    Ok(pieces)
}

/// The tools, and which of them has to be called. There are no schemas for words, so the one of a
/// schema is a tool of its own.
fn tools(request: &Request) -> Bytes {
    let choice = |name: &str| {
        let choice = json!({ "type": "tool", "name": name });
        format!(r#""tool_choice":{choice},"#)
    };
    match &request.force {
        None | Some(Force::Call(_)) => request.offered(),
        Some(Force::Tool(name)) => [request.offered(), choice(name).into()].concat().into(),
        Some(Force::Schema { tool, schema }) => {
            let description = "Answer with this.".to_owned();
            let one = ToolSpec { name: tool.clone(), description, schema: schema.clone() };
            format!(r#""tools":[{}],{}"#, encode_tool(&one), choice(tool)).into()
        }
    }
}

/// Closes the history, marks it, and adds what is said after it.
fn end(open: Option<Side>, tail: Option<&str>) -> String {
    let tail = tail.filter(|tail| !tail.trim().is_empty());
    let tail = tail.map(|tail| format!(r#"{{"type":"text","text":{}}}"#, Value::from(tail)));
    match (open, tail) {
        (None, None) => "]}".to_owned(),
        (None, Some(tail)) => format!(r#"{{"role":"user","content":[{tail}]}}]}}"#),
        (Some(Side::User), None) => format!(r#",{CACHE}}}]}}]}}"#),
        (Some(Side::User), Some(tail)) => format!(r#",{CACHE}}},{tail}]}}]}}"#),
        // Thinking can't be marked, and it may be what came last.
        (Some(Side::Model), None) => "}]}]}".to_owned(),
        (Some(Side::Model), Some(tail)) => {
            format!(r#"}}]}},{{"role":"user","content":[{tail}]}}]}}"#)
        }
    }
}

/// A block of words; empty ones are refused.
fn words(bytes: &mut Vec<u8>, so_far: &mut SoFar, side: Side, text: &str) {
    if !text.trim().is_empty() {
        block(bytes, so_far, side, &Words { kind: "text", text });
    }
}

/// Words alone, or words and pictures.
fn content(text: &str, images: &[Image]) -> Value {
    if images.is_empty() {
        return text.into();
    }
    let words = json!({ "type": "text", "text": text });
    let pictures = images.iter().map(|image| {
        json!({ "type": "image", "source": {
            "type": "base64", "media_type": image.mime, "data": image.base64(),
        }})
    });
    iter::once(words).chain(pictures).collect()
}

/// A block after what is open, without its own end.
fn block(bytes: &mut Vec<u8>, so_far: &mut SoFar, side: Side, content: &impl Serialize) {
    let role = match side {
        Side::User => "user",
        Side::Model => "assistant",
    };
    let before = match so_far.open {
        None => format!(r#"{{"role":"{role}","content":["#),
        Some(open) if open == side => "},".to_owned(),
        Some(_) => format!(r#"}}]}},{{"role":"{role}","content":["#),
    };
    so_far.open = Some(side);
    bytes.extend_from_slice(before.as_bytes());
    serde_json::to_writer(&mut *bytes, content).expect("plain strings always become JSON");
    bytes.truncate(bytes.len() - 1);
}

#[derive(Serialize)]
struct Words<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    text: &'a str,
}

#[derive(Serialize)]
struct Answered<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    tool_use_id: &'a str,
    content: Value,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_error: bool,
}

#[derive(Serialize)]
struct Call<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    id: &'a str,
    name: &'a str,
    input: Box<RawValue>,
}
