//! What a model writes for a goal is checked, and put right once.

use super::{Desk, Play, Who, graph, statuses};
use serde_json::{Value, json};
use support::Reply;

fn good() -> Reply {
    graph(json!([{ "id": "a", "text": "one" }, { "id": "b", "text": "two", "needs": ["a"] }]))
}

fn cycle() -> Reply {
    graph(json!([
        { "id": "a", "text": "one", "needs": ["b"] },
        { "id": "b", "text": "two", "needs": ["a"] },
    ]))
}

/// What came of a goal whose model wrote these.
async fn end_of(replies: Vec<Reply>, more: &str) -> (Desk, Value) {
    let desk = Desk::configured(Play::splitting(replies), more, json!({})).await;
    desk.wait_over().await;
    let end = desk.graph().await;
    (desk, end)
}

#[tokio::test]
async fn a_cycle_is_put_right_when_the_model_hears_of_it() {
    let (desk, end) = end_of(vec![cycle(), good()], "").await;
    assert_eq!((&end["status"], statuses(&end)), (&json!("complete"), vec!["complete"; 2]));
    let told = desk.asked(Who::Splits)[1].tool_results().join("\n");
    assert!(told.contains("CYCLE") && told.contains("need each other in a circle: a, b"), "{told}");
    assert_eq!(desk.house.count("split_refused"), 1);
}

#[tokio::test]
async fn so_are_arguments_that_break_off() {
    let broken = || Reply::call_raw("plan", r#"{"action": "write", "steps": [ {"#);
    let (desk, end) = end_of(vec![broken(), good()], "").await;
    assert_eq!(end["status"], "complete");
    let told = desk.asked(Who::Splits)[1].tool_results().join("\n");
    assert!(told.contains("BAD_ARGUMENTS") && told.contains("cut off"), "{told}");
    assert!(told.contains(r#"Example: plan {\"action\":\"write\""#), "{told}");
    assert_eq!(desk.house.count("split_refused"), 1);
}

#[tokio::test]
async fn an_answer_that_is_a_list_of_steps_is_the_plan() {
    let answers = [
        "Here is how I would do it:\n\n1. Read the notes\n2. Write them down",
        "```json\n[{\"text\": \"Read the notes\"}, \"Write them down\"]\n```",
        "{\"goal\": \"notes\", \"steps\": [\"Read the notes\", \"Write them down\"]}",
    ];
    for answer in answers {
        let (_, end) = end_of(vec![Reply::text(answer)], "").await;
        let tasks: Vec<&Value> =
            end["nodes"].as_array().unwrap().iter().map(|node| &node["task"]).collect();
        assert_eq!(tasks, ["Read the notes", "Write them down"], "{answer}: {end}");
    }
}

#[tokio::test]
async fn after_the_second_failure_a_simpler_form_is_asked_for() {
    let words = || Reply::text("I would rather not.");
    let list = Reply::text("1. Read the notes\n2. Write them down");
    let (desk, end) = end_of(vec![words(), words(), list], "").await;
    assert_eq!((&end["status"], &end["nodeCount"]), (&json!("complete"), &json!(2)));
    let last = desk.asked(Who::Splits).pop().unwrap();
    let told = last.texts("user").join("\n") + &last.texts("system").join("\n");
    assert!(told.contains("a numbered list, one step on each line"), "{told}");
}

#[tokio::test]
async fn what_is_wrong_three_times_is_a_failure_that_says_why() {
    let many: Vec<Value> = (0..4).map(|n| json!({ "id": format!("n{n}"), "text": "x" })).collect();
    let twins = json!([{ "id": "a", "text": "one" }, { "id": "a", "text": "two" }]);
    let lost = json!([{ "id": "a", "text": "one", "needs": ["z"] }]);
    let cases = [
        (cycle(), "in a circle"),
        (graph(json!(many)), "4 steps and at most 3 are allowed"),
        (graph(twins), "two steps are called a"),
        (graph(lost), "needs z, which is not a step"),
        (graph(json!([])), "`steps` is empty"),
        (graph(json!(3)), "`steps` has to be a list"),
        (Reply::text("I would rather not."), "answered in words"),
        (Reply::call_raw("plan", r#"{"action": "write", "steps": [ {"#), "cut off"),
    ];
    for (wrong, why) in cases {
        let (desk, end) =
            end_of(vec![wrong.clone(), wrong.clone(), wrong], "planner: { maxNodes: 3 }").await;
        assert_eq!(end["status"], "failed", "{why}");
        let reason = end["reason"].as_str().unwrap_or_default().to_owned();
        assert!(reason.contains("could not be split") && reason.contains(why), "{reason}");
        desk.house.wait_idle().await;
        assert_eq!(desk.house.model.requests().len(), 3, "{why}: nobody is asked after that");
    }
}

#[tokio::test]
async fn steps_in_a_row_stay_in_a_row() {
    let row = support::plan_write("in a row", &["one", "two", "three"]);
    let (_, end) = end_of(vec![row], "").await;
    let needs: Vec<&Value> =
        end["nodes"].as_array().unwrap().iter().map(|node| &node["needs"]).collect();
    assert_eq!(needs, [&json!([]), &json!(["s1"]), &json!(["s2"])]);
}

#[tokio::test]
async fn the_most_nodes_are_still_taken() {
    let many: Vec<Value> = (0..3).map(|n| json!({ "id": format!("n{n}"), "text": "x" })).collect();
    let (_, end) = end_of(vec![graph(json!(many))], "planner: { maxNodes: 3 }").await;
    assert_eq!((&end["status"], &end["nodeCount"]), (&json!("complete"), &json!(3)));
}

#[tokio::test]
async fn the_planner_may_look_around_but_change_nothing() {
    let look = Reply::calls([
        ("list_directory", json!({ "path": "." })),
        ("write_file", json!({ "path": "made", "content": "x" })),
    ]);
    let (desk, end) = end_of(vec![look, good()], "").await;
    assert_eq!(end["status"], "complete");
    let told = desk.asked(Who::Splits)[1].tool_results();
    assert!(told[1].contains("this turn is for planning"), "{told:?}");
    assert!(!desk.house.workspace.has("made"));
}

#[tokio::test]
async fn a_planner_that_never_comes_to_an_end_is_a_failure() {
    let look = Reply::call("list_directory", json!({ "path": "." }));
    let (_, end) = end_of(vec![look; 12], "caps: { planning_turns: 2 }").await;
    assert_eq!(end["status"], "failed");
    assert!(end["reason"].as_str().unwrap().contains("neither wrote one nor answered"), "{end}");
}
