//! A reply written as the event stream of the Chat Completions protocol.

use bytes::Bytes;
use serde_json::{Value, json};

use crate::reply::{Call, Reply};

/// The whole event stream of a reply, as the model would send it to its first request.
pub fn sse_body(reply: &Reply) -> Bytes {
    body(reply, 0)
}

/// The event stream in answer to the request of this number, which makes the ids of calls unique.
pub(crate) fn body(reply: &Reply, request: usize) -> Bytes {
    let mut stream = Stream::new(request);
    stream.delta(json!({ "role": "assistant", "content": "" }));
    for word in reply.text.split_inclusive(' ') {
        stream.delta(json!({ "content": word }));
    }
    for (index, call) in reply.calls.iter().enumerate() {
        stream.call(index, call);
    }
    let natural = if reply.calls.is_empty() { "stop" } else { "tool_calls" };
    stream.finish(reply.finish.as_deref().unwrap_or(natural));
    if let Some(usage) = reply.usage {
        stream.event(
            json!([]),
            json!({
                "prompt_tokens": usage.input,
                "completion_tokens": usage.output,
                "total_tokens": usage.input + usage.output,
            }),
        );
    }
    stream.done()
}

struct Stream {
    request: usize,
    text: String,
}

impl Stream {
    fn new(request: usize) -> Self {
        let text = String::new();
        Self { request, text }
    }

    fn event(&mut self, choices: Value, usage: Value) {
        let chunk = json!({
            "id": format!("chatcmpl-{}", self.request),
            "object": "chat.completion.chunk",
            "created": 0,
            "model": "scripted",
            "choices": choices,
            "usage": usage,
        });
        self.text.push_str(&format!("data: {chunk}\n\n"));
    }

    fn delta(&mut self, delta: Value) {
        self.event(json!([{ "index": 0, "delta": delta, "finish_reason": null }]), Value::Null);
    }

    /// As real servers do: first the name with no arguments, then the arguments in parts.
    fn call(&mut self, index: usize, call: &Call) {
        self.delta(json!({ "tool_calls": [{
            "index": index,
            "id": format!("call_{}_{index}", self.request),
            "type": "function",
            "function": { "name": call.name, "arguments": "" },
        }] }));
        let (first, second) = halves(&call.arguments);
        for part in [first, second].into_iter().filter(|part| !part.is_empty()) {
            self.delta(json!({ "tool_calls": [{
                "index": index,
                "function": { "arguments": part },
            }] }));
        }
    }

    fn finish(&mut self, reason: &str) {
        self.event(json!([{ "index": 0, "delta": {}, "finish_reason": reason }]), Value::Null);
    }

    fn done(mut self) -> Bytes {
        self.text.push_str("data: [DONE]\n\n");
        self.text.into()
    }
}

fn halves(text: &str) -> (&str, &str) {
    text.split_at(text.floor_char_boundary(text.len() / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(reply: &Reply) -> Vec<Value> {
        let body = sse_body(reply);
        let text = std::str::from_utf8(&body).unwrap();
        let mut events: Vec<&str> = text.split_terminator("\n\n").collect();
        assert_eq!(events.pop(), Some("data: [DONE]"));
        events
            .into_iter()
            .map(|event| serde_json::from_str(event.strip_prefix("data: ").unwrap()).unwrap())
            .collect()
    }

    #[test]
    fn words_arrive_one_by_one_and_the_turn_stops() {
        let choices: Vec<Value> = events(&Reply::text("well done"))
            .iter()
            .map(|event| event["choices"][0].clone())
            .collect();
        assert_eq!(
            choices,
            [
                json!({ "index": 0, "delta": { "role": "assistant", "content": "" }, "finish_reason": null }),
                json!({ "index": 0, "delta": { "content": "well " }, "finish_reason": null }),
                json!({ "index": 0, "delta": { "content": "done" }, "finish_reason": null }),
                json!({ "index": 0, "delta": {}, "finish_reason": "stop" }),
            ]
        );
    }

    #[test]
    fn parts_of_arguments_make_the_whole() {
        let arguments = json!({ "path": "größe.txt" });
        let reply = Reply::calls([("read_file", arguments.clone()), ("list", json!({}))]);
        let mut parts = [String::new(), String::new()];
        let mut ids = Vec::new();
        for event in events(&reply) {
            let call = &event["choices"][0]["delta"]["tool_calls"][0];
            let Some(index) = call["index"].as_u64() else {
                continue;
            };
            ids.extend(call["id"].as_str().map(String::from));
            parts[index as usize].push_str(call["function"]["arguments"].as_str().unwrap());
        }
        assert_eq!(ids, ["call_0_0", "call_0_1"]);
        assert_eq!(parts, [arguments.to_string(), "{}".to_string()]);
    }

    #[test]
    fn usage_comes_last_and_without_choices() {
        let last = events(&Reply::text("hi").usage(7, 3)).pop().unwrap();
        assert_eq!(last["choices"], json!([]));
        assert_eq!(
            last["usage"],
            json!({ "prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10 })
        );
    }
}
