//! The worked example of planning mode: three agents of three providers plan directories. One
//! votes without an answer of its own, the second wins with two votes, and only it acts.

use super::{TASK, body, now, wait_state};
use engine::StartCouncil;
use flow::{House, me};
use plan::{DecidedBy, Event};
use serde_json::json;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use support::{Recorded, Reply, Script, ScriptedModel, wait_for};

/// Everything below a folder as the disk has it: kind, size, times and content.
fn walk(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).expect("a folder can be read").flatten() {
            let path = entry.path();
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else {
                found.push(line(&path));
            }
        }
        found.push(line(&next));
    }
    found.sort();
    found
}

fn line(path: &Path) -> String {
    let about = path.symlink_metadata().expect("an entry has facts");
    let content = std::fs::read(path).map(|bytes| blake3::hash(&bytes).to_hex().to_string());
    let (mtime, ctime) = (about.mtime_nsec(), about.ctime_nsec());
    format!(
        "{} {:o} {} {}.{mtime} {}.{ctime} {} {}",
        path.display(),
        about.mode(),
        about.len(),
        about.mtime(),
        about.ctime(),
        about.nlink(),
        content.unwrap_or_default(),
    )
}

fn step(tool: &str, target: &str) -> serde_json::Value {
    json!({ "text": format!("{tool} {target}"), "tool": tool, "target": target })
}

const PACKAGE: [(&str, &str, &str); 6] = [
    ("create_directory", "src", ""),
    ("write_file", "src/__init__.py", ""),
    ("create_directory", "tests", ""),
    ("write_file", "tests/__init__.py", ""),
    ("create_directory", "docs", ""),
    ("write_file", "docs/README.md", "# Documentation"),
];

fn plain() -> Reply {
    let steps = ["src", "tests", "docs"].map(|name| step("create_directory", name));
    let content = "Plain directories\nI would create three directories, with a README in each.";
    Reply::call("new_answer", json!({ "content": content, "steps": steps }))
}

fn packages() -> Reply {
    let steps = PACKAGE.map(|(tool, target, _)| step(tool, target));
    let content = "Proper packages\nI would do the same but also add __init__.py files.";
    Reply::call("new_answer", json!({ "content": content, "steps": steps }))
}

fn looks() -> Reply {
    Reply::calls([
        ("list_dir", json!({})),
        ("read_file", json!({ "path": "notes/old.md" })),
        ("shell", json!({ "command": "cat notes/old.md && ls -la" })),
    ])
}

fn vote(reason: &str) -> Reply {
    Reply::call("vote", json!({ "agent_id": "agent2", "reason": reason }))
}

/// What the winner does, one step a turn; the first turn waits to be let go.
fn carries_out() -> Vec<Reply> {
    let turn = |(tool, path, content): &(&str, &str, &str)| {
        let args = match *tool {
            "write_file" => json!({ "path": path, "content": content }),
            _ => json!({ "path": path }),
        };
        let done = json!({ "action": "step_done", "result": format!("made {path}") });
        Reply::calls([(*tool, args), ("plan", done)])
    };
    let mut turns: Vec<Reply> = PACKAGE.iter().map(turn).collect();
    turns[0] = turns[0].clone().hold_after(1);
    turns.push(Reply::text("Complete."));
    turns
}

/// The three providers, each with a protocol of its own.
async fn providers() -> [ScriptedModel; 3] {
    let script = |plan: &str, replies, execute: &str, executes| {
        Script::by_model([(plan.to_owned(), replies), (execute.to_owned(), executes)])
    };
    [
        ScriptedModel::start(script(
            "alpha-plan",
            vec![looks(), plain(), vote("Good point about __init__.py")],
            "alpha-do",
            vec![],
        ))
        .await,
        ScriptedModel::start(script(
            "beta-plan",
            // It has answered, and is still thinking when the others have voted.
            vec![looks(), packages(), vote("mine").hold_after(1)],
            "beta-do",
            carries_out(),
        ))
        .await,
        ScriptedModel::start(script(
            "gamma-plan",
            vec![
                looks().hold_after(1),
                vote("more complete, I think"),
                vote("Agent B's approach is more complete."),
            ],
            "gamma-do",
            vec![],
        ))
        .await,
    ]
}

fn configuration(servers: &[ScriptedModel; 3]) -> String {
    format!(
        "providers:\n\
         \u{20} first: {{ type: openai, base_url: \"{}\" }}\n\
         \u{20} second: {{ type: anthropic, base_url: \"{}\" }}\n\
         \u{20} third: {{ type: gemini, base_url: \"{}\" }}\n\
         agents:\n\
         \u{20} anton: {{ model: first/alpha-do, plan_model: first/alpha-plan }}\n\
         \u{20} berta: {{ model: second/beta-do, plan_model: second/beta-plan }}\n\
         \u{20} carla: {{ model: third/gamma-do, plan_model: third/gamma-plan }}\n\
         orchestrator:\n\
         \u{20} coordination: {{ planning_mode_instruction: \"Describe, and execute nothing.\" }}\n",
        servers[0].base_url(),
        servers[1].base_url(),
        servers[2].base_url()
    )
}

const LOOK_TOOLS: [&str; 6] = ["new_answer", "vote", "read_file", "list_dir", "search", "shell"];
const CHANGING: [&str; 10] = [
    "plan",
    "submit_plan",
    "ask_user",
    "spawn_sidekick",
    "start_council",
    "write_file",
    "edit_file",
    "move_file",
    "delete_file",
    "fetch",
];

fn is_anonymous(request: &Recorded) {
    let told = body(request).replacen(request.model(), "", 1);
    let names =
        ["anton", "berta", "carla", "alpha", "beta-", "gamma", "first/", "second/", "third/"];
    for name in names {
        assert!(!told.contains(name), "{name} is told: {told}");
    }
    let tools = request.tool_names();
    assert!(LOOK_TOOLS.iter().all(|tool| tools.contains(tool)), "{tools:?}");
    assert!(!CHANGING.iter().any(|tool| tools.contains(tool)), "{tools:?}");
    assert!(told.contains("Describe, and execute nothing."), "{told}");
}

#[tokio::test]
async fn three_providers_plan_one_votes_without_an_answer_and_only_the_winner_acts() {
    let servers = providers().await;
    let files = [("notes/old.md", "old notes"), ("keep.txt", "keep me")];
    let mut house = House::configured(Script::Replies(Vec::new()), "", &files).await;
    std::fs::write(house.config().join("plancard.yaml"), configuration(&servers)).unwrap();
    house.restart().await;
    let before = walk(&house.workspace.path());
    let defer = json!({ "defer_voting_until_all_answered": false });
    let start = StartCouncil {
        task: TASK.to_owned(),
        members: Vec::new(),
        options: defer.as_object().cloned().unwrap(),
    };
    house.engine().start_council(house.room, &me(), start).await.unwrap();

    // The third one looks around until both others have answered.
    let answered = async || {
        let members = now(&house).members;
        members[0].answers.len() + members[1].answers.len() == 2
    };
    super::wait_until(&house, answered, "two answers").await;
    assert_eq!(walk(&house.workspace.path()), before, "nothing is touched while they talk");
    servers[2].release();

    // The winner is about to do its first step.
    let executes = |request: &Recorded| request.model() == "beta-do";
    let begun = async || servers[1].requests().iter().any(executes);
    super::wait_until(&house, begun, "the winner to act").await;
    assert_eq!(walk(&house.workspace.path()), before, "nothing is touched before it acts");
    let council = now(&house);
    assert_eq!((council.winner.as_deref(), council.state.as_str()), (Some("agent2"), "executing"));
    assert_eq!(council.decided_by, Some(DecidedBy::Votes));
    let votes: Vec<u32> = council.tally.iter().map(|score| score.votes).collect();
    assert_eq!(votes, [0, 2], "{:?}", council.tally);
    assert_eq!(council.members[2].answers, [], "it voted without an answer of its own");
    let vote = council.members[2].vote.clone().expect("it voted");
    assert_eq!((vote.choice.as_str(), vote.label.as_str()), ("agent2", "agent2.1"));
    // Who has no answer is not interrupted, so its first vote was on answers it had not seen.
    assert_eq!((council.dropped_votes, council.dropped[0].member.as_str()), (1, "agent3"));
    let room_agent = servers[0].requests().iter().all(|one| one.model() == "alpha-plan");
    assert!(room_agent, "the room's own agent rests");
    assert_eq!(servers[2].requests().len(), 3);
    for server in &servers {
        server
            .requests()
            .iter()
            .filter(|one| one.model().ends_with("-plan"))
            .for_each(is_anonymous);
    }

    servers[1].release();
    let council = wait_state(&house, "done").await;
    assert_eq!(house.plan().state, "done");
    assert!(house.plan().steps.iter().all(|step| step.status == "done"));
    let files = [
        ("docs/README.md", "# Documentation"),
        ("keep.txt", "keep me"),
        ("notes/old.md", "old notes"),
        ("src/__init__.py", ""),
        ("tests/__init__.py", ""),
    ];
    let files = files.map(|(path, content)| (path.to_owned(), content.to_owned()));
    assert_eq!(house.workspace.files(), files);
    let model = council.members[1].model.as_str();
    assert_eq!((council.members[1].agent.as_str(), model), ("berta", "second/beta-plan"));
    let acted: Vec<String> = house
        .log()
        .into_iter()
        .filter_map(|(_, event)| {
            let Event::Replied { model, .. } = event else { return None };
            Some(model.to_string())
        })
        .collect();
    assert!(acted.iter().all(|model| model == "second/beta-do"), "{acted:?}");
    let copies = house.data().join("copies");
    let gone = async || std::fs::read_dir(&copies).map_or(0, Iterator::count) == 0;
    wait_for(gone, "the copies to be gone").await;
}
