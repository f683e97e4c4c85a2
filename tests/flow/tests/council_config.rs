//! What a configuration says of councils' files and members, through the real engine.

use engine::StartCouncil;
use flow::{House, me};
use plan::{CouncilView, Event};
use serde_json::json;
use std::path::{Path, PathBuf};
use support::{Reply, Script, wait_for};

/// Two agents; the first names its copy.
const TWO: &str = "test/a\n    cwd: desk_a\n  bob:\n    model: test/b";

const FILES: &str = "orchestrator:
  snapshot_storage: kept/answers
  agent_temporary_workspace: desks
  defer_voting_until_all_answered: true
";

fn answer(words: &str) -> Reply {
    Reply::call("new_answer", json!({ "content": words }))
}

fn vote() -> Reply {
    Reply::call("vote", json!({ "agent_id": "agent1", "reason": "it is right" }))
}

fn look() -> Reply {
    Reply::call("read_file", json!({ "path": "notes.txt" }))
}

async fn begin(house: &House, members: &[&str]) -> Result<(), String> {
    let members = members.iter().map(|name| (*name).to_owned()).collect();
    let start = StartCouncil { task: "Look".to_owned(), members, ..StartCouncil::default() };
    let begun = house.engine().start_council(house.room, &me(), start).await;
    begun.map(drop).map_err(|error| error.to_string())
}

fn now(house: &House) -> CouncilView {
    house.view().council.expect("there is a council")
}

/// The folder of a member's copy, as its room remembers it.
fn copy_of(house: &House, member: usize) -> PathBuf {
    let room = now(house).members[member].room_id;
    let rows = house.engine().journal().read(room.0, 0, usize::MAX / 2).expect("it can be read");
    let events = rows.iter().map(|row| serde_json::from_slice(&row.body).expect("it reads back"));
    let copy = events.into_iter().find_map(|event: Event| {
        let Event::CopyMade { folder, .. } = event else { return None };
        Some(PathBuf::from(folder))
    });
    copy.expect("a copy was made")
}

fn entries(folder: &Path) -> Vec<String> {
    let found = std::fs::read_dir(folder).into_iter().flatten().flatten();
    found.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[tokio::test]
async fn copies_and_answers_are_where_the_configuration_names() {
    let script = Script::by_model([
        ("a", vec![look(), answer("one thing"), vote()]),
        ("b", vec![look(), answer("another matter"), vote()]),
    ]);
    let house = House::of_agent(TWO, script, FILES, &[("notes.txt", "hello\n")]).await;
    std::fs::create_dir_all(house.data().join("desks/mine")).unwrap();
    begin(&house, &[]).await.unwrap();
    let done = wait_for(async || now(&house).winner.is_some(), "a winner");
    let done = tokio::time::timeout(std::time::Duration::from_secs(45), done).await;
    assert!(done.is_ok(), "{:#?}", now(&house));

    let data = house.data().canonicalize().unwrap();
    let members = now(&house).members;
    let desk = |member: usize, name: &str| {
        data.join("desks").join(members[member].room_id.to_string()).join(name).join("work")
    };
    assert_eq!(copy_of(&house, 0), desk(0, "desk_a"), "cwd names the copy");
    assert_eq!(copy_of(&house, 1), desk(1, "agent2"), "else the member's name");
    let only_mine = async || entries(&data.join("desks")) == ["mine"];
    let gone = wait_for(only_mine, "copies to be gone, and nothing else");
    let gone = tokio::time::timeout(std::time::Duration::from_secs(45), gone).await;
    assert!(gone.is_ok(), "{:?}", entries(&data.join("desks")));
    let kept = data.join("kept/answers").join(now(&house).id.to_string());
    let mut answers = entries(&kept);
    answers.sort();
    assert_eq!(answers, ["agent1.1.md", "agent2.1.md"]);
    assert_eq!(entries(&house.workspace.path()), ["notes.txt"]);
}

#[tokio::test]
async fn an_unavailable_agent_sits_in_no_council_and_answers_in_no_room() {
    let agents = "test/a\n    backend: { type: ag2 }\n  bob:\n    model: test/b";
    let house = House::of_agent(agents, Vec::new(), "", &[]).await;
    let refused = begin(&house, &["default", "bob"]).await.unwrap_err();
    assert!(refused.contains("there is no agent default that can sit in a council"), "{refused}");
    let refused = begin(&house, &[]).await.unwrap_err();
    assert!(refused.contains('1'), "one member is too few: {refused}");

    house.say("hello").await;
    let says = |event: &Event| format!("{event:?}").contains("The agent default is unavailable");
    house.wait("words about it", says).await;
    assert_eq!(house.model.requests().len(), 0, "nobody was asked");
}
