//! A reply written as the event stream of the other protocols: Messages, Responses, Gemini.

use bytes::Bytes;
use serde_json::{Value, json};

use crate::reply::{Call, Reply};

/// How a request came in, which says how its answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    Chat,
    Messages,
    Responses,
    Gemini,
}

/// The event stream in answer to the request of this number.
pub(crate) fn body(wire: Wire, reply: &Reply, request: usize) -> Bytes {
    let events = match wire {
        Wire::Chat => return crate::sse::body(reply, request),
        Wire::Messages => messages(reply, request),
        Wire::Responses => responses(reply, request),
        Wire::Gemini => gemini(reply),
    };
    let lines: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    lines.into()
}

/// Arguments as a value; text that is no JSON stays text.
fn arguments(call: &Call) -> Value {
    serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!(call.arguments))
}

fn tokens(reply: &Reply) -> (u64, u64) {
    reply.usage.map_or((0, 0), |usage| (usage.input, usage.output))
}

fn messages(reply: &Reply, request: usize) -> Vec<Value> {
    let (input, output) = tokens(reply);
    let start = json!({ "usage": { "input_tokens": input } });
    let mut events = vec![json!({ "type": "message_start", "message": start })];
    let words = (!reply.text.is_empty()).then(|| json!({ "type": "text", "text": reply.text }));
    let calls = reply.calls.iter().enumerate().map(|(index, call)| {
        json!({ "type": "tool_use", "id": format!("toolu_{request}_{index}"), "name": call.name,
            "input": arguments(call) })
    });
    let blocks = words.into_iter().chain(calls).enumerate();
    events.extend(blocks.map(|(index, block)| {
        json!({ "type": "content_block_start", "index": index, "content_block": block })
    }));
    let reason = if reply.calls.is_empty() { "end_turn" } else { "tool_use" };
    events.push(json!({ "type": "message_delta", "delta": { "stop_reason": reason },
        "usage": { "output_tokens": output } }));
    events.push(json!({ "type": "message_stop" }));
    events
}

fn responses(reply: &Reply, request: usize) -> Vec<Value> {
    let (input, output) = tokens(reply);
    let mut events = vec![json!({ "type": "response.created" })];
    if !reply.text.is_empty() {
        events.push(json!({ "type": "response.output_text.delta", "delta": reply.text }));
    }
    events.extend(reply.calls.iter().enumerate().map(|(index, call)| {
        json!({ "type": "response.output_item.done", "item": {
            "type": "function_call", "call_id": format!("call_{request}_{index}"),
            "name": call.name, "arguments": call.arguments } })
    }));
    let usage = json!({ "input_tokens": input, "output_tokens": output });
    events.push(json!({ "type": "response.completed", "response": { "usage": usage } }));
    events
}

fn gemini(reply: &Reply) -> Vec<Value> {
    let (input, output) = tokens(reply);
    let words = (!reply.text.is_empty()).then(|| json!({ "text": reply.text }));
    let calls = reply
        .calls
        .iter()
        .map(|call| json!({ "functionCall": { "name": call.name, "args": arguments(call) } }));
    let parts: Vec<Value> = words.into_iter().chain(calls).collect();
    let usage = json!({ "promptTokenCount": input, "candidatesTokenCount": output });
    let said = json!({ "finishReason": "STOP", "content": { "parts": parts } });
    vec![json!({ "candidates": [] }), json!({ "candidates": [said], "usageMetadata": usage })]
}
