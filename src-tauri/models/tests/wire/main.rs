//! The Chat Completions client against a real server on loopback.

mod conversation;
mod cuts;
mod errors;
#[cfg(test)]
mod server;

use futures::StreamExt;
use models::{
    Message, Model, ModelError, ModelEvent, OpenAiChat, OpenAiChatConfig, Protocol, Request,
    ToolSet, ToolSpec, Transcript, http_client,
};
use serde_json::json;

const KEY: &str = "sk-very-secret";

fn model(base_url: &str) -> OpenAiChat {
    let config =
        OpenAiChatConfig { base_url: base_url.into(), key: Some(KEY.into()), name: "home".into() };
    OpenAiChat::new(config, http_client())
}

fn request(messages: &[Message]) -> Request {
    let mut transcript = Transcript::new(Protocol::OpenAiChat);
    messages.iter().for_each(|message| transcript.push(message));
    let tool = ToolSpec {
        name: "read_file".into(),
        description: "Reads a file".into(),
        schema: json!({ "type": "object" }),
    };
    Request {
        model: "small".into(),
        system: "Be brief".into(),
        history: transcript.snapshot(),
        tail: Some("No plan".into()),
        tools: ToolSet::new(Protocol::OpenAiChat, &[tool]),
        max_output: Some(512),
    }
}

fn hello() -> Request {
    request(&[Message::User { text: "Hello".into() }])
}

/// Everything a turn gives: its events, and the error that ended it.
async fn turn(model: &OpenAiChat, request: Request) -> (Vec<ModelEvent>, Option<ModelError>) {
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
