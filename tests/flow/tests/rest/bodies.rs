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
async fn a_refusal_names_the_field_and_what_it_takes() {
    let desk = Desk::with(vec![]).await;
    for (method, path, body, words) in [
        ("POST", desk.at("/messages"), json!({}), "`text` is missing"),
        (
            "POST",
            desk.at("/messages"),
            json!({ "text": ["hello"] }),
            "`text` must be text, not a list",
        ),
        (
            "POST",
            desk.at("/messages"),
            json!({ "text": "x", "txt": 1 }),
            "`txt` is not known here; this takes `text`",
        ),
        (
            "PUT",
            desk.at("/plan-mode"),
            json!({ "mode": "sometimes" }),
            "`mode` can't be `sometimes`; it takes `off`, `soft` or `strict`",
        ),
        (
            "POST",
            desk.at("/plan/approve"),
            json!({ "revision": -1, "hash": "x" }),
            "`revision` must be a whole number from 0 on, not -1",
        ),
        (
            "PATCH",
            desk.at(""),
            json!({ "archived": "yes" }),
            "`archived` must be true or false, not \"yes\"",
        ),
        ("POST", desk.at("/messages"), json!(5), "the body must be an object, not 5"),
    ] {
        let answer = desk.client().send(method, &path, Some(body.to_string())).await;
        assert_eq!(answer.body["error"]["message"], words, "{method} {path} {body}");
    }
    let answer = desk.client().get("/v1/rooms?limit=x").await;
    assert_eq!(answer.body["error"]["message"], "`limit` must be a whole number");
    let answer = desk.client().get("/v1/rooms/nobody").await;
    assert_eq!(answer.body["error"]["message"], "`nobody` is not an id");
}

/// Words of the tools that read requests, which are no part of the API.
const NOT_OURS: [&str; 8] =
    ["eserialize", "Failed to", "column 0", "variant", "struct ", "enum ", "UUID", "serde"];

#[tokio::test]
async fn no_error_speaks_in_the_words_of_a_library() {
    let desk = Desk::with(vec![]).await;
    let mut answers = Vec::new();
    for (method, path, wrong) in bodies(&desk) {
        for body in [wrong, "{".into(), "".into(), "5".into(), r#"{"unknown":true}"#.into()] {
            answers.push(desk.client().send(method, &path, Some(body)).await);
        }
        let plain = desk.client().header("content-type", "text/plain");
        answers.push(plain.send(method, &path, Some("{}".into())).await);
    }
    let edits = json!({ "revision": 1, "edits": [{ "op": "explode" }, { "op": "add", "new": 5 }] });
    answers.push(desk.client().send("PATCH", &desk.at("/plan"), Some(edits.to_string())).await);
    for path in ["/v1/rooms/nobody", "/plans/nothing", "/v1/rooms?limit=x", "/nowhere"] {
        answers.push(desk.client().get(path).await);
    }
    answers.push(desk.client().send("DELETE", "/v1/rooms", None).await);
    for answer in answers.into_iter().filter(|answer| answer.status >= 400) {
        let words = answer.body["error"]["message"].as_str().expect("an error has words");
        let foreign = NOT_OURS.iter().find(|foreign| words.contains(**foreign));
        assert_eq!(foreign, None, "{words}");
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
