//! What a client makes of an answer, in plain lines.

use futures::StreamExt;
use models::{
    Anthropic, Endpoint, Gemini, Message, Model, ModelError, ModelEvent, OpenAiChat,
    OpenAiResponses, Patience, Protocol, Request, Stop, ToolSet, ToolSpec, Transcript, http_client,
};
use serde_json::json;

use super::fixture::Fixture;
use super::server;

/// The name every request asks for; the answer says what it likes.
const MODEL: &str = "recorded";

/// What the client makes of the answer as a whole.
pub async fn of(fixture: &Fixture) -> String {
    shown(turn(fixture, None).await)
}

/// The same, when the answer comes in pieces of this many bytes.
pub async fn in_pieces(fixture: &Fixture, bytes: usize) -> String {
    shown(turn(fixture, Some(bytes)).await)
}

async fn turn(fixture: &Fixture, piece: Option<usize>) -> (Vec<ModelEvent>, Option<ModelError>) {
    let address = server::start(fixture.status, fixture.body.clone(), piece).await;
    let model = client(fixture.protocol, &address);
    let mut stream = match model.stream(request(fixture.protocol)).await {
        Ok(stream) => stream,
        Err(error) => return (Vec::new(), Some(error)),
    };
    let mut events = Vec::new();
    while let Some(item) = stream.next().await {
        match item {
            Ok(event) => events.push(event),
            Err(error) => return (events, Some(error)),
        }
    }
    (events, None)
}

fn client(protocol: Protocol, address: &str) -> Box<dyn Model> {
    let version = if protocol == Protocol::Gemini { "v1beta" } else { "v1" };
    let endpoint = Endpoint {
        base_url: format!("{address}/{version}"),
        key: None,
        name: "recorded".into(),
        patience: Patience::default(),
    };
    let http = http_client();
    match protocol {
        Protocol::OpenAiChat => Box::new(OpenAiChat::new(endpoint, http)),
        Protocol::OpenAiResponses => Box::new(OpenAiResponses::new(endpoint, http)),
        Protocol::Anthropic => Box::new(Anthropic::new(endpoint, http)),
        Protocol::Gemini => Box::new(Gemini::new(endpoint, http)),
        Protocol::Rehearsal | Protocol::Acp => panic!("it has no address"),
    }
}

fn request(protocol: Protocol) -> Request {
    let mut transcript = Transcript::for_model(protocol, MODEL);
    transcript.push(&Message::User { text: "Hello".into() });
    let tool = ToolSpec {
        name: "read_file".into(),
        description: "Reads a file".into(),
        schema: json!({ "type": "object" }),
    };
    Request {
        model: MODEL.into(),
        system: "Be brief".into(),
        history: transcript.snapshot(),
        tail: None,
        tools: ToolSet::new(protocol, &[tool]),
        max_output: None,
        thinking: None,
        force: None,
    }
}

/// One line for each thing; words that came in pieces are joined.
fn shown((events, error): (Vec<ModelEvent>, Option<ModelError>)) -> String {
    let mut lines: Vec<(&str, String)> = Vec::new();
    for event in events {
        let (what, text) = match event {
            ModelEvent::Text(text) => ("text", text),
            ModelEvent::Thinking(text) => ("thinking", text),
            ModelEvent::ToolCall(call) => {
                ("call", format!("{} {} {}", call.id, call.name, call.arguments))
            }
            ModelEvent::Kept(kept) => {
                ("kept", serde_json::to_string(&kept).expect("what is kept is JSON"))
            }
            ModelEvent::Usage(usage) => (
                "usage",
                format!(
                    "{} in, {} out, {} from the cache, {} to the cache",
                    usage.input, usage.output, usage.cache_read, usage.cache_write
                ),
            ),
            ModelEvent::Done(stop) => ("done", stopped(stop).to_owned()),
        };
        match lines.last_mut() {
            Some((last, words)) if *last == what && matches!(what, "text" | "thinking") => {
                words.push_str(&text);
            }
            Some(_) | None => lines.push((what, text)),
        }
    }
    lines.extend(error.map(|error| ("error", error.to_string())));
    // Another sign than `\n`, which stands in arguments by itself.
    lines.iter().map(|(what, text)| format!("{what}: {}\n", text.replace('\n', "⏎"))).collect()
}

fn stopped(stop: Stop) -> &'static str {
    match stop {
        Stop::End => "end",
        Stop::ToolCalls => "tool calls",
        Stop::Length => "length",
        Stop::Repetition => "repetition",
        Stop::Paused => "paused",
    }
}
