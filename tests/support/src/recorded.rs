//! One request as the model received it.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use axum::http::HeaderMap;
use bytes::Bytes;
use serde_json::Value;
use tokio::sync::watch;

use crate::wait::in_time;

/// A request to the scripted model, and how its answer ended.
#[derive(Clone, Debug)]
pub struct Recorded {
    shared: Arc<Shared>,
    /// The model asked for, where the body does not say.
    model: Option<String>,
}

#[derive(Debug)]
struct Shared {
    number: usize,
    received: Instant,
    headers: HeaderMap,
    body: Bytes,
    /// Parsed when first asked for: bodies can be megabytes that no one looks into.
    json: OnceLock<Value>,
    ending: watch::Sender<Ending>,
    over: OnceLock<Instant>,
}

/// How far the answer to a request has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Not all of it is sent.
    Open,
    /// All of it is sent.
    Whole,
    /// The script cut the connection.
    Cut,
    /// The client hung up before the end.
    Dropped,
}

impl Recorded {
    pub(crate) fn new(number: usize, headers: HeaderMap, body: Bytes) -> Self {
        Self {
            shared: Arc::new(Shared {
                number,
                received: Instant::now(),
                headers,
                body,
                json: OnceLock::new(),
                ending: watch::Sender::new(Ending::Open),
                over: OnceLock::new(),
            }),
            model: None,
        }
    }

    /// The same, for a model that is named in the address.
    pub(crate) fn asking(self, model: Option<String>) -> Self {
        Self { model, ..self }
    }

    /// Its place in the order of arrival, from 0.
    pub fn number(&self) -> usize {
        self.shared.number
    }

    /// When it had arrived in full.
    pub fn received(&self) -> Instant {
        self.shared.received
    }

    /// When its answer had ended, if it has.
    pub fn over(&self) -> Option<Instant> {
        self.shared.over.get().copied()
    }

    /// A header as text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.shared.headers.get(name)?.to_str().ok()
    }

    /// The body as it came.
    pub fn body(&self) -> &Bytes {
        &self.shared.body
    }

    /// The body as JSON; fails the test when it is none.
    pub fn json(&self) -> &Value {
        self.shared.json.get_or_init(|| {
            serde_json::from_slice(&self.shared.body).expect("a request to a model is JSON")
        })
    }

    /// The model asked for.
    pub fn model(&self) -> &str {
        let named = self.model.as_deref();
        named.or_else(|| self.json()["model"].as_str()).unwrap_or_default()
    }

    /// The conversation.
    pub fn messages(&self) -> &[Value] {
        list(&self.json()["messages"])
    }

    /// The tools offered, as described to the model.
    pub fn tools(&self) -> &[Value] {
        list(&self.json()["tools"])
    }

    /// The names of the tools offered, in order, in any protocol.
    pub fn tool_names(&self) -> Vec<&str> {
        let declared = self.tools().iter().flat_map(|tool| list(&tool["functionDeclarations"]));
        let names = self.tools().iter().chain(declared);
        names
            .filter_map(|tool| tool["function"]["name"].as_str().or(tool["name"].as_str()))
            .collect()
    }

    /// The text of every message of one role (`system`, `user`, `assistant`, `tool`), in order.
    pub fn texts(&self, role: &str) -> Vec<String> {
        self.messages()
            .iter()
            .filter(|message| message["role"] == role)
            .map(|message| text(&message["content"]))
            .collect()
    }

    /// What the tools answered, in order.
    pub fn tool_results(&self) -> Vec<String> {
        self.texts("tool")
    }

    /// How far the answer has come.
    pub fn ending(&self) -> Ending {
        *self.shared.ending.borrow()
    }

    /// Whether the client hung up before the end of the answer.
    pub fn dropped(&self) -> bool {
        self.ending() == Ending::Dropped
    }

    /// Waits until the answer has ended in one way or another.
    pub async fn ended(&self) -> Ending {
        let mut watch = self.shared.ending.subscribe();
        let end =
            in_time(watch.wait_for(|ending| *ending != Ending::Open), "the end of a reply").await;
        *end.expect("the sender lives in the request that is waited for")
    }

    pub(crate) fn end(&self, how: Ending) {
        self.shared.ending.send_if_modified(|ending| {
            let is_first = *ending == Ending::Open;
            if is_first {
                *ending = how;
                let _ = self.shared.over.set(Instant::now());
            }
            is_first
        });
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Content is a string or a list of parts; the text is that of all parts together.
fn text(content: &Value) -> String {
    if let Some(text) = content.as_str() {
        return text.to_string();
    }
    list(content).iter().filter_map(|part| part["text"].as_str()).collect()
}
