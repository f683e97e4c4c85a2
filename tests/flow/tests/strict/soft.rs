//! Soft mode: nothing is blocked, and whoever looks is told.

use flow::House;
use plan::{Event, PlanMode};
use serde_json::json;
use support::{Reply, plan_write_with, step_done};

fn write(path: &str) -> Reply {
    Reply::call("write_file", json!({ "path": path, "content": "x" }))
}

/// What was warned about, in order.
fn warnings(house: &House) -> Vec<String> {
    let warned = house.log().into_iter().filter_map(|(_, event)| {
        let Event::Warned { text, .. } = event else { return None };
        Some(text)
    });
    warned.collect()
}

#[tokio::test]
async fn a_change_without_a_plan_happens_and_is_told() {
    let house = House::with(vec![write("a.md"), Reply::text("ok")]).await;
    house.mode(PlanMode::Soft).await;
    house.say("go").await;
    house.wait_idle().await;
    assert!(house.workspace.has("a.md"));
    assert_eq!(warnings(&house), ["write_file a.md happens without a plan"]);
    assert_eq!(house.count("ask_raised"), 0);
    let served = flow::Served::new(house.engine()).await;
    let said = served.client.get(&format!("/v1/rooms/{}/messages", house.room)).await.ok();
    let said = said["items"].as_array().expect("a page has items").iter();
    let roles: Vec<_> = said.map(|one| (one["role"].clone(), one["text"].clone())).collect();
    let warning = (json!("harness"), json!("write_file a.md happens without a plan"));
    assert!(roles.contains(&warning), "{roles:?}");
}

#[tokio::test]
async fn a_change_beyond_the_plan_happens_and_is_told_on_its_step() {
    let steps = json!([{ "id": "a", "text": "one", "tool": "write_file", "target": "a.md" }]);
    let script = vec![
        plan_write_with("g", steps, json!({})),
        write("a.md"),
        write("b.md"),
        step_done("a", "done"),
        Reply::text("ok"),
    ];
    let house = House::with(script).await;
    house.mode(PlanMode::Soft).await;
    house.say("go").await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    assert!(house.workspace.has("a.md") && house.workspace.has("b.md"));
    assert_eq!(warnings(&house), ["write_file b.md is not what the step names"]);
    assert_eq!(house.plan().steps[0].warnings, warnings(&house));
    assert_eq!(house.count("ask_raised"), 0);
}
