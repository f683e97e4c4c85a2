//! Writes a request the way Gemini reads it.
//!
//! There are two sides, and the results of all calls of a turn have to stand in one message, so a
//! message stays open until the other side speaks.

use bytes::Bytes;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::schema;
use crate::arguments;
use crate::kept::{Part, parts};
use crate::transcript::{Side, SoFar};
use crate::version::version;
use crate::{
    CallRequest, Force, Image, Message, ModelError, Protocol, Request, Thinking, ToolSpec,
};

/// What stands in for the signature of a call that this model did not make, as documented.
const NOT_SIGNED: &str = "skip_thought_signature_validator";

/// The parts of one message, which stays open.
pub(crate) fn encode_message(message: &Message, so_far: &mut SoFar) -> Bytes {
    let mut bytes = Vec::new();
    match message {
        Message::User { text } | Message::Note { text } => {
            if !text.is_empty() {
                part(&mut bytes, so_far, Side::User, &Words { text, mark: None });
            }
        }
        Message::ToolResult { call, text, images, failed } => {
            let name = so_far.calls.iter().find(|(id, _)| id == call).map(|(_, name)| name.clone());
            let key = if *failed { "error" } else { "output" };
            let (pictures, text) = pictures(images, text);
            let mut result = json!({ "functionResponse": {
                "id": call, "name": name.unwrap_or_else(|| "tool".to_owned()),
                "response": { key: text },
            }});
            let beside = if so_far.newer_gemini && !pictures.is_empty() {
                result["functionResponse"]["parts"] = pictures.into();
                Vec::new()
            } else {
                pictures
            };
            part(&mut bytes, so_far, Side::User, &result);
            for picture in beside {
                part(&mut bytes, so_far, Side::User, &picture);
            }
        }
        Message::Assistant { text, calls, kept } => {
            let named =
                |call: &CallRequest| (call.id.clone(), arguments::name(&call.name).into_owned());
            so_far.calls = calls.iter().map(named).collect();
            let mut first_call = true;
            for piece in parts(Protocol::Gemini, text, calls, kept.as_ref()) {
                match piece {
                    Part::Own(value) => part(&mut bytes, so_far, Side::Model, value),
                    Part::Text { text: "", mark: None } => {}
                    Part::Text { text, mark } => {
                        part(&mut bytes, so_far, Side::Model, &Words { text, mark });
                    }
                    Part::Call { call, mark } => {
                        let stand_in = (so_far.newer_gemini && first_call).then_some(NOT_SIGNED);
                        first_call = false;
                        let args = arguments::object(&call.arguments);
                        let name = &arguments::name(&call.name);
                        let call = Call {
                            function: Function { id: &call.id, name, args },
                            mark: mark.or(stand_in),
                        };
                        part(&mut bytes, so_far, Side::Model, &call);
                    }
                }
            }
        }
    }
    bytes.into()
}

/// The pictures as parts, and the words, which tell of those that Gemini does not take.
fn pictures(images: &[Image], text: &str) -> (Vec<Value>, String) {
    let mut text = text.to_owned();
    let mut parts = Vec::new();
    for image in images {
        if image.mime == "image/gif" {
            text.push_str("\n[this model can't be shown a GIF]");
            continue;
        }
        let (mime, data) = (&image.mime, image.base64());
        parts.push(json!({ "inlineData": { "mimeType": mime, "data": data } }));
    }
    (parts, text)
}

/// Whether a model takes no call of its current turn without a signature, and pictures inside
/// results.
pub(crate) fn is_newer(protocol: Protocol, model: &str) -> bool {
    protocol == Protocol::Gemini && version(model) >= Some((3, 0))
}

/// One entry of the list of tools.
pub(crate) fn encode_tool(tool: &ToolSpec) -> Value {
    json!({
        "name": tool.name, "description": tool.description,
        "parametersJsonSchema": schema::clean(&tool.schema),
    })
}

/// The body in pieces; the history and the tools are shared, not copied.
pub(super) fn body(request: &Request) -> Result<Vec<Bytes>, ModelError> {
    request.check(Protocol::Gemini)?;
    let mut head = "{".to_owned();
    let config = generation(request);
    if !config.is_empty() {
        head.push_str(&format!(r#""generationConfig":{},"#, Value::Object(config)));
    }
    if !request.system.is_empty() {
        let text = Value::from(&*request.system);
        head.push_str(&format!(r#""systemInstruction":{{"parts":[{{"text":{text}}}]}},"#));
    }
    if let Some(Force::Tool(name)) = &request.force {
        let config = json!({ "mode": "ANY", "allowedFunctionNames": [name] });
        head.push_str(&format!(r#""toolConfig":{{"functionCallingConfig":{config}}},"#));
    }
    let mut pieces = vec![head.into(), request.offered(), Bytes::from(r#""contents":["#)];
    pieces.extend(request.history.chunks().iter().cloned());
    pieces.push(end(request.history.open(), request.tail.as_deref()).into());
    Ok(pieces)
}

fn generation(request: &Request) -> Map<String, Value> {
    let mut config = Map::new();
    if let Some(limit) = request.max_output {
        config.insert("maxOutputTokens".to_owned(), limit.into());
    }
    if let Some(thinking) = thinking(&request.model, request.thinking) {
        config.insert("thinkingConfig".to_owned(), thinking);
    }
    if let Some(Force::Schema { schema, .. }) = &request.force {
        config.insert("responseMimeType".to_owned(), "application/json".into());
        config.insert("responseJsonSchema".to_owned(), schema::clean(schema));
    }
    config
}

/// A level from version 3 on, a budget in 2.5, and nothing before.
fn thinking(model: &str, thinking: Option<Thinking>) -> Option<Value> {
    let version = version(model)?;
    if version < (2, 5) {
        return None;
    }
    let mut config = json!({ "includeThoughts": true });
    let Some(thinking) = thinking else { return Some(config) };
    if version >= (3, 0) {
        config["thinkingLevel"] = thinking.effort().unwrap_or("low").into();
        return Some(config);
    }
    // The large models can't stop thinking.
    let (least, most) = if model.contains("pro") { (128, 32_768) } else { (0, 24_576) };
    config["thinkingBudget"] = thinking.tokens().map_or(least, |tokens| tokens.min(most)).into();
    Some(config)
}

/// Closes the history and adds what is said after it.
fn end(open: Option<Side>, tail: Option<&str>) -> String {
    let tail = tail.filter(|tail| !tail.is_empty());
    let tail = tail.map(|tail| format!(r#"{{"text":{}}}"#, Value::from(tail)));
    match (open, tail) {
        (None, None) => "]}".to_owned(),
        (None, Some(tail)) => format!(r#"{{"role":"user","parts":[{tail}]}}]}}"#),
        (Some(_), None) => "]}]}".to_owned(),
        (Some(Side::User), Some(tail)) => format!(",{tail}]}}]}}"),
        (Some(Side::Model), Some(tail)) => {
            format!(r#"]}},{{"role":"user","parts":[{tail}]}}]}}"#)
        }
    }
}

/// A part after what is open.
fn part(bytes: &mut Vec<u8>, so_far: &mut SoFar, side: Side, content: &impl Serialize) {
    let role = match side {
        Side::User => "user",
        Side::Model => "model",
    };
    let before = match so_far.open {
        None => format!(r#"{{"role":"{role}","parts":["#),
        Some(open) if open == side => ",".to_owned(),
        Some(_) => format!(r#"]}},{{"role":"{role}","parts":["#),
    };
    so_far.open = Some(side);
    bytes.extend_from_slice(before.as_bytes());
    serde_json::to_writer(bytes, content).expect("plain strings always become JSON");
}

#[derive(Serialize)]
struct Words<'a> {
    text: &'a str,
    #[serde(rename = "thoughtSignature", skip_serializing_if = "Option::is_none")]
    mark: Option<&'a str>,
}

#[derive(Serialize)]
struct Call<'a> {
    #[serde(rename = "functionCall")]
    function: Function<'a>,
    #[serde(rename = "thoughtSignature", skip_serializing_if = "Option::is_none")]
    mark: Option<&'a str>,
}

#[derive(Serialize)]
struct Function<'a> {
    id: &'a str,
    name: &'a str,
    args: Box<RawValue>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_is_told_in_its_own_way_how_to_think() {
        let told = |model: &str, how| thinking(model, how).map_or(Value::Null, |told| told);
        let off = Some(Thinking::Off);
        assert_eq!(told("gemini-2.0-flash", off), Value::Null);
        assert_eq!(told("gemini-2.5-flash", None), json!({ "includeThoughts": true }));
        let budget = |n: u32| json!({ "includeThoughts": true, "thinkingBudget": n });
        assert_eq!(told("gemini-2.5-flash", off), budget(0));
        assert_eq!(told("gemini-2.5-pro", off), budget(128));
        assert_eq!(told("gemini-2.5-flash", Some(Thinking::Tokens(99_000))), budget(24_576));
        let level = |word: &str| json!({ "includeThoughts": true, "thinkingLevel": word });
        assert_eq!(told("gemini-3.8-flash", off), level("low"));
        assert_eq!(told("gemini-3.8-flash", Some(Thinking::High)), level("high"));
    }
}
