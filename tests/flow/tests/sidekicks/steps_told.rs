//! What the agent of a room hears of the steps that sidekicks do, and what it may do to them.

use super::steps::{graph, held, statuses, wait_end};
use super::{all, now, requests};
use flow::House;
use plan::{Command, Event, StepRef};
use serde_json::json;
use support::{Reply, Script, sidekick_complete, step_done, wait_for};

#[tokio::test]
async fn the_agent_of_the_room_can_not_end_a_step_of_theirs_and_a_person_can_skip_it() {
    let script = Script::by_room([
        ("part 2", vec![sidekick_complete("two")]),
        ("part 1", held("one")),
        (
            "do it",
            vec![
                graph(
                    json!([{ "id": "a", "text": "part 1" }, { "id": "b", "text": "part 2", "needs": ["a"] }]),
                ),
                step_done("a", "I say so"),
                Reply::text("ok"),
            ],
        ),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "do it").len() == 3, "the answer").await;
    assert!(requests(&house, "do it")[2].tool_results()[1].contains("a sidekick does it"));
    let first = all(&house).remove(0);
    house.person(Command::Skip { step: StepRef::Id("a".into()) }).await.unwrap();
    wait_end(&house).await;
    assert_eq!(statuses(&house), ["skipped", "done"]);
    assert_eq!(now(&house, first.id).state, "stopped");
}

#[tokio::test]
async fn the_agent_of_the_room_hears_of_each_step_and_may_put_its_result_better() {
    let script = Script::by_room([
        ("compare", vec![sidekick_complete("compared")]),
        ("research alpha", vec![sidekick_complete("alpha: 11 ms\nand much more")]),
        ("research beta", held("beta: 20 ms")),
        (
            "do it",
            vec![
                graph(json!([
                    { "id": "a", "text": "research alpha" },
                    { "id": "b", "text": "research beta" },
                    { "id": "c", "text": "compare", "needs": ["a", "b"] },
                ])),
                Reply::text("They look."),
                step_done("1", "alpha answers within 11 ms"),
                Reply::text("So far alpha."),
                Reply::text("All done."),
            ],
        ),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    house.wait("first step", |event| matches!(event, Event::StepDone { .. })).await;
    wait_for(async || requests(&house, "research beta").len() == 1, "the other to work").await;
    house.wait_idle().await;
    let alpha = all(&house).into_iter().find(|one| one.task.contains("alpha")).unwrap();
    let line = format!("Plan harness: step 1 from {}: alpha: 11 ms", alpha.codename);
    let told = |event: &Event| matches!(event, Event::Nudged { text, .. } if *text == line);
    house.wait("the line in the chat", told).await;
    assert_eq!(requests(&house, "do it").len(), 2, "nobody is asked for an answer to it");

    house.say("how far is it?").await;
    wait_for(async || requests(&house, "do it").len() == 4, "the answer").await;
    let asked = requests(&house, "do it").remove(2).texts("system").join("\n");
    assert!(asked.contains(&line), "{asked}");
    let step = &house.plan().steps[0];
    assert_eq!(
        (step.status.as_str(), step.result.as_deref()),
        ("done", Some("alpha answers within 11 ms"))
    );
    house.model.release();
    wait_end(&house).await;
    let task = requests(&house, "compare").remove(0).texts("user").remove(0);
    assert!(task.contains("- research alpha: alpha answers within 11 ms"), "{task}");
    assert_eq!(house.plan().state, "done");
}

#[tokio::test]
async fn all_that_each_of_them_said_reaches_the_agent_when_the_plan_is_done() {
    let facts = "Here is what I found:\n\n- alpha costs 7\n- beta costs 14";
    let long = format!("It is long:\n{}\nthe end of it", "x".repeat(3_900));
    let script = Script::by_room([
        ("ask nobody", vec![sidekick_complete("nothing")]),
        ("ask the library", vec![sidekick_complete(&long)]),
        ("ask the shop", vec![sidekick_complete(facts)]),
        (
            "do it",
            vec![
                graph(json!([
                    { "id": "a", "text": "ask the shop" },
                    { "id": "b", "text": "ask the library", "needs": ["a"] },
                    { "id": "c", "text": "ask nobody", "needs": ["b"] },
                ])),
                Reply::text("They look."),
                Reply::text("All done."),
            ],
        ),
    ]);
    let house = House::with(script).await;
    let served = flow::Served::new(house.engine()).await;
    house.say("do it").await;
    wait_end(&house).await;
    let asked = requests(&house, "do it").pop().unwrap().texts("system").join("\n");
    let shop = "1. ask the shop — Here is what I found:\n   - alpha costs 7\n   - beta costs 14\n\
                2. ask the library — It is long:\n";
    assert!(asked.contains(shop), "{asked}");
    assert!(asked.contains("the end of it\n3. ask nobody — nothing"), "{asked}");
    let plan = house.plan();
    assert_eq!(plan.steps[0].result.as_deref(), Some("Here is what I found:"));
    let graph = served.client.get(&format!("/plans/{}", plan.id)).await.ok();
    assert_eq!(graph["nodes"][0]["output"], facts);
    assert_eq!(graph["nodes"][2]["output"], "nothing");
}
