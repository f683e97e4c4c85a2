//! A plan that is approved with a fresh context is carried out by a model that knows only the
//! plan.

use flow::House;
use plan::{Command, Event, PauseReason, PlanMode};
use serde_json::json;
use support::{Recorded, Reply, plan_write_with, step_done};

const WORDS: &str = "The plan is approved. Carry it out, step by step.";

/// A room with a conversation before its plan, which waits for approval.
async fn waiting(mut replies: Vec<Reply>) -> House {
    let steps = json!([{
        "text": "write it", "tool": "write_file", "target": "out.txt",
        "expected_outcome": "the file is there", "verify": { "file": "out.txt" },
    }, "look at it"]);
    let more = json!({ "title": "A file", "rationale": "It was asked for." });
    let mut script = vec![
        Reply::text("I like tulips, too."),
        Reply::call("read_file", json!({ "path": "note.txt" })),
        plan_write_with("make a file", steps, more)
            .and_call("read_file", json!({ "path": "note.txt" })),
    ];
    script.append(&mut replies);
    let house = House::configured(script, "", &[("note.txt", "a note on tulips")]).await;
    house.mode(PlanMode::Strict).await;
    house.say("I like tulips").await;
    house.wait("reply", |event| matches!(event, Event::Replied { .. })).await;
    house.wait_idle().await;
    house.say("make a file of tulips").await;
    house.wait("question", |event| matches!(event, Event::AskRaised { .. })).await;
    house
}

async fn approve(house: &House, fresh_context: bool) {
    let plan = house.plan();
    let (revision, hash) = (plan.revision, plan.hash);
    let command = Command::Approve { revision, hash, model: None, fresh_context };
    house.person(command).await.expect("it can be approved");
}

/// What a request says beside the standing instructions: all messages, in one text.
fn told(request: &Recorded) -> String {
    let messages = request.messages().iter().skip(1);
    messages.map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn write() -> Reply {
    Reply::call("write_file", json!({ "path": "out.txt", "content": "x" }))
}

#[tokio::test]
async fn nothing_that_was_said_before_is_told() {
    let house = waiting(vec![write(), step_done("s1", "ok"), step_done("s2", "ok")]).await;
    approve(&house, true).await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    let first = house.model.request(3).await;
    assert_eq!(first.texts("user"), [WORDS]);
    assert!(!told(&first).contains("tulip"), "{}", told(&first));
    assert!(first.tool_results().is_empty(), "no result without its call");
    assert_eq!(
        first.texts("system").pop().unwrap(),
        "Plan (revision 1): make a file\n\
        Title: A file\n\
        Why: It was asked for.\n\
        State: running. Work on step 1 now; when it is done, report step_done.\n\
        ▶ 1. [s1] write it (uses write_file out.txt) (expected: the file is there) \
        (done when out.txt exists)\n\
        ○ 2. [s2] look at it\n"
    );
    let second = house.model.request(4).await;
    assert_eq!(second.texts("user"), [WORDS]);
    assert_eq!(second.tool_results().len(), 1, "what came after is told");
}

#[tokio::test]
async fn after_a_restart_it_is_the_same() {
    let mut house =
        waiting(vec![write(), Reply::text("hm").hold_after(1), step_done("s1", "ok")]).await;
    approve(&house, true).await;
    house.model.request(4).await;
    house.restart().await;
    house.model.release();
    assert_eq!(house.plan().pause_reason, Some(PauseReason::Interrupted));
    house.person(Command::Resume).await.unwrap();
    let again = house.model.request(5).await;
    assert_eq!(again.texts("user"), [WORDS]);
    assert!(!told(&again).contains("tulip"), "{}", told(&again));
    assert_eq!(again.tool_results().len(), 1, "its own call is still there");
}

#[tokio::test]
async fn what_is_said_later_is_told_and_a_later_approval_takes_nothing_back() {
    let edits = json!({ "edits": [{ "op": "set", "step": "s2", "text": "see" }] });
    let house = waiting(vec![support::plan_revise(edits, "why"), write()]).await;
    approve(&house, true).await;
    house.wait("revision", |event| matches!(event, Event::PlanRevised { .. })).await;
    house.wait_idle().await;
    approve(&house, false).await;
    let next = house.model.request(4).await;
    assert_eq!(next.texts("user"), [WORDS]);
    assert_eq!(next.tool_results().len(), 1);
    assert!(!told(&next).contains("tulip"), "{}", told(&next));
}

#[tokio::test]
async fn without_the_box_the_conversation_goes_on() {
    let house = waiting(vec![write()]).await;
    approve(&house, false).await;
    let first = house.model.request(3).await;
    assert_eq!(first.texts("user"), ["I like tulips", "make a file of tulips"]);
    assert!(first.tool_results().len() >= 2);
}
