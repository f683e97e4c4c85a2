//! What a person always allows a sidekick holds in the room they work in, and lets nothing past
//! what they forbade or did not approve.

use super::copies::write;
use super::{log, requests, spawn, wait_state};
use flow::{House, me};
use plan::{AskKind, AskView, Command, Event, PlanMode};
use serde_json::json;
use support::{Reply, Script, plan_write_with, sidekick_complete, wait_for, wait_for_some};

const FILE: &str = "ask-first/a.md";

fn writes(times: usize) -> Vec<Reply> {
    let mut replies = vec![write(FILE, "x"); times];
    replies.push(sidekick_complete("written"));
    replies
}

async fn asked(house: &House, kind: AskKind) -> AskView {
    let open = || house.view().asks.into_iter().find(|ask| ask.kind == kind);
    wait_for_some(async || open(), "a question").await
}

async fn answer(house: &House, ask: &AskView, answer: &str) {
    let (revision, hash, note) = (None, None, None);
    let answer = Command::Answer { ask: ask.id, answer: answer.into(), note, revision, hash };
    let answered = house.engine().submit(ask.room_id, &me(), answer).expect("it is taken");
    answered.stored().await.expect("it is stored");
}

/// A house in which a sidekick asked, and the person said "always".
async fn allowed(more: Vec<(&str, Vec<Reply>)>) -> House {
    let mut rooms = vec![("first", writes(2))];
    rooms.extend(more);
    let house = House::with(Script::by_room(rooms)).await;
    let first = spawn(&house, "first").await;
    let ask = asked(&house, AskKind::Permission).await;
    answer(&house, &ask, "always").await;
    wait_state(&house, first.id, "completed").await;
    assert_eq!(raised(&house, first.id), 1, "its own second call passes");
    heard(&house, 1).await;
    house
}

/// Waits until the room has heard of so many sidekicks, and has nothing to do.
async fn heard(house: &House, count: usize) {
    wait_for(async || house.count("nudged") == count, "the room to hear of it").await;
    house.wait_idle().await;
}

fn raised(house: &House, room: plan::RoomId) -> usize {
    log(house, room).iter().filter(|event| event.kind() == "ask_raised").count()
}

#[tokio::test]
async fn neither_the_room_nor_its_other_sidekicks_ask_again() {
    let room = vec![write(FILE, "y"), Reply::text("written")];
    let mut house = allowed(vec![("second", writes(1)), ("third", writes(1)), ("", room)]).await;
    assert_eq!(house.view().rules, [format!("write_file({FILE})")]);
    let second = spawn(&house, "second").await;
    wait_state(&house, second.id, "completed").await;
    assert_eq!(raised(&house, second.id), 0);
    heard(&house, 2).await;
    let before = house.say("write it yourself").await;
    house.wait_after(before, "call", |event| matches!(event, Event::CallEnded { .. })).await;
    assert_eq!(house.count("ask_raised"), 0);

    // It is taken back for all of them.
    house.restart().await;
    let rule = house.view().rules.pop().expect("it outlives a restart");
    house.person(Command::ForgetRule { rule }).await.unwrap();
    let again = spawn(&house, "third").await;
    let ask = asked(&house, AskKind::Permission).await;
    assert_eq!(ask.room_id, again.id);
}

/// A command is open to the network only where every agent on the way down has that rule.
#[tokio::test]
async fn a_sidekick_is_open_only_where_the_room_above_is() {
    let open = "\n    permissions: { open: [shell] }";
    for (above, below, is_open) in [(open, "", false), ("", open, false), (open, open, true)] {
        let model = "\n    model: test/scripted";
        let agents = format!("test/scripted{above}\n  other:{model}{below}\n  third:{model}");
        let run = Reply::call("shell", json!({ "command": "touch x && echo way=$http_proxy" }));
        let steps = json!([{ "text": "part 1", "agent": "other" }]);
        let plan = plan_write_with("g", steps, json!({ "mode": "parallel" }));
        let script = Script::by_room([
            ("part 1", vec![run, sidekick_complete("done")]),
            ("do it", vec![plan, Reply::text("It works."), Reply::text("Done.")]),
        ]);
        let house = House::of_agent(&agents, script, "", &[]).await;
        house.say("do it").await;
        house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
        let told = requests(&house, "part 1")[1].tool_results().pop().unwrap();
        assert_eq!(told.contains("way=http"), is_open, "{above:?} {below:?}: {told}");
    }
}

/// The attack: a rule that was kept by way of a sidekick is used where the person insists on a plan.
#[tokio::test]
async fn it_lets_nothing_past_what_was_approved() {
    let steps = json!([{ "text": "part 1", "tool": "write_file", "target": "b.md" }]);
    let plan = plan_write_with("g", steps, json!({ "mode": "parallel" }));
    let above = vec![plan, Reply::text("It works."), Reply::text("Done.")];
    let rooms = vec![("part 1", writes(1)), ("before", writes(1)), ("", above)];
    let house = allowed(rooms).await;
    std::fs::remove_file(house.workspace.path().join(FILE)).unwrap();
    house.mode(PlanMode::Strict).await;
    let before = spawn(&house, "before").await;
    wait_state(&house, before.id, "completed").await;
    let told = requests(&house, "before")[1].tool_results().pop().unwrap();
    assert!(told.contains("NOT_APPROVED"), "{told}");
    heard(&house, 2).await;

    house.say("do it").await;
    asked(&house, AskKind::Approval).await;
    let plan = house.plan();
    let (revision, hash, model) = (plan.revision, plan.hash, None);
    house.person(Command::Approve { revision, hash, model, fresh_context: false }).await.unwrap();
    let drift = asked(&house, AskKind::Drift).await;
    assert!(drift.text.contains(FILE) && !house.workspace.has(FILE), "{}", drift.text);
    answer(&house, &drift, "refuse").await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    assert!(!house.workspace.has(FILE));
}

/// The attack: what a step was approved for, in another folder or with more words, in a sidekick.
#[tokio::test]
async fn a_step_that_a_sidekick_does_runs_its_command_and_no_other() {
    let run = |command: &str| Reply::call("shell", json!({ "command": command }));
    let steps = json!([{ "text": "part 1", "tool": "shell", "target": "sh run.sh" }]);
    let plan = plan_write_with("g", steps, json!({ "mode": "parallel" }));
    let attacks = ["cd vendor/evil; sh run.sh", "cd vendor/evil && sh run.sh", "sh run.sh evil"];
    let mut below = attacks.map(run).to_vec();
    below.extend([run("cd vendor/evil"), run("sh run.sh")]);
    below.push(Reply::call("shell", json!({ "command": "sh run.sh", "folder": "." })));
    below.push(sidekick_complete("ran"));
    let above = vec![plan, Reply::text("It works."), Reply::text("Done.")];
    let script = Script::by_room([("part 1", below), ("", above)]);
    let files =
        [("run.sh", "echo top $1 >> said\n"), ("vendor/evil/run.sh", "echo evil >> ../../said\n")];
    let house = House::configured(script, "", &files).await;
    house.mode(PlanMode::Strict).await;
    house.say("do it").await;
    asked(&house, AskKind::Approval).await;
    let plan = house.plan();
    let (revision, hash, model) = (plan.revision, plan.hash, None);
    house.person(Command::Approve { revision, hash, model, fresh_context: false }).await.unwrap();
    for attack in attacks.into_iter().chain(["after moving there"]) {
        let drift = asked(&house, AskKind::Drift).await;
        assert!(drift.text.contains("run.sh"), "{attack}: {}", drift.text);
        answer(&house, &drift, "refuse").await;
    }
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    assert_eq!(house.workspace.read("said"), "top\n");
}
