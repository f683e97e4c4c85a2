//! A small model splits a goal, does its steps and brings them together, one call at a time.

use super::{Desk, Who, statuses, who};
use flow::House;
use serde_json::{Value, json};
use support::{Recorded, Reply, Script};

/// What an answer may be, by name.
fn may_be(request: &Recorded) -> Vec<String> {
    let schema = &request.json()["response_format"]["json_schema"]["schema"];
    let one = |one: &Value| one["properties"]["name"]["const"].as_str().map(str::to_owned);
    schema["anyOf"].as_array().into_iter().flatten().filter_map(one).collect()
}

fn next(name: &str, arguments: Value) -> Reply {
    Reply::text(json!({ "name": name, "arguments": arguments }).to_string())
}

fn reply(request: &Recorded) -> Reply {
    let read = || next("read_file", json!({ "path": "a.txt" }));
    match who(request) {
        Who::Splits => {
            let step = |id: &str| json!({ "id": id, "text": format!("Count the lines of {id}") });
            next("write_plan", json!({ "steps": [step("a"), step("b")] }))
        }
        Who::Does(_) if request.tool_results().is_empty() => read(),
        Who::Does(_) => next("sidekick_complete", json!({ "summary": "one line" })),
        Who::Joins if may_be(request) == ["answer"] => {
            Reply::text(r#"{"name": "answer", "arguments": {"text": "Two lines in all."}}"#)
        }
        Who::Joins => read(),
    }
}

#[tokio::test]
async fn a_step_is_reported_after_a_call_and_results_are_brought_together_in_words() {
    let held = "models:\n  test/scripted-1.5b: { schema: true }\n";
    let script = Script::from_fn(reply);
    let house = House::of_agent("test/scripted-1.5b", script, held, &[("a.txt", "apple\n")]).await;
    let desk = Desk::in_house(house, json!({})).await;
    let end = desk.wait_status("complete").await;
    assert_eq!(
        (&end["result"], statuses(&end)),
        (&json!("Two lines in all."), vec!["complete"; 2])
    );

    let reports = |request: &Recorded| {
        let named =
            may_be(request).into_iter().chain(request.tool_names().into_iter().map(str::to_owned));
        named.filter(|name| name.starts_with("step_")).count()
    };
    let last = desk.asked(Who::Joins);
    assert_eq!(last.iter().map(reports).sum::<usize>(), 0, "there is no step to report");
    assert!(last.len() > 1 && last.len() < 5, "{} requests", last.len());

    for (name, request) in desk.nodes() {
        let ends = may_be(&request).contains(&"sidekick_complete".to_owned());
        assert_eq!(ends, !request.tool_results().is_empty(), "{name}");
    }
}
