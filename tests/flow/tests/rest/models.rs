//! What is said of a model that is tried, over the API as in the window.

use crate::refused;
use flow::{House, Served};
use serde_json::{Value, json};
use std::net::TcpListener;
use support::Reply;

/// What a test of this model gives, without the address.
async fn tested(house: &House, model: Option<&str>) -> Value {
    let served = Served::new(house.engine()).await;
    let body = model.map_or_else(|| json!({}), |model| json!({ "model": model }));
    served.client.post("/v1/models/test", body).await.ok()
}

async fn answered(answer: Reply) -> Value {
    let house = House::with(vec![answer]).await;
    let mut said = tested(&house, None).await;
    let words = said["message"].as_str().expect("it says something");
    said["message"] = json!(words.replace(&house.model.base_url(), "HERE"));
    said
}

fn error(status: u16, code: &str) -> Reply {
    let body = json!({ "error": { "message": "no", "code": code, "type": code } });
    Reply::status(status, body.to_string(), &[("content-type", "application/json")])
}

fn not(code: &str, message: &str) -> Value {
    json!({ "model": "test/scripted", "ok": false, "code": code, "message": message })
}

#[tokio::test]
async fn each_trouble_of_a_model_is_said_in_plain_words() {
    assert_eq!(
        answered(Reply::text("ready")).await,
        json!({ "model": "test/scripted", "ok": true, "message": "test/scripted answers." })
    );
    let key = "test does not accept the key, or needs one: check it in the settings, or the variable that key_env names";
    assert_eq!(answered(error(401, "invalid_api_key")).await, not("MODEL_INVALID_KEY", key));
    let model = "test has no model named scripted: choose another one";
    assert_eq!(answered(error(404, "model_not_found")).await, not("MODEL_UNKNOWN", model));
    let page = Reply::status(200, "<!doctype html><p>hi", &[("content-type", "text/html")]);
    let words = "HERE answers with a web page instead of a model's answer: check the address";
    assert_eq!(answered(page).await, not("MODEL_NOT_JSON", words));
}

#[tokio::test]
async fn so_is_an_address_or_a_key_that_is_not_there() {
    let door = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let closed = door.local_addr().expect("it has a number").port();
    drop(door);
    let more = format!(
        "  closed: {{ type: openai, base_url: \"http://127.0.0.1:{closed}/v1\" }}\n  \
         keyed: {{ type: openai, base_url: \"http://127.0.0.1:9/v1\", key_env: \
         PLANCARD_TEST_NO_SUCH_KEY }}\n"
    );
    let house = House::configured(vec![], &more, &[]).await;
    let said = tested(&house, Some("closed/small")).await;
    assert_eq!((&said["ok"], &said["code"]), (&json!(false), &json!("MODEL_UNREACHABLE")));
    let words = format!("nothing answers at http://127.0.0.1:{closed}/v1: is the server running?");
    assert_eq!(said["message"], json!(words));
    let said = tested(&house, Some("keyed/small")).await;
    assert_eq!(said["code"], "MODEL_UNUSABLE");
    let words = said["message"].as_str().expect("it says something");
    assert!(words.contains("PLANCARD_TEST_NO_SUCH_KEY, which is not set"), "{words}");
    let said = tested(&house, Some("rehearsal/tour")).await;
    assert_eq!(said["ok"], json!(true), "{said}");
}

#[tokio::test]
async fn a_name_that_is_no_models_is_refused() {
    let house = House::with(vec![]).await;
    let served = Served::new(house.engine()).await;
    let said = served.client.post("/v1/models/test", json!({ "model": "nobody/x" })).await;
    assert_eq!(said.refusal(), refused(422, "BAD_MODEL"));
}
