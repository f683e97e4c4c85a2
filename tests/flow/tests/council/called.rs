//! Where the configuration says so, a message that asks for work calls a council.

use super::{TASK, THREE, answer, asked, body, now, vote, wait_state};
use flow::House;
use plan::{ActorKind, Event};
use serde_json::json;
use support::{Recorded, Reply, Script};

const PLANNING: &str = "orchestrator:\n  coordination: { enable_planning_mode: true }\n";

/// A house whose room's agent replies with these. Members answer, and vote for `agent2` as soon as
/// they see an answer of it; who wins acts.
async fn house(replies: Vec<Reply>) -> House {
    let script = Script::from_fn(move |request: &Recorded| {
        let told = request.texts("user").join("\n");
        let tools = request.tool_names();
        let results = request.tool_results();
        if tools.contains(&"new_answer") {
            return match told.contains("agent2.1 by") {
                true => vote("agent2", "the best"),
                false if told.contains(".1 by") => {
                    vote(if told.contains("agent1.1") { "agent1" } else { "agent3" }, "so far")
                }
                false => answer(
                    &format!("Idea of {}", request.model()),
                    &format!("{}.txt", request.model()),
                ),
            };
        }
        match tools.contains(&"start_council") {
            true => replies[results.len()].clone(),
            false if results.iter().any(|one| one.contains("created b.txt")) => {
                Reply::text("Done.")
            }
            false => super::execute("b.txt"),
        }
    });
    House::of_agent(THREE, script, PLANNING, &[("notes.md", "hello")]).await
}

#[tokio::test]
async fn a_message_that_asks_for_work_makes_the_rooms_agent_call_a_council() {
    let call = Reply::call("start_council", json!({ "task": TASK }));
    let house = house(vec![call]).await;
    house.say(TASK).await;
    house.wait("council", |event| matches!(event, Event::CouncilStarted { .. })).await;
    let first = asked(&house, "a").swap_remove(0);
    let tools = first.tool_names();
    assert!(tools.contains(&"start_council") && tools.contains(&"read_file"), "{tools:?}");
    for tool in ["plan", "write_file", "edit_file", "fetch", "spawn_sidekick"] {
        assert!(!tools.contains(&tool), "{tools:?}");
    }
    assert!(body(&first).contains("done by a council here"), "{}", body(&first));
    let by = house.log().into_iter().find_map(|(_, event)| {
        let Event::CouncilStarted { by, .. } = event else { return None };
        Some(by.kind)
    });
    assert_eq!(by, Some(ActorKind::Agent));
    let council = wait_state(&house, "done").await;
    assert_eq!(council.winner.as_deref(), Some("agent2"));
    assert!(house.workspace.has("b.txt"));
}

#[tokio::test]
async fn a_plain_question_is_answered_by_the_rooms_agent_itself() {
    let look = Reply::call("read_file", json!({ "path": "notes.md" }));
    let house = house(vec![look, Reply::text("It says hello.")]).await;
    house.say("What do the notes say?").await;
    house.wait_idle().await;
    assert!(house.view().council.is_none());
    assert_eq!(asked(&house, "a").len(), 2);
    assert_eq!(house.model.requests().len(), 2, "nobody else is asked");
    assert!(asked(&house, "a")[1].tool_results()[0].contains("hello"));
}

/// What it was not offered it can't do either.
#[tokio::test]
async fn its_own_changes_are_the_councils_too() {
    let write = Reply::call("write_file", json!({ "path": "x.txt", "content": "x" }));
    let house = house(vec![write, Reply::text("ok")]).await;
    house.say(TASK).await;
    house.wait_idle().await;
    let result = asked(&house, "a")[1].tool_results().pop().expect("a result");
    assert!(result.contains("start_council"), "{result}");
    assert!(!house.workspace.has("x.txt"));
}

#[tokio::test]
async fn without_that_configuration_an_agent_calls_no_council() {
    let call = Reply::call("start_council", json!({ "task": TASK }));
    let script = Script::by_model([("a", vec![call, Reply::text("ok")])]);
    let house = House::of_agent(THREE, script, "", &[]).await;
    house.say(TASK).await;
    house.wait_idle().await;
    assert!(house.view().council.is_none());
    assert!(!asked(&house, "a")[0].tool_names().contains(&"start_council"));
    let result = asked(&house, "a")[1].tool_results().pop().expect("a result");
    assert!(result.contains("\"code\""), "{result}");
}

#[tokio::test]
async fn a_council_needs_two_agents_and_no_active_plan_or_council() {
    let house = super::three(
        vec![answer("Plain", "a").hold_after(1)],
        vec![answer("Better", "b").hold_after(1)],
        vec![answer("Third", "c").hold_after(1)],
    )
    .await;
    let start = |members: &[&str]| engine::StartCouncil {
        task: TASK.to_owned(),
        members: members.iter().map(ToString::to_string).collect(),
        ..engine::StartCouncil::default()
    };
    let me = flow::me();
    let refused = house.engine().start_council(house.room, &me, start(&["bob"])).await;
    assert_eq!(refused.unwrap_err().code(), "COUNCIL_SIZE");
    let refused = house.engine().start_council(house.room, &me, start(&["bob", "eve"])).await;
    assert_eq!(refused.unwrap_err().code(), "AGENT_NOT_FOUND");
    for twice in [&["bob", "bob"][..], &["bob", "cid", "bob"]] {
        let refused = house.engine().start_council(house.room, &me, start(twice)).await;
        let refused = refused.unwrap_err();
        assert_eq!(refused.code(), "BAD_OPTION");
        assert!(refused.to_string().contains("names bob twice"), "{refused}");
    }
    house.engine().start_council(house.room, &me, start(&["bob", "cid"])).await.unwrap();
    assert_eq!(now(&house).members.len(), 2);
    let refused = house.engine().start_council(house.room, &me, start(&[])).await;
    assert_eq!(refused.unwrap_err().code(), "PLAN_ACTIVE");
}

#[tokio::test]
async fn one_message_starts_at_most_one_council() {
    let again = || Reply::call("start_council", json!({ "task": "again" }));
    let script = Script::from_fn(move |request: &Recorded| {
        let told = request.texts("user").join("\n");
        let tools = request.tool_names();
        let results = request.tool_results();
        if tools.contains(&"new_answer") {
            return match told.contains("These are the newest answers") {
                true => vote("agent2", "the best"),
                false => answer(request.model(), "b.txt"),
            };
        }
        match results.last() {
            _ if told.contains("And now?") => Reply::text("Nothing."),
            Some(last) if last.contains("COUNCIL_HELD") => Reply::text("Done."),
            _ if tools.contains(&"write_file") => super::execute("b.txt"),
            _ => again(),
        }
    });
    let house = House::of_agent(THREE, script, PLANNING, &[]).await;
    house.say(TASK).await;
    house.wait("council", |event| matches!(event, Event::CouncilStarted { .. })).await;
    wait_state(&house, "done").await;
    house.wait_idle().await;
    assert_eq!(house.count("council_started"), 1);
    let last = house.model.requests().pop().expect("it spoke");
    assert!(!last.tool_names().contains(&"start_council"), "{:?}", last.tool_names());
    assert!(last.tool_results().iter().any(|one| one.contains("COUNCIL_HELD")));
    house.say("And now?").await;
    house.wait_idle().await;
    let last = house.model.requests().pop().expect("it spoke");
    assert!(last.tool_names().contains(&"start_council"), "a new message may start another");
}
