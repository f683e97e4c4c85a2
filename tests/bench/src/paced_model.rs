//! A model that speaks at a given pace and says with each word when it was said.

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use bytes::Bytes;
use futures::StreamExt;
use serde_json::json;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use crate::Outcome;

/// Words in a paragraph.
const PARAGRAPH: u32 = 40;

/// How it speaks.
#[derive(Clone, Copy)]
pub struct Pace {
    /// Words in a second.
    pub a_second: u32,
    /// Words in all.
    pub words: u32,
}

/// A running model; it stops when dropped.
pub struct PacedModel {
    address: std::net::SocketAddr,
    server: JoinHandle<()>,
}

impl PacedModel {
    /// Starts a model that answers everything at this pace.
    pub async fn start(pace: Pace) -> Outcome<Self> {
        let said = |error: std::io::Error| format!("a model: {error}");
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(said)?;
        let address = listener.local_addr().map_err(said)?;
        let router = Router::new().route("/v1/chat/completions", post(answer)).with_state(pace);
        let server = tokio::spawn(async move {
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self { address, server })
    }

    /// Its address.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }
}

impl Drop for PacedModel {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn answer(State(pace): State<Pace>) -> Response {
    let begun = Instant::now();
    let words = futures::stream::iter(0..=pace.words).then(move |number| async move {
        sleep_until(begun + Duration::from_secs(1) * number / pace.a_second).await;
        let last = number == pace.words;
        Ok::<_, std::io::Error>(if last { end() } else { word(number) })
    });
    ([("content-type", "text/event-stream")], Body::from_stream(words)).into_response()
}

/// A word that is the time in milliseconds.
fn word(number: u32) -> Bytes {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let space = if number % PARAGRAPH == PARAGRAPH - 1 { "\n\n" } else { " " };
    event(&json!({ "choices": [{ "index": 0, "delta": { "content": format!("w{now}{space}") } }] }))
}

fn end() -> Bytes {
    let stop = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    [event(&stop), Bytes::from_static(b"data: [DONE]\n\n")].concat().into()
}

fn event(data: &serde_json::Value) -> Bytes {
    format!("data: {data}\n\n").into()
}
