//! Every client against a real server on loopback.

mod broken;
mod chat;
mod conversation;
mod cuts;
mod endless;
mod errors;
mod forced;
mod pausing;
mod pictures;
mod plain;
mod repeating;
#[cfg(test)]
mod server;
mod speakers;
mod stalled;
mod switching;

use futures::StreamExt;
use models::{
    Message, Model, ModelError, ModelEvent, Protocol, Request, ToolSet, ToolSpec, Transcript,
};
use serde_json::json;

use speakers::Speaker;

const KEY: &str = "sk-very-secret";

fn request(speaker: &Speaker, messages: &[Message]) -> Request {
    let mut transcript = Transcript::for_model(speaker.protocol, speaker.model);
    messages.iter().for_each(|message| transcript.push(message));
    let tool = ToolSpec {
        name: "read_file".into(),
        description: "Reads a file".into(),
        schema: json!({ "type": "object", "$schema": "x" }),
    };
    Request {
        model: speaker.model.into(),
        system: "Be brief".into(),
        history: transcript.snapshot(),
        tail: Some("No plan".into()),
        tools: ToolSet::new(speaker.protocol, &[tool]),
        max_output: Some(4096),
        thinking: None,
        force: None,
    }
}

fn hello(speaker: &Speaker) -> Request {
    request(speaker, &[Message::User { text: "Hello".into() }])
}

/// Everything a turn gives: its events, and the error that ended it.
async fn turn(model: &dyn Model, request: Request) -> (Vec<ModelEvent>, Option<ModelError>) {
    let mut stream = match model.stream(request).await {
        Ok(stream) => stream,
        Err(error) => return (Vec::new(), Some(error)),
    };
    let mut events = Vec::new();
    while let Some(item) = stream.next().await {
        match item {
            Ok(event) => events.push(event),
            Err(error) => {
                assert!(stream.next().await.is_none(), "something followed an error");
                return (events, Some(error));
            }
        }
    }
    (events, None)
}
