//! A stream of server-sent events, as a client reads it.

use futures::StreamExt;
use futures::stream::BoxStream;
use reqwest::Response;
use serde_json::Value;
use std::collections::VecDeque;
use std::time::Duration;

/// How long a test waits for the next event before it says so.
const PATIENCE: Duration = Duration::from_secs(60);

/// One event.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    /// Its id; live news has none.
    pub id: Option<String>,
    /// Its name.
    pub name: String,
    /// What it says.
    pub data: Value,
}

impl Heard {
    /// The room's sequence in its id.
    pub fn seq(&self) -> u64 {
        let id = self.id.as_deref().expect("an event of the log has an id");
        let seq = id.split_once('.').map_or(id, |(seq, _)| seq);
        seq.parse().expect("an id begins with a sequence")
    }
}

/// An open stream.
pub struct Feed {
    body: BoxStream<'static, Vec<u8>>,
    /// What came and is not a whole event yet.
    rest: Vec<u8>,
    ready: VecDeque<Heard>,
    bytes: usize,
}

impl Feed {
    pub(crate) fn of(response: Response) -> Self {
        let content_type = response.headers().get("content-type");
        assert_eq!(content_type.expect("a stream has a type"), "text/event-stream");
        // A connection that breaks is the end of the stream, as it is for a browser.
        let body = response.bytes_stream();
        let body = body.take_while(|piece| std::future::ready(piece.is_ok()));
        let body = body.filter_map(|piece| async { piece.ok().map(|bytes| bytes.to_vec()) });
        Self { body: body.boxed(), rest: Vec::new(), ready: VecDeque::new(), bytes: 0 }
    }

    /// The next event; `None` when the stream has ended.
    pub async fn next(&mut self) -> Option<Heard> {
        loop {
            if let Some(heard) = self.ready.pop_front() {
                return Some(heard);
            }
            let piece = tokio::time::timeout(PATIENCE, self.body.next()).await;
            let piece = piece.unwrap_or_else(|_| panic!("silence for {PATIENCE:?}"))?;
            self.take(&piece);
        }
    }

    /// The next event of the log: live news is passed over.
    pub async fn next_stored(&mut self) -> Option<Heard> {
        loop {
            let heard = self.next().await?;
            if heard.id.is_some() {
                return Some(heard);
            }
        }
    }

    /// Every stored event up to the first that fits, which is the last one given.
    pub async fn until(&mut self, what: &str, fits: impl Fn(&Heard) -> bool) -> Vec<Heard> {
        let mut all = Vec::new();
        loop {
            let Some(heard) = self.next_stored().await else {
                panic!("the stream ended before {what}; it said {all:#?}")
            };
            let last = fits(&heard);
            all.push(heard);
            if last {
                return all;
            }
        }
    }

    /// Every stored event until the server ends the stream.
    pub async fn to_end(mut self) -> Vec<Heard> {
        let mut all = Vec::new();
        while let Some(heard) = self.next_stored().await {
            all.push(heard);
        }
        all
    }

    /// Reads this many bytes and hangs up: the stored events that came whole.
    pub async fn cut_after(mut self, bytes: usize) -> Vec<Heard> {
        while self.bytes < bytes {
            let piece = tokio::time::timeout(PATIENCE, self.body.next()).await;
            let Some(piece) = piece.unwrap_or_else(|_| panic!("silence for {PATIENCE:?}")) else {
                break;
            };
            let wanted = piece.len().min(bytes - self.bytes);
            self.take(&piece[..wanted]);
        }
        self.ready.into_iter().filter(|heard| heard.id.is_some()).collect()
    }

    fn take(&mut self, piece: &[u8]) {
        self.bytes += piece.len();
        self.rest.extend_from_slice(piece);
        while let Some(end) = self.rest.windows(2).position(|pair| pair == b"\n\n") {
            let block: Vec<u8> = self.rest.drain(..end + 2).collect();
            self.ready.extend(read(&String::from_utf8_lossy(&block)));
        }
    }
}

/// One block of the stream; a comment that keeps the line open says nothing.
fn read(block: &str) -> Option<Heard> {
    let field = |name: &str| {
        let lines = block.lines().filter_map(|line| line.strip_prefix(name));
        let values = lines.filter_map(|line| line.strip_prefix(':'));
        let values: Vec<&str> =
            values.map(|value| value.strip_prefix(' ').unwrap_or(value)).collect();
        (!values.is_empty()).then(|| values.join("\n"))
    };
    let data = field("data")?;
    Some(Heard {
        id: field("id"),
        name: field("event").unwrap_or_else(|| "message".to_owned()),
        data: serde_json::from_str(&data).unwrap_or_else(|_| panic!("not JSON: {data}")),
    })
}
