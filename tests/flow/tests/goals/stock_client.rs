//! A client library that others wrote, npm's `eventsource`, follows a goal through a line that
//! breaks. `cargo xtask servers` installs it.

use super::{Desk, Play, graph};
use flow::OWNER;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use support::sidekick_complete;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;

const CUTS: usize = 5;
/// How long the test waits for the client before it says so.
const PATIENCE: Duration = Duration::from_secs(60);

/// A line to the API that is cut after so many bytes, as often as it is to be.
struct Relay {
    address: SocketAddr,
    cuts: Arc<AtomicUsize>,
}

impl Relay {
    async fn to(api: SocketAddr) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("loopback has a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let cuts = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&cuts);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(api).await.expect("the API listens");
                // Each time somewhere else, in the middle of an event.
                let cut = counted.load(Ordering::SeqCst);
                let most = if cut < CUTS { 700 + 331 * cut } else { usize::MAX };
                pass(client, server, api, most).await;
                counted.fetch_add(usize::from(cut < CUTS), Ordering::SeqCst);
            }
        });
        Self { address, cuts }
    }
}

/// Hands a request on, and so many bytes of its answer.
async fn pass(mut client: TcpStream, mut server: TcpStream, api: SocketAddr, most: usize) {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        let Ok(byte) = client.read_u8().await else { return };
        request.push(byte);
    }
    // The API answers only to its own name.
    let own = client.local_addr().expect("it is connected").to_string();
    let request = String::from_utf8_lossy(&request).replace(&own, &api.to_string());
    server.write_all(request.as_bytes()).await.expect("the API takes it");
    let (mut left, mut bytes) = (most, [0; 256]);
    while left > 0 {
        let room = left.min(bytes.len());
        match server.read(&mut bytes[..room]).await {
            Ok(0) | Err(_) => return,
            Ok(read) => {
                left -= read;
                if client.write_all(&bytes[..read]).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// Where the library was installed, beside this test's build.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows where it is");
    let target = test.ancestors().nth(3).expect("a build is in the target folder");
    let folder = target.join("mcp-servers/clients");
    assert!(folder.join("node_modules/eventsource").exists(), "run `cargo xtask servers` first");
    folder
}

/// What the client prints, from its start to its end.
async fn follow(url: &str) -> Vec<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/clients/follow.mjs");
    let mut client = Command::new("node");
    client.arg(script).arg(library()).args([url, OWNER]).stdout(Stdio::piped()).kill_on_drop(true);
    let mut client = client.spawn().expect("node can be started");
    let mut lines = BufReader::new(client.stdout.take().expect("its output is ours")).lines();
    let mut heard = Vec::new();
    let reading = async {
        while let Some(line) = lines.next_line().await.expect("its output is text") {
            heard.push(serde_json::from_str(&line).expect("a line is JSON"));
        }
    };
    let ended = tokio::time::timeout(PATIENCE, reading).await;
    ended.unwrap_or_else(|_| panic!("the client did not end; it heard {heard:#?}"));
    heard
}

#[tokio::test]
async fn it_is_cut_off_five_times_and_misses_nothing() {
    let steps: Vec<Value> = (0..12_u32)
        .map(|n| {
            let needs: Vec<String> =
                n.checked_sub(3).map(|need| format!("n{need}")).into_iter().collect();
            json!({ "id": format!("n{n}"), "text": format!("part {n}"), "needs": needs })
        })
        .collect();
    let play = Play::new(graph(json!(steps))).node(|name, _| {
        sidekick_complete(&format!("{name} is done")).delay(Duration::from_millis(600))
    });
    let desk = Desk::with(play).await;
    let relay = Relay::to(desk.served.client.address).await;
    let path = format!("/plans/{}/stream", desk.plan);
    let heard = follow(&format!("http://{}{path}", relay.address)).await;
    assert_eq!(relay.cuts.load(Ordering::SeqCst), CUTS);

    // The same as one who was never cut off.
    let all = desk.served.client.follow(&path, None).await.to_end().await;
    let told: Vec<Value> = all
        .into_iter()
        .map(|one| json!({ "name": one.name, "id": one.id, "data": one.data }))
        .collect();
    assert_eq!(heard, told);
    let count = |name: &str| heard.iter().filter(|one| one["name"] == name).count();
    assert_eq!(
        (count("node.started"), count("node.completed"), count("plan.completed")),
        (12, 12, 1)
    );
    let last = heard.last().expect("it heard something");
    assert_eq!(
        (&last["name"], &last["data"]["status"]),
        (&json!("plan.completed"), &json!("complete"))
    );
    let first = heard.iter().find(|one| one["name"] == "node.started").expect("a node began");
    assert_eq!(first["data"], json!({ "nodeId": "n0", "agentId": "default", "task": "part 0" }));
}
