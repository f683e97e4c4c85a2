//! Making rooms, and what is said in them.

use crate::{Desk, refused};
use plan::Event;
use serde_json::{Value, json};
use std::path::Path;
use support::{Reply, TempWorkspace};

async fn make(desk: &Desk, folder: &Path) -> flow::Answer {
    desk.client().post("/v1/rooms", json!({ "workspace": folder })).await
}

#[tokio::test]
async fn a_room_is_made_on_a_folder_and_read_back() {
    let desk = Desk::with(vec![]).await;
    let folder = TempWorkspace::new(&[]);
    let body = json!({ "title": "Mine", "workspace": folder.path(), "plan_mode": "soft" });
    let answer = desk.client().post("/v1/rooms", body).await;
    assert_eq!(answer.status, 201);
    let room = answer.ok();
    assert_eq!(
        (&room["title"], &room["plan_mode"], &room["plan"], &room["kind"]),
        (&json!("Mine"), &json!("soft"), &Value::Null, &json!("chat"))
    );
    assert_eq!(room["workspace"], json!(folder.path()));
    let path = format!("/v1/rooms/{}", room["id"].as_str().unwrap());
    assert_eq!(desk.client().get(&path).await.ok(), room);

    let change = json!({ "title": "Ours", "archived": true }).to_string();
    let changed = desk.client().send("PATCH", &path, Some(change)).await.ok();
    assert_eq!((&changed["title"], &changed["archived"]), (&json!("Ours"), &json!(true)));
    let mode = json!({ "mode": "strict" }).to_string();
    let changed = desk.client().send("PUT", &format!("{path}/plan-mode"), Some(mode)).await.ok();
    assert_eq!(changed["plan_mode"], "strict");
}

#[tokio::test]
async fn a_room_is_never_made_on_our_own_folders_or_on_nothing() {
    let desk = Desk::with(vec![]).await;
    let (data, config) = (desk.house.data(), desk.house.config());
    let place = TempWorkspace::new(&[("file.txt", "x")]);
    let link = |name: &str, to: &Path| {
        let link = place.path().join(name);
        std::os::unix::fs::symlink(to, &link).unwrap();
        link
    };
    std::fs::create_dir(data.join("inside")).unwrap();
    let bad = [
        place.path().join("missing"),
        place.path().join("file.txt"),
        data.clone(),
        data.join("inside"),
        data.parent().unwrap().to_owned(),
        Path::new("/").to_owned(),
        config.clone(),
        data.join("../data"),
        link("to-data", &data),
        link("to-parent", data.parent().unwrap()),
        link("to-inside", &data.join("inside")),
        link("to-config", &config),
        link("to-nowhere", Path::new("/nowhere")),
        Path::new("relative").to_owned(),
        Path::new("").to_owned(),
    ];
    for folder in bad {
        let answer = make(&desk, &folder).await;
        assert_eq!(answer.refusal(), refused(422, "BAD_WORKSPACE"), "{}", folder.display());
    }
    let rooms = desk.client().get("/v1/rooms").await.ok();
    assert_eq!(rooms["items"].as_array().map(Vec::len), Some(1), "none was stored");
    let other = TempWorkspace::new(&[]);
    let made = make(&desk, &link("to-other", &other.path())).await.ok();
    assert_eq!(made["workspace"], json!(other.path()), "a link is resolved once and for all");
}

#[tokio::test]
async fn a_message_is_taken_in_and_told_with_its_answer() {
    let desk = Desk::with(vec![Reply::text("hello yourself")]).await;
    let answer = desk.client().post(&desk.at("/messages"), json!({ "text": "hello" })).await;
    assert_eq!(answer.status, 202);
    let taken = answer.ok();
    desk.house.wait("reply", |event| matches!(event, Event::Replied { .. })).await;
    let page = desk.client().get(&desk.at("/messages")).await.ok();
    let told: Vec<(&Value, &Value)> = page["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (&item["role"], &item["text"]))
        .collect();
    assert_eq!(
        told,
        [(&json!("agent"), &json!("hello yourself")), (&json!("person"), &json!("hello"))]
    );
    assert_eq!(page["items"][1]["seq"], taken["seq"]);

    for text in ["", "  \n\t"] {
        let answer = desk.client().post(&desk.at("/messages"), json!({ "text": text })).await;
        assert_eq!(answer.refusal(), refused(422, "EMPTY_MESSAGE"));
    }
}

#[tokio::test]
async fn a_long_message_is_told_whole_also_when_it_begins_with_blank_lines() {
    let desk = Desk::with(vec![Reply::text("read")]).await;
    let long = format!("{}{}", "\n".repeat(200), "word ".repeat(400));
    desk.say(&long).await;
    let page = desk.client().get(&desk.at("/messages")).await.ok();
    let items = page["items"].as_array().unwrap();
    assert_eq!(items.last().unwrap()["text"], json!(long));
    let hash = hash_of(&desk);
    let text = desk.client().get(&format!("/v1/blobs/{hash}")).await;
    assert_eq!(text.body, json!(long), "and its text can be read by its hash");
}

/// The hash by which the first message is named.
fn hash_of(desk: &Desk) -> String {
    for (_, event) in desk.house.log() {
        if let Event::Said { text: plan::Text::Blob { blob, .. }, .. } = event {
            return blob;
        }
    }
    panic!("no message is kept beside the log")
}
