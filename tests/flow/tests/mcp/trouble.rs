//! Servers that fail, and rooms that stop.

use crate::{Mark, approve, hostile, house, next_result};
use engine::McpState;
use flow::House;
use plan::{Command, Event, PlanMode};
use serde_json::json;
use support::{Reply, plan_revise, plan_write, plan_write_with, step_done, wait_for};

const FREE: &str = ", effects: { hang: write, die: write, echo: write, secret: write, big: write }";

fn hang() -> Reply {
    Reply::call("hostile__hang", json!({}))
}

#[tokio::test]
async fn cancelling_a_plan_leaves_no_process_of_a_server() {
    let mark = Mark::fresh();
    let house = house(vec![plan_write("g", &["a"]), hang()], &mark, FREE).await;
    house.say("go").await;
    house
        .wait(
            "call",
            |event| matches!(event, Event::CallBegan { effect, .. } if effect.changes_things()),
        )
        .await;
    assert!(mark.is_running());
    let reason = "enough".to_owned();
    house.person(Command::Cancel { reason, call: None }).await.unwrap();
    house
        .wait("end of the call", |event| {
            matches!(event, Event::CallEnded { outcome: plan::Outcome::Cancelled, .. })
        })
        .await;
    wait_for(async || !mark.is_running(), "every process to be gone").await;
    assert_eq!(house.engine().mcp_servers()[0].processes, 0);
}

/// How many processes the server has: one that looks, and one that may write where it was used.
fn processes(house: &House) -> u32 {
    house.engine().mcp_servers()[0].processes
}

fn echo() -> Reply {
    Reply::call("hostile__echo", json!({ "text": "x" }))
}

/// A house in which an approved plan has called a server that may write, and its agent is silent.
async fn approved(mark: &Mark, then: Reply) -> House {
    let steps = json!([{ "text": "say it", "tool": "hostile.echo" }, { "text": "look at it" }]);
    let script = vec![
        plan_write_with("goal", steps, json!({})),
        echo(),
        Reply::text("Said.").hold_after(1).and(then),
        Reply::text("Well.").hold_after(1),
    ];
    let house = house(script, mark, "").await;
    house.mode(PlanMode::Strict).await;
    house.say("go").await;
    house.wait("approval", |event| matches!(event, Event::ApprovalRequested)).await;
    approve(&house).await;
    house.model.request(2).await;
    assert_eq!(processes(&house), 2);
    house
}

#[tokio::test]
async fn a_revision_in_strict_mode_ends_the_server_that_may_write() {
    let mark = Mark::fresh();
    let edits = json!([{ "op": "set", "step": "s2", "text": "look twice" }]);
    let house = approved(&mark, plan_revise(json!({ "edits": edits }), "better so")).await;
    house.model.release();
    house.wait("revision", |event| matches!(event, Event::PlanRevised { .. })).await;
    wait_for(async || processes(&house) == 1, "the server that may write to end").await;
    assert!(mark.is_running(), "the one that looks stays");
}

#[tokio::test]
async fn strict_mode_without_an_approved_plan_ends_the_server_that_may_write() {
    let mark = Mark::fresh();
    let script = vec![echo(), Reply::text("Said.").hold_after(1)];
    let house = house(script, &mark, FREE).await;
    house.say("go").await;
    house.model.request(1).await;
    assert_eq!(processes(&house), 2);
    // At once: the model is still asked.
    house.mode(PlanMode::Strict).await;
    wait_for(async || processes(&house) == 1, "the server that may write to end").await;
}

#[tokio::test]
async fn when_the_plan_is_over_the_server_that_may_write_is_too() {
    for fail in [false, true] {
        let mark = Mark::fresh();
        let end = match fail {
            true => support::step_failed("s1", "no", "abort"),
            false => step_done("s1", "said"),
        };
        let script = vec![plan_write("goal", &["say it"]), echo(), end, Reply::text("Done.")];
        let house = house(script, &mark, FREE).await;
        house.say("go").await;
        house
            .wait("end", |event| matches!(event, Event::PlanDone { .. } | Event::PlanFailed { .. }))
            .await;
        house.wait_idle().await;
        wait_for(async || processes(&house) == 1, "the server that may write to end").await;
    }
}

#[tokio::test]
async fn stopping_the_engine_leaves_no_process_of_a_server() {
    let mark = Mark::fresh();
    let script = vec![Reply::call("hostile__echo", json!({ "text": "x" })), Reply::text("ok")];
    let house = house(script, &mark, FREE).await;
    house.say("go").await;
    house.wait_idle().await;
    assert!(mark.is_running());
    house.engine().stop().await;
    assert!(!mark.is_running());
}

#[tokio::test]
async fn one_that_dies_in_a_call_is_told_and_the_next_call_works() {
    let mark = Mark::fresh();
    let script = vec![
        Reply::call("hostile__die", json!({})),
        Reply::call("hostile__echo", json!({ "text": "back" })),
        Reply::text("ok"),
    ];
    let house = house(script, &mark, FREE).await;
    house.say("go").await;
    let (at, said) = next_result(&house, 0).await;
    assert!(said.contains("MCP_GONE") && said.contains("goodbye"), "{said}");
    assert_eq!(next_result(&house, at).await.1, "back");
}

#[tokio::test]
async fn a_call_has_the_time_that_the_caps_give_it() {
    let mark = Mark::fresh();
    let config = format!("{}caps: {{ tool_seconds: 1 }}\n", hostile(&mark, "", FREE));
    let house = House::configured(vec![hang(), Reply::text("ok")], &config, &[]).await;
    house.say("go").await;
    let (_, said) = next_result(&house, 0).await;
    assert!(said.contains("TIMED_OUT"), "{said}");
}

#[tokio::test]
async fn one_that_does_not_start_keeps_nobody_from_working_and_says_why() {
    let mark = Mark::fresh();
    let script = vec![
        Reply::call("read_file", json!({ "path": "note.txt" })),
        Reply::call("hostile.echo", json!({})),
        Reply::text("ok"),
    ];
    let config = hostile(&mark, ", \"--crash\"", "");
    let house = House::configured(script, &config, &[("note.txt", "hello")]).await;
    house.mode(PlanMode::Strict).await;
    house.say("go").await;
    house.wait_idle().await;
    let results = house.model.requests().pop().unwrap().tool_results();
    assert!(results[0].contains("hello"), "{results:?}");
    assert!(results[1].contains("I will not start"), "{results:?}");
    let server = house.engine().mcp_servers().remove(0);
    assert_eq!((server.name.as_str(), server.state), ("hostile", McpState::Failed));
    assert!(server.problem.unwrap().contains("I will not start"));
    assert!(house.engine().mcp_said("hostile").contains("I will not start"));
    assert!(house.engine().mcp_report().contains("hostile: Failed"));
}

#[tokio::test]
async fn one_that_is_late_keeps_nobody_waiting_and_joins_at_the_next_turn() {
    let mark = Mark::fresh();
    let script = vec![Reply::text("without it"), echo(), Reply::text("with it")];
    let config = hostile(&mark, ", \"--late\"", FREE);
    let house = House::configured(script, &config, &[("note.txt", "hello")]).await;
    let begun = std::time::Instant::now();
    house.say("go").await;
    let first = house.model.request(0).await;
    assert!(begun.elapsed().as_secs() < 15, "{:?}", begun.elapsed());
    assert!(!first.tool_names().contains(&"hostile__echo"));
    assert!(first.tool_names().contains(&"read_file"));
    house.wait_idle().await;
    let server = house.engine().mcp_servers().remove(0);
    assert_eq!(server.state, McpState::Starting);
    assert!(server.problem.unwrap().contains("has not introduced itself yet"));
    // The same process as it was: nobody gave it up.
    house.workspace.write("up", "");
    let has_tools = async || !house.engine().mcp_servers()[0].tools.is_empty();
    wait_for(has_tools, "its tools").await;
    house.say("again").await;
    let (_, said) = next_result(&house, 0).await;
    assert_eq!(said, "x");
    assert!(house.model.request(1).await.tool_names().contains(&"hostile__echo"));
    let server = house.engine().mcp_servers().remove(0);
    assert_eq!((server.state, server.problem), (McpState::Running, None));
    let said = house.engine().mcp_said("hostile");
    assert_eq!(said.matches("has not introduced itself yet").count(), 1, "{said}");
    assert_eq!(said.matches("[started]").count(), 2, "one that looks, one that may write: {said}");
}

#[tokio::test]
async fn a_call_to_one_that_failed_says_that_it_rests_and_what_to_do() {
    let mark = Mark::fresh();
    let mut script: Vec<Reply> = (0..8).map(|_| echo()).collect();
    script.push(Reply::text("without it"));
    let config = hostile(&mark, ", \"--crash\"", FREE);
    let house = House::configured(script, &config, &[]).await;
    house.say("go").await;
    house.wait_idle().await;
    let results = house.model.requests().pop().unwrap().tool_results();
    assert!(results.iter().all(|said| said.contains("I will not start")), "{results:?}");
    let last = results.last().unwrap();
    assert!(last.contains("MCP_RESTING") && last.contains("work without its tools"), "{last}");
}

#[tokio::test]
async fn what_is_secret_in_its_settings_is_nobody_elses() {
    let mark = Mark::fresh();
    let more = format!("{FREE}, env: {{ SERVICE_TOKEN: very-secret-value }}");
    let script = vec![Reply::call("hostile__secret", json!({})), Reply::text("ok")];
    let house = house(script, &mark, &more).await;
    house.say("go").await;
    assert_eq!(next_result(&house, 0).await.1, "the key is [redacted]");
}

#[tokio::test]
async fn a_model_that_was_told_of_a_tool_is_shown_its_own_calls_by_that_name() {
    let mark = Mark::fresh();
    let script = vec![Reply::call("hostile__echo", json!({ "text": "x" })), Reply::text("ok")];
    let house = house(script, &mark, FREE).await;
    house.say("go").await;
    house.wait_idle().await;
    let request = house.model.requests().pop().unwrap();
    let said = request.messages().iter().find_map(|message| {
        message["tool_calls"][0]["function"]["name"].as_str().map(str::to_owned)
    });
    assert_eq!(said.as_deref(), Some("hostile__echo"));
    let stored = house.log().into_iter().find_map(|(_, event)| {
        let Event::Replied { calls, .. } = event else { return None };
        calls.first().map(|call| call.tool.clone())
    });
    assert_eq!(stored.as_deref(), Some("hostile.echo"), "people see the full name");
}

#[tokio::test]
async fn a_package_that_can_not_be_fetched_is_told_with_the_reason_and_asked_about_again() {
    let config = "mcp_servers:\n  tiny: { command: npx, args: [-y, /nowhere/tiny.tgz] }\n";
    let house = House::configured(vec![Reply::text("without it")], config, &[]).await;
    house.say("go").await;
    let (mut at, mut ask) = crate::next_ask(&house, 0).await;
    let lacking = house.engine().mcp_servers().remove(0).problem.unwrap();
    assert!(lacking.contains("is not installed"), "{lacking}");
    for _ in 0..2 {
        crate::answer(&house, ask.id, "allow").await;
        (at, ask) = crate::next_ask(&house, at).await;
        assert!(ask.text.contains("npm failed") && ask.text.contains("/nowhere/tiny.tgz"));
        assert!(ask.text.contains("Try again? May the MCP server tiny be installed?"), "{ask:?}");
        assert_eq!(ask.answers(), ["allow", "refuse", "refuse_stop"]);
        assert!(house.engine().mcp_said("tiny").contains("npm failed"));
    }
    crate::answer(&house, ask.id, "refuse").await;
    house.wait_idle().await;
    assert_eq!(house.count("ask_raised"), 3);
}

#[tokio::test]
async fn fetching_a_package_is_a_question_of_its_own() {
    let config = "mcp_servers:\n  tiny: { command: npx, args: [-y, /nowhere/tiny.tgz] }\n";
    let script = vec![Reply::text("without it"), Reply::text("still without it")];
    let house = House::configured(script, config, &[]).await;
    house.say("go").await;
    let (_, ask) = crate::next_ask(&house, 0).await;
    assert!(ask.text.starts_with("May the MCP server tiny be installed? npx fetches"), "{ask:?}");
    assert_eq!(ask.answers(), ["allow", "refuse", "refuse_stop"], "it is no rule to keep");
    house.wait_idle().await;
    crate::answer(&house, ask.id, "refuse").await;
    house.say("again").await;
    house.wait_idle().await;
    assert_eq!(house.count("ask_raised"), 1, "it is asked once");
}

const TINY: &str = "mcp_servers:\n  tiny: { command: npx, args: [-y, /nowhere/tiny.tgz] }\n";

#[tokio::test]
async fn a_refused_package_is_asked_about_again_when_the_person_names_its_server() {
    let script: Vec<Reply> = (0..3).map(|_| Reply::text("without it")).collect();
    let house = House::configured(script, TINY, &[]).await;
    house.say("go").await;
    let (at, ask) = crate::next_ask(&house, 0).await;
    house.wait_idle().await;
    crate::answer(&house, ask.id, "refuse").await;
    let problem = house.engine().mcp_servers().remove(0).problem.unwrap();
    assert!(problem.contains("you refused that, and are asked again when"), "{problem}");
    house.say("it is my destiny").await;
    house.wait_idle().await;
    assert_eq!(house.count("ask_raised"), 1, "nobody asked for it");
    house.say("Use Tiny after all, please").await;
    let (at, again) = crate::next_ask(&house, at).await;
    assert_eq!(again.text, ask.text);
    let problem = house.engine().mcp_servers().remove(0).problem.unwrap();
    assert!(!problem.contains("you refused"), "{problem}");
    // This one is as good as the first.
    crate::answer(&house, again.id, "allow").await;
    let (_, failed) = crate::next_ask(&house, at).await;
    assert!(failed.text.contains("npm failed"), "{failed:?}");
    house.wait_idle().await;
}

#[tokio::test]
async fn a_refused_package_is_asked_about_again_when_it_is_missed_after_a_message() {
    let call = || Reply::call("tiny__echo", json!({}));
    let script = vec![
        Reply::text("Hm.").hold_after(1).and(call()),
        Reply::text("without it"),
        call(),
        Reply::text("asked"),
        call(),
        Reply::text("still asked"),
    ];
    let house = House::configured(script, TINY, &[]).await;
    house.say("go").await;
    let (at, ask) = crate::next_ask(&house, 0).await;
    house.model.request(0).await;
    crate::answer(&house, ask.id, "refuse").await;
    house.model.release();
    house.wait_idle().await;
    assert_eq!(house.count("ask_raised"), 1, "the person said no and nothing else");
    house.say("go on").await;
    let (_, again) = crate::next_ask(&house, at).await;
    assert_eq!(again.text, ask.text);
    house.wait_idle().await;
    // It is open now, and one question is enough.
    house.say("go on").await;
    house.wait_idle().await;
    assert_eq!(house.count("ask_raised"), 2);
}
