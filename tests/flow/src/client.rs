//! The local API as a client sees it: requests with a token, answers as JSON.

use crate::Feed;
use engine::Engine;
use engine::config::Rights;
use engine::rest::{self, Clients, Token, Tokens};
use reqwest::{Method, Response};
use serde_json::Value;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The secret of the token that may do everything.
pub const OWNER: &str = "owner-token-0123456789";

/// A router on a free port of loopback; it stops when dropped.
pub struct Served {
    /// A client with every right.
    pub client: Client,
    /// How many are inside.
    pub clients: Clients,
    stop: CancellationToken,
    server: JoinHandle<()>,
}

impl Served {
    /// Serves an engine to its owner.
    pub async fn new(engine: &Engine) -> Self {
        Self::with_tokens(engine, &[]).await
    }

    /// The same, with more tokens: what each is called and what it may do; without that, what
    /// the settings say.
    /// The secret of `name` is `name-token-0123456789`.
    pub async fn with_tokens(engine: &Engine, more: &[(&str, Option<Rights>)]) -> Self {
        let token =
            |name: &str, rights| Token { name: name.to_owned(), secret: secret(name), rights };
        let mut tokens = vec![token("owner", Some(Rights::ALL))];
        tokens.extend(more.iter().map(|(name, rights)| token(name, *rights)));
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("loopback has a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let (clients, stop) = (Clients::default(), CancellationToken::new());
        let serving =
            rest::serve(engine.clone(), Tokens(tokens), listener, clients.clone(), stop.clone());
        let server = tokio::spawn(async move {
            serving.await.expect("it goes on serving after errors");
        });
        Self { client: Client::at(address, OWNER), clients, stop, server }
    }

    /// Closes it as the settings do; returns when nobody is inside.
    pub async fn close(&mut self) {
        self.stop.cancel();
        let _ = (&mut self.server).await;
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// The secret of a token made by [`Served::with_tokens`].
pub fn secret(name: &str) -> String {
    format!("{name}-token-0123456789")
}

/// Someone who calls the API.
#[derive(Clone)]
pub struct Client {
    /// Where it listens.
    pub address: SocketAddr,
    socket: Option<PathBuf>,
    headers: Vec<(String, String)>,
}

/// What came back.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The content type.
    pub content_type: String,
    /// The body: JSON, or a string when it is none.
    pub body: Value,
}

impl Client {
    /// A client with a token.
    pub fn at(address: SocketAddr, token: &str) -> Self {
        Self { address, socket: None, headers: Vec::new() }
            .header("authorization", &format!("Bearer {token}"))
    }

    /// A program of the person's own, without a token, on the socket of a data folder.
    pub fn on_socket(data: &Path) -> Self {
        let (address, socket) = (SocketAddr::from(([127, 0, 0, 1], 0)), data.join("plancard.sock"));
        Self { address, socket: Some(socket), headers: Vec::new() }
    }

    /// The same, once an engine is served there.
    pub fn of_person(engine: &Engine, data: &Path) -> Self {
        let listener = rest::socket::listen(data).expect("a socket can be made");
        let stop = CancellationToken::new();
        tokio::spawn(rest::serve_socket(engine.clone(), listener, stop));
        Self::on_socket(data)
    }

    /// The same client with another header, or another value of it.
    pub fn header(&self, name: &str, value: &str) -> Self {
        let mut client = self.without(name);
        client.headers.push((name.to_owned(), value.to_owned()));
        client
    }

    /// The same client without a header.
    pub fn without(&self, name: &str) -> Self {
        let mut client = self.clone();
        client.headers.retain(|(known, _)| known != name);
        client
    }

    /// Asks for something.
    pub async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, None).await
    }

    /// Sends JSON.
    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send("POST", path, Some(body.to_string())).await
    }

    /// Posts nothing.
    pub async fn press(&self, path: &str) -> Answer {
        self.send("POST", path, None).await
    }

    /// Sends a body as it is, as JSON unless a header says otherwise.
    pub async fn send(&self, method: &str, path: &str, body: Option<String>) -> Answer {
        let response = self.open(method, path, body).await;
        let status = response.status().as_u16();
        let content_type = response.headers().get("content-type");
        let content_type = content_type.and_then(|value| value.to_str().ok()).unwrap_or_default();
        let content_type = content_type.to_owned();
        let text = response.text().await.expect("the answer arrives whole");
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Answer { status, content_type, body }
    }

    /// Follows a stream, after an event or from the beginning.
    pub async fn follow(&self, path: &str, after: Option<&str>) -> Feed {
        let client = match after {
            Some(id) => self.header("last-event-id", id),
            None => self.clone(),
        };
        let response = client.open("GET", path, None).await;
        assert_eq!(response.status().as_u16(), 200, "{path} after {after:?}");
        Feed::of(response)
    }

    /// Sends a request and hands over the answer as it comes.
    pub async fn open(&self, method: &str, path: &str, body: Option<String>) -> Response {
        let method = Method::from_bytes(method.as_bytes()).expect("a method is a word");
        let url = format!("http://{}{path}", self.address);
        let http = match &self.socket {
            Some(socket) => models::http_builder().unix_socket(socket.as_path()).build(),
            None => Ok(models::http_client()),
        };
        let mut request = http.expect("a client can be made").request(method, url);
        let has_type = self.headers.iter().any(|(name, _)| name == "content-type");
        if body.is_some() && !has_type {
            request = request.header("content-type", "application/json");
        }
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        if let Some(body) = body {
            request = request.body(body);
        }
        request.send().await.expect("the API answers")
    }
}

impl Answer {
    /// The body of a good answer.
    pub fn ok(self) -> Value {
        assert!((200..300).contains(&self.status), "{self:?}");
        self.body
    }

    /// The status and code of a bad answer, which has the one shape that errors have.
    pub fn refusal(&self) -> (u16, String) {
        let error = &self.body["error"];
        let code = error["code"].as_str().unwrap_or_else(|| panic!("no code in {self:?}"));
        assert!(error["message"].as_str().is_some_and(|words| !words.is_empty()), "{self:?}");
        assert_eq!(self.content_type, "application/json", "{self:?}");
        (self.status, code.to_owned())
    }
}
