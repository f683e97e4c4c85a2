//! The scripted model server, seen from its client.

mod client;

use std::time::{Duration, Instant};

use client::Client;
use serde_json::{Value, json};
use support::{
    Ending, Reply, Script, ScriptedModel, plan_write, plan_write_with, sse_body, step_done,
    wait_for,
};

const HELLO: &str = r#"{"model":"small","messages":[{"role":"user","content":"hello"}]}"#;

async fn scripted(replies: Vec<Reply>) -> (ScriptedModel, Client) {
    let model = ScriptedModel::start(replies).await;
    let client = Client::connect(&model.base_url()).await;
    (model, client)
}

#[tokio::test]
async fn replies_are_streams_and_requests_are_kept() {
    let (model, mut client) = scripted(vec![Reply::text("one"), Reply::text("two")]).await;
    let first = client.post(HELLO).await;
    assert_eq!((first.status, first.is_whole), (200, true));
    assert_eq!(first.text().as_bytes(), sse_body(&Reply::text("one")));
    assert!(first.headers.contains(&"content-type: text/event-stream".into()));

    client
        .post(
            &json!({
                "model": "large",
                "messages": [
                    { "role": "system", "content": "be brief" },
                    { "role": "tool", "tool_call_id": "call_0_0", "content": "42" },
                ],
                "tools": [{ "type": "function", "function": { "name": "plan" } }],
            })
            .to_string(),
        )
        .await;
    let requests = model.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].body(), HELLO);
    assert_eq!(requests[0].header("Authorization"), Some("Bearer key"));
    assert_eq!(requests[0].texts("user"), ["hello"]);
    assert_eq!(requests[0].ended().await, Ending::Whole);
    assert_eq!((requests[1].number(), requests[1].model()), (1, "large"));
    assert_eq!(requests[1].tool_names(), ["plan"]);
    assert_eq!(requests[1].tool_results(), ["42"]);
    assert!(requests[0].received() <= requests[1].received());
}

#[tokio::test]
async fn a_request_can_be_waited_for() {
    let (model, mut client) = scripted(vec![]).await;
    let (request, answer) = tokio::join!(model.request(0), client.post(HELLO));
    assert_eq!(request.model(), "small");
    assert_eq!(answer.text().as_bytes(), sse_body(&Reply::text("")));
}

#[tokio::test]
async fn a_held_reply_is_open_until_released() {
    let (model, mut client) = scripted(vec![Reply::text("later")]).await;
    model.hold();
    client.send(HELLO).await;
    assert_eq!(client.head().await.status, 200);
    let opening = client.piece().await.unwrap();
    assert!(String::from_utf8(opening).unwrap().contains("assistant"));
    assert_eq!(model.request(0).await.ending(), Ending::Open);

    model.release();
    assert_eq!(model.request(0).await.ended().await, Ending::Whole);
}

#[tokio::test]
async fn a_reply_held_in_its_middle_ignores_earlier_releases() {
    let (model, mut client) = scripted(vec![Reply::text("one two").hold_after(2)]).await;
    model.release();
    client.send(HELLO).await;
    client.head().await;
    client.piece().await.unwrap();
    let word = client.piece().await.unwrap();
    assert!(String::from_utf8(word).unwrap().contains("one "));
    assert_eq!(model.request(0).await.ending(), Ending::Open);

    model.release();
    assert_eq!(model.request(0).await.ended().await, Ending::Whole);
}

#[tokio::test]
async fn hanging_up_on_an_open_stream_is_seen() {
    let (model, mut client) = scripted(vec![Reply::text("never")]).await;
    model.hold();
    client.send(HELLO).await;
    client.head().await;
    drop(client);
    let request = model.request(0).await;
    assert_eq!(request.ended().await, Ending::Dropped);
    assert!(request.dropped());
    assert_eq!(model.disconnects(), 1);
}

#[tokio::test]
async fn hanging_up_before_the_first_byte_is_seen() {
    let slow = Reply::text("never").delay(Duration::from_secs(3600));
    let (model, mut client) = scripted(vec![slow]).await;
    client.send(HELLO).await;
    let request = model.request(0).await;
    drop(client);
    assert_eq!(request.ended().await, Ending::Dropped);
}

#[tokio::test]
async fn a_cut_stream_ends_in_the_middle_of_a_byte_count() {
    let (model, mut client) = scripted(vec![Reply::text("one two three").cut_after(500)]).await;
    let answer = client.post(HELLO).await;
    assert!(!answer.is_whole);
    assert_eq!(answer.text().len(), 500);
    assert_eq!(model.request(0).await.ended().await, Ending::Cut);
    assert_eq!(model.disconnects(), 0);
}

#[tokio::test]
async fn pieces_have_the_size_asked_for() {
    let reply = Reply::text("größer").chunked(3);
    let (_model, mut client) = scripted(vec![reply.clone()]).await;
    let answer = client.post(HELLO).await;
    assert!(answer.is_whole);
    assert!(answer.pieces.iter().all(|piece| piece.len() <= 3));
    assert_eq!(answer.text().as_bytes(), sse_body(&reply));
}

#[tokio::test]
async fn an_error_answer_has_its_status_body_and_headers() {
    let refusal = Reply::status(429, r#"{"error":"slow"}"#, &[("retry-after", "7")]);
    let (_model, mut client) = scripted(vec![refusal, Reply::text("now")]).await;
    let answer = client.post(HELLO).await;
    assert_eq!(answer.status, 429);
    assert_eq!(answer.text(), r#"{"error":"slow"}"#);
    assert!(answer.headers.contains(&"retry-after: 7".into()));
    assert_eq!(client.post(HELLO).await.status, 200);
}

#[tokio::test]
async fn a_delay_comes_before_the_answer() {
    let wait = Duration::from_millis(30);
    let (_model, mut client) = scripted(vec![Reply::text("late").delay(wait)]).await;
    let begun = Instant::now();
    client.post(HELLO).await;
    assert!(begun.elapsed() >= wait);
}

#[tokio::test]
async fn a_script_can_be_a_function_of_the_request() {
    let echo = Script::from_fn(|request| Reply::text(request.texts("user").concat()));
    let model = ScriptedModel::start(echo).await;
    let mut client = Client::connect(&model.base_url()).await;
    let answer = client.post(HELLO).await;
    assert_eq!(answer.text().as_bytes(), sse_body(&Reply::text("hello")));
}

#[tokio::test]
async fn a_request_of_megabytes_is_taken() {
    let (model, mut client) = scripted(vec![]).await;
    let large = json!({ "model": "small", "messages": [], "pad": "x".repeat(8 << 20) });
    assert_eq!(client.post(&large.to_string()).await.status, 200);
    assert!(model.requests()[0].body().len() > 8 << 20);
}

#[tokio::test]
async fn calls_of_different_requests_have_different_ids() {
    let (model, mut client) = scripted(vec![step_done("s1", "ok"), step_done("s2", "ok")]).await;
    let first = client.post(HELLO).await.text();
    let second = client.post(HELLO).await.text();
    assert!(first.contains("call_0_0") && second.contains("call_1_0"));
    wait_for(async || model.requests().len() == 2, "both requests").await;
}

#[test]
fn plan_calls_carry_the_words_of_the_tool() {
    let arguments = |reply: &Reply| -> Value {
        let body = sse_body(reply);
        let text = std::str::from_utf8(&body).unwrap();
        let parts: String = text
            .lines()
            .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
            .filter_map(|event: Value| {
                let call = &event["choices"][0]["delta"]["tool_calls"][0];
                call["function"]["arguments"].as_str().map(String::from)
            })
            .collect();
        serde_json::from_str(&parts).unwrap()
    };
    assert_eq!(
        arguments(&plan_write("tidy", &["look", "sweep"])),
        json!({ "action": "write", "goal": "tidy", "steps": ["look", "sweep"] })
    );
    assert_eq!(
        arguments(&plan_write_with(
            "tidy",
            json!([{ "text": "look", "id": "a" }]),
            json!({ "mode": "graph" })
        )),
        json!({
            "action": "write",
            "goal": "tidy",
            "steps": [{ "text": "look", "id": "a" }],
            "mode": "graph",
        })
    );
    assert_eq!(
        arguments(&step_done("s1", "ok")),
        json!({ "action": "step_done", "step": "s1", "result": "ok" })
    );
}
