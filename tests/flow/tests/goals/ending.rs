//! Nodes that fail: what is left is brought together, or the goal has failed.

use super::{Desk, Play, Who, graph, statuses};
use engine::export;
use plan::Event;
use serde_json::json;
use support::{Reply, sidekick_complete, wait_for};

const FAIL: &str = "planner: { onPartialCompletion: fail }";

/// Two ways that meet; the first fails, with something that needs only it.
fn play() -> Play {
    let steps = json!([
        { "id": "a", "text": "one" },
        { "id": "b", "text": "two" },
        { "id": "c", "text": "after one", "needs": ["a"] },
        { "id": "d", "text": "after both", "needs": ["a", "b"] },
    ]);
    Play::new(graph(steps)).node(|name, _| match name {
        "one" => Reply::call("sidekick_complete", json!({ "summary": "no way", "failed": true })),
        name => sidekick_complete(&format!("{name} is done")),
    })
}

#[tokio::test]
async fn synthesize_makes_the_best_of_what_there_is() {
    let desk = Desk::with(play()).await;
    let end = desk.wait_status("complete").await;
    assert_eq!(statuses(&end), ["failed", "complete", "skipped", "complete"]);
    assert_eq!(end["failedNodes"], json!(["a"]));
    assert_eq!(end["result"], "All of it together.");
    let told = desk.asked(Who::Joins)[0].texts("system").join("\n");
    assert!(told.contains("1. one (default)\nfailed: no way"), "{told}");
    assert!(told.contains("3. after one (default)\nleft out: a step it needs failed"), "{told}");
    // The one that had another input ran with it.
    let nodes = desk.nodes();
    let both = nodes.iter().find(|(name, _)| name == "after both").expect("it ran");
    let task = both.1.texts("user").remove(0);
    assert!(task.contains("- one: failed: no way\n- two: two is done"), "{task}");
}

#[tokio::test]
async fn fail_fails_when_the_others_have_ended() {
    let desk = Desk::configured(play(), FAIL, json!({})).await;
    let end = desk.wait_status("failed").await;
    assert_eq!(statuses(&end), ["failed", "complete", "skipped", "skipped"]);
    assert_eq!(
        (&end["failedNodes"], &end["reason"]),
        (&json!(["a"]), &json!("1 of its steps failed"))
    );
    desk.house.wait_idle().await;
    assert!(desk.asked(Who::Joins).is_empty() && end.get("result").is_none());
    assert_eq!(end["nodes"][1]["output"], "two is done", "what there is is kept");
}

#[tokio::test]
async fn where_nothing_was_done_there_is_nothing_to_bring_together() {
    let steps = json!([{ "id": "a", "text": "one" }, { "id": "b", "text": "two", "needs": ["a"] }]);
    let failed = || Reply::call("sidekick_complete", json!({ "summary": "no", "failed": true }));
    let desk = Desk::with(Play::new(graph(steps)).node(move |_, _| failed())).await;
    let end = desk.wait_status("failed").await;
    assert_eq!(end["reason"], "none of its steps could be done");
    assert!(desk.asked(Who::Joins).is_empty());
}

#[tokio::test]
async fn who_has_no_last_word_is_asked_again_and_then_the_goal_has_failed() {
    let steps = json!([{ "id": "a", "text": "one" }]);
    let desk = Desk::with(Play::new(graph(steps)).join(Reply::text(" "))).await;
    let end = desk.wait_status("failed").await;
    assert!(end["reason"].as_str().unwrap().contains("nothing was said"), "{end}");
    assert_eq!(desk.asked(Who::Joins).len(), 3);
}

#[tokio::test]
async fn a_long_last_word_is_given_whole() {
    let long = "word ".repeat(2_000);
    let steps = json!([{ "id": "a", "text": "one" }]);
    let desk = Desk::with(Play::new(graph(steps)).join(Reply::text(long.clone()))).await;
    let end = desk.wait_status("complete").await;
    assert_eq!(end["result"].as_str().map(str::trim), Some(long.trim()));
    // What is written down has all of it, too.
    let id = desk.plan.parse().unwrap();
    let plan = export::plan(desk.house.engine(), id).unwrap().expect("it is kept");
    let text = export::markdown(&plan);
    assert!(text.contains(&format!("\n## Result\n\n{}\n", long.trim())), "{text}");
    let json = serde_json::to_value(&plan).unwrap();
    assert_eq!(json["result"].as_str().map(str::trim), Some(long.trim()));
}

#[tokio::test]
async fn the_last_word_is_heard_while_it_is_said() {
    let steps = json!([{ "id": "a", "text": "one" }]);
    let join = Reply::text("All of it together.").hold_after(4);
    let desk = Desk::with(Play::new(graph(steps)).join(join)).await;
    wait_for(async || desk.asked(Who::Joins).len() == 1, "the last word to be asked for").await;
    desk.house.hear(desk.house.room, "All of").await;
    assert_eq!(desk.graph().await["status"], "running");
    desk.house.model.release();
    let end = desk.wait_status("complete").await;
    assert_eq!(end["result"], "All of it together.");
}

#[tokio::test]
async fn who_speaks_while_sidekicks_work_is_answered_and_it_is_not_the_last_word() {
    let steps = json!([{ "id": "a", "text": "one" }]);
    let split = vec![graph(steps), Reply::text("Still at it.")];
    let play = Play::splitting(split).node(|_, _| sidekick_complete("found").hold_after(1));
    let desk = Desk::with(play).await;
    desk.wait_nodes(1).await;
    let said = desk.house.say("how far is it?").await;
    desk.house.wait_after(said, "answer", |event| matches!(event, Event::Replied { .. })).await;
    assert_eq!(desk.graph().await["status"], "running");
    desk.house.model.release();
    let end = desk.wait_status("complete").await;
    assert_eq!(end["result"], "All of it together.");
}

#[tokio::test]
async fn who_brings_results_together_is_offered_nothing_to_plan_or_hand_on() {
    let steps = json!([{ "id": "a", "text": "one" }]);
    let desk = Desk::with(Play::new(graph(steps))).await;
    desk.wait_status("complete").await;
    let names = desk.asked(Who::Joins)[0].tool_names().join(" ");
    assert!(!names.contains("plan") && !names.contains("spawn_sidekick"), "{names}");
    assert!(names.contains("read_output") && !names.contains("write_file"), "{names}");
}

#[tokio::test]
async fn a_goal_whose_steps_are_done_is_done_though_nobody_finds_words() {
    let steps = json!([{ "id": "a", "text": "one" }]);
    let plan = Reply::call("plan", json!({ "action": "write", "steps": ["more"] }));
    let desk = Desk::with(Play::new(graph(steps)).join(plan)).await;
    let end = desk.wait_status("complete").await;
    assert!(end["result"].as_str().unwrap().contains("1. one"), "{end}");
}
