//! A sidekick has no more rights than the room that asks.

use super::{all, log, requests, spawn, wait_state};
use flow::{House, me};
use plan::{AskKind, Command, Event, Outcome, PlanMode};
use serde_json::json;
use support::{
    Reply, Script, plan_write_with, sidekick_complete, spawn_sidekick, submit_plan, wait_for,
    wait_for_some,
};

#[tokio::test]
async fn in_a_strict_room_the_model_hands_nothing_over_before_a_plan_is_approved() {
    let house = House::with(vec![spawn_sidekick("write it"), Reply::text("ok")]).await;
    house.mode(PlanMode::Strict).await;
    house.say("do it").await;
    let told = house.model.request(1).await.tool_results().pop().unwrap();
    assert!(told.contains("NOT_APPROVED"), "{told}");
    assert!(all(&house).is_empty());
}

#[tokio::test]
async fn a_sidekick_of_a_strict_room_can_change_nothing() {
    let write = |path: &str| ("write_file", json!({ "path": path, "content": "x" }));
    let script = Script::by_room([
        (
            "change things",
            vec![
                Reply::calls([
                    write("a.txt"),
                    ("shell", json!({ "command": "touch b.txt" })),
                    ("spawn_sidekick", json!({ "task": "touch c.txt" })),
                    ("read_file", json!({ "path": "note.txt" })),
                ]),
                sidekick_complete("I could not"),
            ],
        ),
        ("", vec![]),
    ]);
    let house = House::configured(script, "", &[("note.txt", "hello")]).await;
    house.mode(PlanMode::Strict).await;
    let sidekick = spawn(&house, "change things").await;
    wait_state(&house, sidekick.id, "completed").await;
    assert_eq!(house.engine().view(sidekick.id).unwrap().plan_mode, PlanMode::Strict);
    assert_eq!(house.workspace.files(), [("note.txt".to_owned(), "hello".to_owned())]);
    let outcomes: Vec<Outcome> = log(&house, sidekick.id)
        .iter()
        .filter_map(|event| {
            let Event::CallEnded { outcome, .. } = event else { return None };
            Some(*outcome)
        })
        .collect();
    use Outcome::{Blocked, Ok};
    assert_eq!(outcomes, [Blocked, Blocked, Blocked, Ok, Ok]);
    assert_eq!(house.engine().sidekicks(sidekick.id).unwrap(), []);
}

#[tokio::test]
async fn what_was_done_in_a_copy_is_not_taken_over_once_the_room_is_strict() {
    let write = Reply::call("write_file", json!({ "path": "a.txt", "content": "x" }));
    let script = Script::by_room([
        ("write", vec![write.hold_after(1), sidekick_complete("It is written").hold_after(1)]),
        ("stay", vec![Reply::text("Still here").hold_after(1), sidekick_complete("I stayed")]),
        ("", vec![]),
    ]);
    let house = House::with(script).await;
    spawn(&house, "stay").await;
    let sidekick = spawn(&house, "write").await;
    wait_for(async || house.model.requests().len() == 2, "both at work").await;
    house.model.release();
    wait_for(async || requests(&house, "write").len() == 2, "what was written").await;
    house.mode(PlanMode::Strict).await;
    house.model.release();
    let ask = wait_for_some(async || house.view().asks.pop(), "a question").await;
    assert!(ask.text.contains("without an approved plan"), "{}", ask.text);
    assert!(!house.workspace.has("a.txt"), "nothing changes without a yes");

    house.mode(PlanMode::Off).await;
    let answer = Command::Answer {
        ask: ask.id,
        answer: plan::Ask::TRY_AGAIN.to_owned(),
        note: None,
        revision: None,
        hash: None,
    };
    house.engine().submit(ask.room_id, &me(), answer).expect("it is answered");
    wait_for(async || house.workspace.has("a.txt"), "what was kept").await;
    wait_state(&house, sidekick.id, "completed").await;
}

#[tokio::test]
async fn a_room_that_turns_strict_holds_for_the_sidekicks_it_has() {
    let script = Script::by_room([
        (
            "write",
            vec![
                Reply::call("write_file", json!({ "path": "a.txt", "content": "x" })).hold_after(1),
                sidekick_complete("I could not"),
            ],
        ),
        ("", vec![]),
    ]);
    let house = House::with(script).await;
    let sidekick = spawn(&house, "write").await;
    house.model.request(0).await;
    house.mode(PlanMode::Strict).await;
    house.model.release();
    wait_state(&house, sidekick.id, "completed").await;
    assert!(!house.workspace.has("a.txt"));
    assert!(requests(&house, "write")[1].tool_results()[0].contains("NOT_APPROVED"));
}

/// The attack: a change waits behind something slow that only looks, and the mode changes meanwhile.
#[tokio::test]
async fn what_was_allowed_before_a_slow_look_is_judged_again_after_it() {
    let slow = Reply::call("shell", json!({ "command": "cat pipe" }));
    let write = json!({ "path": "a.txt", "content": "x" });
    let below = vec![slow.and_call("write_file", write), sidekick_complete("I could not")];
    let house = House::with(Script::by_room([("write", below), ("", vec![])])).await;
    let pipe = house.workspace.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo is there").success());
    let sidekick = spawn(&house, "write").await;
    // It can be opened once somebody reads.
    let open = move || std::fs::OpenOptions::new().write(true).open(pipe);
    let opened = tokio::task::spawn_blocking(open).await.expect("no panic").expect("it opens");
    house.mode(PlanMode::Strict).await;
    drop(opened);
    wait_state(&house, sidekick.id, "completed").await;
    assert!(!house.workspace.has("a.txt"));
    let told = requests(&house, "write")[1].tool_results();
    assert!(told[1].contains("NOT_APPROVED"), "{told:?}");
}

#[tokio::test]
async fn nobody_is_asked_for_a_yes_that_could_not_count() {
    let steps = json!([{ "description": "write it", "tool": "write_file", "target": "a.txt" }]);
    let script = Script::by_room([
        (
            "change things",
            vec![
                submit_plan("change it", steps, "because"),
                plan_write_with("change it", json!(["write it"]), json!({})),
                sidekick_complete("a.txt has to be written"),
            ],
        ),
        ("", vec![]),
    ]);
    let house = House::with(script).await;
    house.mode(PlanMode::Strict).await;
    let sidekick = spawn(&house, "change things").await;
    wait_state(&house, sidekick.id, "completed").await;
    for number in [1, 2] {
        let told = requests(&house, "change things")[number].tool_results().pop().unwrap();
        assert!(told.contains("PLAN_NOT_APPROVED_ABOVE"), "{told}");
        assert!(told.contains("the room above has no approved plan"), "{told}");
    }
    let asked =
        |event: &Event| matches!(event, Event::AskRaised { .. } | Event::PlanWritten { .. });
    assert!(!log(&house, sidekick.id).iter().any(asked));
}

#[tokio::test]
async fn inside_an_approved_step_the_yes_to_a_sidekicks_plan_counts() {
    let step = json!([{ "text": "part 1", "tool": "write_file", "target": "a.txt" }]);
    let own = json!([{ "description": "write it", "tool": "write_file", "target": "a.txt" }]);
    let write = Reply::call("write_file", json!({ "path": "a.txt", "content": "x" }));
    let script = Script::by_room([
        (
            "part 1",
            vec![submit_plan("write it", own, "because"), write, sidekick_complete("written")],
        ),
        (
            "do it",
            vec![
                plan_write_with("g", step, json!({ "mode": "parallel" })),
                Reply::text("It works."),
                Reply::text("All done."),
            ],
        ),
    ]);
    let house = House::with(script).await;
    house.mode(PlanMode::Strict).await;
    house.say("do it").await;
    for nested in [false, true] {
        let open = || {
            let mut asks = house.view().asks.into_iter();
            asks.find(|ask| ask.kind == AskKind::Approval && ask.parent.is_some() == nested)
        };
        let room = wait_for_some(async || open(), "a plan to approve").await.room_id;
        let plan = house.engine().view(room).unwrap().plan.unwrap();
        let (revision, hash, model) = (plan.revision, plan.hash, None);
        let yes = Command::Approve { revision, hash, model, fresh_context: false };
        house.engine().submit(room, &me(), yes).unwrap();
    }
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    assert!(house.workspace.has("a.txt"));
}
