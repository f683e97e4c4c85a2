//! Who may call at all: a token, from this machine, not from a web page.

use crate::{Desk, refused};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[tokio::test]
async fn without_a_good_token_nothing_is_told() {
    let desk = Desk::with(vec![]).await;
    let none = desk.client().without("authorization");
    let paths = ["/v1/rooms", &desk.at(""), &desk.at("/stream"), "/v1/asks"];
    for path in paths {
        assert_eq!(none.get(path).await.refusal(), refused(401, "UNAUTHORIZED"), "{path}");
    }
    for given in [
        "Bearer another-token-0123456789",
        "Bearer ",
        "Bearer",
        "Basic owner-token-0123456789",
        "owner-token-0123456789",
        "Bearer owner-token-012345678",
        "Bearer owner-token-01234567890",
    ] {
        let client = desk.client().header("authorization", given);
        let answer = client.get("/v1/rooms").await;
        assert_eq!(answer.refusal(), refused(401, "UNAUTHORIZED"), "{given:?}");
        let wrong = given.starts_with("Bearer ") && given != "Bearer ";
        let words = answer.body["error"]["message"].as_str().unwrap();
        assert_eq!(words == "this token is not the right one", wrong, "{given:?}: {words}");
    }
    desk.client()
        .header("authorization", "bearer owner-token-0123456789")
        .get("/v1/rooms")
        .await
        .ok();
}

#[tokio::test]
async fn only_the_loopback_names_with_this_port_are_a_host() {
    let desk = Desk::with(vec![]).await;
    let port = desk.client().address.port();
    for host in [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("localhost.evil.example:{port}"),
        format!("0.0.0.0:{port}"),
        format!("192.168.1.1:{port}"),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1:{}", port.wrapping_add(1)),
        format!("user@127.0.0.1:{port}"),
    ] {
        let client = desk.client().header("host", &host);
        for path in ["/v1/rooms", "/openapi.json", "/nowhere"] {
            assert_eq!(client.get(path).await.refusal(), refused(403, "BAD_HOST"), "{host} {path}");
        }
    }
    for host in [format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")]
    {
        desk.client().header("host", &host).get("/v1/rooms").await.ok();
    }
}

#[tokio::test]
async fn web_pages_are_turned_away() {
    let desk = Desk::with(vec![]).await;
    let port = desk.client().address.port();
    for origin in [
        "null".to_owned(),
        "https://evil.example".to_owned(),
        format!("http://evil.example:{port}"),
        format!("http://127.0.0.1:{}", port.wrapping_add(1)),
        format!("https://127.0.0.1:{port}"),
        String::new(),
        "file://".to_owned(),
    ] {
        let client = desk.client().header("origin", &origin);
        let answer = client.get("/v1/rooms").await;
        assert_eq!(answer.refusal(), refused(403, "BAD_ORIGIN"), "{origin:?}");
    }
    for path in ["/v1/rooms", "/nowhere"] {
        let preflight = desk.client().header("access-control-request-method", "POST");
        let answer = preflight.send("OPTIONS", path, None).await;
        assert_eq!(answer.refusal(), refused(403, "NO_CORS"));
    }
    let own = desk.client().header("origin", &format!("http://127.0.0.1:{port}"));
    let response = own.open("GET", "/v1/rooms", None).await;
    assert_eq!(response.status().as_u16(), 200);
    let names: Vec<&str> = response.headers().keys().map(|name| name.as_str()).collect();
    assert!(!names.iter().any(|name| name.starts_with("access-control")), "{names:?}");
}

#[tokio::test]
async fn unknown_addresses_and_methods_are_refused_in_our_words() {
    let desk = Desk::with(vec![]).await;
    for path in ["/", "/v1", "/v1/rooms/", "/v2/rooms", "/nowhere", "/v1/rooms/a/b/c"] {
        let answer = desk.client().get(path).await;
        assert_eq!(answer.refusal(), refused(404, "NOT_FOUND"), "{path}");
    }
    for (method, path) in [
        ("DELETE", "/v1/rooms".to_owned()),
        ("PUT", desk.at("")),
        ("GET", desk.at("/plan/pause")),
        ("POST", desk.at("/plan")),
        ("POST", "/openapi.json".to_owned()),
        ("PATCH", "/v1/asks".to_owned()),
    ] {
        let answer = desk.client().send(method, &path, None).await;
        assert_eq!(answer.refusal(), refused(405, "METHOD_NOT_ALLOWED"), "{method} {path}");
        let response = desk.client().open(method, &path, None).await;
        assert!(response.headers().contains_key("allow"), "{method} {path} names what is allowed");
    }
}

/// The answer to a request that no client of ours would send.
async fn answered(desk: &Desk, line: &str, headers: &[(&str, String)]) -> String {
    let mut stream = TcpStream::connect(desk.client().address).await.expect("it listens");
    let mut request = format!("{line}\r\nconnection: close\r\n");
    for (name, value) in headers {
        request += &format!("{name}: {value}\r\n");
    }
    stream.write_all(format!("{request}\r\n").as_bytes()).await.expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("it answers");
    answer
}

#[tokio::test]
async fn a_request_names_its_host_its_origin_and_its_sender_once() {
    let desk = Desk::with(vec![]).await;
    let own = format!("127.0.0.1:{}", desk.client().address.port());
    let evil = "evil.example".to_owned();
    let bearer = format!("Bearer {}", flow::OWNER);
    let good = [("host", own.clone()), ("authorization", bearer.clone())];
    let get = "GET /v1/rooms HTTP/1.1";
    assert!(answered(&desk, get, &good).await.starts_with("HTTP/1.1 200"));
    let origin = format!("http://{own}");
    for twice in [
        ("host", evil.clone()),
        ("host", own.clone()),
        ("Host", evil.clone()),
        ("authorization", "Bearer x".to_owned()),
        ("origin", evil.clone()),
    ] {
        let mut headers = good.to_vec();
        headers.push(("origin", origin.clone()));
        for order in ["after", "before"] {
            match order {
                "after" => headers.push(twice.clone()),
                _ => headers.rotate_right(1),
            }
            let answer = answered(&desk, get, &headers).await;
            assert!(answer.starts_with("HTTP/1.1 400"), "{twice:?} {order}: {answer}");
            assert!(answer.contains("HEADER_TWICE"), "{twice:?} {order}: {answer}");
        }
    }
    let elsewhere = answered(&desk, "GET http://evil.example/v1/rooms HTTP/1.1", &good).await;
    assert!(elsewhere.contains("BAD_HOST"), "{elsewhere}");
}
