//! Pictures that tools give back: shown to the model, kept beside the log, and never in its way.

use flow::House;
use plan::{Event, Picture};
use serde_json::json;
use support::{Recorded, Reply, Script};

/// The beginning of a PNG, which is all that is looked at.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x06\0\0\0";
const DATA_URL: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAYAAAA=";

async fn house(script: impl Into<Script>, config: &str) -> House {
    let house = House::configured(script, config, &[]).await;
    std::fs::write(house.workspace.path().join("shot.png"), PNG).expect("it can be written");
    house
}

fn look() -> Reply {
    Reply::call("read_file", json!({ "path": "shot.png" }))
}

fn shows(request: &Recorded) -> usize {
    String::from_utf8_lossy(request.body()).matches(DATA_URL).count()
}

#[tokio::test]
async fn a_picture_is_shown_and_again_after_a_restart() {
    let words = [Reply::text("A grey field."), Reply::text("Still grey.")];
    let script: Vec<Reply> = std::iter::once(look()).chain(words).collect();
    let mut house = house(script, "").await;
    house.say("what is on it?").await;
    house.wait_idle().await;
    let requests = house.model.requests();
    assert_eq!(requests[1].tool_results(), ["an image, PNG, 640×480, 29 bytes"]);
    assert_eq!(shows(&requests[1]), 1);
    let kept = house.log().into_iter().find_map(|(_, event)| {
        if let Event::CallEnded { images, .. } = event { Some(images) } else { None }
    });
    let blob = blake3::hash(PNG).to_hex().to_string();
    assert_eq!(
        kept,
        Some(vec![Picture { mime: "image/png".into(), blob: blob.clone(), bytes: 29 }])
    );
    let stored = house.engine().journal().blob(&blob);
    assert_eq!(stored.expect("the log can be read").as_deref(), Some(PNG));

    house.restart().await;
    house.say("and now?").await;
    house.wait_idle().await;
    assert_eq!(shows(&house.model.requests()[2]), 1);
}

#[tokio::test]
async fn a_model_that_takes_no_images_is_told_so_instead() {
    let script = vec![look(), Reply::text("I can't see it.")];
    let house = house(script, "models:\n  test/scripted: { vision: false }\n").await;
    house.say("what is on it?").await;
    house.wait_idle().await;
    let asked = house.model.request(1).await;
    assert_eq!(shows(&asked), 0);
    let told = "an image, PNG, 640×480, 29 bytes\n[not shown: this model takes no images]";
    assert_eq!(asked.tool_results(), [told]);
}

#[tokio::test]
async fn a_picture_that_is_refused_does_not_hold_the_room_up() {
    let refused = json!({ "error": { "message": "unknown variant `image_url`, expected `text`" } });
    let script = Script::from_fn(move |request| match request.tool_results().len() {
        0 => look(),
        _ if shows(request) > 0 => Reply::status(400, refused.to_string(), &[]),
        1 => Reply::call("read_file", json!({ "path": "./shot.png" })),
        _ => Reply::text("I can't see it."),
    });
    let house = house(script, "").await;
    house.say("what is on it?").await;
    house.wait_idle().await;
    assert_eq!(house.count("trouble"), 0, "{:?}", house.kinds());
    let shown: Vec<usize> = house.model.requests().iter().map(shows).collect();
    assert_eq!(shown, [0, 1, 0, 1, 0], "each new picture is tried once");
    let told = "[no longer shown: the provider refused it]";
    assert!(house.model.requests()[4].tool_results().iter().all(|text| text.ends_with(told)));

    // Later turns do not ask in vain.
    house.say("and now?").await;
    house.wait_idle().await;
    assert_eq!(house.model.requests().len(), 6);
}

#[tokio::test]
async fn a_picture_with_a_known_secret_in_it_goes_nowhere() {
    let secret = "s3cret-in-a-picture";
    let house = House::knowing(vec![look(), Reply::text("Nothing.")], secret).await;
    let bytes = [PNG, secret.as_bytes()].concat();
    std::fs::write(house.workspace.path().join("shot.png"), &bytes).expect("it can be written");
    house.say("what is on it?").await;
    house.wait_idle().await;
    assert!(!String::from_utf8_lossy(house.model.request(1).await.body()).contains("base64"));
    let blob = blake3::hash(&bytes).to_hex().to_string();
    assert_eq!(house.engine().journal().blob(&blob).expect("the log can be read"), None);
}
