//! A model that failed twice in the same way is asked in a way that leaves it one answer; a small one
//! that can be held to a schema is led from call to call.

use flow::House;
use plan::{Command, Event, Rule, RuleAction};
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

/// What an answer may be, by name.
fn may_be(request: &Recorded) -> Vec<String> {
    let schema = &request.json()["response_format"]["json_schema"]["schema"];
    let one = |one: &Value| one["properties"]["name"]["const"].as_str().map(str::to_owned);
    schema["anyOf"].as_array().into_iter().flatten().filter_map(one).collect()
}

/// The tool whose arguments an answer has to be.
fn forced(request: &Recorded) -> Option<String> {
    match request.json()["response_format"]["json_schema"]["name"].as_str()? {
        "next" => match may_be(request).as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        },
        name => Some(name.to_owned()),
    }
}

/// A call in the words of an answer that is held to be one.
fn next(name: &str, arguments: Value) -> Reply {
    Reply::text(json!({ "name": name, "arguments": arguments }).to_string())
}

fn answer(text: &str) -> Reply {
    // With the name first, as the schema has it.
    Reply::text(format!(r#"{{"name": "answer", "arguments": {{"text": {}}}}}"#, json!(text)))
}

#[tokio::test]
async fn a_small_model_makes_one_call_or_answers_and_both_count_as_written() {
    let script = vec![
        next("write_file", json!({ "path": "a.txt", "content": "apple" })),
        answer("I wrote \"a.txt\"."),
    ];
    let house = small(script).await;
    house.say("write a").await;
    house.wait_idle().await;
    assert_eq!(house.workspace.read("a.txt"), "apple");
    let said = |event| if let Event::Replied { text, .. } = event { Some(text) } else { None };
    let words = house.log().into_iter().rev().find_map(|(_, event)| said(event));
    let words = words.map(|text| text.head().to_owned());
    assert_eq!(words.as_deref(), Some("I wrote \"a.txt\"."));
    let requests = house.model.requests();
    let mut allowed = may_be(&requests[0]);
    assert_eq!(allowed.pop().as_deref(), Some("answer"));
    assert_eq!(
        allowed,
        requests[0].tool_names(),
        "the tools are beside it, so that what was read stays read"
    );
    let begun = may_be(&requests[1]);
    assert!(!begun.contains(&"write_plan".to_owned()), "{begun:?}");
}

#[tokio::test]
async fn words_are_heard_as_they_come_and_calls_are_not() {
    let script = vec![
        next("shell", json!({ "command": "ls" })),
        answer("There is nothing here.").hold_after(7),
    ];
    let house = small(script).await;
    house.say("what is there?").await;
    house.model.request(1).await;
    house.hear(house.room, "There").await;
    house.model.release();
    house.wait_idle().await;
}

#[tokio::test]
async fn a_call_in_words_goes_through_the_gate_like_any_other() {
    let script = vec![
        next("write_file", json!({ "path": "private/a.txt", "content": "apple" })),
        next("shell", json!({ "command": "touch private/a.txt" })),
        answer("I can't."),
    ];
    let house = small(script).await;
    for rule in ["write_file(private/**)", "shell(touch *)"] {
        let rule = Rule::parse(RuleAction::Deny, rule).unwrap();
        house.person(Command::KeepRule { rule }).await.unwrap();
    }
    house.say("write a").await;
    house.wait_idle().await;
    assert!(!house.workspace.path().join("private").exists());
    let ended =
        |event| if let Event::CallEnded { outcome, .. } = event { Some(outcome) } else { None };
    let ended: Vec<_> = house.log().into_iter().filter_map(|(_, event)| ended(event)).collect();
    assert_eq!(ended, [plan::Outcome::Blocked, plan::Outcome::Blocked]);
}

#[tokio::test]
async fn a_call_that_no_schema_allowed_is_only_words() {
    let script = vec![next("write_file", json!({ "path": "a.txt", "content": "apple" }))];
    let house = small(script).await;
    house.mode(plan::PlanMode::Strict).await;
    house.say("write a").await;
    house.wait("words", |event| matches!(event, Event::Replied { .. })).await;
    house.wait_idle().await;
    assert_eq!(house.count("call_ended"), 0, "before a yes it was not to be called");
    assert!(!house.workspace.path().join("a.txt").exists());
}

#[tokio::test]
async fn a_step_is_reported_when_something_was_done_and_a_plan_that_is_done_ends_in_words() {
    let script = vec![
        write_plan(json!(["Write the file a.txt"])),
        next("write_file", json!({ "path": "a.txt", "content": "apple" })),
        next("step_done", json!({ "result": "wrote a.txt" })),
        answer("It is there."),
    ];
    let house = small(script).await;
    house.say("write a").await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    house.wait_idle().await;
    let requests = house.model.requests();
    let has = |request: &Recorded| may_be(request).contains(&"step_done".to_owned());
    assert_eq!((has(&requests[1]), has(&requests[2])), (false, true));
    assert!(!may_be(&requests[1]).contains(&"answer".to_owned()), "work is reported by a call");
    assert_eq!(may_be(&requests[3]), ["answer"]);
}

#[tokio::test]
async fn a_file_that_was_not_read_is_not_replaced() {
    let write = || next("write_file", json!({ "path": "a.txt", "content": "mine\n" }));
    let read = next("read_file", json!({ "path": "a.txt" }));
    let script = vec![write(), read, write(), answer("Done.")];
    let house = House::of_agent(SMALL, script, HELD, &[("a.txt", "theirs\n")]).await;
    house.say("change a").await;
    house.model.request(1).await;
    assert_eq!(house.workspace.read("a.txt"), "theirs\n");
    house.wait_idle().await;
    assert_eq!(house.workspace.read("a.txt"), "mine\n");
    let results = house.model.requests().pop().unwrap().tool_results();
    assert!(results[0].contains("NOT_READ") && results[0].contains("edit_file"), "{results:?}");
}

#[tokio::test]
async fn once_it_was_shown_the_same_call_replaces_it() {
    let write = || Reply::call("write_file", json!({ "path": "a.txt", "content": "mine\n" }));
    let script = vec![write(), write(), Reply::text("Done.")];
    let house = House::of_agent(SMALL, script, "", &[("a.txt", "theirs\n")]).await;
    house.say("change a").await;
    house.wait_idle().await;
    assert_eq!(house.workspace.read("a.txt"), "mine\n");
    let results = house.model.requests().pop().unwrap().tool_results();
    assert!(results[0].contains("theirs") && results[0].contains("again"), "{results:?}");
}

#[tokio::test]
async fn a_small_model_is_told_the_names_that_it_may_read() {
    let files = [("src/main.py", "1"), ("private/key.txt", "2")];
    let house = House::of_agent(SMALL, vec![answer("Hello.")], HELD, &files).await;
    let rule = Rule::parse(RuleAction::Deny, "read_file(private/**)").unwrap();
    house.person(Command::KeepRule { rule }).await.unwrap();
    house.say("hello").await;
    house.wait_idle().await;
    let tail = house.model.requests()[0].json()["messages"].as_array().unwrap().last().cloned();
    let tail = tail.unwrap()["content"].as_str().unwrap().to_owned();
    assert!(tail.contains("src/main.py") && !tail.contains("key.txt"), "{tail}");
}

#[tokio::test]
async fn a_plan_that_can_not_be_read_twice_is_held_to_its_shape() {
    let plan = |steps: Value| Reply::call("plan", json!({ "action": "write", "steps": steps }));
    let script = vec![
        plan(json!(7)),
        plan(json!(true)),
        Reply::text(r#"{"steps":["Look around"]}"#),
        Reply::text("Hm."),
    ];
    let held = "models:\n  test/scripted: { schema: true }\n";
    let house = House::configured(script, held, &[]).await;
    house.say("look around").await;
    house.wait("plan", |event| matches!(event, Event::PlanWritten { .. })).await;
    let requests = house.model.requests();
    assert_eq!(forced(&requests[1]), None);
    assert_eq!(forced(&requests[2]).as_deref(), Some("write_plan"));
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
        // From a server that has forgotten what it is held to.
        Reply::text("I wrote it."),
        next("step_done", json!({ "result": "wrote a" })),
        Reply::text("Next, I will write b."),
        Reply::text("Soon."),
    ];
    let house = small(script).await;
    house.say("write a and b").await;
    house.wait("step", |event| matches!(event, Event::StepDone { .. })).await;
    house.model.request(5).await;
    let requests = house.model.requests();
    assert_eq!(forced(&requests[3]).as_deref(), Some("step_done"));
    assert_eq!(house.plan().steps[0].result.as_deref(), Some("wrote a"));
    assert_eq!(forced(&requests[5]), None, "nothing was done for the second step yet");
}

#[tokio::test]
async fn a_call_made_again_within_a_step_leads_to_its_report() {
    let script = vec![
        write_plan(json!(["Write a"])),
        shell("echo a > a"),
        shell("echo a > a"),
        next("step_done", json!({ "result": "wrote a" })),
        answer("Done."),
    ];
    let house = small(script).await;
    house.say("write a").await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    assert_eq!(forced(&house.model.requests()[3]).as_deref(), Some("step_done"));
}

#[tokio::test]
async fn calls_that_come_by_turns_again_and_again_lead_to_an_answer() {
    let read = |name: &str| next("read_file", json!({ "path": name }));
    let round = || [read("a"), read("b")];
    let script: Vec<Reply> = [round(), round(), round()].into_iter().flatten().collect();
    let script = [script, vec![answer("They are the same.")]].concat();
    let house = House::of_agent(SMALL, script, HELD, &[("a", "1"), ("b", "1")]).await;
    house.say("compare a and b").await;
    house.wait_idle().await;
    let requests = house.model.requests();
    assert_eq!(may_be(&requests[5]), ["answer"], "the third reading of a was enough");
}

#[tokio::test]
async fn a_sidekick_that_only_talks_after_its_work_sums_up() {
    let script = Script::by_room([
        ("look", vec![spawn_sidekick("Count them"), answer("Ok."), answer("Three.")]),
        (
            "Count them",
            vec![
                shell("ls"),
                Reply::text("There are 3."),
                next("sidekick_complete", json!({ "summary": "3 files" })),
            ],
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
        Reply::status(400, r#"{"error":{"message":"unknown field response_format"}}"#, &[]),
        write_plan(json!(["Look around"])),
        Reply::text("Hm."),
    ];
    let house = small(script).await;
    house.say("look around").await;
    house.wait("plan", |event| matches!(event, Event::PlanWritten { .. })).await;
    let requests = house.model.requests();
    assert!(!may_be(&requests[0]).is_empty() && may_be(&requests[1]).is_empty());
    assert!(!requests[1].tools().is_empty());
}
