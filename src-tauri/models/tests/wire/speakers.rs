//! The providers, each with the same conversation in its own words.
//!
//! The person wants a plan. The model writes it, then thinks and reads two files in one turn, one
//! of which is not there, and says what it found.

use models::{
    Anthropic, CallRequest, Endpoint, Gemini, Model, ModelEvent, OpenAiChat, OpenAiResponses,
    Patience, Protocol, Stop, Usage, http_client,
};

use super::KEY;

/// A provider as it is on the wire.
pub struct Speaker {
    pub name: &'static str,
    pub protocol: Protocol,
    pub model: &'static str,
    pub path: &'static str,
    /// The header with the key, in lower case.
    pub key: &'static str,
    /// The three turns, as the data of events.
    pub plan: &'static [&'static str],
    pub calls: &'static [&'static str],
    pub words: &'static [&'static str],
    /// Ids of the two calls of one turn, as the client gives them.
    pub ids: [&'static str; 2],
    pub usage: Option<Usage>,
}

impl Speaker {
    pub fn client(&self, base_url: &str) -> Box<dyn Model> {
        self.client_within(base_url, Patience::default())
    }

    /// A client that waits no longer than this.
    pub fn client_within(&self, base_url: &str, patience: Patience) -> Box<dyn Model> {
        let (key, name) = (Some(KEY.into()), "home".into());
        let endpoint = Endpoint { base_url: base_url.into(), key, name, patience };
        let http = http_client();
        match self.protocol {
            Protocol::OpenAiChat => Box::new(OpenAiChat::new(endpoint, http)),
            Protocol::OpenAiResponses => Box::new(OpenAiResponses::new(endpoint, http)),
            Protocol::Anthropic => Box::new(Anthropic::new(endpoint, http)),
            Protocol::Gemini => Box::new(Gemini::new(endpoint, http)),
            Protocol::Rehearsal | Protocol::Acp => panic!("it has no address"),
        }
    }

    /// What the turn with two calls gives, without what is kept for the provider.
    pub fn two_calls(&self) -> Vec<ModelEvent> {
        let read = |id: &str, path: &str| {
            let arguments = format!(r#"{{"path":"{path}"}}"#);
            ModelEvent::ToolCall(CallRequest::new(id, "read_file", arguments))
        };
        let mut events = vec![
            ModelEvent::Thinking("Hm — ".into()),
            ModelEvent::Thinking("both.".into()),
            ModelEvent::Text("Two files — ".into()),
            ModelEvent::Text("reading.".into()),
            read(self.ids[0], "a"),
            read(self.ids[1], "b"),
        ];
        events.extend(self.usage.map(ModelEvent::Usage));
        events.push(ModelEvent::Done(Stop::ToolCalls));
        events
    }
}

/// Every provider.
pub fn all() -> [Speaker; 7] {
    [chat(), xai(), ollama(), lmstudio(), responses(), anthropic(), gemini()]
}

/// One provider for each protocol.
pub fn protocols() -> [Speaker; 4] {
    [chat(), responses(), anthropic(), gemini()]
}

const CHAT_PLAN: &[&str] = &[
    r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"p1","type":"function","function":{"name":"plan","arguments":"{\"action\":\"write\"}"}}]}}]}"#,
    r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
    "[DONE]",
];

const CHAT_WORDS: &[&str] =
    &[r#"{"choices":[{"delta":{"content":"Only a is there."},"finish_reason":"stop"}]}"#, "[DONE]"];

/// An OpenAI-compatible server with everything in its place.
pub fn chat() -> Speaker {
    Speaker {
        name: "chat",
        protocol: Protocol::OpenAiChat,
        model: "small",
        path: "/v1/chat/completions",
        key: "authorization: bearer sk-very-secret",
        plan: CHAT_PLAN,
        calls: &[
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning_content":"Hm — "}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"reasoning_content":"both."}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"Two files — "}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"reading."}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"read_file","arguments":"{\"path\":"}},{"index":1,"id":"c2","type":"function","function":{"name":"read_file","arguments":"{\"path\":"}}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"a\"}"}},{"index":1,"function":{"arguments":"\"b\"}"}}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
            r#"{"choices":[],"usage":{"prompt_tokens":90,"completion_tokens":12,"total_tokens":102,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":4}}}"#,
            "[DONE]",
        ],
        words: CHAT_WORDS,
        ids: ["c1", "c2"],
        usage: Some(Usage { input: 90, output: 12, cache_read: 64, cache_write: 0 }),
    }
}

/// xAI sends whole calls, and counts reasoning beside the answer.
fn xai() -> Speaker {
    Speaker {
        name: "xai",
        model: "grok-4.6",
        calls: &[
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","reasoning_content":"Hm — "}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","reasoning_content":"both."}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"Two files — "}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"reading."}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"call_x1","index":0,"type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}},{"id":"call_x2","index":1,"type":"function","function":{"name":"read_file","arguments":"{\"path\":\"b\"}"}}]},"finish_reason":"tool_calls"}]}"#,
            r#"{"choices":[],"usage":{"prompt_tokens":90,"completion_tokens":8,"total_tokens":102,"prompt_tokens_details":{"text_tokens":90,"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":4}}}"#,
            "[DONE]",
        ],
        ids: ["call_x1", "call_x2"],
        ..chat()
    }
}

/// Ollama names reasoning differently and gives every call the same place.
fn ollama() -> Speaker {
    Speaker {
        name: "ollama",
        model: "qwen3:8b",
        calls: &[
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"Hm — "},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"both."},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"Two files — "},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"reading."},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"call_o1","index":0,"type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"call_o2","index":0,"type":"function","function":{"name":"read_file","arguments":"{\"path\":\"b\"}"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"tool_calls"}]}"#,
            r#"{"choices":[],"usage":{"prompt_tokens":90,"completion_tokens":12,"total_tokens":102}}"#,
            "[DONE]",
        ],
        ids: ["call_o1", "call_o2"],
        usage: Some(Usage { input: 90, output: 12, cache_read: 0, cache_write: 0 }),
        ..chat()
    }
}

/// LM Studio may leave out ids, places and usage, and write arguments as an object.
fn lmstudio() -> Speaker {
    Speaker {
        name: "lmstudio",
        model: "openai/gpt-oss-20b",
        calls: &[
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","reasoning":"Hm — "}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"reasoning":"both."}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"Two files — "}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"reading."}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"type":"function","function":{"name":"read_file","arguments":{"path":"a"}}},{"type":"function","function":{"name":"read_file","arguments":{"path":"b"}}}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
            "[DONE]",
        ],
        ids: ["call_0", "call_1"],
        usage: None,
        ..chat()
    }
}

/// OpenAI's Responses, with sealed reasoning.
pub fn responses() -> Speaker {
    Speaker {
        name: "responses",
        protocol: Protocol::OpenAiResponses,
        model: "gpt-5",
        path: "/v1/responses",
        key: "authorization: bearer sk-very-secret",
        plan: &[
            r#"{"type":"response.created","response":{"id":"resp_1","status":"in_progress"}}"#,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"id":"fc_0","type":"function_call","status":"completed","call_id":"call_p","name":"plan","arguments":"{\"action\":\"write\"}"}}"#,
            r#"{"type":"response.completed","response":{"id":"resp_1","status":"completed","usage":{"input_tokens":50,"output_tokens":5}}}"#,
        ],
        calls: &[
            r#"{"type":"response.created","response":{"id":"resp_2","status":"in_progress","usage":null}}"#,
            r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","encrypted_content":"half","summary":[]}}"#,
            r#"{"type":"response.reasoning_summary_part.added","item_id":"rs_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}"#,
            r#"{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":0,"delta":"Hm — "}"#,
            r#"{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":0,"delta":"both."}"#,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","status":"completed","encrypted_content":"gAAAsealed","summary":[{"type":"summary_text","text":"Hm — both."}]}}"#,
            r#"{"type":"response.output_text.delta","item_id":"msg_1","output_index":1,"content_index":0,"delta":"Two files — "}"#,
            r#"{"type":"response.output_text.delta","item_id":"msg_1","output_index":1,"content_index":0,"delta":"reading."}"#,
            r#"{"type":"response.output_item.done","output_index":1,"item":{"id":"msg_1","type":"message","role":"assistant","status":"completed","phase":"commentary","content":[{"type":"output_text","text":"Two files — reading.","annotations":[]}]}}"#,
            r#"{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":2,"delta":"{\"path\":"}"#,
            r#"{"type":"response.output_item.done","output_index":2,"item":{"id":"fc_1","type":"function_call","status":"completed","call_id":"call_1","name":"read_file","arguments":"{\"path\":\"a\"}"}}"#,
            r#"{"type":"response.output_item.done","output_index":3,"item":{"id":"fc_2","type":"function_call","status":"completed","call_id":"call_2","name":"read_file","arguments":"{\"path\":\"b\"}"}}"#,
            r#"{"type":"response.completed","response":{"id":"resp_2","status":"completed","error":null,"incomplete_details":null,"usage":{"input_tokens":90,"input_tokens_details":{"cached_tokens":64},"output_tokens":12,"output_tokens_details":{"reasoning_tokens":4},"total_tokens":102}}}"#,
        ],
        words: &[
            r#"{"type":"response.output_text.delta","output_index":0,"delta":"Only a is there."}"#,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"id":"msg_2","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Only a is there."}]}}"#,
            r#"{"type":"response.completed","response":{"status":"completed"}}"#,
        ],
        ids: ["call_1", "call_2"],
        usage: Some(Usage { input: 90, output: 12, cache_read: 64, cache_write: 0 }),
    }
}

/// Anthropic's Messages, with signed thinking.
pub fn anthropic() -> Speaker {
    Speaker {
        name: "anthropic",
        protocol: Protocol::Anthropic,
        model: "claude-opus-5-5",
        path: "/v1/messages",
        key: "x-api-key: sk-very-secret",
        plan: &[
            r#"{"type":"message_start","message":{"id":"msg_0","type":"message","role":"assistant","content":[],"usage":{"input_tokens":50,"output_tokens":1}}}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_p","name":"plan","input":{}}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"action\":\"write\"}"}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":5}}"#,
            r#"{"type":"message_stop"}"#,
        ],
        calls: &[
            r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"stop_reason":null,"usage":{"input_tokens":6,"cache_creation_input_tokens":20,"cache_read_input_tokens":64,"output_tokens":1}}}"#,
            r#"{"type":"ping"}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm — "}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"both."}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQBsigned"}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"EmwKAhgB"}}"#,
            r#"{"type":"content_block_stop","index":1}"#,
            r#"{"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"Two files — "}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"reading."}}"#,
            r#"{"type":"content_block_stop","index":2}"#,
            r#"{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_1","name":"read_file","input":{}}}"#,
            r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":""}}"#,
            r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"path\":"}}"#,
            r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"\"a\"}"}}"#,
            r#"{"type":"content_block_stop","index":3}"#,
            r#"{"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"toolu_2","name":"read_file","input":{"path":"b"}}}"#,
            r#"{"type":"content_block_stop","index":4}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":12}}"#,
            r#"{"type":"message_stop"}"#,
        ],
        words: &[
            r#"{"type":"message_start","message":{"usage":{"input_tokens":5,"output_tokens":1}}}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Only a is there."}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}"#,
            r#"{"type":"message_stop"}"#,
        ],
        ids: ["toolu_1", "toolu_2"],
        usage: Some(Usage { input: 90, output: 12, cache_read: 64, cache_write: 20 }),
    }
}

/// Gemini, with a signature on the first call and ids on none.
pub fn gemini() -> Speaker {
    Speaker {
        name: "gemini",
        protocol: Protocol::Gemini,
        model: "gemini-3.8-flash",
        path: "/v1beta/models/gemini-3.8-flash:streamgeneratecontent?alt=sse",
        key: "x-goog-api-key: sk-very-secret",
        plan: &[
            r#"{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"plan","args":{"action":"write"}},"thoughtSignature":"CuEplan"}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":50,"candidatesTokenCount":5}}"#,
        ],
        calls: &[
            r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"Hm — ","thought":true}]},"index":0}],"usageMetadata":{"promptTokenCount":90},"modelVersion":"gemini-3.8-flash"}"#,
            r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"both.","thought":true}]},"index":0}],"usageMetadata":{"promptTokenCount":90}}"#,
            r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"Two files — "}]},"index":0}]}"#,
            r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"reading."}]},"index":0}]}"#,
            r#"{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"read_file","args":{"path":"a"}},"thoughtSignature":"CuEsigned"},{"functionCall":{"name":"read_file","args":{"path":"b"}}}]},"index":0}]}"#,
            r#"{"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":90,"cachedContentTokenCount":64,"candidatesTokenCount":8,"thoughtsTokenCount":4,"totalTokenCount":102}}"#,
        ],
        words: &[
            r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"Only a is there."}]},"finishReason":"STOP"}]}"#,
        ],
        ids: ["call_0", "call_1"],
        usage: Some(Usage { input: 90, output: 12, cache_read: 64, cache_write: 0 }),
    }
}
