//! Folders that the person listed for all programs: they are read, and nothing else is by them.

// Helpers of tests are tests, which the lint does not see in this folder.
#![allow(clippy::unwrap_used)]

use flow::{House, me};
use serde_json::json;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use support::{Reply, Script};

/// Folders that the person listed can be read by commands, and what is ours in them can't.
#[tokio::test]
async fn listed_folders_are_read_and_our_own_are_not() {
    let outside = tempfile::tempdir().unwrap();
    let folder = outside.path().canonicalize().unwrap();
    std::fs::write(folder.join("letter"), "a letter").unwrap();
    let at = folder.display().to_string();
    let read = format!("x=1; cat {at}/letter; echo x > {at}/letter");
    let known: Arc<OnceLock<String>> = Arc::default();
    let own = Arc::clone(&known);
    let script = Script::from_fn(move |request| {
        let own = own.get().expect("the house stands");
        let shell = |command: String| Reply::call("shell", json!({ "command": command }));
        match request.tool_results().len() {
            0 => shell(read.clone()),
            1 => shell(format!("x=1; ls {own}; cat {own}/config/plancard.yaml {own}/data/*")),
            _ => Reply::text("done"),
        }
    });
    let house = House::configured(script, &format!("sandbox: {{ read: ['{at}'] }}"), &[]).await;
    // The folder above the data and the configuration is listed as well.
    let above = house.data().parent().unwrap().canonicalize().unwrap().display().to_string();
    let config = house.config().join("plancard.yaml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text.replace(&at, &format!("{at}', '{above}"))).unwrap();
    known.set(above).unwrap();
    let mut house = house;
    house.restart().await;
    house.say("look around").await;
    house.wait_idle().await;
    let results = house.model.requests().pop().unwrap().tool_results();
    assert!(results[0].contains("a letter") && results[0].contains("Read-only"), "{results:?}");
    assert!(results[1].contains("config") && results[1].contains("data"), "{results:?}");
    assert!(!results[1].contains("permissions"), "{results:?}");
    assert_eq!(std::fs::read_to_string(folder.join("letter")).unwrap(), "a letter");
}

/// A tool outside the home works once its folder is listed.
#[tokio::test]
async fn a_listed_python_runs_its_tests() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let python = target.join("pytest");
    assert!(python.join("bin/python").exists(), "`cargo xtask test` makes {}", python.display());
    let at = python.display();
    let command = format!("{at}/bin/python -m pytest -q");
    let script = vec![Reply::call("shell", json!({ "command": command })), Reply::text("done")];
    let files = [("test_small.py", "def test_it():\n    pass\n")];
    let house = House::configured(script, &format!("sandbox: {{ read: ['{at}'] }}"), &files).await;
    house.say("test it").await;
    house.wait_idle().await;
    let results = house.model.requests().pop().unwrap().tool_results();
    assert!(results[0].contains("1 passed"), "{results:?}");
}

const SECRET: &str = "what only the person reads";

/// An agent swaps a listed folder in its room for a link. No other room reads what it leads to,
/// and that stays so when its room is put away, when the app starts anew and when the room is gone.
#[tokio::test]
async fn a_link_that_an_agent_put_in_a_listed_place_is_followed_in_no_room_ever_after() {
    let (theirs, private) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let [theirs, private] = [&theirs, &private].map(|one| one.path().canonicalize().unwrap());
    let data = theirs.join("data");
    std::fs::create_dir(&data).unwrap();
    std::fs::write(data.join("book"), "a book").unwrap();
    std::fs::write(private.join("key"), SECRET).unwrap();
    let at = data.display();
    let look = format!("x=1; cat {at}/book; cat {at}/key {}/key; echo ran", private.display());
    let swap = format!("mv data aside && ln -s {} data && echo swapped", private.display());
    let script = Script::from_fn(move |request| {
        let [said, told] = ["user", "tool"].map(|role| request.texts(role));
        if said.len() == told.len() {
            return Reply::text("done");
        }
        let command = if said[0].contains("swap") { &swap } else { &look };
        Reply::call("shell", json!({ "command": command }))
    });
    let listed = format!("sandbox: {{ read: ['{at}'] }}");
    let mut house = House::configured(script, &listed, &[]).await;
    let other = house.engine().create_room(&me(), None, &theirs, None).await.unwrap().id;
    let own = house.room;
    let told = async |house: &House, words: &str| {
        house.say(words).await;
        house.wait_idle().await;
        house.model.requests().pop().unwrap().tool_results().pop().unwrap()
    };
    assert!(told(&house, "look").await.contains("a book"));
    house.room = other;
    assert!(told(&house, "swap").await.contains("swapped"));
    house.room = own;
    let looks = async |house: &House| {
        let told = told(house, "look again").await;
        assert!(told.contains("ran\n") && !told.contains(SECRET), "{told}");
    };
    looks(&house).await;
    house.engine().archive_room(other, &me(), true).await.unwrap();
    looks(&house).await;
    house.restart().await;
    looks(&house).await;
    house.engine().delete_room(other, &me()).await.unwrap();
    looks(&house).await;
    house.restart().await;
    looks(&house).await;
}
