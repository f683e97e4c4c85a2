//! Nothing in the workspace is changed while a council talks, also by what ran before it began.

use super::{THREE, Voice, answer, begin, kinds, now, vote, wait_state};
use engine::NewSidekick;
use flow::{House, Mark, me};
use plan::Command;
use serde_json::json;
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use support::{Recorded, Reply, Script, sidekick_complete, wait_for};

/// Writes without an end.
const WRITER: &str = "while true; do echo tick >> ticks; sleep 0.02; done\n";

/// A file of the workspace.
const BEFORE: &str = "one\ntwo\nthree\n";

/// The task of a sidekick that is there, so that another one works in a copy.
const BESIDE: &str = "stand by";

/// Every file below a folder with what is in it.
fn walk(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => found.extend(walk(&path)),
            false => {
                let bytes = std::fs::read(&path).unwrap_or_default();
                found.insert(path.display().to_string(), bytes);
            }
        }
    }
    found
}

/// A house with three agents. A request with these words from the person is answered from `work`,
/// members of a council from `talks`.
async fn house(work: Vec<Reply>, words: &'static str, talks: [Voice; 3]) -> House {
    let voices = ["a", "b", "c"].into_iter().zip(talks);
    let talks: BTreeMap<&str, VecDeque<Reply>> =
        voices.map(|(model, voice)| (model, voice.talks.into())).collect();
    let both = Mutex::new((VecDeque::from(work), talks));
    let script = Script::from_fn(move |request: &Recorded| {
        let mut both = both.lock().unwrap_or_else(PoisonError::into_inner);
        if request.tool_names().contains(&"new_answer") {
            let left = both.1.get_mut(request.model());
            return left.and_then(VecDeque::pop_front).unwrap_or_default();
        }
        let first = request.texts("user").first().cloned().unwrap_or_default();
        match first.contains(words) {
            true => both.0.pop_front().unwrap_or_default(),
            false if first == BESIDE => Reply::text("I am here.").hold_after(0),
            false => Reply::default(),
        }
    });
    House::of_agent(THREE, script, "", &[("writer.sh", WRITER), ("a.txt", BEFORE)]).await
}

/// Members of which the last answers when it is let.
fn slow() -> [Voice; 3] {
    [
        vec![answer("Plain", "a.txt"), vote("agent2", "better")].into(),
        vec![answer("Better", "b.txt"), vote("agent2", "mine")].into(),
        vec![answer("Third", "c.txt").hold_after(1), vote("agent2", "best")].into(),
    ]
}

async fn two_answered(house: &House) {
    let two = async || now(house).members[..2].iter().all(|one| !one.answers.is_empty());
    wait_for(two, "two answers").await;
}

#[tokio::test]
async fn a_command_in_the_background_ends_when_a_council_begins() {
    let mark = Mark::fresh();
    let command = format!("bash writer.sh {}", mark.0);
    let start = Reply::call("shell", json!({ "command": command, "background": true }));
    let house = house(vec![start, Reply::text("It runs.")], "go", slow()).await;
    house.say("go").await;
    wait_for(async || mark.is_running() && house.workspace.has("ticks"), "the writer").await;
    house.wait_idle().await;
    begin(&house, json!({ "final_answer_strategy": "winner_reuse" })).await;
    wait_for(async || !mark.is_running(), "the writer to be gone").await;
    let before = walk(&house.workspace.path());
    two_answered(&house).await;
    assert_eq!(walk(&house.workspace.path()), before);
    house.model.release();
    wait_state(&house, "done").await;
    assert_eq!(walk(&house.workspace.path()), before);
}

/// A council that stands still, and a sidekick from before that has finished work in a copy.
async fn with_finished_copy() -> House {
    let edit = json!({ "path": "a.txt", "old": "two", "new": "second" });
    let work = vec![Reply::call("edit_file", edit), sidekick_complete("changed").hold_after(1)];
    let house = house(work, "edit it", slow()).await;
    let spawn = async |task: &str| {
        let new = NewSidekick { task: task.to_owned(), ..NewSidekick::default() };
        house.engine().spawn_sidekick(house.room, &me(), new).await.unwrap().id
    };
    spawn(BESIDE).await;
    let sidekick = spawn("edit it").await;
    let own = |one: &Recorded| one.texts("user").first().is_some_and(|text| text == "edit it");
    let changed = async || house.model.requests().iter().filter(|one| own(one)).count() >= 2;
    wait_for(changed, "its change").await;
    begin(&house, json!({ "final_answer_strategy": "winner_reuse" })).await;
    two_answered(&house).await;
    // It says that it is done, and one member is silent.
    house.person(Command::Pause).await.expect("the council is paused");
    let before = walk(&house.workspace.path());
    assert_eq!(house.workspace.read("a.txt"), BEFORE);
    house.model.release();
    let ended = async || kinds(&house, sidekick).iter().any(|kind| kind == "sidekick_ended");
    wait_for(ended, "the sidekick to end").await;
    assert_eq!(walk(&house.workspace.path()), before, "nothing is merged while it talks");
    assert!(house.view().asks.is_empty(), "and nobody is asked about it");
    house
}

#[tokio::test]
async fn a_finished_copy_is_taken_over_after_the_council() {
    let house = with_finished_copy().await;
    house.person(Command::Cancel { reason: String::new(), call: None }).await.unwrap();
    let merged = async || house.workspace.read("a.txt") == "one\nsecond\nthree\n";
    wait_for(merged, "its change in the workspace").await;
}

#[tokio::test]
async fn a_finished_copy_goes_with_its_room() {
    let house = with_finished_copy().await;
    house.engine().delete_room(house.room, &me()).await.expect("it can be deleted");
    let copies = house.data().join("copies");
    let gone = async || std::fs::read_dir(&copies).is_ok_and(|mut all| all.next().is_none());
    wait_for(gone, "no copy").await;
    assert_eq!(house.workspace.read("a.txt"), BEFORE, "its room is gone, and nobody wants it");
}
