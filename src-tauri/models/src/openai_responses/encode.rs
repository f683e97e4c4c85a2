//! Writes a request the way OpenAI's Responses are read.
//!
//! Every item is encoded with a comma in front, so that a history is a plain concatenation.

use std::iter;

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Value, json};

use crate::arguments;
use crate::kept::{Part, parts};
use crate::schema_text::ordered;
use crate::version::version;
use crate::{Force, Image, Message, ModelError, Protocol, Request, Thinking, ToolSpec};

/// The items of one message, each with the comma that parts it from the one before.
pub(crate) fn encode_message(message: &Message) -> Bytes {
    let mut bytes = Vec::new();
    match message {
        Message::User { text } => item(&mut bytes, &words("user", text, None)),
        Message::Note { text } => item(&mut bytes, &words("developer", text, None)),
        Message::ToolResult { call, text, images, failed: _ } => {
            let output = output(text, images);
            item(&mut bytes, &Answered { kind: "function_call_output", call_id: call, output });
        }
        Message::Assistant { text, calls, kept } => {
            for part in parts(Protocol::OpenAiResponses, text, calls, kept.as_ref()) {
                match part {
                    Part::Own(value) => item(&mut bytes, value),
                    Part::Text { text: "", mark: _ } => {}
                    Part::Text { text, mark } => item(&mut bytes, &words("assistant", text, mark)),
                    Part::Call { call, mark: _ } => {
                        let (kind, call_id) = ("function_call", &call.id);
                        let name = &arguments::name(&call.name);
                        let arguments = arguments::object(&call.arguments);
                        let arguments = arguments.get();
                        item(&mut bytes, &Call { kind, call_id, name, arguments });
                    }
                }
            }
        }
    }
    bytes.into()
}

/// One entry of the list of tools.
pub(crate) fn encode_tool(tool: &ToolSpec) -> Value {
    json!({
        "type": "function", "name": tool.name, "description": tool.description,
        "parameters": tool.schema, "strict": false,
    })
}

/// The body in pieces; the history and the tools are shared, not copied.
pub(super) fn body(request: &Request, summaries: bool) -> Result<Vec<Bytes>, ModelError> {
    request.check(Protocol::OpenAiResponses)?;
    let mut head = format!(r#"{{"model":{},"#, Value::from(request.model.as_str()));
    head.push_str(r#""stream":true,"store":false,"#);
    if thinks(&request.model) {
        head.push_str(r#""include":["reasoning.encrypted_content"],"#);
        let mut reasoning = json!({});
        if let Some(thinking) = request.thinking {
            reasoning["effort"] = effort(&request.model, thinking).into();
        }
        if summaries {
            reasoning["summary"] = "auto".into();
        }
        head.push_str(&format!(r#""reasoning":{reasoning},"#));
    }
    if let Some(limit) = request.max_output {
        head.push_str(&format!(r#""max_output_tokens":{limit},"#));
    }
    head.push_str(&forced(request.force.as_ref()));
    if !request.system.is_empty() {
        head.push_str(&format!(r#""instructions":{},"#, Value::from(&*request.system)));
    }
    let mut items: Vec<Bytes> = request.history.chunks().to_vec();
    if let Some(tail) = &request.tail {
        let mut bytes = Vec::new();
        item(&mut bytes, &words("developer", tail, None));
        items.push(bytes.into());
    }
    if let Some(first) = items.first_mut() {
        *first = first.slice(1..);
    }
    let mut pieces = vec![head.into(), request.offered(), Bytes::from(r#""input":["#)];
    pieces.append(&mut items);
    pieces.push(Bytes::from("]}"));
    Ok(pieces)
}

/// What the answer has to be.
fn forced(force: Option<&Force>) -> String {
    match force {
        None => String::new(),
        Some(Force::Tool(name)) => {
            let choice = json!({ "type": "function", "name": name });
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
    let form = format!(r#""type":"json_schema","name":{name},"schema":{schema},"strict":false"#);
    format!(r#""text":{{"format":{{{form}}}}},"#)
}

/// Whether a model reasons; one that does not refuses to be asked about it.
fn thinks(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    let plain = ["gpt-3", "gpt-4", "chatgpt"].iter().any(|start| name.starts_with(start));
    !plain && !name.contains("-chat")
}

/// The word for how much to think; the least one has changed twice.
fn effort(model: &str, thinking: Thinking) -> &'static str {
    thinking.effort().unwrap_or(match version(model) {
        Some(version) if version >= (5, 1) => "none",
        Some(version) if version >= (5, 0) => "minimal",
        Some(_) | None => "low",
    })
}

/// Words alone, or words and pictures.
fn output(text: &str, images: &[Image]) -> Value {
    if images.is_empty() {
        return text.into();
    }
    let words = json!({ "type": "input_text", "text": text });
    let pictures =
        images.iter().map(|image| json!({ "type": "input_image", "image_url": image.data_url() }));
    iter::once(words).chain(pictures).collect()
}

fn words<'a>(role: &'a str, content: &'a str, phase: Option<&'a str>) -> Words<'a> {
    Words { role, content, phase }
}

fn item(bytes: &mut Vec<u8>, item: &impl Serialize) {
    bytes.push(b',');
    serde_json::to_writer(bytes, item).expect("plain strings always become JSON");
}

#[derive(Serialize)]
struct Words<'a> {
    role: &'a str,
    content: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<&'a str>,
}

#[derive(Serialize)]
struct Call<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    call_id: &'a str,
    name: &'a str,
    arguments: &'a str,
}

#[derive(Serialize)]
struct Answered<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    call_id: &'a str,
    output: Value,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_models_that_reason_are_asked_about_it() {
        for (model, expected) in [
            ("gpt-5", true),
            ("gpt-6-sol", true),
            ("o3", true),
            ("gpt-4.1", false),
            ("gpt-4o", false),
            ("gpt-5-chat-latest", false),
            ("chatgpt-4o-latest", false),
        ] {
            assert_eq!(thinks(model), expected, "{model}");
        }
        let least = ["gpt-5.1", "gpt-6-sol", "gpt-5-mini", "o3"];
        let least = least.map(|model| effort(model, Thinking::Off));
        assert_eq!(least, ["none", "none", "minimal", "low"]);
        assert_eq!(effort("gpt-5", Thinking::Tokens(20_000)), "high");
    }
}
