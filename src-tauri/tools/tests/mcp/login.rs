//! Servers that want a login.

use crate::desk::{Kept, desk_with};
use crate::http::address;
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use tempfile::TempDir;
use tools::mcp::Server;

/// A server with its place to log in; gone when dropped.
struct Guarded {
    child: Child,
    folder: TempDir,
    server: Server,
}

impl Guarded {
    fn start() -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/support/mcp/login.py");
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("python3");
        command.arg(script.canonicalize().unwrap()).current_dir(folder.path());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        let server = address(&format!("http://127.0.0.1:{}/mcp", port.trim()));
        Self { child, folder, server }
    }

    fn put(&self, name: &str) {
        std::fs::write(self.folder.path().join(name), "").unwrap();
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a browser does: goes to the page, and back where the page sends it.
async fn visit(page: &str) -> (String, String) {
    let browser = models::http_client();
    let sent = browser.get(page).send().await.unwrap();
    let back = sent.headers()["location"].to_str().unwrap().to_owned();
    let said = browser.get(&back).send().await.unwrap().text().await.unwrap();
    (back, said)
}

#[tokio::test]
async fn a_person_logs_in_once_and_it_holds_after_a_restart() {
    let (guarded, kept) = (Guarded::start(), Arc::new(Kept::default()));
    let server = &guarded.server;
    let desk = desk_with(Arc::clone(&kept));
    assert_eq!(desk.list(server).await.unwrap_err().code(), "MCP_NEEDS_LOGIN");
    let login = desk.servers.begin_login(server).await.unwrap();
    let page = login.page().to_owned();
    let (finished, (_, said)) = tokio::join!(login.finish(), visit(&page));
    finished.unwrap();
    assert!(said.contains("You are logged in"), "{said}");
    desk.servers.logged_in(server, None).await;
    assert_eq!(desk.says(server, "who", json!({})).await, "you are welcome");
    assert!(kept.0.lock().unwrap().values().next().unwrap().contains("token-1"));

    let later = desk_with(Arc::clone(&kept));
    assert_eq!(later.says(server, "who", json!({})).await, "you are welcome");
    guarded.put("revoked");
    assert_eq!(later.says(server, "who", json!({})).await, "you are welcome", "by a new token");
    assert!(kept.0.lock().unwrap().values().next().unwrap().contains("token-2"));

    later.servers.log_out(server).await;
    assert!(kept.0.lock().unwrap().is_empty());
    assert_eq!(later.list(server).await.unwrap_err().code(), "MCP_NEEDS_LOGIN");
}

#[tokio::test]
async fn a_no_is_told_in_the_servers_words() {
    let (guarded, kept) = (Guarded::start(), Arc::new(Kept::default()));
    let desk = desk_with(Arc::clone(&kept));
    guarded.put("deny");
    let login = desk.servers.begin_login(&guarded.server).await.unwrap();
    let page = login.page().to_owned();
    let (finished, (_, said)) = tokio::join!(login.finish(), visit(&page));
    let error = finished.unwrap_err();
    assert_eq!(error.code(), "MCP_LOGIN_FAILED");
    assert!(error.to_string().contains("They said no"), "{error}");
    assert!(said.contains("did not log in"), "{said}");
    assert!(kept.0.lock().unwrap().is_empty());
}

#[tokio::test]
async fn who_was_not_sent_out_does_not_come_in() {
    let (guarded, kept) = (Guarded::start(), Arc::new(Kept::default()));
    let desk = desk_with(Arc::clone(&kept));
    let login = desk.servers.begin_login(&guarded.server).await.unwrap();
    let page = login.page().to_owned();
    let knocks = async {
        let browser = models::http_client();
        let sent = browser.get(&page).send().await.unwrap();
        let back = sent.headers()["location"].to_str().unwrap().to_owned();
        let door = back.split_once('?').unwrap().0.to_owned();
        let mut answers = Vec::new();
        for knock in [
            format!("{door}?code=the-code&state=guessed"),
            format!("{door}?code=the-code"),
            door.replace("/back", "/favicon.ico"),
            back,
        ] {
            answers.push(browser.get(knock).send().await.unwrap().status().as_u16());
        }
        answers
    };
    let (finished, answers) = tokio::join!(login.finish(), knocks);
    finished.unwrap();
    assert_eq!(answers, [400, 400, 404, 200]);
}

#[tokio::test]
async fn a_server_that_does_not_say_where_is_told_so() {
    let (guarded, kept) = (Guarded::start(), Arc::new(Kept::default()));
    let desk = desk_with(kept);
    let elsewhere = address("http://127.0.0.1:1/mcp");
    for server in [&elsewhere, &crate::desk::program("p", "true", &[], &[])] {
        let Err(error) = desk.servers.begin_login(server).await else { panic!("it began") };
        assert_eq!(error.code(), "MCP_LOGIN_FAILED", "{error}");
    }
    drop(guarded);
}
