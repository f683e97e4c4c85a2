//! What fails in the sidekick of a goal's step is an attempt at it.

use super::{Desk, Play, graph};
use plan::Command;
use serde_json::json;
use support::{Recorded, Reply, sidekick_complete};

fn missing(name: &str) -> Reply {
    Reply::call("read_file", json!({ "path": name }))
}

/// A goal of two steps, of which the first fails three times before it is done.
fn play() -> Play {
    let steps = json!([{ "id": "a", "text": "one" }, { "id": "b", "text": "two", "needs": ["a"] }]);
    Play::new(graph(steps)).node(|name, request| match (name, request.tool_results().len()) {
        ("one", n @ 0..2) => missing(&format!("file {n}")),
        ("one", 2) => {
            let write = json!({ "path": "late", "content": "x" });
            missing("the last").and(Reply::call("write_file", write))
        }
        (name, _) => sidekick_complete(&format!("{name} is done")),
    })
}

#[tokio::test]
async fn the_last_one_pauses_the_goal_and_nothing_behind_it_is_run() {
    let desk = Desk::with(play()).await;
    let paused = desk.wait_status("paused").await;
    assert_eq!(paused["nodes"][0]["status"], "running");
    let plan = desk.house.plan();
    assert_eq!((json!(plan.pause_reason), plan.steps[0].attempts), (json!("attempts"), 3));
    assert_eq!(desk.nodes().len(), 3, "nobody is asked after the last one");

    desk.house.person(Command::Resume).await.expect("it goes on");
    let end = desk.wait_status("complete").await;
    assert_eq!(end["nodes"][0]["output"], "one is done");
    assert!(!desk.house.workspace.has("late"));
    let nodes = desk.nodes();
    let told = nodes[3].1.tool_results();
    assert_eq!((nodes[3].0.as_str(), told.len()), ("one", 4));
    for (attempt, result) in (1..=3).zip(&told) {
        let words = format!(
            "Plan harness: this is step 1/2, attempt {attempt}/3. If the error suggests \
             fallbacks, try the one that fits the user's intent."
        );
        assert!(result.contains(&words), "{told:?}");
    }
    assert_eq!(told[3], "not_run: paused");
}

#[tokio::test]
async fn words_are_no_work_and_pause_the_goal() {
    let steps = json!([{ "id": "a", "text": "one" }]);
    let nudges = |request: &Recorded| {
        request.texts("system").iter().filter(|text| text.contains("nobody reads")).count()
    };
    let play = Play::new(graph(steps)).node(move |_, request| match nudges(request) {
        0..3 => Reply::text("I will do it."),
        _ => sidekick_complete("did it"),
    });
    let desk = Desk::with(play).await;
    let paused = desk.wait_status("paused").await;
    assert_eq!(paused["nodes"][0]["status"], "running");
    let plan = desk.house.plan();
    assert_eq!(json!(plan.pause_reason), "attempts");
    assert!(plan.pause_detail.is_some_and(|why| why.contains("I will do it.")));
    assert_eq!(desk.nodes().len(), 3);
    desk.house.person(Command::Resume).await.expect("it goes on");
    let end = desk.wait_status("complete").await;
    assert_eq!(end["nodes"][0]["output"], "did it");
}

#[tokio::test]
async fn a_step_that_is_given_up_says_what_the_goal_does() {
    let fails = |next: &str| json!({ "action": "step_failed", "error": "no way", "next": next });
    for (next, status, node) in [("skip", "complete", "skipped"), ("abort", "failed", "failed")] {
        let steps = json!([{ "id": "a", "text": "one" }, { "id": "b", "text": "two" }]);
        let play = Play::new(graph(steps)).node(move |name, _| match name {
            "one" => Reply::call("plan", fails(next)),
            name => sidekick_complete(&format!("{name} is done")),
        });
        let desk = Desk::with(play).await;
        let end = desk.wait_status(status).await;
        assert_eq!(end["nodes"][0]["status"], node, "{next}");
    }
}
