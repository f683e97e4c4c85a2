//! What a request may carry.

use crate::{Desk, refused};
use serde_json::json;

/// Every route with a body: one of the right shape, and one with a wrong type.
fn bodies(desk: &Desk) -> Vec<(&'static str, String, String)> {
    let ask = format!("/v1/asks/{}/answer", engine::fresh_id());
    let wrong = |value: serde_json::Value| value.to_string();
    vec![
        ("POST", "/v1/rooms".to_owned(), wrong(json!({ "workspace": 5 }))),
        ("PATCH", desk.at(""), wrong(json!({ "archived": "yes" }))),
        ("POST", desk.at("/messages"), wrong(json!({ "text": ["hello"] }))),
        ("PUT", desk.at("/plan-mode"), wrong(json!({ "mode": "sometimes" }))),
        ("PATCH", desk.at("/plan"), wrong(json!({ "revision": "one", "edits": [] }))),
        ("POST", desk.at("/plan/approve"), wrong(json!({ "revision": -1, "hash": "x" }))),
        ("POST", desk.at("/plan/cancel"), wrong(json!({ "reason": 5 }))),
        ("POST", desk.at("/plan/reject"), wrong(json!({ "reason": ["no"] }))),
        ("POST", ask, wrong(json!({ "answer": 5 }))),
    ]
}

#[tokio::test]
async fn a_body_that_is_no_json_is_a_400() {
    let desk = Desk::with(vec![]).await;
    for (method, path, _) in bodies(&desk) {
        for text in ["{", "not json"] {
            let answer = desk.client().send(method, &path, Some(text.to_owned())).await;
            assert_eq!(answer.refusal(), refused(400, "BAD_JSON"), "{method} {path} {text}");
        }
    }
}

#[tokio::test]
async fn a_value_of_the_wrong_type_is_a_422() {
    let desk = Desk::with(vec![]).await;
    for (method, path, wrong) in bodies(&desk) {
        for text in [wrong, json!({ "unknown": true }).to_string(), "5".to_owned()] {
            let answer = desk.client().send(method, &path, Some(text.clone())).await;
            assert_eq!(answer.refusal(), refused(422, "BAD_BODY"), "{method} {path} {text}");
        }
    }
}

#[tokio::test]
async fn a_body_that_does_not_call_itself_json_is_a_415() {
    let desk = Desk::with(vec![]).await;
    let client = desk.client().header("content-type", "text/plain");
    for (method, path, wrong) in bodies(&desk) {
        let answer = client.send(method, &path, Some(wrong)).await;
        assert_eq!(answer.refusal(), refused(415, "NOT_JSON"), "{method} {path}");
    }
}

#[tokio::test]
async fn a_body_of_more_than_a_megabyte_is_a_413() {
    let desk = Desk::with(vec![]).await;
    let huge = json!({ "text": "x".repeat(1024 * 1024), "reason": "" }).to_string();
    for (method, path, _) in bodies(&desk) {
        let answer = desk.client().send(method, &path, Some(huge.clone())).await;
        assert_eq!(answer.refusal(), refused(413, "BODY_TOO_LARGE"), "{method} {path}");
    }
    let once = desk.client().header("idempotency-key", "huge");
    let answer = once.send("POST", &desk.at("/messages"), Some(huge)).await;
    assert_eq!(answer.refusal(), refused(413, "BODY_TOO_LARGE"));
}

#[tokio::test]
async fn an_id_that_is_none_is_a_404_with_its_own_code() {
    let desk = Desk::with(vec![]).await;
    for path in ["/v1/rooms/nobody", "/v1/rooms/nobody/plan", "/plans/nothing"] {
        assert_eq!(desk.client().get(path).await.refusal(), refused(404, "BAD_ID"), "{path}");
    }
    let nobody = engine::fresh_id();
    for path in ["", "/messages", "/plan", "/plans", "/stream"] {
        let answer = desk.client().get(&format!("/v1/rooms/{nobody}{path}")).await;
        assert_eq!(answer.refusal(), refused(404, "ROOM_NOT_FOUND"), "{path}");
    }
    for path in ["", "/stream"] {
        let answer = desk.client().get(&format!("/plans/{nobody}{path}")).await;
        assert_eq!(answer.refusal(), refused(404, "PLAN_NOT_FOUND"), "{path}");
    }
    let path = format!("/v1/asks/{nobody}/answer");
    let answer = desk.client().post(&path, json!({ "answer": "x" })).await;
    assert_eq!(answer.refusal(), refused(404, "ASK_NOT_FOUND"));
    let answer = desk.client().get("/v1/blobs/0000").await;
    assert_eq!(answer.refusal(), refused(404, "BLOB_NOT_FOUND"));
}

#[tokio::test]
async fn a_page_that_makes_no_sense_is_a_400() {
    let desk = Desk::with(vec![]).await;
    for path in ["/v1/rooms".to_owned(), desk.at("/messages"), desk.at("/plans")] {
        for query in ["limit=x", "limit=-1", "before=x"] {
            let answer = desk.client().get(&format!("{path}?{query}")).await;
            assert_eq!(answer.refusal(), refused(400, "BAD_QUERY"), "{path}?{query}");
        }
    }
}
