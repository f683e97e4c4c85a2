//! A client library that others wrote, npm's `eventsource`, follows a goal through a line that
//! breaks. `cargo xtask servers` installs it.

use super::{Desk, Play, graph};
use flow::OWNER;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::sidekick_complete;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;

const CUTS: usize = 5;
/// How long the test waits for the client before it says so.
const PATIENCE: Duration = Duration::from_secs(60);

/// How an event of a step begins, in the stream.
const NODE: &[u8] = b"event: node.";

/// A line to the API that is cut in the middle of the second event of a step that it passes on, as
/// often as it is to be.
struct Relay {
    address: SocketAddr,
    /// Where each connection wanted to go on.
    asked: Arc<Mutex<Vec<Option<String>>>>,
}

impl Relay {
    async fn to(api: SocketAddr) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("loopback has a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let asked = Arc::new(Mutex::new(Vec::new()));
        let record = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let server = TcpStream::connect(api).await.expect("the API listens");
                let Some(request) = head(&mut client).await else { continue };
                let cuts = {
                    let mut asked = record.lock().expect("nobody panics with it");
                    asked.push(last_event_id(&request));
                    asked.len() <= CUTS
                };
                pass(client, server, api, &request, cuts).await;
            }
        });
        Self { address, asked }
    }
}

/// A request up to its blank line.
async fn head(client: &mut TcpStream) -> Option<String> {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        request.push(client.read_u8().await.ok()?);
    }
    Some(String::from_utf8_lossy(&request).into_owned())
}

fn last_event_id(request: &str) -> Option<String> {
    request.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("last-event-id").then(|| value.trim().to_owned())
    })
}

/// Where an answer is cut: a little behind the beginning of its second event of a step.
fn cut(answer: &[u8]) -> Option<usize> {
    let begins = answer.windows(NODE.len()).enumerate().filter(|(_, part)| *part == NODE);
    let second = begins.map(|(at, _)| at).nth(1)?;
    Some(second + NODE.len() + 8).filter(|at| *at < answer.len())
}

/// Hands a request on, and its answer up to the cut.
async fn pass(
    mut client: TcpStream,
    mut server: TcpStream,
    api: SocketAddr,
    request: &str,
    cuts: bool,
) {
    // The API answers only to its own name.
    let own = client.local_addr().expect("it is connected").to_string();
    let request = request.replace(&own, &api.to_string());
    server.write_all(request.as_bytes()).await.expect("the API takes it");
    let (mut answer, mut passed) = (Vec::new(), 0);
    loop {
        match server.read_buf(&mut answer).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let end = cut(&answer).filter(|_| cuts);
        let until = end.unwrap_or(answer.len());
        if client.write_all(&answer[passed..until]).await.is_err() || end.is_some() {
            return;
        }
        passed = until;
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
async fn follow(url: &str, more: &[&str]) -> Vec<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/clients/follow.mjs");
    let mut client = Command::new("node");
    client.arg(script).arg(library()).args([url, OWNER]).args(more);
    client.stdout(Stdio::piped()).kill_on_drop(true);
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
    let heard = follow(&format!("http://{}{path}", relay.address), &[]).await;

    // The same as one who was never cut off.
    let all = desk.served.client.follow(&path, None).await.to_end().await;
    let told: Vec<Value> = all
        .into_iter()
        .map(|one| json!({ "name": one.name, "id": one.id, "data": one.data }))
        .collect();
    assert_eq!(heard, told);
    // Each time it went on from a later place, in the midst of the steps.
    let asked = relay.asked.lock().expect("nobody panics with it").clone();
    assert_eq!((asked.len(), &asked[0]), (CUTS + 1, &None));
    let place = |id: &Option<String>| {
        let id = id.as_ref().expect("it says where it was");
        told.iter().position(|one| one["id"] == *id).expect("it was there")
    };
    let places: Vec<usize> = asked[1..].iter().map(place).collect();
    assert!(places.is_sorted_by(|one, next| one < next), "{places:?}");
    let first_node = told.iter().position(|one| one["name"] == "node.started");
    assert!(places.iter().all(|place| Some(*place) >= first_node), "{places:?}");
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

#[tokio::test]
async fn it_comes_back_once_after_the_end_and_no_more() {
    let steps = json!([{ "id": "a", "text": "part 1" }]);
    let desk = Desk::with(Play::new(graph(steps))).await;
    let path = format!("/plans/{}/stream", desk.plan);
    let url = format!("http://{}{path}", desk.served.client.address);
    // Once while it runs or a little later, and once when it is over.
    for _ in 0..2 {
        let heard = follow(&url, &["--stay"]).await;
        let answers: Vec<&Value> =
            heard.iter().filter(|one| one["name"] == "answer").map(|one| &one["status"]).collect();
        assert_eq!(answers, [200, 204], "{heard:#?}");
        let told: Vec<Value> = heard.into_iter().filter(|one| one["name"] != "answer").collect();
        let all = desk.served.client.follow(&path, None).await.to_end().await;
        let all: Vec<Value> = all
            .into_iter()
            .map(|one| json!({ "name": one.name, "id": one.id, "data": one.data }))
            .collect();
        assert_eq!(told, all);
    }
}
