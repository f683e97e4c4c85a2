//! What goes on by itself ends with what allowed it: a command in the background does not outlive
//! the approval it was started under, nor the mode.

use engine::NewSidekick;
use flow::{House, Mark, me};
use plan::{Command, Edit, Event, Outcome, PlanMode, RoomId};
use serde_json::json;
use support::{
    Reply, Script, plan_revise, plan_write_with, step_done, submit_plan, wait_for, wait_for_some,
};

/// Writes without an end.
const WRITER: &str = "while true; do echo tick >> ticks; sleep 0.02; done\n";

fn start(mark: &Mark) -> Reply {
    let command = format!("bash writer.sh {}", mark.0);
    Reply::call("shell", json!({ "command": command, "background": true }))
}

/// A plan whose first step may run the writer.
fn plan_for(mark: &Mark) -> Reply {
    let command = format!("bash writer.sh {}", mark.0);
    let steps = json!([
        { "text": "start it", "tool": "shell", "target": command }, { "text": "use it" },
    ]);
    plan_write_with("goal", steps, json!({}))
}

async fn house(script: Vec<Reply>) -> House {
    House::configured(script, "", &[("writer.sh", WRITER)]).await
}

async fn wait_writing(house: &House, mark: &Mark) {
    wait_for(async || mark.is_running() && house.workspace.has("ticks"), "the writer").await;
}

/// The writer is gone, and so nothing is written any more.
async fn wait_over(house: &House, mark: &Mark) {
    wait_for(async || !mark.is_running(), "the writer to be gone").await;
    let written = house.workspace.read("ticks");
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    assert_eq!(house.workspace.read("ticks"), written);
}

async fn approve(house: &House) {
    house.wait("approval", |event| matches!(event, Event::ApprovalRequested)).await;
    let plan = house.plan();
    let (revision, hash) = (plan.revision, plan.hash);
    let yes = Command::Approve { revision, hash, model: None, fresh_context: false };
    house.person(yes).await.unwrap();
}

/// A house in which an approved plan has started the writer, and its agent is silent.
async fn approved(mark: &Mark, then: Reply) -> House {
    let script = vec![plan_for(mark), start(mark), Reply::text("It runs.").hold_after(1).and(then)];
    let house = house(script).await;
    house.mode(PlanMode::Strict).await;
    house.say("go").await;
    approve(&house).await;
    wait_writing(&house, mark).await;
    house.model.request(2).await;
    house
}

fn reworded() -> serde_json::Value {
    json!([{ "op": "set", "step": "s2", "text": "use it otherwise" }])
}

/// A person changes the plan, so that it waits again.
async fn edited(house: &House) {
    let edits: Vec<Edit> = serde_json::from_value(reworded()).expect("edits");
    let (ask, seen) = (plan::AskId(engine::fresh_id()), Some(1));
    let edit = Command::Revise { edits, reason: None, seen, ask, call: None };
    house.person(edit).await.expect("it is changed");
    assert_eq!(house.plan().state, "awaiting_approval");
}

#[tokio::test]
async fn a_revision_of_the_agents_in_strict_mode_ends_it() {
    let mark = Mark::fresh();
    let revise = plan_revise(json!({ "edits": reworded() }), "better so");
    let house = approved(&mark, revise).await;
    house.model.release();
    house.wait("revision", |event| matches!(event, Event::PlanRevised { .. })).await;
    assert_eq!(house.plan().state, "awaiting_approval");
    wait_over(&house, &mark).await;
}

#[tokio::test]
async fn an_edit_of_the_persons_in_strict_mode_ends_it() {
    let mark = Mark::fresh();
    let house = approved(&mark, step_done("s1", "started")).await;
    edited(&house).await;
    wait_over(&house, &mark).await;
}

/// The same for one that the agent waits for.
#[tokio::test]
async fn an_edit_of_the_persons_ends_a_command_under_way() {
    let mark = Mark::fresh();
    let command = format!("bash writer.sh {}", mark.0);
    let run = Reply::call("shell", json!({ "command": command }));
    let house = house(vec![plan_for(&mark), run]).await;
    house.mode(PlanMode::Strict).await;
    house.say("go").await;
    approve(&house).await;
    wait_writing(&house, &mark).await;
    edited(&house).await;
    wait_over(&house, &mark).await;
}

#[tokio::test]
async fn strict_mode_without_an_approved_plan_ends_it() {
    let mark = Mark::fresh();
    let house = house(vec![start(&mark), Reply::text("It runs.")]).await;
    house.say("go").await;
    wait_writing(&house, &mark).await;
    house.wait_idle().await;
    house.mode(PlanMode::Soft).await;
    assert!(mark.is_running(), "soft mode blocks nothing");
    house.mode(PlanMode::Strict).await;
    wait_over(&house, &mark).await;
}

#[tokio::test]
async fn strict_mode_over_a_plan_that_nobody_approved_ends_it() {
    let mark = Mark::fresh();
    let script = vec![plan_for(&mark), start(&mark), Reply::text("It runs.").hold_after(1)];
    let house = house(script).await;
    house.say("go").await;
    wait_writing(&house, &mark).await;
    house.model.request(2).await;
    house.mode(PlanMode::Strict).await;
    wait_over(&house, &mark).await;
}

#[tokio::test]
async fn a_plan_that_is_submitted_ends_what_ran_without_one() {
    let mark = Mark::fresh();
    let submit = submit_plan("first", json!([{ "description": "a" }]), "why");
    let house = house(vec![start(&mark), Reply::text("Now.").hold_after(1).and(submit)]).await;
    house.say("go").await;
    wait_writing(&house, &mark).await;
    house.model.request(1).await;
    house.model.release();
    house.wait("approval", |event| matches!(event, Event::ApprovalRequested)).await;
    wait_over(&house, &mark).await;
}

/// What is allowed goes on: through a step, a pause, and a change of mode that takes nothing away.
#[tokio::test]
async fn while_the_approval_holds_it_goes_on() {
    let mark = Mark::fresh();
    let house = approved(&mark, step_done("s1", "started")).await;
    house.person(Command::Pause).await.unwrap();
    house.person(Command::Resume).await.unwrap();
    house.mode(PlanMode::Off).await;
    house.mode(PlanMode::Strict).await;
    house.wait_idle().await;
    assert!(mark.is_running());
    house.person(Command::Cancel { reason: "enough".into(), call: None }).await.unwrap();
    wait_over(&house, &mark).await;
}

/// A house with a sidekick that no step asked for.
async fn with_sidekick(below: Vec<Reply>, above: Vec<Reply>) -> House {
    let script = Script::by_room([("start it", below), ("", above)]);
    let house = House::configured(script, "", &[("writer.sh", WRITER)]).await;
    let new = NewSidekick { task: "start it".to_owned(), ..NewSidekick::default() };
    house.engine().spawn_sidekick(house.room, &me(), new).await.expect("a sidekick is made");
    house
}

async fn wait_running(mark: &Mark) {
    wait_for(async || mark.is_running(), "the writer").await;
}

async fn wait_gone(mark: &Mark) {
    wait_for(async || !mark.is_running(), "the writer to be gone").await;
}

#[tokio::test]
async fn strict_mode_above_ends_what_a_sidekick_started() {
    let mark = Mark::fresh();
    let below = vec![start(&mark), Reply::text("It runs.").hold_after(1)];
    let house = with_sidekick(below, Vec::new()).await;
    wait_running(&mark).await;
    house.model.request(1).await;
    house.mode(PlanMode::Soft).await;
    assert!(mark.is_running(), "soft mode blocks nothing");
    house.mode(PlanMode::Strict).await;
    wait_gone(&mark).await;
}

/// The same for one that the sidekick waits for, when a plan above goes to the person.
#[tokio::test]
async fn a_plan_above_that_waits_ends_a_sidekicks_command_under_way() {
    let mark = Mark::fresh();
    let command = format!("bash writer.sh {}", mark.0);
    let run = Reply::call("shell", json!({ "command": command }));
    let submit = submit_plan("first", json!([{ "description": "a" }]), "why");
    let house = with_sidekick(vec![run, Reply::text("ok")], vec![submit]).await;
    wait_running(&mark).await;
    house.say("plan it").await;
    house.wait("approval", |event| matches!(event, Event::ApprovalRequested)).await;
    wait_gone(&mark).await;
}

/// What goes on two rooms further down ends, too.
#[tokio::test]
async fn strict_mode_ends_what_a_sidekick_of_a_sidekick_started() {
    let mark = Mark::fresh();
    let task = json!({ "task": "deep work" });
    let hands_on = vec![Reply::call("spawn_sidekick", task), Reply::text("ok").hold_after(1)];
    let deep = vec![start(&mark), Reply::text("It runs.").hold_after(1)];
    let script = Script::by_room([("deep work", deep), ("start it", hands_on), ("", vec![])]);
    let house = House::configured(script, "", &[("writer.sh", WRITER)]).await;
    let new = NewSidekick { task: "start it".to_owned(), ..NewSidekick::default() };
    house.engine().spawn_sidekick(house.room, &me(), new).await.expect("a sidekick is made");
    wait_running(&mark).await;
    // Both have ended their calls, and wait.
    house.model.request(3).await;
    house.mode(PlanMode::Strict).await;
    wait_gone(&mark).await;
}

/// A sidekick of an approved step keeps what it started under that step.
#[tokio::test]
async fn what_an_approved_step_of_a_sidekick_started_goes_on() {
    const WAIT: &str = "until [ -s ticks ] && [ $(wc -l < ticks) -gt 30 ]; do sleep 0.02; done\n";
    let mark = Mark::fresh();
    let target = format!("bash writer.sh {} ; bash wait.sh", mark.0);
    let steps = json!([{ "text": "start it", "tool": "shell", "target": target }]);
    let plan = plan_write_with("goal", steps, json!({ "mode": "parallel" }));
    let wait = Reply::call("shell", json!({ "command": "bash wait.sh" }));
    let below = vec![start(&mark), wait, Reply::text("It runs.").hold_after(1)];
    let script = Script::by_room([("start it", below), ("go", vec![plan])]);
    let files = [("writer.sh", WRITER), ("wait.sh", WAIT)];
    let house = House::configured(script, "", &files).await;
    house.mode(PlanMode::Strict).await;
    house.say("go").await;
    approve(&house).await;
    let child = async || house.plan().steps[0].sidekick;
    let child = wait_for_some(child, "a sidekick").await;
    wait_for(async || outcomes(&house, child).len() == 2, "both calls").await;
    assert_eq!(outcomes(&house, child), [Outcome::Ok, Outcome::Ok]);
    assert!(mark.is_running());
    edited_first(&house).await;
    wait_gone(&mark).await;
}

/// A person changes the step under way, so that the plan waits again.
async fn edited_first(house: &House) {
    let edits = json!([{ "op": "set", "step": "s1", "text": "start it otherwise" }]);
    let edits: Vec<Edit> = serde_json::from_value(edits).expect("edits");
    let ask = plan::AskId(engine::fresh_id());
    let edit = Command::Revise { edits, reason: None, seen: Some(1), ask, call: None };
    house.person(edit).await.expect("it is changed");
}

/// How the calls of a room ended.
fn outcomes(house: &House, room: RoomId) -> Vec<Outcome> {
    let rows = house.engine().journal().read(room.0, 0, 1_000).expect("it can be read");
    let ended = rows.into_iter().filter_map(|row| {
        let event: Event = serde_json::from_slice(&row.body).expect("events read back");
        if let Event::CallEnded { outcome, .. } = event { Some(outcome) } else { None }
    });
    ended.collect()
}
