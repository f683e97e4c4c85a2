//! Servers behind an address.

use crate::desk::{Desk, desk, until};
use crate::real::installed;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use tools::mcp::{Reach, Server, State};

/// The everything server on a port of its own; gone when dropped.
struct Far {
    child: Child,
    port: u16,
}

impl Far {
    async fn start() -> Self {
        let (_, file) = installed("npm/node_modules/.bin/mcp-server-everything");
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new("node");
        command.arg(file).arg("streamableHttp").env("PORT", port.to_string());
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let far = Self { child, port };
        until("it listens", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()).await;
        far
    }

    fn server(&self) -> Server {
        address(&format!("http://127.0.0.1:{}/mcp", self.port))
    }
}

impl Drop for Far {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn address(url: &str) -> Server {
    let headers = BTreeMap::from([("X-Team".to_owned(), "blue".to_owned())]);
    Server {
        name: "far".to_owned(),
        reach: Reach::Address { url: url.to_owned(), headers },
        share: false,
        trusted: false,
        effects: BTreeMap::new(),
    }
}

#[tokio::test]
async fn it_is_listed_called_and_heard() {
    let (far, desk) = (Far::start().await, desk());
    let server = far.server();
    assert_eq!(desk.says(&server, "echo", json!({ "message": "hi" })).await, "Echo: hi");
    let args = json!({ "duration": 0.2, "steps": 4 });
    desk.says(&server, "trigger-long-running-operation", args).await;
    assert!(!desk.ear.heard.lock().unwrap().is_empty());
    let said = desk.says(&server, "resources_list", json!({})).await;
    assert!(said.contains("demo://"), "{said}");
    desk.servers.end_all().await;
    assert!(desk.servers.health().is_empty());
}

#[tokio::test]
async fn a_call_is_cancelled_and_the_next_one_works() {
    let (far, mut desk) = (Far::start().await, desk());
    let server = far.server();
    let cancel = desk.limits.cancel.clone();
    {
        let args = json!({ "duration": 600, "steps": 6000 });
        let call = desk.call(&server, "trigger-long-running-operation", args);
        let stop = async {
            until("it has begun", || !desk.ear.heard.lock().unwrap().is_empty()).await;
            cancel.cancel();
        };
        let (ended, ()) = tokio::join!(call, stop);
        assert_eq!(ended.unwrap_err().code(), "CANCELLED");
    }
    desk.limits.cancel = Default::default();
    assert_eq!(desk.says(&server, "echo", json!({ "message": "on" })).await, "Echo: on");
}

#[tokio::test]
async fn one_that_went_away_is_told_and_found_again() {
    let (mut far, desk) = (Far::start().await, desk());
    let server = far.server();
    assert_eq!(desk.says(&server, "echo", json!({ "message": "1" })).await, "Echo: 1");
    far.child.kill().unwrap();
    far.child.wait().unwrap();
    let error = desk.list(&server).await.unwrap_err();
    assert!(["MCP_GONE", "MCP_NOT_STARTED", "TIMED_OUT"].contains(&error.code()), "{error}");
    let again = Far::start().await;
    let desk: Desk = desk;
    let said = desk.says(&again.server(), "echo", json!({ "message": "2" })).await;
    assert_eq!(said, "Echo: 2");
}

/// Answers every request with these words.
fn always(answer: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    port
}

#[tokio::test]
async fn one_that_wants_a_login_is_told_in_plain_words() {
    let port = always(
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer resource_metadata=\"http://127.0.0.1/x\"\r\n\
         Content-Length: 0\r\nConnection: close\r\n\r\n",
    );
    let desk = desk();
    let error = desk.list(&address(&format!("http://127.0.0.1:{port}/mcp"))).await.unwrap_err();
    assert_eq!(error.code(), "MCP_NEEDS_LOGIN");
    assert!(error.to_string().contains("Authorization"), "{error}");
    assert_eq!(desk.servers.health()[0].state, State::Resting);
}

#[tokio::test]
async fn an_address_with_nobody_there_is_told_in_words() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let desk = desk();
    let error = desk.list(&address(&format!("http://127.0.0.1:{free}/mcp"))).await.unwrap_err();
    assert_eq!(error.code(), "MCP_NOT_STARTED");
    assert!(error.to_string().contains(&free.to_string()), "{error}");
}

/// More than is read of one answer.
const MUCH: usize = 17 * 1024 * 1024;

/// How a server answers.
#[derive(Clone, Copy)]
enum By {
    /// In one event of a stream.
    Stream,
    /// In one body, whose length nobody is told.
    Body,
    /// The same, as an error.
    Failure,
    /// In one body, and after its first call it forgets the conversation.
    Forgetful,
}

/// What a server was told and asked.
type Heard = Arc<Mutex<Vec<Value>>>;

/// A server that forgets the first conversation after its first call. It notes calls that it knew.
fn forgetful() -> (u16, Heard) {
    talkative(By::Forgetful)
}

/// A server of four tools: one says little, one too much, one nothing, and one that it lives.
fn talkative(by: By) -> (u16, Heard) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let heard = Heard::default();
    let hears = Arc::clone(&heard);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let hears = Arc::clone(&hears);
            std::thread::spawn(move || talk(stream, by, &hears));
        }
    });
    (port, heard)
}

fn talk(mut stream: TcpStream, by: By, heard: &Heard) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let (mut head, mut length) = (String::new(), 0);
    while reader.read_line(&mut head).ok()? > 2 {
        let line = head.lines().next_back()?.to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
    let count =
        |method: &str| heard.lock().unwrap().iter().filter(|one| one["method"] == method).count();
    let forgets = matches!(by, By::Forgetful);
    if forgets && count("tools/call") > 0 && head.to_lowercase().contains("session-id: talk-1") {
        let answer = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        return stream.write_all(answer.as_bytes()).ok();
    }
    heard.lock().unwrap().push(asked.clone());
    let said = |text: String| json!({ "content": [{ "type": "text", "text": text }] });
    let result = match (asked["method"].as_str(), asked["params"]["name"].as_str()) {
        (Some("initialize"), _) => json!({
            "protocolVersion": asked["params"]["protocolVersion"], "capabilities": { "tools": {} },
            "serverInfo": { "name": "talkative", "version": "1" },
        }),
        (Some("tools/list"), _) => {
            let tool = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" } });
            let tools = ["little", "much", "never", "pings"].map(tool);
            json!({ "tools": tools })
        }
        // Until the other side hangs up.
        (Some("tools/call"), Some("never")) => {
            return reader.read_to_end(&mut Vec::new()).map(drop).ok();
        }
        (Some("tools/call"), Some("pings")) => {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
            stream.write_all(head.as_bytes()).ok()?;
            while stream.write_all(b": still here\n\n").is_ok() {
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            return None;
        }
        (Some("tools/call"), Some("much")) => said("x".repeat(MUCH)),
        (Some("tools/call"), _) => said("a little".to_owned()),
        _ => {
            let status = if asked.is_null() { "405 Method Not Allowed" } else { "202 Accepted" };
            let answer =
                format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            return stream.write_all(answer.as_bytes()).ok();
        }
    };
    let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result });
    let much = asked["params"]["name"] == "much";
    let (status, kind, answer) = match by {
        By::Stream => ("200 OK", "text/event-stream", format!("data: {answer}\n\n")),
        By::Failure if much => ("400 Bad Request", "application/json", answer.to_string()),
        By::Body | By::Failure | By::Forgetful => {
            ("200 OK", "application/json", answer.to_string())
        }
    };
    let session = match forgets && asked["method"] == "initialize" {
        true => format!("Mcp-Session-Id: talk-{}\r\n", count("initialize")),
        false => String::new(),
    };
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{session}Connection: close\r\n\r\n");
    stream.write_all(format!("{head}{answer}").as_bytes()).ok()
}

#[tokio::test]
async fn an_answer_that_is_too_long_is_told_and_the_next_call_works() {
    for by in [By::Stream, By::Body, By::Failure] {
        is_told(by).await;
    }
}

/// Nothing else ends what a server behind an address does.
#[tokio::test]
async fn one_that_is_cancelled_is_told_which_call() {
    let ((port, heard), desk) = (talkative(By::Body), desk());
    let server = address(&format!("http://127.0.0.1:{port}/mcp"));
    let find = |method: &str| {
        let heard = heard.lock().unwrap();
        heard.iter().find(|one| one["method"] == method).cloned()
    };
    let stop = async {
        until("it is called", || find("tools/call").is_some()).await;
        desk.limits.cancel.cancel();
    };
    let (ended, ()) = tokio::join!(desk.call(&server, "never", json!({})), stop);
    assert_eq!(ended.unwrap_err().code(), "CANCELLED");
    until("it is told", || find("notifications/cancelled").is_some()).await;
    let told = find("notifications/cancelled").unwrap();
    assert_eq!(told["params"]["requestId"], find("tools/call").unwrap()["id"]);
}

async fn is_told(by: By) {
    let ((port, _), desk) = (talkative(by), desk());
    let server = address(&format!("http://127.0.0.1:{port}/mcp"));
    assert_eq!(desk.says(&server, "little", json!({})).await, "a little");
    for _ in 0..3 {
        let error = desk.call(&server, "much", json!({})).await.unwrap_err();
        assert_eq!(error.code(), "MCP_TOO_LONG", "{error}");
        assert!(error.to_string().contains("ask for less"), "{error}");
        assert_eq!(desk.says(&server, "little", json!({})).await, "a little");
    }
    assert_eq!(desk.servers.health()[0].state, State::Running);
}

/// What is at an address may be anything; each has words that say what to do.
#[tokio::test]
async fn what_is_no_server_is_told_in_plain_words() {
    let page = "Content-Type: text/html\r\nConnection: close\r\n\r\n<!doctype html><p>hi";
    let nothing = "Content-Length: 0\r\nConnection: close\r\n\r\n";
    let text = "Content-Type: text/plain\r\nConnection: close\r\n\r\n";
    let rows = [
        (
            format!("200 OK\r\n{page}"),
            "MCP_NOT_STARTED",
            "did not start: it answers with a web page: check the address",
        ),
        (
            format!("404 Not Found\r\n{page}"),
            "MCP_NOT_STARTED",
            "did not start: it answers 404 Not Found with a web page: check the address",
        ),
        (
            format!("200 OK\r\n{text}hello"),
            "MCP_NOT_STARTED",
            "did not start: it answers with text/plain, which is no message of MCP: check the \
             address",
        ),
        (
            format!("302 Found\r\nLocation: https://u:p@other.example/mcp?key=k\r\n{nothing}"),
            "MCP_NOT_STARTED",
            "did not start: it leads to https://other.example/mcp, and nothing is sent there: if \
             you trust that address, set it in its place",
        ),
        (
            format!("308 Permanent Redirect\r\nLocation: /other\r\n{nothing}"),
            "MCP_NOT_STARTED",
            "did not start: it leads to http://HERE/other, and nothing is sent there: if you trust \
             that address, set it in its place",
        ),
        (
            format!("307 Temporary Redirect\r\n{nothing}"),
            "MCP_NOT_STARTED",
            "did not start: it leads elsewhere and does not say where: check the address",
        ),
        (
            format!("401 Unauthorized\r\n{nothing}"),
            "MCP_NEEDS_LOGIN",
            "wants a login: log in under Settings, MCP servers, or give it a token with `headers: \
             { Authorization: … }` if it takes one",
        ),
        (
            format!("400 Bad Request\r\n{text}\u{1b}[2J\u{0}\n\n\nbad"),
            "MCP_NOT_STARTED",
            "did not start: it answers 400 Bad Request: [2J bad",
        ),
        (
            format!("410 Gone\r\n{nothing}"),
            "MCP_NOT_STARTED",
            "did not start: it answers 410 Gone and nothing else",
        ),
    ];
    for (answer, code, words) in rows {
        let answer = format!("HTTP/1.1 {answer}");
        let (port, desk) = (always(answer.clone().leak()), desk());
        let server = address(&format!("http://127.0.0.1:{port}/mcp"));
        let error = desk.list(&server).await.unwrap_err();
        let told = error.to_string().replace(&format!("127.0.0.1:{port}"), "HERE");
        assert_eq!((told, error.code()), (format!("the server `far` {words}"), code), "{answer}");
        if code == "MCP_NEEDS_LOGIN" {
            let Err(error) = desk.servers.begin_login(&server).await else { panic!("it began") };
            assert_eq!(error.code(), "MCP_LOGIN_FAILED", "{error}");
        }
    }
}

/// Nothing with a key in it is sent to where a server leads.
#[tokio::test]
async fn a_redirect_is_not_followed() {
    let (other, heard) = talkative(By::Body);
    for status in ["301 Moved Permanently", "302 Found", "307 Temporary Redirect"] {
        let to = format!("http://127.0.0.1:{other}/mcp");
        let answer = format!(
            "HTTP/1.1 {status}\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
        let (port, desk) = (always(answer.leak()), desk());
        let error = desk.list(&address(&format!("http://127.0.0.1:{port}/mcp"))).await.unwrap_err();
        assert!(error.to_string().contains(&to), "{error}");
    }
    assert!(heard.lock().unwrap().is_empty());
}

/// A server that forgot the conversation is greeted again, and the call is made once.
#[tokio::test]
async fn one_that_forgot_the_session_is_greeted_again() {
    let ((port, heard), desk) = (forgetful(), desk());
    let server = address(&format!("http://127.0.0.1:{port}/mcp"));
    assert_eq!(desk.says(&server, "little", json!({})).await, "a little");
    assert_eq!(desk.says(&server, "little", json!({})).await, "a little");
    let count =
        |method: &str| heard.lock().unwrap().iter().filter(|one| one["method"] == method).count();
    assert_eq!((count("initialize"), count("tools/call")), (2, 2));
    assert_eq!(desk.servers.health()[0].state, State::Running);
}

/// Signs of life are no answer.
#[tokio::test]
async fn a_stream_without_an_answer_is_given_up_in_time() {
    let ((port, heard), mut desk) = (talkative(By::Stream), desk());
    let server = address(&format!("http://127.0.0.1:{port}/mcp"));
    assert_eq!(desk.says(&server, "little", json!({})).await, "a little");
    desk.limits.timeout = std::time::Duration::from_millis(500);
    let error = desk.call(&server, "pings", json!({})).await.unwrap_err();
    assert_eq!(error.code(), "TIMED_OUT", "{error}");
    let told =
        || heard.lock().unwrap().iter().any(|one| one["method"] == "notifications/cancelled");
    until("it is told", told).await;
}
