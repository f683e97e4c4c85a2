//! The socket in the data folder, by which programs of the person's own come in.

use crate::rights::{filled, routes};
use crate::{held, refused};
use flow::{Client, House};
use plan::{Event, PlanMode, Surface};
use serde_json::json;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use support::plan_write;

#[tokio::test]
async fn the_person_may_do_everything_there_without_a_token() {
    let house = House::with(vec![]).await;
    let client = Client::of_person(house.engine(), &house.data());
    for (method, path, _, body) in routes() {
        let body = (!body.is_null()).then(|| body.to_string());
        let answer = client.open(method, &filled(path, &house), body).await;
        let status = answer.status().as_u16();
        assert!(![401, 403].contains(&status), "{method} {path}: {status}");
    }
    let socket = std::fs::metadata(house.data().join("plancard.sock")).unwrap();
    assert!(socket.file_type().is_socket());
    assert_eq!(socket.permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn an_approval_says_that_it_came_by_the_command_line() {
    let house = House::with(vec![plan_write("goal", &["one"]), held()]).await;
    let client = Client::of_person(house.engine(), &house.data());
    house.mode(PlanMode::Strict).await;
    house.say("do it").await;
    house.wait("question", |event| matches!(event, Event::AskRaised { .. })).await;
    let path = format!("/v1/rooms/{}/plan", house.room);
    let plan = client.get(&path).await.ok();
    let seen = json!({ "revision": plan["revision"], "hash": plan["hash"] });
    client.post(&format!("{path}/approve"), seen).await.ok();
    let approval = house.plan().approval.expect("it is approved");
    assert_eq!((approval.by.principal.as_str(), approval.by.surface), ("me", Surface::Cli));
}

#[tokio::test]
async fn no_host_means_anything_there_and_web_pages_are_turned_away() {
    let house = House::with(vec![]).await;
    let client = Client::of_person(house.engine(), &house.data());
    for host in ["evil.example", "127.0.0.1:1", "plancard"] {
        client.header("host", host).get("/v1/rooms").await.ok();
    }
    for origin in ["null", "https://evil.example", "http://127.0.0.1:0", ""] {
        for path in ["/v1/rooms", "/openapi.json", "/nowhere"] {
            let answer = client.header("origin", origin).get(path).await;
            assert_eq!(answer.refusal(), refused(403, "BAD_ORIGIN"), "{origin:?} {path}");
        }
    }
    let preflight = client.header("access-control-request-method", "POST");
    let answer = preflight.send("OPTIONS", "/v1/rooms", None).await;
    assert_eq!(answer.refusal(), refused(403, "NO_CORS"));
}
