//! Reads what a model answered out of the raw bytes: its words, its calls, its tokens.

use serde_json::Value;

/// One answer of a model, as far as it is counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// What it said.
    pub text: String,
    /// What it wants done.
    pub calls: Vec<Call>,
    /// Tokens read.
    pub input: u64,
    /// Those of them that the server still knew.
    pub cached: u64,
    /// Tokens written.
    pub output: u64,
}

/// A tool call as it was sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Call {
    pub id: String,
    pub name: String,
    /// Text, because a model may write anything there.
    pub arguments: String,
}

/// The JSON data of server-sent events, or of a plain body.
pub fn data(bytes: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(value) = serde_json::from_str::<Value>(text.trim()) {
        return vec![value];
    }
    text.lines()
        .filter_map(|line| line.strip_prefix("data:"))
        .filter_map(|data| serde_json::from_str(data.trim()).ok())
        .collect()
}

/// Reads a whole answer in any of the protocols.
pub fn answer(bytes: &[u8]) -> Answer {
    let mut answer = Answer::default();
    for value in data(bytes) {
        take_usage(&mut answer, &value);
        take_chat(&mut answer, &value);
        take_responses(&mut answer, &value);
        take_anthropic(&mut answer, &value);
    }
    answer
}

/// Tokens stand in different places under different names; the largest number is the last one.
fn take_usage(answer: &mut Answer, value: &Value) {
    let places = [
        &value["usage"],
        &value["response"]["usage"],
        &value["message"]["usage"],
        &value["usageMetadata"],
    ];
    for usage in places {
        let of = |names: &[&str]| -> u64 { names.iter().filter_map(|n| usage[*n].as_u64()).sum() };
        let input = of(&[
            "prompt_tokens",
            "input_tokens",
            "cache_read_input_tokens",
            "cache_creation_input_tokens",
            "promptTokenCount",
        ]);
        let output = of(&[
            "completion_tokens",
            "output_tokens",
            "candidatesTokenCount",
            "thoughtsTokenCount",
        ]);
        let details = [&usage["prompt_tokens_details"], &usage["input_tokens_details"]];
        let cached = details.iter().filter_map(|details| details["cached_tokens"].as_u64()).max();
        let cached = cached.or(usage["cache_read_input_tokens"].as_u64()).unwrap_or_default();
        answer.cached = answer.cached.max(cached);
        answer.input = answer.input.max(input);
        answer.output = answer.output.max(output);
    }
}

fn take_chat(answer: &mut Answer, value: &Value) {
    let choice = &value["choices"][0];
    for part in [&choice["delta"], &choice["message"]] {
        if let Some(text) = part["content"].as_str() {
            answer.text.push_str(text);
        }
        for call in part["tool_calls"].as_array().into_iter().flatten() {
            let at = call["index"].as_u64().map_or(answer.calls.len(), |at| at as usize);
            // A server that counts wildly is not worth the memory.
            if at > 256 {
                continue;
            }
            if answer.calls.len() <= at {
                answer.calls.resize(at + 1, Call::default());
            }
            let known = &mut answer.calls[at];
            if let Some(id) = call["id"].as_str() {
                known.id = id.to_owned();
            }
            let function = &call["function"];
            if let Some(name) = function["name"].as_str() {
                known.name.push_str(name);
            }
            match &function["arguments"] {
                Value::String(piece) => known.arguments.push_str(piece),
                Value::Object(_) => known.arguments = function["arguments"].to_string(),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {}
            }
        }
    }
}

fn take_responses(answer: &mut Answer, value: &Value) {
    if value["type"] == "response.output_text.delta"
        && let Some(text) = value["delta"].as_str()
    {
        answer.text.push_str(text);
    }
    let item = &value["item"];
    if value["type"] == "response.output_item.done" && item["type"] == "function_call" {
        let of = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
        answer.calls.push(Call { id: of("call_id"), name: of("name"), arguments: of("arguments") });
    }
}

fn take_anthropic(answer: &mut Answer, value: &Value) {
    let block = &value["content_block"];
    if value["type"] == "content_block_start" && block["type"] == "tool_use" {
        let of = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
        answer.calls.push(Call { id: of("id"), name: of("name"), arguments: String::new() });
    }
    if value["type"] == "content_block_delta" {
        if let Some(text) = value["delta"]["text"].as_str() {
            answer.text.push_str(text);
        }
        if let (Some(piece), Some(call)) =
            (value["delta"]["partial_json"].as_str(), answer.calls.last_mut())
        {
            call.arguments.push_str(piece);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chat_stream_gives_words_calls_and_tokens() {
        let bytes = br#"data: {"choices":[{"delta":{"content":"Hm"}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"shell","arguments":"{\"a\""}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}}]}

data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}}

data: [DONE]
"#;
        let call = Call { id: "c1".into(), name: "shell".into(), arguments: "{\"a\":1}".into() };
        let expected =
            Answer { text: "Hm".into(), calls: vec![call], input: 9, output: 2, cached: 4 };
        assert_eq!(answer(bytes), expected);
    }

    #[test]
    fn an_anthropic_stream_gives_words_calls_and_tokens() {
        let bytes = br#"event: message_start
data: {"type":"message_start","message":{"usage":{"input_tokens":7,"output_tokens":1}}}

data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"Hm"}}

data: {"type":"content_block_start","content_block":{"type":"tool_use","id":"t","name":"shell","input":{}}}

data: {"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"{}"}}

data: {"type":"message_delta","usage":{"output_tokens":5}}
"#;
        let call = Call { id: "t".into(), name: "shell".into(), arguments: "{}".into() };
        let expected =
            Answer { text: "Hm".into(), calls: vec![call], input: 7, output: 5, cached: 0 };
        assert_eq!(answer(bytes), expected);
    }

    #[test]
    fn a_responses_stream_gives_words_calls_and_tokens() {
        let bytes = br#"data: {"type":"response.output_text.delta","delta":"Hm"}

data: {"type":"response.output_item.done","item":{"type":"function_call","call_id":"c","name":"shell","arguments":"{}"}}

data: {"type":"response.completed","response":{"usage":{"input_tokens":7,"output_tokens":5}}}
"#;
        let call = Call { id: "c".into(), name: "shell".into(), arguments: "{}".into() };
        let expected =
            Answer { text: "Hm".into(), calls: vec![call], input: 7, output: 5, cached: 0 };
        assert_eq!(answer(bytes), expected);
    }
}
