//! Commands that were granted hosts: a proxy, and nothing beside it.

use crate::support::{Desk, desk, until};
use crate::web::{Web, ok};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use tools::{Effect, Output, Target};

async fn web() -> Web {
    Web::serve(|path| ok("text/plain", &format!("hello from {path}\n"))).await
}

async fn granted(desk: &Desk, hosts: &[String], command: &str) -> Output {
    desk.run("shell", json!({ "command": command, "network": hosts })).await.unwrap()
}

#[tokio::test]
async fn a_granted_host_is_reached_by_request_and_by_connection() {
    let web = web().await;
    let mut desk = desk();
    let host = format!("127.0.0.1:{}", web.port);
    desk.ctx.private_hosts = Arc::new([host.clone()]);
    let hosts = [host.clone()];
    let plain = granted(&desk, &hosts, &format!("curl -sS http://{host}/a")).await;
    assert_eq!(plain.text, "hello from /a\n");
    let tunnel = granted(&desk, &hosts, &format!("curl -sSp http://{host}/b")).await;
    assert_eq!(tunnel.text, "hello from /b\n");
    let inside = granted(&desk, &hosts, "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '").await;
    assert_eq!(inside.text, "lo\n", "there is still no other way");
    assert!(web.seen().iter().all(|head| !head.to_lowercase().contains("proxy-")));
}

/// Many sites live at one address, and a grant is for one of them.
#[tokio::test]
async fn a_granted_address_is_not_asked_for_another_site() {
    let web = web().await;
    let mut desk = desk();
    let host = format!("127.0.0.1:{}", web.port);
    desk.ctx.private_hosts = Arc::new([host.clone()]);
    let curl = format!("curl -sS -H 'Host: evil.example' http://{host}/a");
    assert_eq!(granted(&desk, std::slice::from_ref(&host), &curl).await.text, "hello from /a\n");
    let seen = web.seen().concat().to_lowercase();
    assert!(seen.contains(&format!("host: {host}")) && !seen.contains("evil"), "{seen}");
}

/// A person may list a port of this computer, but not the one they supervise by.
#[tokio::test]
async fn the_apps_own_port_is_out_of_reach_though_listed_and_granted() {
    let web = web().await;
    let mut desk = desk();
    let host = format!("127.0.0.1:{}", web.port);
    desk.ctx.private_hosts = Arc::new([host.clone()]);
    let _held = tools::off_limits(web.port);
    let curl = format!("curl -sS http://{host}/a; curl -sSp http://{host}/b");
    let output = granted(&desk, std::slice::from_ref(&host), &curl).await;
    assert!(output.text.contains("the app's own API"), "{}", output.text);
    assert_eq!(desk.fails("fetch", json!({ "url": format!("http://{host}/") })).await, "OWN_API");
    let to = format!("HTTP/1.1 302 Found\r\nLocation: http://{host}/\r\nConnection: close\r\n\r\n");
    let other = Web::serve(move |_| to.clone()).await;
    let listed = format!("127.0.0.1:{}", other.port);
    desk.ctx.private_hosts = Arc::new([host, listed.clone()]);
    let led = desk.run("fetch", json!({ "url": format!("http://{listed}/") })).await.unwrap();
    assert!(led.text.starts_with("(it leads to"), "{}", led.text);
    assert!(web.seen().is_empty());
}

#[tokio::test]
async fn what_was_not_granted_is_refused_in_words() {
    let web = web().await;
    let mut desk = desk();
    let port = web.port;
    desk.ctx.private_hosts = Arc::new([format!("127.0.0.1:{port}")]);
    let hosts = ["a.example".to_owned()];
    let curl = format!("curl -sS http://127.0.0.1:{port}/; curl -sSp http://127.0.0.1:{port}/");
    let output = granted(&desk, &hosts, &curl).await;
    assert!(output.text.contains(&format!("127.0.0.1:{port} was not granted")), "{}", output.text);
    assert!(output.failed && web.seen().is_empty());
}

/// Also when a host is granted, this computer is not reached: not by its
/// names, not past the proxy, and our own API least of all.
#[tokio::test]
async fn loopback_and_private_addresses_are_refused_though_granted() {
    let web = web().await;
    let desk = desk();
    let port = web.port;
    for host in ["127.0.0.1", "localhost", "[::1]", "0.0.0.0"] {
        let hosts = [format!("{host}:{port}")];
        let curl = format!("curl -sS 'http://{host}:{port}/'; curl -sSp 'http://{host}:{port}/'");
        let output = granted(&desk, &hosts, &curl).await;
        assert!(output.text.contains("this computer or on its own network"), "{}", output.text);
        assert!(output.failed, "{host}");
    }
    let hosts = ["169.254.169.254".to_owned(), "10.0.0.1".to_owned()];
    for address in &hosts {
        let output = granted(&desk, &hosts, &format!("curl -sSf http://{address}/")).await;
        assert!(output.failed, "{address}");
    }
    let past = format!("curl -sS --noproxy '*' --max-time 5 http://127.0.0.1:{port}/");
    assert!(granted(&desk, &hosts, &past).await.failed);
    assert!(web.seen().is_empty());
}

/// A listed host without a port is a neighbour and never this computer.
#[tokio::test]
async fn this_computer_is_not_reached_by_its_address_in_the_network() {
    // Nothing is sent: only the way there is looked for.
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").unwrap();
    socket.connect("203.0.113.9:9").expect("this test needs a computer that is in a network");
    let own = socket.local_addr().unwrap().ip();
    assert!(!own.is_loopback(), "{own}");
    let local = TcpListener::bind((own, 0)).unwrap();
    let mut desk = desk();
    desk.ctx.private_hosts = Arc::new([own.to_string()]);
    let host = format!("{own}:{}", local.local_addr().unwrap().port());
    let url = format!("http://{host}/");
    assert_eq!(desk.fails("fetch", json!({ "url": url })).await, "PRIVATE_HOST");
    let output = granted(&desk, &[host], &format!("curl -sSf {url}")).await;
    assert!(output.failed, "{}", output.text);
    local.set_nonblocking(true).unwrap();
    assert!(local.accept().is_err(), "nobody came");
}

#[tokio::test]
async fn without_a_grant_there_is_no_way_out() {
    let web = web().await;
    let desk = desk();
    for command in [
        format!("curl -sS --max-time 5 http://127.0.0.1:{}/", web.port),
        "curl -sS --max-time 5 http://1.1.1.1/".to_owned(),
        "getent hosts example.com".to_owned(),
    ] {
        assert!(desk.shell(&command).await.failed, "{command}");
    }
    assert!(web.seen().is_empty());
}

#[tokio::test]
async fn hosts_make_a_call_one_of_the_network() {
    let desk = desk();
    let facts = desk.facts("shell", json!({"command": "ls", "network": ["a.example"]})).unwrap();
    assert_eq!(facts.effect, Effect::Network);
    assert!(facts.targets.contains(&Target::Host { host: "a.example".into() }));
}

/// A connection that is open when the command ends does not stay open.
#[tokio::test]
async fn connections_end_with_the_command() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = format!("127.0.0.1:{}", listener.local_addr().unwrap().port());
    let mut desk = desk();
    desk.ctx.private_hosts = Arc::new([host.clone()]);
    let held = tokio::task::spawn_blocking(move || {
        let (mut stream, _) = listener.accept().unwrap();
        // Returns when the other side is closed.
        std::io::copy(&mut stream, &mut std::io::sink())
    });
    let command = format!(
        "(curl -sSp http://{host}/ &) ; until ls -l /proc/*/fd 2>/dev/null | grep -q socket; do :; done; sleep 0.3"
    );
    granted(&desk, &[host], &command).await;
    until("the connection is closed", || held.is_finished()).await;
}

/// A server that answers all it is sent on one connection, whatever it was told about the next
/// request. Gives back all that it was sent.
fn talkative() -> (u16, std::thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let serving = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let (mut sent, mut piece) = (Vec::new(), [0; 4096]);
        while let Ok(count) = stream.read(&mut piece)
            && count > 0
        {
            sent.extend_from_slice(&piece[..count]);
            let waits = sent.windows(12).any(|word| word == b"100-continue");
            let answer: &[u8] = match sent.ends_with(b"\r\n\r\n") {
                true if waits => b"HTTP/1.1 100 Continue\r\n\r\n",
                ended if ended || sent.ends_with(b"body") => {
                    b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nyes"
                }
                _ => continue,
            };
            let _ = stream.write_all(answer);
        }
        String::from_utf8(sent).unwrap()
    });
    (port, serving)
}

/// What comes after the first request on a connection is judged like it, so it goes nowhere.
#[tokio::test(flavor = "multi_thread")]
async fn no_second_request_is_smuggled_behind_the_first() {
    let second = "GET /evil HTTP/1.1\\r\\nHost: evil.example\\r\\n\\r\\n";
    for (headers, body) in [
        ("", ""),
        ("Content-Length: 4\\r\\n", "body"),
        ("Transfer-Encoding: chunked\\r\\n", "4\\r\\nbody\\r\\n0\\r\\n\\r\\n"),
        ("Upgrade: websocket\\r\\nConnection: Upgrade, keep-alive\\r\\n", ""),
    ] {
        for at_once in [true, false] {
            let (port, serving) = talkative();
            let mut desk = desk();
            let host = format!("127.0.0.1:{port}");
            desk.ctx.private_hosts = Arc::new([host.clone()]);
            let first = format!("POST http://{host}/a HTTP/1.1\\r\\n{headers}\\r\\n{body}");
            let (begin, after) = match at_once {
                true => (format!("{first}{second}"), String::new()),
                false => (first, second.to_owned()),
            };
            desk.put(
                "ask.py",
                format!(
                    "import os, socket\n\
                     way = os.environ['http_proxy'].removeprefix('http://').split(':')\n\
                     s = socket.create_connection((way[0], int(way[1])))\n\
                     s.sendall(b'{begin}')\n\
                     said = b''\n\
                     while not said.endswith(b'yes'): said += s.recv(100) or exit('closed')\n\
                     s.sendall(b'{after}')\n\
                     s.shutdown(socket.SHUT_WR)\n\
                     s.settimeout(0.3)\n\
                     try: print('then', s.recv(100))\n\
                     except OSError: print('then nothing')\n"
                ),
            );
            let output = granted(&desk, &[host], "python3 ask.py").await;
            let sent = serving.join().unwrap();
            assert!(!output.failed, "{headers}: {}", output.text);
            assert!(sent.starts_with("POST /a HTTP/1.1\r\n") && !sent.contains("evil"), "{sent}");
            assert!(sent.contains("Connection: close") && !sent.contains("pgrade"), "{sent}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_sent_with_a_request_arrives() {
    for how in ["", "-H 'Transfer-Encoding: chunked' ", "-H 'Expect: 100-continue' "] {
        let (port, serving) = talkative();
        let mut desk = desk();
        let host = format!("127.0.0.1:{port}");
        desk.ctx.private_hosts = Arc::new([host.clone()]);
        let curl = format!("curl -sS --max-time 20 {how}-d 'a long body' http://{host}/a");
        let output = granted(&desk, &[host], &curl).await;
        assert_eq!(output.text, "yes", "{how}");
        let sent = serving.join().unwrap();
        assert!(sent.contains("a long body"), "{how}: {sent}");
    }
}

/// Opens many tunnels at once, waits until as many are open as may be, and that no other is; then
/// closes one for each that comes.
const TUNNELS: &str = r#"
import os, select, socket
host, port = os.environ["http_proxy"].split("//")[1].rstrip("/").split(":")
goal = os.environ["GOAL"].encode()
waiting, opened, all = [], [], 0
for _ in range(100):
    tunnel = socket.create_connection((host, int(port)))
    tunnel.sendall(b"CONNECT " + goal + b" HTTP/1.1\r\nHost: " + goal + b"\r\n\r\n")
    waiting.append(tunnel)
def more(patience):
    global all
    for tunnel in select.select(waiting, [], [], patience)[0]:
        assert b" 200 " in tunnel.recv(4096)
        waiting.remove(tunnel)
        opened.append(tunnel)
        all += 1
while len(opened) < 64:
    more(None)
more(0.3)
print("at once", len(opened))
while waiting:
    opened.pop().close()
    more(None)
print("in all", all)
"#;

#[tokio::test]
async fn of_too_many_connections_the_rest_wait_their_turn() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = format!("127.0.0.1:{}", listener.local_addr().unwrap().port());
    std::thread::spawn(move || {
        // Held as long as the other end is.
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || (&stream).read_to_end(&mut Vec::new()));
        }
    });
    let mut desk = desk();
    desk.ctx.private_hosts = Arc::new([host.clone()]);
    desk.put("tunnels.py", TUNNELS);
    let run = format!("GOAL={host} python3 tunnels.py");
    let output = granted(&desk, std::slice::from_ref(&host), &run).await;
    assert_eq!(output.text, "at once 64\nin all 100\n");
}
