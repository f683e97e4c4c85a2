//! A bare HTTP client that shows what a real one hides: pieces, and ends that are none.
#![expect(
    clippy::unwrap_used,
    reason = "everything here is part of a test, which is to fail where the wire is not as it should be"
)]

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// A connection that stays open between requests.
pub struct Client {
    stream: BufReader<TcpStream>,
}

/// An answer as it came over the wire.
#[derive(Debug, Default)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<String>,
    /// The pieces of a chunked body, or the one piece of another.
    pub pieces: Vec<Vec<u8>>,
    pub is_whole: bool,
}

impl Answer {
    pub fn text(&self) -> String {
        String::from_utf8(self.pieces.concat()).unwrap()
    }
}

impl Client {
    pub async fn connect(base_url: &str) -> Self {
        let address = base_url.strip_prefix("http://").unwrap();
        let address = address.strip_suffix("/v1").unwrap();
        let stream = TcpStream::connect(address).await.unwrap();
        Self { stream: BufReader::new(stream) }
    }

    pub async fn post(&mut self, body: &str) -> Answer {
        self.send(body).await;
        self.answer().await
    }

    pub async fn send(&mut self, body: &str) {
        let head = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: model\r\nauthorization: Bearer key\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        self.stream.write_all(head.as_bytes()).await.unwrap();
        self.stream.write_all(body.as_bytes()).await.unwrap();
    }

    pub async fn answer(&mut self) -> Answer {
        let mut answer = self.head().await;
        let length = answer
            .headers
            .iter()
            .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
        if let Some(length) = length {
            let mut body = vec![0; length];
            answer.is_whole = self.stream.read_exact(&mut body).await.is_ok();
            answer.pieces.push(body);
            return answer;
        }
        while let Some(piece) = self.piece().await {
            if piece.is_empty() {
                answer.is_whole = true;
                break;
            }
            answer.pieces.push(piece);
        }
        answer
    }

    /// Status and headers, without the body.
    pub async fn head(&mut self) -> Answer {
        let mut answer = Answer::default();
        let status = self.line().await.unwrap();
        answer.status = status.split(' ').nth(1).unwrap().parse().unwrap();
        while let Some(line) = self.line().await.filter(|line| !line.is_empty()) {
            answer.headers.push(line.to_lowercase());
        }
        answer
    }

    /// The next piece of a chunked body; an empty one is its end, none a broken connection.
    pub async fn piece(&mut self) -> Option<Vec<u8>> {
        let length = usize::from_str_radix(&self.line().await?, 16).unwrap();
        let mut piece = vec![0; length + 2];
        self.stream.read_exact(&mut piece).await.ok()?;
        piece.truncate(length);
        Some(piece)
    }

    async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.stream.read_line(&mut line).await.ok()?;
        (read > 0).then(|| line.trim_end().to_string())
    }
}
