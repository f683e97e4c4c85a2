//! The fast model server, seen from its client.

mod client;

use client::Client;
use support::{Reply, sse_body, start_fast};

#[tokio::test]
async fn one_connection_carries_many_requests() {
    let replies = [sse_body(&Reply::text("even")), sse_body(&Reply::text("odd"))];
    let expected = replies.clone();
    let model = start_fast(move |number, _| replies[number as usize % 2].clone()).await;
    let mut client = Client::connect(&model.base_url()).await;
    for number in 0..5 {
        let answer = client.post("{}").await;
        assert_eq!((answer.status, answer.is_whole), (200, true));
        assert_eq!(answer.text().as_bytes(), expected[number % 2]);
    }
    assert_eq!(model.count(), 5);
}

#[tokio::test]
async fn the_reply_can_depend_on_the_raw_body() {
    let model = start_fast(|_, body| format!("{} bytes", body.len()).into()).await;
    let mut client = Client::connect(&model.base_url()).await;
    let large = "x".repeat(3 << 20);
    assert_eq!(client.post(&large).await.text(), "3145728 bytes");
    assert_eq!(client.post("").await.text(), "0 bytes");
}

#[tokio::test]
async fn requests_sent_ahead_are_answered_in_order() {
    let model = start_fast(|_, body| body.to_vec().into()).await;
    let mut client = Client::connect(&model.base_url()).await;
    client.send("first").await;
    client.send("second").await;
    assert_eq!(client.answer().await.text(), "first");
    assert_eq!(client.answer().await.text(), "second");
}

#[tokio::test]
async fn a_dropped_model_answers_no_more() {
    let model = start_fast(|_, _| "still here".into()).await;
    let mut client = Client::connect(&model.base_url()).await;
    client.post("{}").await;
    drop(model);
    assert!(client.piece().await.is_none());
}
