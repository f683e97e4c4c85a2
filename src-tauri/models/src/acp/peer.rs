//! JSON-RPC with a program: one message a line, in both directions.

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

/// The longest message that is taken.
const LONGEST: usize = 16 * 1024 * 1024;
/// How much of a message that can't be read is quoted.
const QUOTED: usize = 200;

/// The other end of the pipes.
pub(super) struct Peer {
    reader: BufReader<Box<dyn AsyncRead + Send + Sync + Unpin>>,
    writer: Box<dyn AsyncWrite + Send + Sync + Unpin>,
    /// The beginning of a line whose end has not come yet.
    line: Vec<u8>,
    /// How many bytes came from there.
    heard: usize,
    /// Set while a message is on its way: one that was cut short spoils the next.
    writing: bool,
    last: u64,
}

/// A message from the other end.
#[derive(Debug, PartialEq)]
pub(super) enum Incoming {
    /// The answer to a request of ours.
    Response { id: u64, result: Result<Value, RpcError> },
    /// A request to us; it waits for an answer under its id.
    Request { id: Value, method: String, params: Value },
    /// Something we are told.
    Notice { method: String, params: Value },
}

/// An error that the other end answers with.
#[derive(Debug, PartialEq)]
pub(super) struct RpcError {
    pub(super) code: i64,
    pub(super) message: String,
}

/// Why nothing more can be read or written.
#[derive(Debug, PartialEq)]
pub(super) enum Lost {
    /// The other end is gone.
    Closed,
    /// It sent something that is no message.
    Unreadable(String),
}

impl Peer {
    pub(super) fn new(
        stdout: Box<dyn AsyncRead + Send + Sync + Unpin>,
        stdin: Box<dyn AsyncWrite + Send + Sync + Unpin>,
    ) -> Self {
        Self {
            reader: BufReader::new(stdout),
            writer: stdin,
            line: Vec::new(),
            heard: 0,
            writing: false,
            last: 0,
        }
    }

    /// Whether a message of ours may have been cut short.
    pub(super) fn is_spoilt(&self) -> bool {
        self.writing
    }

    /// How many bytes came from the other end so far.
    pub(super) fn heard(&self) -> usize {
        self.heard
    }

    /// Sends a request and gives the id its answer will have.
    pub(super) async fn request(&mut self, method: &str, params: Value) -> Result<u64, Lost> {
        self.last += 1;
        let id = self.last;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await?;
        Ok(id)
    }

    pub(super) async fn notify(&mut self, method: &str, params: Value) -> Result<(), Lost> {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params })).await
    }

    pub(super) async fn answer(
        &mut self,
        id: Value,
        answer: Result<Value, RpcError>,
    ) -> Result<(), Lost> {
        self.send(match answer {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(error) => {
                let error = json!({ "code": error.code, "message": error.message });
                json!({ "jsonrpc": "2.0", "id": id, "error": error })
            }
        })
        .await
    }

    async fn send(&mut self, message: Value) -> Result<(), Lost> {
        let mut line = message.to_string();
        line.push('\n');
        self.writing = true;
        self.writer.write_all(line.as_bytes()).await.map_err(|_| Lost::Closed)?;
        self.writer.flush().await.map_err(|_| Lost::Closed)?;
        self.writing = false;
        Ok(())
    }

    /// The next message. Dropping this loses nothing.
    pub(super) async fn next(&mut self) -> Result<Incoming, Lost> {
        loop {
            let piece = self.reader.fill_buf().await.map_err(|_| Lost::Closed)?;
            if piece.is_empty() {
                return Err(Lost::Closed);
            }
            let end = piece.iter().position(|&byte| byte == b'\n');
            let taken = end.unwrap_or(piece.len());
            self.line.extend_from_slice(&piece[..taken]);
            let used = end.map_or(taken, |end| end + 1);
            self.reader.consume(used);
            self.heard += used;
            if self.line.len() > LONGEST {
                return Err(Lost::Unreadable(format!("a message of more than {LONGEST} bytes")));
            }
            if end.is_none() {
                continue;
            }
            let line = std::mem::take(&mut self.line);
            if !line.iter().all(u8::is_ascii_whitespace) {
                return read(&line);
            }
        }
    }
}

fn read(line: &[u8]) -> Result<Incoming, Lost> {
    let unreadable = || {
        let text = String::from_utf8_lossy(line);
        let quoted: String = text.trim().chars().take(QUOTED).collect();
        Lost::Unreadable(format!("{quoted:?}"))
    };
    let Ok(Value::Object(mut message)) = serde_json::from_slice(line) else {
        return Err(unreadable());
    };
    let mut take = |key: &str| message.remove(key);
    let (id, method, params) = (take("id"), take("method"), take("params"));
    let (result, error) = (take("result"), take("error"));
    let params = params.unwrap_or(Value::Null);
    match (method, id) {
        (Some(Value::String(method)), Some(id)) if !id.is_null() => {
            Ok(Incoming::Request { id, method, params })
        }
        (Some(Value::String(method)), None | Some(_)) => Ok(Incoming::Notice { method, params }),
        (None, Some(id)) => {
            let id = id.as_u64().ok_or_else(unreadable)?;
            let result = match error {
                Some(error) => Err(RpcError::read(&error)),
                None => Ok(result.unwrap_or(Value::Null)),
            };
            Ok(Incoming::Response { id, result })
        }
        (Some(_), _) | (None, None) => Err(unreadable()),
    }
}

impl RpcError {
    /// A request that can't be met, in words.
    pub(super) fn refused(message: impl Into<String>) -> Self {
        Self { code: -32603, message: message.into() }
    }

    /// A method that is not known here.
    pub(super) fn no_method(method: &str) -> Self {
        Self { code: -32601, message: format!("there is no method {method}") }
    }

    fn read(error: &Value) -> Self {
        let message = error["message"].as_str().unwrap_or("an error without words");
        // What lies behind "Internal error" is in the data.
        let data = &error["data"];
        let data = data.as_str().or(data["details"].as_str()).or(data["message"].as_str());
        let message = match data {
            Some(data) if !message.contains(data) => format!("{message}: {data}"),
            Some(_) | None => message.to_owned(),
        };
        Self { code: error["code"].as_i64().unwrap_or(0), message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn heard(text: &'static str) -> Vec<Result<Incoming, Lost>> {
        let mut peer = Peer::new(Box::new(text.as_bytes()), Box::new(tokio::io::sink()));
        let mut heard = Vec::new();
        loop {
            let next = peer.next().await;
            let last = next.is_err();
            heard.push(next);
            if last {
                return heard;
            }
        }
    }

    #[tokio::test]
    async fn each_kind_of_message_is_told_apart() {
        let text = "\n{\"id\":1,\"result\":{}}\n{\"id\":\"a\",\"method\":\"m\"}\n\
                    {\"method\":\"n\",\"params\":1}\n{\"id\":2,\"error\":{\"code\":-32000,\
                    \"message\":\"Internal error\",\"data\":{\"details\":\"no key\"}}}\n";
        let error = RpcError { code: -32000, message: "Internal error: no key".into() };
        let expected = [
            Ok(Incoming::Response { id: 1, result: Ok(json!({})) }),
            Ok(Incoming::Request { id: json!("a"), method: "m".into(), params: Value::Null }),
            Ok(Incoming::Notice { method: "n".into(), params: json!(1) }),
            Ok(Incoming::Response { id: 2, result: Err(error) }),
            Err(Lost::Closed),
        ];
        assert_eq!(heard(text).await, expected);
    }

    #[tokio::test]
    async fn what_is_no_message_is_quoted() {
        for text in ["hello\n", "[1]\n", "{}\n", "{\"id\":\"x\",\"result\":1}\n"] {
            let heard = heard(text).await;
            assert_eq!(heard, [Err(Lost::Unreadable(format!("{:?}", text.trim())))]);
        }
    }
}
