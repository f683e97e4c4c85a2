//! Long results: whoever needs one gets all of it, and everyone is shown the same.

use super::{Desk, Play, Who, graph};
use flow::{House, Served};
use serde_json::{Value, json};
use support::{Recorded, Reply, Script, sidekick_complete};

/// More than is told at once, with an end that is told only to who reads on.
fn long() -> String {
    format!("It is long:\n{}\nthe very end of it", "line after line\n".repeat(600))
}

/// What a model is told to read on with, where a result is cut.
fn how_to_read_on(told: &str) -> Option<(String, u64)> {
    let (_, rest) = told.split_once("call read_output with id \"")?;
    let (id, rest) = rest.split_once("\" and start_byte ")?;
    let start: String = rest.chars().take_while(char::is_ascii_digit).collect();
    Some((id.to_owned(), start.parse().expect("a place is a number")))
}

/// Reads on until it has the end, then goes on with that.
fn reads_on(request: &Recorded, told: &str, then: Reply) -> Reply {
    if request.tool_results().iter().any(|result| result.contains("the very end of it")) {
        return then;
    }
    let (id, start) = how_to_read_on(told).unwrap_or_else(|| panic!("no way to read on: {told}"));
    // What is left may be longer than one look, too.
    let seen = u64::try_from(request.tool_results().len()).expect("it is small") * 2_000;
    Reply::call("read_output", json!({ "id": id, "start_byte": start + seen }))
}

fn play() -> Play {
    let steps = json!([
        { "id": "a", "text": "look" }, { "id": "b", "text": "use it", "needs": ["a"] },
    ]);
    Play::new(graph(steps)).node(|name, request| match name {
        "use it" => {
            let told = request.texts("user").concat();
            reads_on(request, &told, sidekick_complete("used all of it"))
        }
        _ => sidekick_complete(&long()),
    })
}

#[tokio::test]
async fn who_needs_a_long_result_is_told_its_length_and_reads_on() {
    let desk = Desk::with(play()).await;
    let end = desk.wait_status("complete").await;
    assert_eq!(end["nodes"][1]["output"], "used all of it");
    let bytes = format!("of {} bytes", long().len());
    let nodes = desk.nodes();
    let (_, request) = nodes.iter().find(|(name, _)| name == "use it").expect("it ran");
    let task = request.texts("user").concat();
    assert!(task.contains("- look: It is long:\nline after line\n"), "{task}");
    assert!(task.contains(&bytes) && !task.contains("the very end"), "{task}");
    let joined = desk.asked(Who::Joins)[0].texts("system").concat();
    assert!(joined.contains("1. look (default)\nIt is long:\n"), "{joined}");
    assert!(joined.contains(&bytes) && how_to_read_on(&joined).is_some(), "{joined}");
}

#[tokio::test]
async fn all_of_a_long_result_is_shown_everywhere_for_ever() {
    let desk = Desk::with(play()).await;
    let end = desk.wait_status("complete").await;
    assert_eq!(end["nodes"][0]["output"], long());
    assert_eq!(end["nodes"][0]["outputPreview"], "It is long:");

    let mut feed = desk.served.client.follow(&format!("/plans/{}/stream", desk.plan), None).await;
    let mut last = Value::Null;
    while let Some(heard) = feed.next().await {
        if heard.name == "plan.updated" {
            last = heard.data;
        }
    }
    assert_eq!(last["nodes"][0]["output"], long(), "the same field, the same meaning");
    assert_eq!(last["nodes"][0]["outputPreview"], end["nodes"][0]["outputPreview"]);

    // The plan keeps it when the room of the sidekick is gone.
    let sidekicks = desk.house.engine().sidekicks(desk.house.room).expect("they are listed");
    for sidekick in sidekicks {
        desk.house.engine().delete_room(sidekick.id, &flow::me()).await.expect("it can be deleted");
    }
    let Desk { mut house, mut served, plan } = desk;
    served.close().await;
    drop((served, feed));
    house.restart().await;
    let served = Served::new(house.engine()).await;
    let graph = served.client.get(&format!("/plans/{plan}")).await.ok();
    assert_eq!(graph["nodes"][0]["output"], long());
}

#[tokio::test]
async fn with_another_protocol_who_needs_a_long_result_reads_on_too() {
    let script = Script::from_fn(|request| {
        let told = request.texts("user").concat();
        let body = String::from_utf8_lossy(request.body()).into_owned();
        let first = told.lines().next().unwrap_or_default();
        let has = |words: &str| body.contains(words);
        match first {
            "look" => sidekick_complete(&long()),
            "use it" if has("the very end of it") => sidekick_complete("used all of it"),
            "use it" => {
                let (id, start) = how_to_read_on(&told).expect("it is told how to read on");
                let seen = u64::try_from(body.matches("tool_result").count()).unwrap() * 2_000;
                Reply::call("read_output", json!({ "id": id, "start_byte": start + seen }))
            }
            _ if has("every step of this goal has ended") => Reply::text("All of it."),
            _ => graph(json!([
                { "id": "a", "text": "look" }, { "id": "b", "text": "use it", "needs": ["a"] },
            ])),
        }
    });
    let mut house = House::with(script).await;
    let config = format!(
        "providers:\n  test: {{ type: anthropic, base_url: \"{}\" }}\n\
         agents:\n  default: {{ model: test/claude-opus-5-5 }}\n",
        house.model.base_url()
    );
    std::fs::write(house.config().join("plancard.yaml"), config).unwrap();
    house.restart().await;
    let desk = Desk::in_house(house, json!({})).await;
    let end = desk.wait_status("complete").await;
    assert_eq!(end["nodes"][1]["output"], "used all of it");
    assert_eq!(end["nodes"][0]["output"], long());
    let requests = desk.house.model.requests();
    let joined =
        requests.iter().map(|request| String::from_utf8_lossy(request.body()).into_owned());
    let joined = joined.into_iter().find(|body| body.contains("every step of this goal has ended"));
    let bytes = format!("of {} bytes", long().len());
    assert!(joined.is_some_and(|body| body.contains(&bytes)), "{bytes}");
}
