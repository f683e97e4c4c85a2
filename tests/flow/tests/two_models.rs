//! One model executes and another plans: the planning model is asked on exactly the turns of
//! planning.

use engine::ModelUsage;
use flow::{House, me};
use plan::{Command, Event, PauseReason, PlanMode};
use serde_json::{Value, json};
use support::{
    Reply, Script, ask_user, plan_revise, plan_write, plan_write_with, step_done, step_failed,
    submit_plan,
};

const TWO: &str = "test/small\n    plan_model: test/large";

/// What each model answers.
fn script(small: Vec<Reply>, large: Vec<Reply>) -> Script {
    Script::by_model([("small", small), ("large", large)])
}

async fn two_models(small: Vec<Reply>, large: Vec<Reply>) -> House {
    configured(small, large, "").await
}

async fn configured(small: Vec<Reply>, large: Vec<Reply>, more: &str) -> House {
    House::of_agent(TWO, script(small, large), more, &[("note.txt", "a note")]).await
}

/// The models that were asked, in order.
fn asked(house: &House) -> Vec<String> {
    house.model.requests().iter().map(|request| request.model().to_owned()).collect()
}

/// The codes of the last results a request holds; `ok` where there is none.
fn codes(request: &support::Recorded) -> Vec<String> {
    let code = |result: String| {
        let read: Result<Value, _> = serde_json::from_str(&result);
        let code = read.ok().and_then(|value| value["code"].as_str().map(str::to_owned));
        code.unwrap_or_else(|| if result.starts_with("not_run") { result } else { "ok".into() })
    };
    request.tool_results().into_iter().map(code).collect()
}

fn wishes(words: &str) -> Reply {
    Reply::text(words).and(plan_write("the small one's goal", &["its step"]))
}

fn read_note() -> Reply {
    Reply::call("read_file", json!({ "path": "note.txt" }))
}

async fn done(house: &House) {
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    house.wait_idle().await;
}

async fn approve(house: &House, model: Option<&str>, fresh_context: bool) {
    let plan = house.plan();
    let (revision, hash, model) = (plan.revision, plan.hash, model.map(str::to_owned));
    let command = Command::Approve { revision, hash, model, fresh_context };
    house.person(command).await.expect("it can be approved");
}

async fn wait_asked(house: &House) {
    house.wait("question", |event| matches!(event, Event::AskRaised { .. })).await;
}

#[tokio::test]
async fn a_plan_is_written_by_the_one_and_carried_out_by_the_other() {
    let small = vec![
        wishes("let me think").usage(100, 10),
        step_done("s1", "ok").usage(20, 2),
        Reply::text("All done.").usage(30, 3),
    ];
    let large = vec![plan_write("the large one's goal", &["one"]).usage(1_000, 50)];
    let house = two_models(small, large).await;
    house.say("do it").await;
    done(&house).await;

    assert_eq!(asked(&house), ["small", "large", "small", "small"]);
    let plan = house.plan();
    assert_eq!((plan.goal.as_str(), plan.revision), ("the large one's goal", 1));
    assert_eq!(plan.planned_by.as_deref(), Some("test/large"));
    let planned = house.model.request(1).await;
    assert_eq!(planned.texts("user"), ["do it"]);
    assert!(planned.texts("assistant").is_empty(), "the turn that was set aside is not in it");
    let executed = house.model.request(2).await;
    assert_eq!(executed.texts("assistant").len(), 1, "the planning turn is");
    assert_eq!(codes(&executed), ["ok"]);
    let log = house.log();
    let log: String =
        log.iter().map(|(stored, _)| String::from_utf8_lossy(&stored.body).into_owned()).collect();
    assert!(!log.contains("let me think") && !log.contains("small one's goal"), "{log}");

    let usage = house.engine().usage(house.room).await.unwrap();
    let used = |model: &str, turns, input_tokens, output_tokens| ModelUsage {
        model: model.to_owned(),
        turns,
        planning_turns: u64::from(model == "test/large"),
        input_tokens,
        output_tokens,
        cost: None,
    };
    assert_eq!(usage.models, [used("test/large", 1, 1_000, 50), used("test/small", 3, 150, 15)]);
}

#[tokio::test]
async fn words_of_a_turn_that_is_set_aside_vanish_and_a_stop_does_not_keep_them() {
    let house = two_models(
        vec![wishes("words to forget")],
        vec![Reply::text("other words come here").hold_after(1)],
    )
    .await;
    let watch = house.engine().watch(house.room, 0).unwrap();
    let mut live = watch.chatter();
    house.say("do it").await;
    house.model.request(1).await;
    let mut heard = String::new();
    // From the words on: what takes them back comes before anything that the other model says.
    while !heard.contains("thinking text thinking") {
        let piece = serde_json::to_value(live.next().await.unwrap()).unwrap();
        let kind = piece["type"].as_str().unwrap_or_default().to_owned();
        if !heard.ends_with(&format!("{kind} ")) {
            heard.push_str(&format!("{kind} "));
        }
    }
    let so_far: Vec<Value> =
        watch.chatter().so_far().map(|piece| serde_json::to_value(piece).unwrap()).collect();
    assert!(!json!(so_far).to_string().contains("forget"), "{so_far:?}");
    house.engine().stop_turn(house.room, &me()).await.unwrap();
    house.wait_idle().await;
    let log = house.log();
    let told = |body: &[u8]| String::from_utf8_lossy(body).contains("words to forget");
    assert!(!log.iter().any(|(stored, _)| told(&stored.body)));
    assert!(house.count("trouble") == 1 && house.count("spent") == 1, "{:?}", house.kinds());
}

#[tokio::test]
async fn a_submitted_plan_is_the_planning_models_in_every_mode() {
    for mode in [PlanMode::Off, PlanMode::Soft, PlanMode::Strict] {
        let submit = |title| submit_plan(title, json!([{ "description": "look" }]), "because");
        let small = vec![submit("small"), step_done("s1", "ok"), Reply::text("done")];
        let house = two_models(small, vec![submit("large")]).await;
        house.mode(mode).await;
        house.say("do it").await;
        wait_asked(&house).await;
        let plan = house.plan();
        assert_eq!((plan.goal.as_str(), plan.state.as_str()), ("large", "awaiting_approval"));
        assert_eq!(asked(&house), ["small", "large"], "{mode:?}");
        approve(&house, None, false).await;
        done(&house).await;
        assert_eq!(asked(&house), ["small", "large", "small", "small"], "{mode:?}");
    }
}

#[tokio::test]
async fn after_a_reject_the_next_revision_is_planned_again() {
    let small = vec![wishes(""), wishes(""), step_done("s1", "ok"), Reply::text("done")];
    let large = vec![plan_write("first", &["one"]), plan_write("second", &["one"])];
    let house = two_models(small, large).await;
    house.mode(PlanMode::Strict).await;
    house.say("do it").await;
    wait_asked(&house).await;
    house.person(Command::Reject { reason: "not so".into() }).await.unwrap();
    house.wait("revision", |event| matches!(event, Event::PlanRevised { .. })).await;
    house.wait_idle().await;
    assert_eq!(asked(&house), ["small", "large", "small", "large"]);
    approve(&house, None, false).await;
    done(&house).await;
    assert_eq!(asked(&house)[4..], ["small", "small"]);
}

#[tokio::test]
async fn a_revision_is_planned_and_the_rest_is_executed() {
    let set = |text: &str| {
        plan_revise(json!({ "edits": [{ "op": "set", "step": "s1", "text": text }] }), "better")
    };
    let small = vec![
        wishes(""),
        read_note(),
        set("small words"),
        step_done("s1", "ok"),
        Reply::text("done"),
    ];
    let house = two_models(small, vec![plan_write("goal", &["one"]), set("large words")]).await;
    house.say("do it").await;
    done(&house).await;
    let all = ["small", "large", "small", "small", "large", "small", "small"];
    assert_eq!(asked(&house), all);
    let plan = house.plan();
    assert_eq!((plan.steps[0].text.as_str(), plan.revision), ("large words", 2));
    assert_eq!(plan.planned_by.as_deref(), Some("test/large"));
}

/// The planning model may only look and write: it ends no step and no plan.
#[tokio::test]
async fn the_planning_model_can_not_end_what_runs() {
    let set =
        || plan_revise(json!({ "edits": [{ "op": "set", "step": "s2", "text": "new" }] }), "why");
    let cancel = Reply::call("plan", json!({ "action": "cancel", "reason": "enough" }));
    let run = Reply::call("plan", json!({ "action": "run" }));
    let small = vec![
        wishes(""),
        set(),
        step_done("s1", "ok"),
        step_done("s2", "ok"),
        Reply::text("All done."),
    ];
    let large = vec![
        plan_write("goal", &["one", "two"]),
        step_done("s1", "I say so").and(step_failed("s1", "no", "skip")).and(cancel).and(run),
        step_failed("s1", "no", "abort"),
        set(),
    ];
    let house = two_models(small, large).await;
    house.say("do it").await;
    done(&house).await;
    let all = ["small", "large", "small", "large", "large", "large", "small", "small", "small"];
    assert_eq!(asked(&house), all);
    let told = house.model.request(5).await;
    assert_eq!(codes(&told)[1..], ["PLANNING"; 5], "{:?}", told.tool_results());
    let plan = house.plan();
    let results: Vec<_> = plan.steps.iter().map(|step| step.result.as_deref()).collect();
    assert_eq!(results, [Some("ok"); 2]);
    assert_eq!((plan.state.as_str(), plan.revision), ("done", 2));
}

#[tokio::test]
async fn a_plan_that_is_paused_for_it_can_be_looked_around_for() {
    let revise =
        || plan_revise(json!({ "edits": [{ "op": "set", "step": "s1", "text": "new" }] }), "why");
    let small = vec![
        wishes(""),
        step_failed("s1", "no way", "revise"),
        revise(),
        Reply::text("It is revised."),
    ];
    let large = vec![plan_write("goal", &["one"]), read_note(), revise()];
    let house = two_models(small, large).await;
    house.say("do it").await;
    let told = house.model.request(5).await;
    assert!(told.tool_results().last().is_some_and(|text| text.contains("a note")), "it read");
    house.model.request(6).await;
    house.wait_idle().await;
    let order = ["small", "large", "small", "small", "large", "large", "small"];
    assert_eq!(asked(&house), order);
    assert_eq!(house.plan().pause_reason, Some(PauseReason::Revise));
    assert_eq!(house.plan().revision, 2);
}

#[tokio::test]
async fn the_planning_model_looks_around_first_and_changes_nothing() {
    let write = json!({ "path": "new.txt", "content": "x" });
    let large = vec![
        read_note(),
        Reply::call("write_file", write.clone())
            .and(Reply::call("shell", json!({ "command": "touch made.txt" }))),
        plan_write("goal", &["one"]).and_call("write_file", write),
    ];
    let small = vec![wishes(""), step_done("s1", "ok"), Reply::text("done")];
    let house = two_models(small, large).await;
    house.say("do it").await;
    done(&house).await;
    assert_eq!(asked(&house), ["small", "large", "large", "large", "small", "small"]);
    let executed = house.model.request(4).await;
    let codes = codes(&executed);
    // In the order they ended.
    let planned = ["ok", "PLANNING", "PLANNING", "not_run: the plan is written", "ok"];
    assert_eq!(codes, planned);
    assert!(!house.workspace.has("new.txt") && !house.workspace.has("made.txt"));
    let note = |number: usize| house.model.requests()[number].texts("system").pop().unwrap();
    assert!(note(1).contains("your part is to plan"), "{}", note(1));
    assert!(!note(4).contains("your part is to plan"), "{}", note(4));
}

#[tokio::test]
async fn the_planning_model_may_ask_the_person_and_may_answer_in_words() {
    let small = vec![wishes(""), Reply::text("and this is mine")];
    let large = vec![ask_user("which one?", &[]), Reply::text("No plan is needed for that.")];
    let house = two_models(small, large).await;
    house.say("do it").await;
    wait_asked(&house).await;
    let ask = house.view().asks[0].id;
    let answer = "the first".to_owned();
    let command = Command::Answer { ask, answer, note: None, revision: None, hash: None };
    house.person(command).await.unwrap();
    house.model.request(2).await;
    house.wait_idle().await;
    assert_eq!(asked(&house), ["small", "large", "large"]);
    assert!(house.view().plan.is_none());
    house.say("and now?").await;
    house.model.request(3).await;
    house.wait_idle().await;
    assert_eq!(asked(&house)[3], "small", "the next turn is the executing model's");
}

#[tokio::test]
async fn after_its_turns_it_is_offered_only_the_plan() {
    let list = Reply::call("list_dir", json!({}));
    let large = vec![read_note(), list, read_note(), plan_write("goal", &["one"])];
    let small = vec![wishes(""), step_done("s1", "ok"), Reply::text("done")];
    let house = configured(small, large, "caps: { planning_turns: 2 }").await;
    house.say("do it").await;
    done(&house).await;
    assert_eq!(asked(&house), ["small", "large", "large", "large", "large", "small", "small"]);
    let requests = house.model.requests();
    let offered = |number: usize| requests[number].tool_names();
    assert!(offered(2).contains(&"read_file"), "the second turn is free");
    assert_eq!(offered(3), ["plan"]);
    assert_eq!(offered(4), ["plan"]);
    assert!(requests[3].texts("system").pop().unwrap().contains("Write the plan now"));
    assert_eq!(codes(&requests[4]), ["ok", "ok", "PLAN_NOW"]);
    assert!(offered(5).contains(&"read_file"));
}

#[tokio::test]
async fn who_neither_plans_nor_answers_is_given_up_in_plain_words() {
    let large = vec![read_note(); 9];
    let small = vec![wishes(""), Reply::text("so be it")];
    let house = configured(small, large, "caps: { planning_turns: 1 }").await;
    house.say("do it").await;
    house.wait("trouble", |event| matches!(event, Event::Trouble { .. })).await;
    house.wait_idle().await;
    assert_eq!(asked(&house), ["small", "large", "large", "large", "large"]);
    let trouble = house.log().into_iter().find_map(|(_, event)| {
        if let Event::Trouble { code, text, .. } = event { Some((code, text)) } else { None }
    });
    let (code, text) = trouble.unwrap();
    assert_eq!(code, "NO_PLAN");
    assert!(text.contains("test/large was asked for a plan"), "{text}");
    house.say("go on without").await;
    house.model.request(5).await;
    assert_eq!(asked(&house)[5], "small");
}

#[tokio::test]
async fn in_a_running_plan_giving_up_is_a_pause() {
    let revise = plan_revise(json!({ "edits": [{ "op": "remove", "step": "s2" }] }), "why");
    let small = vec![wishes(""), revise, step_done("s1", "ok")];
    let mut large = vec![plan_write("goal", &["one", "two"])];
    large.extend(vec![read_note(); 9]);
    let house = configured(small, large, "caps: { planning_turns: 1 }").await;
    house.say("do it").await;
    house.wait_paused().await;
    house.wait_idle().await;
    assert_eq!(house.plan().pause_reason, Some(PauseReason::Attempts));
    let before = asked(&house).len();
    house.person(Command::Resume).await.unwrap();
    house.model.request(before).await;
    assert_eq!(asked(&house)[before], "small", "going on is executing");
}

#[tokio::test]
async fn after_a_restart_in_the_middle_of_planning_the_planning_model_goes_on() {
    let small = vec![wishes(""), step_done("s1", "ok"), Reply::text("done")];
    let large = vec![Reply::text("hm").hold_after(1), plan_write("goal", &["one"])];
    let mut house = two_models(small, large).await;
    house.say("do it").await;
    house.model.request(1).await;
    house.restart().await;
    house.model.release();
    assert!(!house.view().busy, "nothing goes on by itself");
    house.say("go on").await;
    done(&house).await;
    assert_eq!(asked(&house), ["small", "large", "large", "small", "small"]);
}

#[tokio::test]
async fn a_revision_that_was_being_planned_is_planned_after_a_restart() {
    let set = || {
        plan_revise(json!({ "edits": [{ "op": "set", "step": "s1", "text": "new" }] }), "better")
    };
    let small = vec![wishes(""), set(), step_done("s1", "ok"), Reply::text("done")];
    let large =
        vec![plan_write("goal", &["one"]), read_note(), Reply::text("hm").hold_after(1), set()];
    let mut house = two_models(small, large).await;
    house.say("do it").await;
    house.model.request(4).await;
    house.restart().await;
    house.model.release();
    assert_eq!(house.plan().pause_reason, Some(PauseReason::Interrupted));
    house.person(Command::Resume).await.unwrap();
    done(&house).await;
    let order = ["small", "large", "small", "large", "large", "large", "small", "small"];
    assert_eq!(asked(&house), order);
    assert_eq!(house.plan().revision, 2);
}

#[tokio::test]
async fn one_model_does_both_when_there_is_no_other() {
    for agent in ["test/small", "test/small\n    plan_model: test/small"] {
        let small = vec![plan_write("goal", &["one"]), step_done("s1", "ok"), Reply::text("done")];
        let house = House::of_agent(agent, script(small, vec![]), "", &[]).await;
        house.say("do it").await;
        done(&house).await;
        assert_eq!(asked(&house), ["small", "small", "small"], "{agent}");
        assert_eq!((house.count("planning_began"), house.count("spent")), (0, 0), "{agent}");
        assert_eq!(house.plan().planned_by.as_deref(), Some("test/small"));
    }
}

#[tokio::test]
async fn the_model_that_splits_goals_plans_where_the_agent_names_none() {
    let small = vec![wishes(""), step_done("s1", "ok"), Reply::text("done")];
    let script = script(small, vec![plan_write("goal", &["one"])]);
    let more = "planner: { decompositionModel: test/large }";
    let house = House::of_agent("test/small", script, more, &[]).await;
    house.say("do it").await;
    done(&house).await;
    assert_eq!(asked(&house), ["small", "large", "small", "small"]);
}

#[tokio::test]
async fn a_pinned_model_and_the_approved_one_execute_and_do_not_plan() {
    let set = || {
        plan_revise(json!({ "edits": [{ "op": "set", "step": "s2", "text": "new" }] }), "better")
    };
    let steps = json!([{ "text": "one", "model": "test/pinned" }, "two"]);
    let script = Script::by_model([
        ("small", vec![wishes("")]),
        ("large", vec![plan_write_with("goal", steps, json!({})), set()]),
        ("pinned", vec![set(), step_done("s1", "ok")]),
        ("chosen", vec![step_done("s2", "ok"), Reply::text("done")]),
    ]);
    let house = House::of_agent(TWO, script, "", &[]).await;
    house.mode(PlanMode::Strict).await;
    house.say("do it").await;
    wait_asked(&house).await;
    approve(&house, Some("test/chosen"), false).await;
    house.wait("revision", |event| matches!(event, Event::PlanRevised { .. })).await;
    house.wait_idle().await;
    assert_eq!(asked(&house), ["small", "large", "pinned", "large"]);
    approve(&house, Some("test/chosen"), false).await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    assert_eq!(asked(&house)[4..6], ["pinned", "chosen"]);
}

#[tokio::test]
async fn thinking_goes_by_the_part_and_not_by_the_name() {
    let agent = format!("{TWO}\n    thinking: low\n    plan_thinking: high");
    let steps = json!([{ "text": "one", "model": "test/large" }]);
    let large = vec![plan_write_with("goal", steps, json!({})), step_done("s1", "ok")];
    let small = vec![wishes(""), Reply::text("done")];
    let house = House::of_agent(&agent, script(small, large), "", &[]).await;
    house.say("do it").await;
    done(&house).await;
    assert_eq!(asked(&house), ["small", "large", "large", "small"]);
    let effort = |request: &support::Recorded| request.json()["reasoning_effort"].clone();
    let efforts: Vec<Value> = house.model.requests().iter().map(effort).collect();
    assert_eq!(efforts, ["low", "high", "low", "low"]);
}

#[tokio::test]
async fn the_planning_models_own_trouble_is_told_and_the_next_words_begin_anew() {
    let small = vec![wishes(""), Reply::text("without a plan, then")];
    let large = vec![Reply::status(401, r#"{"error":{"message":"no such key"}}"#, &[])];
    let house = two_models(small, large).await;
    house.say("do it").await;
    house.wait("trouble", |event| matches!(event, Event::Trouble { .. })).await;
    house.say("well?").await;
    house.model.request(2).await;
    house.wait_idle().await;
    assert_eq!(asked(&house), ["small", "large", "small"]);
}
