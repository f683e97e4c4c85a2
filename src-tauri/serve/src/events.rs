//! A stream of the engine's events, as it comes.

use axum::body::Body;
use hyper::body::Body as _;
use serde_json::Value;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;

/// One stored event.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Its name.
    pub name: String,
    /// What it says.
    pub data: Value,
}

/// An open stream.
pub struct Events {
    body: Body,
    /// What came and is not a whole event yet.
    rest: Vec<u8>,
    ready: VecDeque<Event>,
}

impl Events {
    /// The events of a body.
    pub fn of(body: Body) -> Self {
        Self { body, rest: Vec::new(), ready: VecDeque::new() }
    }

    /// The next stored event; `None` when the stream has ended. Live news is passed over.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            let frame = poll_fn(|context| Pin::new(&mut self.body).poll_frame(context)).await;
            if let Ok(data) = frame?.ok()?.into_data() {
                self.take(&data);
            }
        }
    }

    fn take(&mut self, piece: &[u8]) {
        self.rest.extend_from_slice(piece);
        while let Some(end) = self.rest.windows(2).position(|pair| pair == b"\n\n") {
            let block: Vec<u8> = self.rest.drain(..end + 2).collect();
            self.ready.extend(read(&String::from_utf8_lossy(&block)));
        }
    }
}

/// One block of the stream; live news has no id, and a comment says nothing.
fn read(block: &str) -> Option<Event> {
    let field = |name: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.strip_prefix(' ').unwrap_or(line))
    };
    field("id:")?;
    let data = serde_json::from_str(field("data:")?).ok()?;
    Some(Event { name: field("event:").unwrap_or_default().to_owned(), data })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[tokio::test]
    async fn stored_events_come_whole_and_live_news_does_not() {
        let text =
            "event: live\ndata: {}\n\n: still here\n\nid: 3\nevent: said\ndata: {\"seq\":3}\n\n";
        let mut events = Events::of(Body::from(text));
        let said = Event { name: "said".to_owned(), data: json!({ "seq": 3 }) };
        assert_eq!(events.next().await, Some(said));
        assert_eq!(events.next().await, None);
    }
}
