//! Which tools a model is offered, and how steady that is.

use flow::House;
use plan::PlanMode;
use serde_json::{Value, json};
use support::{
    Recorded, Reply, Script, plan_write, plan_write_with, sidekick_complete, spawn_sidekick,
    step_done,
};

/// A model whose name says that it is small.
const SMALL: &str = "test/scripted-1.5b";

fn read() -> Reply {
    Reply::call("read_file", json!({ "path": "note.txt" }))
}

fn list() -> Reply {
    Reply::call("list_dir", json!({}))
}

fn last(requests: &[Recorded]) -> Vec<String> {
    let names = requests.last().expect("a request").tool_names();
    names.into_iter().map(str::to_owned).collect()
}

/// What comes before the conversation in a request.
fn prefix(request: &Recorded) -> (String, Value) {
    let system = request.texts("system").into_iter().next().unwrap_or_default();
    (system, Value::from(request.tools()))
}

/// How often what comes before the conversation changes from one request to the next.
fn changes(requests: &[Recorded]) -> usize {
    requests.windows(2).filter(|pair| prefix(&pair[0]) != prefix(&pair[1])).count()
}

async fn small(script: impl Into<Script>) -> House {
    House::of_agent(SMALL, script, "", &[("note.txt", "hello")]).await
}

#[tokio::test]
async fn a_small_model_is_offered_few_tools_that_fit_what_it_does() {
    let write = Reply::call("write_plan", json!({ "steps": ["Look", "Make a folder"] }));
    let house = small(vec![Reply::text("Hi."), write, Reply::text("Hm.")]).await;
    house.say("hello").await;
    house.wait_idle().await;
    let files = ["read_file", "list_dir", "search", "write_file", "edit_file", "shell"];
    let with = |own: &[&'static str]| [own, &files].concat();
    assert_eq!(last(&house.model.requests()), with(&["write_plan"]));
    house.say("do two things").await;
    house.model.request(2).await;
    let mut in_step = with(&["step_done", "step_failed"]);
    in_step.insert(in_step.len() - 1, "create_directory");
    assert_eq!(last(&house.model.requests()[..3]), in_step, "a step may be to make a folder");
}

#[tokio::test]
async fn before_a_yes_only_what_looks_is_offered() {
    let house = House::with(vec![Reply::text("Hi.")]).await;
    house.mode(PlanMode::Strict).await;
    house.say("hello").await;
    house.wait_idle().await;
    let looks =
        ["plan", "ask_user", "read_file", "list_dir", "glob", "search", "shell", "read_output"];
    assert_eq!(last(&house.model.requests()), looks);
}

#[tokio::test]
async fn a_plan_of_one_step_offers_no_sidekick_and_one_of_two_does() {
    for (steps, offered) in [(vec!["one"], false), (vec!["one", "two"], true)] {
        let house = House::with(vec![plan_write("goal", &steps), Reply::text("Hm.")]).await;
        house.say("do it").await;
        house.model.request(1).await;
        let names = last(&house.model.requests()[..2]);
        assert_eq!(names.iter().any(|name| name == "spawn_sidekick"), offered, "{names:?}");
    }
}

#[tokio::test]
async fn jobs_are_offered_while_there_is_one_and_work_when_they_are_not() {
    let start = Reply::call("shell", json!({ "command": "sleep 600", "background": true }));
    let stop = Reply::call("job_stop", json!({ "job": 1 }));
    let early = Reply::call("job_output", json!({ "job": 1 }));
    let house = House::with(vec![early, start, stop, Reply::text("Done.")]).await;
    house.say("run it").await;
    house.wait_idle().await;
    let requests = house.model.requests();
    let has = |n: usize| requests[n].tool_names().contains(&"job_output");
    assert_eq!([has(0), has(1), has(2), has(3)], [false, false, true, false]);
    let answer = requests[1].tool_results().pop().unwrap();
    assert!(!answer.contains("UNKNOWN_TOOL"), "{answer}");
}

#[tokio::test]
async fn instructions_that_speak_of_submit_plan_bring_it() {
    let agent = "test/scripted\n    instructions: Always call submit_plan first.";
    let house = House::of_agent(agent, vec![Reply::text("Hi.")], "", &[]).await;
    house.say("hello").await;
    house.wait_idle().await;
    assert!(last(&house.model.requests()).contains(&"submit_plan".to_owned()));
}

#[tokio::test]
async fn what_comes_before_the_conversation_changes_only_with_the_phase() {
    for agent in ["test/scripted", SMALL] {
        let steps = json!([{ "text": "one" }, { "text": "two" }]);
        let script = vec![
            read(),
            list(),
            plan_write_with("goal", steps, json!({})),
            read(),
            list(),
            step_done("s1", "ok"),
            read(),
            list(),
            step_done("s2", "ok"),
            Reply::text("All done."),
        ];
        let house = House::of_agent(agent, script, "", &[("note.txt", "hello")]).await;
        house.say("do it").await;
        house.wait_idle().await;
        let requests = house.model.requests();
        assert_eq!(requests.len(), 10, "{agent}");
        assert_eq!(changes(&requests[..3]), 0, "{agent}: while talking");
        assert_eq!(changes(&requests[3..9]), 0, "{agent}: while the plan runs");
        assert!(changes(&requests) <= 2, "{agent}");
    }
}

#[tokio::test]
async fn a_sidekicks_tools_stay_the_same_to_its_end() {
    let script = Script::by_room([
        ("look", vec![spawn_sidekick("Count it"), Reply::text("Ok."), Reply::text("Ok.")]),
        ("Count it", vec![read(), list(), sidekick_complete("1")]),
    ]);
    let house = House::configured(script, "", &[("note.txt", "hello")]).await;
    house.say("look").await;
    house.wait("told", |event| matches!(event, plan::Event::Nudged { from: Some(_), .. })).await;
    let requests: Vec<Recorded> = house
        .model
        .requests()
        .into_iter()
        .filter(|request| request.texts("user").iter().any(|text| text.contains("Count it")))
        .collect();
    assert_eq!((requests.len(), changes(&requests)), (3, 0));
    assert!(requests[0].tool_names().contains(&"sidekick_complete"));
}

#[tokio::test]
async fn a_model_that_calls_no_tools_is_sent_none() {
    let none = "models: { test/scripted: { tools: none } }";
    let house = House::configured(vec![Reply::text("Hi.")], none, &[]).await;
    house.say("hello").await;
    house.wait_idle().await;
    let request = house.model.requests().pop().unwrap();
    assert_eq!(request.json().get("tools"), None, "servers refuse even an empty list");
}

#[tokio::test]
async fn a_server_that_refuses_tools_is_asked_without_them() {
    let refusal = json!({ "error": { "message": "library/gemma:2b does not support tools" } });
    let script = vec![Reply::status(400, refusal.to_string(), &[]), Reply::text("Hi.")];
    let house = House::with(script).await;
    house.say("hello").await;
    house.wait_idle().await;
    let requests = house.model.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!((requests[0].tools().is_empty(), requests[1].tools().is_empty()), (false, true));
    assert_eq!(house.count("trouble"), 0);
}
