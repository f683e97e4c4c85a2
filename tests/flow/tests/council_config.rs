//! What a configuration says of councils' files and members, through the real engine.

use engine::StartCouncil;
use flow::{House, me};
use plan::{CouncilView, Event};
use serde_json::json;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use support::{Recorded, Reply, Script, wait_for};

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
    let desks = entries(&data.join("desks"));
    let ours = desks.iter().find(|name| name.starts_with("plancard-")).expect("a folder of ours");
    let ours = data.join("desks").join(ours);
    let desk = |member: usize, name: &str| {
        ours.join(members[member].room_id.to_string()).join(name).join("work")
    };
    assert_eq!(copy_of(&house, 0), desk(0, "desk_a"), "cwd names the copy");
    assert_eq!(copy_of(&house, 1), desk(1, "agent2"), "else the member's name");
    let gone = wait_for(async || entries(&ours).is_empty(), "copies to be gone");
    let gone = tokio::time::timeout(std::time::Duration::from_secs(45), gone).await;
    assert!(gone.is_ok(), "{:?}", entries(&ours));
    assert!(data.join("desks/mine").exists(), "and nothing else");
    let kept = data.join("kept/answers").join(now(&house).id.to_string());
    assert_eq!(entries(&kept), ["attempt-1"]);
    let kept = kept.join("attempt-1");
    let mut answers = entries(&kept);
    answers.sort();
    assert_eq!(answers, ["agent1.1.md", "agent2.1.md"]);
    let first = std::fs::read_to_string(kept.join("agent1.1.md")).unwrap();
    assert!(first.starts_with("one thing") && first.contains("## Steps\n\n- "), "{first}");
    assert_eq!(entries(&house.workspace.path()), ["notes.txt"]);
    house.engine().delete_room(house.room, &me()).await.unwrap();
    assert_eq!(entries(&data.join("kept/answers")), [""; 0], "they go with the room");
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

#[tokio::test]
async fn a_copy_that_can_not_be_made_is_tried_once_and_the_member_reads_the_folder_itself() {
    let script = Script::by_model([
        ("a", vec![look(), look().hold_after(1), answer("one thing"), vote()]),
        ("b", vec![answer("another matter"), vote()]),
    ]);
    let house = House::of_agent(TWO, script, "", &[("notes.txt", "hello\n")]).await;
    // Where copies would be there is a file.
    let copies = house.data().join("copies");
    let _ = std::fs::remove_dir_all(&copies);
    std::fs::write(&copies, "").unwrap();
    begin(&house, &[]).await.unwrap();
    let asked = |count: usize| {
        let requests = house.model.requests();
        requests.iter().filter(|one| one.model() == "a").count() >= count
    };
    wait_for(async || asked(2), "the first look").await;
    // From here on one could be made.
    std::fs::remove_file(&copies).unwrap();
    house.model.release();
    wait_for(async || now(&house).winner.is_some(), "a winner").await;
    let room = now(&house).members[0].room_id;
    let rows = house.engine().journal().read(room.0, 0, usize::MAX / 2).unwrap();
    assert!(!rows.iter().any(|row| row.kind == "copy_made"), "it is tried once");
    let requests = house.model.requests();
    let last = requests.iter().filter(|one| one.model() == "a").nth(2).unwrap();
    let read = last.tool_results();
    assert_eq!(read.len(), 2);
    assert!(read.iter().all(|text| text.contains("hello")), "{read:?}");
}

#[tokio::test]
async fn answers_of_every_attempt_are_kept() {
    let again = json!({ "reason": "More.", "instructions": "" });
    let done = || Reply::call("plan", json!({ "action": "step_done", "result": "done" }));
    let acts = Mutex::new(VecDeque::from([
        done(),
        Reply::call("restart_orchestration", again),
        done(),
        Reply::text("Done."),
    ]));
    let script = Script::from_fn(move |request: &Recorded| {
        if !request.tool_names().contains(&"new_answer") {
            return acts.lock().unwrap().pop_front().unwrap_or_default();
        }
        let told = request.texts("user").join("\n");
        let words = if told.contains("another attempt") { "second try" } else { "first try" };
        if told.contains(".1 by") { vote() } else { answer(words) }
    });
    let config = "orchestrator:
  snapshot_storage: kept
  defer_voting_until_all_answered: true
";
    let house = House::of_agent(TWO, script, config, &[]).await;
    let mut options = serde_json::Map::new();
    options.insert("max_orchestration_restarts".to_owned(), json!(1));
    let start = StartCouncil { task: "Look".to_owned(), options, ..StartCouncil::default() };
    house.engine().start_council(house.room, &me(), start).await.unwrap();
    wait_for(async || now(&house).state == "done", "the end").await;
    let kept = house.data().join("kept").join(now(&house).id.to_string());
    for (attempt, words) in [("attempt-1", "first try"), ("attempt-2", "second try")] {
        let text = std::fs::read_to_string(kept.join(attempt).join("agent1.1.md")).unwrap();
        assert!(text.starts_with(words), "{attempt}: {text}");
    }
}
