//! A server that gives one answer, byte for byte.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Where the answer can be asked for. It is sent in HTTP chunks of this many bytes, or as one.
pub async fn start(status: u16, body: Vec<u8>, piece: Option<usize>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback has a free port");
    let address = listener.local_addr().expect("a bound socket has an address");
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            answer(socket, status, &body, piece).await;
        }
    });
    format!("http://{address}")
}

async fn answer(mut socket: TcpStream, status: u16, body: &[u8], piece: Option<usize>) {
    if !read_request(&mut socket).await {
        return;
    }
    let is_json = body.trim_ascii_start().starts_with(b"{");
    let kind = if is_json { "application/json" } else { "text/event-stream" };
    let head = format!(
        "HTTP/1.1 {status} Recorded\r\ncontent-type: {kind}\r\nconnection: close\r\n\
         transfer-encoding: chunked\r\n\r\n"
    );
    let mut bytes = head.into_bytes();
    for piece in body.chunks(piece.unwrap_or(body.len()).max(1)) {
        bytes.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
        bytes.extend_from_slice(piece);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"0\r\n\r\n");
    // A client that has understood enough hangs up.
    let _ = socket.write_all(&bytes).await;
    let _ = socket.shutdown().await;
}

/// Reads a request to its end; what it asks for does not matter.
async fn read_request(socket: &mut TcpStream) -> bool {
    let mut bytes = Vec::new();
    loop {
        if let Some(at) = bytes.windows(4).position(|end| end == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..at]).to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.and_then(|length| length.parse().ok()).unwrap_or_default();
            if bytes.len() >= at + 4 + length {
                return true;
            }
        }
        if !matches!(socket.read_buf(&mut bytes).await, Ok(1..)) {
            return false;
        }
    }
}
