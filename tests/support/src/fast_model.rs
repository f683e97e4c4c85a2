//! A model server for measuring: its replies are made beforehand and it does next to nothing else.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::task::JoinSet;

/// Works out the event stream for a request from its number, from 0, and its raw body.
type ReplyFor = dyn Fn(u64, &[u8]) -> Bytes + Send + Sync;

/// A running fast model server; it and its connections stop when dropped.
pub struct FastModel {
    address: SocketAddr,
    count: Arc<AtomicU64>,
    server: JoinHandle<()>,
}

/// Starts a server that answers every POST with a prepared event stream.
///
/// `reply_for` gets the number of the request, counted over all connections from 0, and its raw
/// body; make its answers with [`sse_body`](crate::sse_body) before the measuring begins.
pub async fn start_fast(
    reply_for: impl Fn(u64, &[u8]) -> Bytes + Send + Sync + 'static,
) -> FastModel {
    start_thinking(Duration::ZERO, reply_for).await
}

/// The same with a model that takes this long for each answer.
pub async fn start_thinking(
    thinks: Duration,
    reply_for: impl Fn(u64, &[u8]) -> Bytes + Send + Sync + 'static,
) -> FastModel {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("loopback has a free port");
    let address = listener.local_addr().expect("a bound socket has an address");
    let count = Arc::new(AtomicU64::new(0));
    let server = tokio::spawn(accept(listener, count.clone(), thinks, Arc::new(reply_for)));
    FastModel { address, count, server }
}

impl FastModel {
    /// The address to configure as that of an OpenAI-compatible provider.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// How many requests have arrived.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }
}

impl Drop for FastModel {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn accept(
    listener: TcpListener,
    count: Arc<AtomicU64>,
    thinks: Duration,
    reply_for: Arc<ReplyFor>,
) {
    // Owned here, so that connections end with the server.
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        let (count, reply_for) = (count.clone(), reply_for.clone());
        // A connection that breaks is the client's business.
        connections.spawn(async move {
            let _ = serve(stream, &count, thinks, &*reply_for).await;
        });
    }
}

/// Answers one request after the other until the client hangs up.
async fn serve(
    mut stream: TcpStream,
    count: &AtomicU64,
    thinks: Duration,
    reply_for: &ReplyFor,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut input = BytesMut::with_capacity(16 * 1024);
    let mut output = Vec::new();
    while let Some(head) = read_head(&mut stream, &mut input).await? {
        while input.len() < head.body {
            if stream.read_buf(&mut input).await? == 0 {
                return Ok(());
            }
        }
        output.clear();
        if head.is_post {
            let number = count.fetch_add(1, Ordering::Relaxed);
            let body = reply_for(number, &input[..head.body]);
            if !thinks.is_zero() {
                tokio::time::sleep(thinks).await;
            }
            write_reply(&mut output, "text/event-stream", &body);
        } else {
            write_reply(&mut output, "application/json", br#"{"data":[]}"#);
        }
        input.advance(head.body);
        stream.write_all(&output).await?;
    }
    Ok(())
}

struct Head {
    is_post: bool,
    /// How long the body is.
    body: usize,
}

/// Reads up to the blank line; `None` when the client has hung up.
async fn read_head(stream: &mut TcpStream, input: &mut BytesMut) -> io::Result<Option<Head>> {
    let mut seen = 0;
    loop {
        // The blank line may have begun in what was read before.
        let from = usize::saturating_sub(seen, 3);
        let blank = input[from..].windows(4).position(|four| four == b"\r\n\r\n");
        if let Some(at) = blank {
            let text = input.split_to(from + at + 4);
            return parse(&text).map(Some);
        }
        seen = input.len();
        if stream.read_buf(input).await? == 0 {
            return Ok(None);
        }
    }
}

fn parse(head: &[u8]) -> io::Result<Head> {
    let is_post = head.starts_with(b"POST ");
    let length = head.split(|byte| *byte == b'\n').find_map(|line| {
        let (name, value) = line.split_at(line.iter().position(|byte| *byte == b':')?);
        if !name.eq_ignore_ascii_case(b"content-length") {
            return None;
        }
        std::str::from_utf8(&value[1..]).ok()?.trim().parse().ok()
    });
    match (length, is_post) {
        (Some(body), _) => Ok(Head { is_post, body }),
        (None, false) => Ok(Head { is_post, body: 0 }),
        (None, true) => Err(io::Error::other("a POST without Content-Length")),
    }
}

fn write_reply(output: &mut Vec<u8>, kind: &str, body: &[u8]) {
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    output.extend_from_slice(head.as_bytes());
    output.extend_from_slice(body);
}
