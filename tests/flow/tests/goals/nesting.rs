//! A step of a goal may be split again, as deep as is allowed.

use super::{Desk, Play, graph, statuses};
use plan::Command;
use serde_json::json;
use support::{Reply, sidekick_complete, wait_for};

/// The step "big" is split into two, unless that is refused; then it does the work itself.
fn play() -> Play {
    let steps = json!([{ "id": "a", "text": "big" }, { "id": "b", "text": "end", "needs": ["a"] }]);
    Play::new(graph(steps)).node(|name, request| {
        let results = request.tool_results();
        let told = request.texts("system").join("\n");
        match name {
            "big" if results.is_empty() => graph(json!([
                { "id": "x", "text": "left half", "domain": "halves" },
                { "id": "y", "text": "right half" },
            ])),
            "big" if results[0].contains("TOO_DEEP") => sidekick_complete("did it alone"),
            "big" if told.contains("the plan is done") => sidekick_complete("both halves"),
            "big" => Reply::text("They work."),
            name => sidekick_complete(&format!("{name} is done")),
        }
    })
}

#[tokio::test]
async fn a_step_is_split_again_and_its_parts_share_the_goals_slots() {
    let desk = Desk::configured(play(), "", json!({ "parallelism": 1 })).await;
    let end = desk.wait_status("complete").await;
    assert_eq!(
        (&end["nodes"][0]["output"], statuses(&end)),
        (&json!("both halves"), vec!["complete"; 2])
    );
    // One at a time, however deep.
    let mut nodes = desk.nodes();
    nodes.sort_by_key(|(_, request)| request.received());
    for pair in nodes.windows(2) {
        assert!(pair[0].1.over().expect("it ended") <= pair[1].1.received(), "{pair:?}");
    }
    let names: Vec<&str> = nodes.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.contains(&"left half") && names.contains(&"right half"), "{names:?}");
}

#[tokio::test]
async fn beyond_the_depth_it_is_refused_and_the_step_does_the_work_itself() {
    let desk = Desk::configured(play(), "planner: { maxDepth: 1 }", json!({})).await;
    let end = desk.wait_status("complete").await;
    assert_eq!(end["nodes"][0]["output"], "did it alone");
    let nodes = desk.nodes();
    let told =
        nodes.iter().find_map(|(_, request)| request.tool_results().pop()).expect("it was told");
    assert!(told.contains("sidekicks may be 1 deep and no more; do this yourself"), "{told}");
}

#[tokio::test]
async fn what_is_two_rooms_below_goes_on_when_the_goal_is_resumed() {
    let steps = json!([{ "id": "a", "text": "big" }]);
    let play = Play::new(graph(steps)).node(|name, request| {
        let told = request.texts("system").join("\n");
        match name {
            "big" if request.tool_results().is_empty() => {
                graph(json!([{ "id": "x", "text": "left half" }]))
            }
            "big" if told.contains("the plan is done") => sidekick_complete("all of it"),
            "big" => Reply::text("It works."),
            name => sidekick_complete(&format!("{name} is done")).hold_after(1),
        }
    });
    let desk = Desk::with(play).await;
    let asked = || desk.nodes().iter().any(|(name, _)| name == "left half");
    wait_for(async || asked(), "the half to be asked").await;
    desk.house.person(Command::Pause).await.unwrap();
    desk.house.model.release();
    let below = desk.nodes().into_iter().find(|(name, _)| name == "left half").expect("asked").1;
    wait_for(async || below.over().is_some(), "its answer to be heard").await;
    desk.house.person(Command::Resume).await.unwrap();
    let released = async || {
        desk.house.model.release();
        desk.graph().await["status"] == "complete"
    };
    wait_for(released, "the goal to be complete").await;
}

#[tokio::test]
async fn the_plan_of_a_step_goes_on_with_the_goal_after_a_restart() {
    let steps = json!([{ "id": "a", "text": "big" }]);
    let play = Play::new(graph(steps)).node(|name, request| {
        let told = request.texts("system").join("\n");
        match name {
            "big" if request.tool_results().is_empty() => {
                graph(json!([{ "id": "x", "text": "left half" }]))
            }
            "big" if told.contains("the plan is done") => sidekick_complete("all of it"),
            "big" => Reply::text("It works."),
            name => sidekick_complete(&format!("{name} is done")).hold_after(1),
        }
    });
    let desk = Desk::with(play).await;
    let asked = || desk.nodes().iter().any(|(name, _)| name == "left half");
    wait_for(async || asked(), "the half to be asked").await;
    let Desk { mut house, mut served, .. } = desk;
    served.close().await;
    drop(served);
    house.restart().await;
    assert_eq!(house.plan().state, "paused");
    house.person(Command::Resume).await.unwrap();
    let done = async || {
        house.model.release();
        house.plan().state == "done"
    };
    wait_for(done, "the goal to be done").await;
    assert_eq!(house.plan().steps[0].result.as_deref(), Some("all of it"));
}
