//! What one address shows, the others know.

use super::{Desk, held};
use serde_json::{Value, json};
use support::{Script, plan_write};

/// How often a room is asked for its plan in the moment in which that is written.
const TRIES: usize = 60;

/// Asks again and again, without a pause, until there is something.
async fn first(desk: &Desk, path: &str) -> Value {
    loop {
        let shown = desk.client().get(path).await.ok();
        if !shown.is_null() {
            return shown;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn once_a_plan_is_shown_every_address_knows_it() {
    let script = Script::from_fn(|request| match request.tool_results().is_empty() {
        true => plan_write("g", &["one"]),
        false => held(),
    });
    let desk = Desk::with(script).await;
    let folder = desk.house.workspace.path();
    let mut strangers = Vec::new();
    for _ in 0..TRIES {
        let new = desk.client().post("/v1/rooms", json!({ "workspace": folder })).await.ok();
        let room = format!("/v1/rooms/{}", new["id"].as_str().expect("a room has an id"));
        desk.client().post(&format!("{room}/messages"), json!({ "text": "do it" })).await.ok();
        let plan = first(&desk, &format!("{room}/plan")).await["id"].clone();
        let id = plan.as_str().expect("a plan has an id");
        let graph = desk.client().get(&format!("/plans/{id}")).await;
        let stream = desk.client().open("GET", &format!("/plans/{id}/stream"), None).await;
        let list = desk.client().get(&format!("{room}/plans")).await.ok();
        let shown = desk.client().get(&room).await.ok();
        let known = (graph.status, stream.status().as_u16());
        if known != (200, 200) || list["items"][0]["id"] != plan || shown["plan"]["id"] != plan {
            strangers.push((known, list, shown));
        }
    }
    assert!(strangers.is_empty(), "{} of {TRIES} did not know it", strangers.len());
}
