//! Servers behind an address.

use crate::desk::{Desk, desk, until};
use crate::real::installed;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
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
