//! Steps of a plan that sidekicks do at once: queued, paused, cancelled, waiting.

use super::steps::{statuses, wait_end};
use super::{all, now, release_until, requests, wait_state};
use flow::{House, me};
use plan::{Command, PauseReason, WaitsFor};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use support::{
    Recorded, Reply, Script, ask_user, plan_write_with, sidekick_complete, spawn_sidekick, wait_for,
};

/// A sidekick for each of many steps, all held.
fn many(count: usize, more: Value) -> Script {
    let steps: Vec<String> = (1..=count).map(|n| format!("part {n}")).collect();
    let write = plan_write_with("many", json!(steps), more);
    Script::from_fn(move |request: &Recorded| {
        let said = request.texts("user").first().cloned().unwrap_or_default();
        match said.starts_with("part") {
            true => sidekick_complete("done").hold_after(1),
            false if request.tool_results().is_empty() => write.clone(),
            false => Reply::text("ok"),
        }
    })
}

#[tokio::test]
async fn of_twenty_parallel_steps_three_run_and_seventeen_are_queued() {
    let house = House::with(many(20, json!({ "mode": "parallel" }))).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 3, "three requests").await;
    let plan = house.plan();
    let queued = plan.steps.iter().filter(|step| step.queued).count();
    let running = plan.steps.iter().filter(|step| step.status == "in_progress").count();
    assert_eq!((running, queued, all(&house).len()), (3, 17, 3));
    // ⚡ holds for them, too: nothing new starts at 0.
    release_until(&house, "paused").await;
    let plan = house.plan();
    assert_eq!(plan.pause_reason, Some(PauseReason::AutoBudget));
    let done = plan.steps.iter().filter(|step| step.status == "done").count();
    assert!((8..=10).contains(&done), "{done}");
    house.say("go on").await;
    wait_for(
        async || {
            house.model.release();
            requests(&house, "part").len() > done
        },
        "more",
    )
    .await;
}

#[tokio::test]
async fn cancelling_ends_all_of_them_and_their_commands() {
    let marker = format!("plancard-test-{}", engine::fresh_id().simple());
    let command = format!("bash -c 'exec -a {marker} sleep 300'");
    let script = Script::from_fn(move |request: &Recorded| {
        let said = request.texts("user").first().cloned().unwrap_or_default();
        match said.starts_with("part") {
            true => Reply::call("shell", json!({ "command": command })),
            false if request.tool_results().is_empty() => plan_write_with(
                "g",
                json!(["part 1", "part 2", "part 3"]),
                json!({ "mode": "parallel" }),
            ),
            false => Reply::text("ok"),
        }
    });
    let house = House::with(script).await;
    house.say("do it").await;
    let running = || all(&house).iter().filter(|one| one.tool.as_deref() == Some("shell")).count();
    wait_for(async || running() == 3 && flow::is_running(&marker), "three commands").await;
    let before = std::time::Instant::now();
    house.person(Command::Cancel { reason: "enough".into(), call: None }).await.unwrap();
    wait_for(async || !flow::is_running(&marker), "no process").await;
    assert!(before.elapsed().as_secs() < 3, "{:?}", before.elapsed());
    assert!(all(&house).iter().all(|one| one.state == "stopped"));
    let free = super::spawn(&house, "part 9").await;
    wait_state(&house, free.id, "running").await;
}

#[tokio::test]
async fn a_pause_holds_them_and_a_restart_loses_none() {
    let script = Script::from_fn(|request: &Recorded| {
        let said = request.texts("user").first().cloned().unwrap_or_default();
        match (said.starts_with("part"), request.tool_results().len()) {
            (true, 0) => Reply::call("read_file", json!({ "path": "a" })),
            (true, 1) => Reply::call("read_file", json!({ "path": "b" })).hold_after(1),
            (true, _) => sidekick_complete("done"),
            (false, 0) => {
                plan_write_with("g", json!(["part 1", "part 2"]), json!({ "mode": "parallel" }))
            }
            (false, _) => Reply::text("ok"),
        }
    });
    let mut house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 4, "both to be asked twice").await;
    house.person(Command::Pause).await.unwrap();
    wait_for(async || house.model.disconnects() == 2, "both to be hung up on").await;
    wait_for(async || all(&house).iter().all(|one| one.state == "queued"), "both to stop").await;
    assert!(all(&house).iter().all(|one| one.turns == 1), "{:?}", all(&house));
    assert_eq!(requests(&house, "part").len(), 4, "nothing goes on");
    house.restart().await;
    assert_eq!(house.plan().state, "paused");
    assert_eq!(requests(&house, "part").len(), 4, "nothing goes on by itself");
    house.person(Command::Resume).await.unwrap();
    release_until(&house, "done").await;
    assert_eq!(all(&house).len(), 2, "the same ones went on");
}

#[tokio::test]
async fn a_pause_holds_one_that_waits_for_its_provider_and_a_sidekick_of_its_own() {
    let (refused, below) = (AtomicBool::new(false), AtomicBool::new(false));
    let script = Script::from_fn(move |request: &Recorded| {
        let said = request.texts("user").first().cloned().unwrap_or_default();
        match (said.lines().next().unwrap_or_default(), request.tool_results().len()) {
            ("part 1", _) if !refused.swap(true, Ordering::SeqCst) => {
                Reply::status(429, "{}", &[("retry-after", "30")])
            }
            ("part 2", 0) => spawn_sidekick("below"),
            ("part 2", _) if request.texts("system").join("").contains("has finished") => {
                sidekick_complete("done")
            }
            ("part 2", _) => Reply::text("I wait."),
            ("below", _) if !below.swap(true, Ordering::SeqCst) => {
                sidekick_complete("done").hold_after(1)
            }
            ("do it", 0) => {
                plan_write_with("g", json!(["part 1", "part 2"]), json!({ "mode": "parallel" }))
            }
            ("do it", _) => Reply::text("ok"),
            _ => sidekick_complete("done"),
        }
    });
    let house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "below").len() == 1, "the one below").await;
    wait_for(async || requests(&house, "part 2").len() == 2, "the one above it to wait").await;
    let first = all(&house).into_iter().find(|one| one.task == "part 1").unwrap().id;
    let watch = house.engine().watch(first, 0).unwrap();
    let mut heard = watch.chatter();
    while !matches!(heard.next().await.unwrap(), engine::Chatter::Retry { .. }) {}
    let waits_for = |room| now(&house, room).waits_for;
    let second = all(&house).into_iter().find(|one| one.task == "part 2").unwrap().id;
    let waits = || (waits_for(first), waits_for(second));
    let both = (Some(WaitsFor::Provider), Some(WaitsFor::Sidekicks));
    wait_for(async || waits() == both, "both to say what for").await;
    house.person(Command::Pause).await.unwrap();
    wait_for(async || house.model.disconnects() == 1, "the one below to be hung up on").await;
    while !matches!(heard.next().await.unwrap(), engine::Chatter::Quiet { .. }) {}
    house.clock.advance(Duration::from_secs(60));
    wait_for(async || now(&house, first).state == "queued", "the other to stop").await;
    assert_eq!(waits_for(first), Some(WaitsFor::Plan));
    assert_eq!(requests(&house, "part 1").len(), 1, "nobody is asked during a pause");
    assert_eq!(requests(&house, "below").len(), 1);
    house.person(Command::Resume).await.unwrap();
    wait_end(&house).await;
    assert_eq!(house.plan().state, "done");
    assert_eq!((requests(&house, "part 1").len(), requests(&house, "below").len()), (2, 2));
}

#[tokio::test]
async fn who_waits_for_a_person_makes_way_and_waits_for_a_place_after_the_answer() {
    let script = Script::from_fn(|request: &Recorded| {
        let said = request.texts("user").first().cloned().unwrap_or_default();
        match (said.lines().next().unwrap_or_default(), request.tool_results().len()) {
            ("part 1", 0) => ask_user("which?", &[]),
            ("do it", 0) => {
                let steps = json!(["part 1", "part 2", "part 3", "part 4", "part 5"]);
                plan_write_with("g", steps, json!({ "mode": "parallel" }))
            }
            ("do it", _) => Reply::text("ok"),
            _ => sidekick_complete("done").hold_after(1),
        }
    });
    let house = House::with(script).await;
    house.say("do it").await;
    // The one that waits leaves its place to the fourth.
    wait_for(async || requests(&house, "part").len() == 4, "three beside the one that waits").await;
    let work = ["in_progress", "in_progress", "in_progress", "in_progress", "pending"];
    assert_eq!(statuses(&house), work);
    assert!(house.plan().steps[0].waiting && !house.plan().steps[1].waiting);
    let ask = house.view().asks.remove(0);
    let (answer, note, revision, hash) = ("that".to_owned(), None, None, None);
    let answer = Command::Answer { ask: ask.id, answer, note, revision, hash };
    house.engine().submit(ask.room_id, &me(), answer).unwrap();
    wait_state(&house, ask.room_id, "queued").await;
    let working = || all(&house).iter().filter(|one| one.state == "running").count();
    assert_eq!((working(), requests(&house, "part").len()), (3, 4), "not four at once");
    house.model.release();
    wait_for(async || requests(&house, "part 1").len() == 2, "its turn").await;
    release_until(&house, "done").await;
}
