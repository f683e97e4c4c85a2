//! The default agent's plan mode holds for goals, too.

use super::{Desk, Play, graph};
use engine::{NewGoal, Opener};
use flow::{House, me};
use plan::{Command, Event, PlanMode};
use serde_json::json;
use support::{Reply, sidekick_complete};

const STRICT: &str = "test/scripted\n    plan_mode: strict";

fn play() -> Play {
    let steps = |text: &str| {
        graph(json!([{ "id": "a", "text": text, "tool": "write_file", "target": "made" }]))
    };
    Play::splitting(vec![steps("make it"), steps("make it"), steps("make it later")]).node(
        |_, request| match request.tool_results().is_empty() {
            true => Reply::call("write_file", json!({ "path": "made", "content": "x" })),
            false => sidekick_complete("made"),
        },
    )
}

async fn asked(desk: &Desk, after: u64) -> u64 {
    desk.house.wait_after(after, "question", |event| matches!(event, Event::AskRaised { .. })).await
}

#[tokio::test]
async fn a_goal_is_no_way_out_of_the_mode_of_the_room_it_comes_from() {
    let house = House::with(play()).await;
    let new = NewGoal {
        goal: super::GOAL.into(),
        folder: house.workspace.path(),
        opener: Opener::Window,
        parallelism: None,
        timeout_ms: None,
        mode: PlanMode::Strict,
    };
    let set = house.engine().set_goal(&me(), new).await.expect("it is taken");
    assert_eq!(house.engine().view(set.room).expect("it is there").plan_mode, PlanMode::Strict);
}

#[tokio::test]
async fn the_graph_waits_for_approval_before_anything_runs() {
    let desk = Desk::in_house(House::of_agent(STRICT, play(), "", &[]).await, json!({})).await;
    let first = asked(&desk, 0).await;
    let waits = desk.graph().await;
    assert_eq!((&waits["status"], &waits["waitingFor"]), (&json!("running"), &json!("approval")));
    assert_eq!((&waits["nodeCount"], &waits["revision"]), (&json!(1), &json!(1)));
    assert_eq!(desk.nodes().len(), 0);
    let hash = desk.house.plan().hash;

    // Sent back, it is written anew, and waits again; the same plan once more is none.
    desk.house.person(Command::Reject { reason: "not yet".into() }).await.expect("it is sent back");
    asked(&desk, first).await;
    assert_eq!(desk.house.plan().revision, 2);
    assert!(desk.nodes().is_empty() && !desk.house.workspace.has("made"));
    let old = Command::Approve { revision: 1, hash, model: None, fresh_context: false };
    assert_eq!(desk.house.person(old).await, Err("PLAN_CONFLICT"));

    let hash = desk.house.plan().hash;
    let yes = Command::Approve { revision: 2, hash, model: None, fresh_context: false };
    desk.house.person(yes).await.expect("it is approved");
    let end = desk.wait_status("complete").await;
    assert_eq!(end["result"], "All of it together.");
    assert!(desk.house.workspace.has("made"));
}
