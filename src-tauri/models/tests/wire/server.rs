//! A server that says exactly the bytes a test gives it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use models::Protocol;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use super::speakers::Speaker;

/// What the server does with a request.
pub struct Answer {
    pub bytes: Vec<u8>,
    pub then: Then,
}

/// What follows an answer.
pub enum Then {
    /// The connection is closed.
    Close,
    /// The connection serves the next request.
    Keep,
    /// Nothing more is said until the client hangs up.
    Hang,
    /// The same is said again and again until the client hangs up.
    Repeat(Vec<u8>),
}

/// What the server has seen.
#[derive(Debug, PartialEq)]
pub enum Seen {
    Request { head: String, body: String },
    HungUp,
}

pub struct Server {
    address: String,
    pub seen: mpsc::UnboundedReceiver<Seen>,
    pub connections: Arc<AtomicUsize>,
}

impl Server {
    /// Answers every request with these bytes, in so many pieces with a pause before each.
    pub async fn slow(bytes: Vec<u8>, pieces: usize, pause: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let bytes = bytes.clone();
                tokio::spawn(async move {
                    let mut request = [0; 64 * 1024];
                    let _ = socket.read(&mut request).await;
                    for piece in bytes.chunks(bytes.len().div_ceil(pieces)) {
                        tokio::time::sleep(pause).await;
                        let _ = socket.write_all(piece).await;
                        let _ = socket.flush().await;
                    }
                });
            }
        });
        let (_, seen) = mpsc::unbounded_channel();
        Self { address, seen, connections: Arc::default() }
    }

    /// Answers the n-th request with `answer(n)`.
    pub async fn start(answer: impl Fn(usize) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (tell, seen) = mpsc::unbounded_channel();
        let connections = Arc::new(AtomicUsize::new(0));
        let opened = connections.clone();
        tokio::spawn(async move {
            let answer = Arc::new(answer);
            let count = Arc::new(AtomicUsize::new(0));
            while let Ok((socket, _)) = listener.accept().await {
                opened.fetch_add(1, Ordering::SeqCst);
                let (answer, count, tell) = (answer.clone(), count.clone(), tell.clone());
                tokio::spawn(async move {
                    let next = move || answer(count.fetch_add(1, Ordering::SeqCst));
                    serve(socket, next, tell).await;
                });
            }
        });
        Self { address, seen, connections }
    }

    /// The address as it is configured for a provider.
    pub fn base_url(&self, speaker: &Speaker) -> String {
        let version = if speaker.protocol == Protocol::Gemini { "v1beta" } else { "v1" };
        format!("http://{}/{version}", self.address)
    }

    pub async fn next_request(&mut self) -> (String, String) {
        match self.seen.recv().await {
            Some(Seen::Request { head, body }) => (head, body),
            other => panic!("no request but {other:?}"),
        }
    }
}

async fn serve(
    mut socket: TcpStream,
    next: impl Fn() -> Answer,
    tell: mpsc::UnboundedSender<Seen>,
) {
    while let Some(request) = read_request(&mut socket).await {
        tell.send(request).ok();
        let answer = next();
        socket.write_all(&answer.bytes).await.ok();
        match answer.then {
            Then::Close => {
                socket.shutdown().await.ok();
                return;
            }
            Then::Keep => {}
            Then::Hang => {
                while matches!(socket.read(&mut [0; 64]).await, Ok(1..)) {}
                tell.send(Seen::HungUp).ok();
                return;
            }
            Then::Repeat(bytes) => {
                while socket.write_all(&bytes).await.is_ok() {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                tell.send(Seen::HungUp).ok();
                return;
            }
        }
    }
}

async fn read_request(socket: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    loop {
        let head_end = bytes.windows(4).position(|end| end == b"\r\n\r\n");
        if let Some(at) = head_end {
            let head = String::from_utf8(bytes[..at].to_vec()).unwrap().to_lowercase();
            let length: usize = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "))
                .expect("the client says how long the body is")
                .parse()
                .unwrap();
            if bytes.len() >= at + 4 + length {
                let body = String::from_utf8(bytes[at + 4..].to_vec()).unwrap();
                return Some(Seen::Request { head, body });
            }
        }
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}

/// A streamed answer of these data lines, in HTTP chunks of one event each.
pub fn chunked(lines: &[&str]) -> Vec<u8> {
    let mut bytes = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
                      transfer-encoding: chunked\r\n\r\n"
        .to_vec();
    for line in lines {
        let event = format!("data: {line}\n\n");
        bytes.extend_from_slice(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes());
    }
    bytes.extend_from_slice(b"0\r\n\r\n");
    bytes
}

/// The same, ended only by closing the connection.
pub fn until_close(lines: &[&str]) -> Vec<u8> {
    let events: String = lines.iter().map(|line| format!("data: {line}\n\n")).collect();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    format!("{head}{events}").into_bytes()
}

/// A plain answer.
pub fn plain(status: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
    .into_bytes()
}
