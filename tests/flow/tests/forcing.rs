//! A model that failed twice in the same way is asked in a way that leaves it one answer.

use flow::House;
use plan::Event;
use serde_json::{Value, json};
use support::{Recorded, Reply, Script, spawn_sidekick};

const SMALL: &str = "test/scripted-1.5b";
/// Its server holds answers to a schema.
const HELD: &str = "models:\n  test/scripted-1.5b: { schema: true }\n";

fn write_plan(steps: Value) -> Reply {
    Reply::call("write_plan", json!({ "steps": steps }))
}

fn shell(command: &str) -> Reply {
    Reply::call("shell", json!({ "command": command }))
}

async fn small(script: impl Into<Script>) -> House {
    House::of_agent(SMALL, script, HELD, &[]).await
}

/// The tool whose arguments an answer has to be.
fn forced(request: &Recorded) -> Option<&str> {
    request.json()["response_format"]["json_schema"]["name"].as_str()
}

#[tokio::test]
async fn a_plan_that_can_not_be_read_twice_is_held_to_its_shape() {
    let script = vec![
        write_plan(json!(7)),
        write_plan(json!(true)),
        Reply::text(r#"{"steps":["Look around"]}"#),
        Reply::text("Hm."),
    ];
    let house = small(script).await;
    house.say("look around").await;
    house.wait("plan", |event| matches!(event, Event::PlanWritten { .. })).await;
    let requests = house.model.requests();
    assert_eq!((forced(&requests[1]), forced(&requests[2])), (None, Some("write_plan")));
    assert_eq!(requests[2].tools().len(), 0, "one of the two, not both");
    assert_eq!(house.plan().steps[0].text, "Look around");
    let message = house.plan().goal;
    assert_eq!(message, "look around", "the goal is what the person said");
}

#[tokio::test]
async fn a_step_that_was_worked_on_is_reported_when_the_model_only_talks() {
    let script = vec![
        write_plan(json!(["Write a", "Write b"])),
        shell("echo a > a"),
        Reply::text("I wrote it."),
        Reply::text(r#"{"result":"wrote a"}"#),
        Reply::text("Next, I will write b."),
        Reply::text("Soon."),
    ];
    let house = small(script).await;
    house.say("write a and b").await;
    house.wait("step", |event| matches!(event, Event::StepDone { .. })).await;
    house.model.request(5).await;
    let requests = house.model.requests();
    assert_eq!(forced(&requests[3]), Some("step_done"));
    assert_eq!(house.plan().steps[0].result.as_deref(), Some("wrote a"));
    assert_eq!(forced(&requests[5]), None, "nothing was done for the second step yet");
}

#[tokio::test]
async fn a_call_made_again_within_a_step_leads_to_its_report() {
    let script = vec![
        write_plan(json!(["Write a"])),
        shell("echo a > a"),
        shell("echo a > a"),
        Reply::text(r#"{"result":"wrote a"}"#),
        Reply::text("Done."),
    ];
    let house = small(script).await;
    house.say("write a").await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    assert_eq!(forced(&house.model.requests()[3]), Some("step_done"));
}

#[tokio::test]
async fn a_sidekick_that_only_talks_after_its_work_sums_up() {
    let script = Script::by_room([
        ("look", vec![spawn_sidekick("Count them"), Reply::text("Ok."), Reply::text("Three.")]),
        (
            "Count them",
            vec![shell("ls"), Reply::text("There are 3."), Reply::text(r#"{"summary":"3 files"}"#)],
        ),
    ]);
    let house = small(script).await;
    house.say("look").await;
    let told = |event: &Event| matches!(event, Event::Nudged { from: Some(_), text, .. } if text.contains("3 files"));
    house.wait("told", told).await;
}

#[tokio::test]
async fn an_able_model_is_left_its_words() {
    let script = vec![
        support::plan_write("goal", &["one"]),
        shell("echo a > a"),
        Reply::text("I wrote it."),
        support::step_done("s1", "ok"),
        Reply::text("Done."),
    ];
    let held = "models:\n  test/scripted: { schema: true }\n";
    let house = House::configured(script, held, &[]).await;
    house.say("do it").await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    assert!(house.model.requests().iter().all(|request| forced(request).is_none()));
}

#[tokio::test]
async fn a_server_that_refuses_to_hold_a_model_to_its_answer_is_asked_without() {
    let script = vec![
        write_plan(json!(7)),
        write_plan(json!(true)),
        Reply::status(400, r#"{"error":{"message":"unknown field response_format"}}"#, &[]),
        write_plan(json!(["Look around"])),
        Reply::text("Hm."),
    ];
    let house = small(script).await;
    house.say("look around").await;
    house.wait("plan", |event| matches!(event, Event::PlanWritten { .. })).await;
    let requests = house.model.requests();
    assert_eq!((forced(&requests[2]), forced(&requests[3])), (Some("write_plan"), None));
    assert!(!requests[3].tools().is_empty());
}
