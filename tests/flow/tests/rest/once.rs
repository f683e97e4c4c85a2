//! `Idempotency-Key`: the same request sent twice is done once.

use crate::{Desk, refused};
use flow::Client;
use futures::future::join_all;
use serde_json::json;
use support::wait_for_some;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

fn with_key(client: &Client, key: &str) -> Client {
    client.header("idempotency-key", key)
}

#[tokio::test]
async fn the_same_request_twice_gives_one_answer_and_has_one_effect() {
    let desk = Desk::with(vec![]).await;
    let client = with_key(desk.client(), "first");
    let body = json!({ "text": "hello" });
    let first = client.post(&desk.at("/messages"), body.clone()).await;
    let second = client.post(&desk.at("/messages"), body.clone()).await;
    assert_eq!(first.status, 202);
    assert_eq!(first, second);
    assert_eq!(desk.house.count("said"), 1);

    let other = with_key(desk.client(), "second").post(&desk.at("/messages"), body).await;
    assert_ne!(other.body, first.body);
    assert_eq!(desk.house.count("said"), 2);
}

#[tokio::test]
async fn a_key_used_for_another_request_is_refused() {
    let desk = Desk::with(vec![]).await;
    let client = with_key(desk.client(), "one");
    client.post(&desk.at("/messages"), json!({ "text": "hello" })).await.ok();
    let other = client.post(&desk.at("/messages"), json!({ "text": "bye" })).await;
    assert_eq!(other.refusal(), refused(422, "IDEMPOTENCY_MISMATCH"));
    let elsewhere = client.post("/v1/rooms", json!({ "text": "hello" })).await;
    assert_eq!(elsewhere.refusal(), refused(422, "IDEMPOTENCY_MISMATCH"));
    assert_eq!(desk.house.count("said"), 1);
    for key in ["", &"k".repeat(201)] {
        let answer = with_key(desk.client(), key).press(&desk.at("/plan/pause")).await;
        assert_eq!(answer.refusal(), refused(400, "BAD_IDEMPOTENCY_KEY"));
    }
}

#[tokio::test]
async fn a_refusal_is_given_again_and_reading_takes_no_key() {
    let desk = Desk::with(vec![]).await;
    let client = with_key(desk.client(), "refused");
    let first = client.press(&desk.at("/plan/pause")).await;
    assert_eq!(first.refusal(), refused(404, "PLAN_NOT_FOUND"));
    assert_eq!(client.press(&desk.at("/plan/pause")).await, first);
    client.get("/v1/rooms").await.ok();
}

#[tokio::test]
async fn requests_at_the_same_moment_have_one_effect() {
    let desk = Desk::with(vec![]).await;
    let client = with_key(desk.client(), "at once");
    let path = desk.at("/messages");
    let sends = (0..12).map(|_| client.post(&path, json!({ "text": "hello" })));
    let answers = join_all(sends).await;
    let (taken, busy): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 202);
    assert!(!taken.is_empty());
    assert!(taken.iter().all(|answer| answer.body == taken[0].body));
    for answer in busy {
        assert_eq!(answer.refusal(), refused(409, "IN_PROGRESS"));
    }
    assert_eq!(desk.house.count("said"), 1);
}

#[tokio::test]
async fn a_client_that_hung_up_and_asks_again_is_answered_and_nothing_is_done_twice() {
    let desk = Desk::with(vec![]).await;
    let address = desk.client().address;
    for n in 1..=20 {
        let body = json!({ "text": format!("message {n}") });
        let text = body.to_string();
        let request = format!(
            "POST {} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {}\r\n\
             content-type: application/json\r\nidempotency-key: {n}\r\ncontent-length: {}\r\n\r\n{text}",
            desk.at("/messages"),
            flow::OWNER,
            text.len()
        );
        let mut connection = TcpStream::connect(address).await.unwrap();
        connection.write_all(request.as_bytes()).await.unwrap();
        desk.house
            .wait("message", |event| {
                matches!(event, plan::Event::Said { text, .. } if text.head() == format!("message {n}"))
            })
            .await;
        drop(connection);
        let client = with_key(desk.client(), &n.to_string());
        let answer = wait_for_some(
            async || {
                let answer = client.post(&desk.at("/messages"), body.clone()).await;
                (answer.status != 409).then_some(answer)
            },
            "an answer",
        )
        .await;
        assert_eq!(answer.status, 202);
        assert_eq!(desk.house.count("said"), n, "message {n} was said once");
    }
}
