//! What each right opens, route by route.

use crate::{Desk, refused};
use engine::config::{Rights, save_setting};
use flow::{Client, House, Served, secret};
use plan::Event;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use support::{Reply, ask_user};

const READ: Rights = Rights { supervise: false, run: false, approve: false };

/// The four tokens, each with one right beside reading.
fn tokens() -> [(&'static str, Option<Rights>); 4] {
    let rights = [
        ("read", READ),
        ("supervise", Rights { supervise: true, ..READ }),
        ("run", Rights { run: true, ..READ }),
        ("approve", Rights { approve: true, ..READ }),
    ];
    rights.map(|(name, rights)| (name, Some(rights)))
}

/// Every route that is not a question's answer: what it needs, and a body it takes.
/// In a room without a plan, whoever may do it learns that there is none.
pub(crate) fn routes() -> Vec<(&'static str, &'static str, &'static str, Value)> {
    let approve = json!({ "revision": 1, "hash": "0".repeat(64) });
    vec![
        ("GET", "/v1/rooms", "read", Value::Null),
        ("POST", "/v1/rooms", "run", json!({ "workspace": "/nowhere" })),
        ("GET", "/v1/rooms/{room}", "read", Value::Null),
        ("PATCH", "/v1/rooms/{room}", "run", json!({ "title": "t" })),
        ("GET", "/v1/rooms/{room}/messages", "read", Value::Null),
        ("POST", "/v1/rooms/{room}/messages", "run", json!({ "text": " " })),
        ("PUT", "/v1/rooms/{room}/plan-mode", "approve", json!({ "mode": "off" })),
        ("POST", "/v1/rooms/{room}/stop", "supervise", Value::Null),
        ("GET", "/v1/rooms/{room}/stream", "read", Value::Null),
        ("GET", "/v1/rooms/{room}/usage", "read", Value::Null),
        ("GET", "/v1/rooms/{room}/plan/estimate", "read", Value::Null),
        ("GET", "/v1/rooms/{room}/plan", "read", Value::Null),
        ("PATCH", "/v1/rooms/{room}/plan", "supervise", json!({ "revision": 1, "edits": [] })),
        ("GET", "/v1/rooms/{room}/plans", "read", Value::Null),
        ("GET", "/v1/rooms/{room}/plans/{plan}", "read", Value::Null),
        ("POST", "/v1/rooms/{room}/plan/pause", "supervise", Value::Null),
        ("POST", "/v1/rooms/{room}/plan/pause-after-step", "supervise", Value::Null),
        ("POST", "/v1/rooms/{room}/plan/stop-step", "supervise", Value::Null),
        ("POST", "/v1/rooms/{room}/plan/resume", "supervise", Value::Null),
        ("POST", "/v1/rooms/{room}/plan/cancel", "supervise", Value::Null),
        ("POST", "/v1/rooms/{room}/plan/approve", "approve", approve),
        ("POST", "/v1/rooms/{room}/plan/reject", "approve", Value::Null),
        ("POST", "/v1/rooms/{room}/plan/comment", "approve", json!({ "revision": 1, "text": "x" })),
        (
            "POST",
            "/v1/rooms/{room}/plan/steps/{step}/may-change",
            "approve",
            json!({ "revision": 1, "on": true }),
        ),
        ("POST", "/v1/rooms/{room}/plan/steps/{step}/skip", "supervise", Value::Null),
        ("POST", "/v1/rooms/{room}/plan/steps/{step}/retry", "supervise", Value::Null),
        ("POST", "/v1/rooms/{room}/plan/steps/{step}/override", "supervise", Value::Null),
        ("GET", "/v1/rooms/{room}/sidekicks", "read", Value::Null),
        ("POST", "/v1/rooms/{room}/sidekicks", "run", json!({ "task": " " })),
        ("GET", "/v1/rooms/{room}/sidekicks/{name}", "read", Value::Null),
        ("POST", "/v1/rooms/{room}/sidekicks/{name}/steer", "run", json!({ "text": "t" })),
        ("POST", "/v1/rooms/{room}/sidekicks/{name}/cancel", "supervise", Value::Null),
        ("GET", "/v1/rooms/{room}/council", "read", Value::Null),
        ("POST", "/v1/rooms/{room}/council", "run", json!({ "task": " " })),
        ("GET", "/v1/rooms/{room}/councils", "read", Value::Null),
        ("GET", "/v1/rooms/{room}/council/preview", "read", Value::Null),
        ("GET", "/v1/council/preview", "read", Value::Null),
        ("POST", "/v1/rooms/{room}/council/answer-now", "supervise", Value::Null),
        ("POST", "/v1/rooms/{room}/council/pause", "supervise", Value::Null),
        ("POST", "/v1/rooms/{room}/council/resume", "supervise", Value::Null),
        ("POST", "/v1/rooms/{room}/council/cancel", "supervise", Value::Null),
        ("POST", "/v1/rooms/{room}/council/vote", "supervise", json!({ "member": "agent1" })),
        ("POST", "/v1/rooms/{room}/council/pick", "approve", json!({ "member": "agent1" })),
        ("POST", "/v1/rooms/{room}/council/members/{member}/retry", "supervise", Value::Null),
        ("GET", "/v1/blobs/{hash}", "read", Value::Null),
        ("GET", "/v1/asks", "read", Value::Null),
        ("GET", "/v1/checkup", "read", Value::Null),
        ("POST", "/v1/models/test", "supervise", json!({ "model": "nobody/x" })),
        ("GET", "/v1/models/profiles", "read", Value::Null),
        ("POST", "/v1/models/profile", "supervise", json!({ "model": "nobody/x" })),
        ("POST", "/agents/plan", "run", json!({ "goal": " " })),
        ("GET", "/plans/{plan}", "read", Value::Null),
        ("GET", "/plans/{plan}/stream", "read", Value::Null),
    ]
}

pub(crate) fn filled(path: &str, house: &House) -> String {
    let room = house.room.to_string();
    let nobody = engine::fresh_id().to_string();
    path.replace("{room}", &room)
        .replace("{step}", "s1")
        .replace("{name}", "brave-otter")
        .replace("{member}", "agent1")
        .replace("{hash}", "00")
        .replace("{plan}", &nobody)
}

#[tokio::test]
async fn a_token_does_what_its_right_says_and_nothing_else() {
    let house = House::with(vec![]).await;
    let served = Served::with_tokens(house.engine(), &tokens()).await;
    for (method, path, needs, body) in routes() {
        let path = filled(path, &house);
        let body = (!body.is_null()).then(|| body.to_string());
        for (name, _) in tokens() {
            let bearer = format!("Bearer {}", secret(name));
            let client = served.client.header("authorization", &bearer);
            let response = client.open(method, &path, body.clone()).await;
            let status = response.status().as_u16();
            let may = needs == "read" || needs == name;
            assert_eq!(status != 403, may, "{name} {method} {path}: {status}");
            assert_ne!(status, 401, "{name} {method} {path}");
        }
    }
}

#[tokio::test]
async fn the_table_above_names_every_route() {
    let desk = Desk::with(vec![]).await;
    let document = desk.client().get("/openapi.json").await.ok();
    let mut known: BTreeSet<(String, String)> =
        routes().into_iter().map(|(method, path, ..)| (method.into(), path.into())).collect();
    known.insert(("POST".to_owned(), "/v1/asks/{ask}/answer".to_owned()));
    assert_eq!(crate::documented::operations(&document), known);
}

/// Asking for less care than the default agent is configured for is approving.
#[tokio::test]
async fn a_room_in_a_looser_mode_than_configured_needs_the_right_to_approve() {
    let modes = [None, Some("strict"), Some("soft"), Some("off")];
    for (configured, free) in [("strict", 2), ("soft", 3), ("off", 4)] {
        let agent = format!("test/scripted\n    plan_mode: {configured}");
        let house = House::of_agent(&agent, vec![], "", &[]).await;
        let run = Rights { run: true, ..READ };
        let both = Rights { approve: true, ..run };
        let rights = [("run", Some(run)), ("both", Some(both))];
        let served = Served::with_tokens(house.engine(), &rights).await;
        for (index, mode) in modes.into_iter().enumerate() {
            for (name, may) in [("run", index < free), ("both", true)] {
                let bearer = format!("Bearer {}", secret(name));
                let client = served.client.header("authorization", &bearer);
                let room = json!({ "workspace": house.workspace.path(), "plan_mode": mode });
                let made = client.post("/v1/rooms", room).await;
                match may {
                    true => assert_eq!(made.ok()["plan_mode"], mode.unwrap_or(configured)),
                    false => assert_eq!(made.refusal(), refused(403, "FORBIDDEN"), "{mode:?}"),
                }
            }
        }
    }
}

async fn ask_of(client: &Client, kind: &str) -> String {
    let asks = client.get("/v1/asks").await.ok();
    let mut items = asks["items"].as_array().expect("a list has items").iter();
    let ask = items.find(|ask| ask["kind"] == kind).and_then(|ask| ask["id"].as_str());
    ask.unwrap_or_else(|| panic!("no {kind} in {asks}")).to_owned()
}

#[tokio::test]
async fn a_question_is_answered_by_a_supervisor_and_a_permission_by_an_approver() {
    let script = vec![
        ask_user("which?", &[]),
        Reply::call("write_file", json!({ "path": "ask-first/a", "content": "x" })),
    ];
    let house = House::with(script).await;
    let served = Served::with_tokens(house.engine(), &tokens()).await;
    let answer = async |token: &str, ask: &str, words: &str| {
        let bearer = format!("Bearer {}", secret(token));
        let client = served.client.header("authorization", &bearer);
        client.post(&format!("/v1/asks/{ask}/answer"), json!({ "answer": words })).await
    };
    house.say("go").await;
    let first = house.wait("question", |event| matches!(event, Event::AskRaised { .. })).await;
    let ask = ask_of(&served.client, "question").await;
    for token in ["read", "run", "approve"] {
        assert_eq!(answer(token, &ask, "x").await.refusal(), refused(403, "FORBIDDEN"), "{token}");
    }
    answer("supervise", &ask, "the first").await.ok();

    house.wait_after(first, "permission", |event| matches!(event, Event::AskRaised { .. })).await;
    let ask = ask_of(&served.client, "permission").await;
    for token in ["read", "run", "supervise"] {
        let given = answer(token, &ask, "refuse").await;
        assert_eq!(given.refusal(), refused(403, "FORBIDDEN"), "{token}");
    }
    answer("approve", &ask, "refuse").await.ok();
}

/// What the settings say, as the settings screen writes it.
fn give(house: &House, rights: Value) {
    let config = house.engine().config();
    save_setting(config.place(), "api.rights", Some(rights)).expect("the rights are allowed");
    config.reload();
}

#[tokio::test]
async fn the_settings_say_what_the_token_may_do_and_approving_is_not_in_it_unless_given() {
    let house = House::with(vec![]).await;
    let served = Served::with_tokens(house.engine(), &[("mine", None)]).await;
    let client = served.client.header("authorization", &format!("Bearer {}", secret("mine")));
    let tried = async |has: &[&str]| {
        for (method, path, needs, body) in routes() {
            let body = (!body.is_null()).then(|| body.to_string());
            let path = filled(path, &house);
            let response = client.open(method, &path, body).await;
            let may = has.contains(&needs);
            assert_eq!(response.status().as_u16() != 403, may, "{has:?} {method} {path}");
            if !may {
                let said = response.text().await.unwrap();
                assert!(said.contains("FORBIDDEN") && said.contains(needs), "{said}");
                assert!(said.contains("api.rights") && said.contains("Settings"), "{said}");
            }
        }
    };
    tried(&["read", "supervise", "run"]).await;
    // What was refused may be sent again with the same key once the right is there.
    let keyed = client.header("idempotency-key", "once");
    let approve = format!("/v1/rooms/{}/plan/reject", house.room);
    assert_eq!(keyed.press(&approve).await.refusal(), refused(403, "FORBIDDEN"));
    give(&house, json!(["read", "supervise", "run", "approve"]));
    tried(&["read", "supervise", "run", "approve"]).await;
    assert_eq!(keyed.press(&approve).await.refusal(), refused(404, "PLAN_NOT_FOUND"));
    give(&house, json!(["read"]));
    tried(&["read"]).await;
    let config = house.engine().config();
    for bad in
        [json!(["read", "everything"]), json!(["approve"]), json!([]), json!({ "read": true })]
    {
        let refused =
            save_setting(config.place(), "api.rights", Some(bad)).unwrap_err().to_string();
        assert!(refused.contains("allowed: ") && refused.contains("approve"), "{refused}");
    }
    config.reload();
    tried(&["read"]).await;
}
