//! Plans whose steps sidekicks do.

use super::{all, log, now, release_until, requests, wait_state};
use flow::{House, me};
use plan::{Command, Event, PauseReason, PlanMode, StepRef, WaitsFor};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use support::{
    Recorded, Reply, Script, ask_user, plan_write_with, sidekick_complete, spawn_sidekick,
    step_done, wait_for,
};

fn graph(steps: Value) -> Reply {
    plan_write_with("the goal", steps, json!({ "mode": "graph" }))
}

/// Three questions and a comparison.
fn research() -> Reply {
    graph(json!([
        { "id": "a", "text": "research alpha" },
        { "id": "b", "text": "research beta" },
        { "id": "c", "text": "research gamma" },
        { "id": "all", "text": "compare them", "needs": ["a", "b", "c"] },
    ]))
}

async fn wait_end(house: &House) {
    let over = |event: &Event| matches!(event, Event::PlanDone { .. } | Event::PlanFailed { .. });
    house.wait("end of the plan", over).await;
    house.wait_idle().await;
}

fn statuses(house: &House) -> Vec<String> {
    house.plan().steps.into_iter().map(|step| step.status).collect()
}

/// One reply of a step, held until it is let.
fn held(summary: &str) -> Vec<Reply> {
    vec![sidekick_complete(summary).usage(100, 10).hold_after(1)]
}

/// What runs is what the revision says that was approved, whatever the first one said.
#[tokio::test]
async fn a_revision_runs_as_it_says() {
    let written = |mode: &str, venue: &str, text: &str| {
        let steps = json!([{ "id": "a", "text": text }]);
        plan_write_with("g", steps, json!({ "mode": mode, "venue": venue }))
    };
    for (first, then, handed) in [
        (("sequential", "main"), ("parallel", "main"), true),
        (("sequential", "main"), ("sequential", "sidekick"), true),
        (("parallel", "main"), ("sequential", "main"), false),
    ] {
        let above = vec![
            written(first.0, first.1, "part 0"),
            written(then.0, then.1, "part 1"),
            if handed { Reply::text("It works.") } else { step_done("a", "done") },
            Reply::text("Done."),
        ];
        let below = vec![sidekick_complete("done")];
        let script = Script::by_room([("part 1", below), ("do it", above)]);
        let house = House::with(script).await;
        house.mode(PlanMode::Strict).await;
        let said = house.say("do it").await;
        let asked = |event: &Event| matches!(event, Event::AskRaised { .. });
        let first = house.wait_after(said, "the first plan", asked).await;
        house.person(Command::Reject { reason: "otherwise".into() }).await.unwrap();
        house.wait_after(first, "the second plan", asked).await;
        let plan = house.plan();
        let (revision, hash, model) = (plan.revision, plan.hash, None);
        assert_eq!(revision, 2);
        let yes = Command::Approve { revision, hash, model, fresh_context: false };
        house.person(yes).await.unwrap();
        house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
        assert_eq!(house.count("step_handed"), usize::from(handed), "{then:?}");
        assert_eq!(all(&house).len(), usize::from(handed), "{then:?}");
    }
}

#[tokio::test]
async fn three_research_at_once_and_what_they_found_reaches_the_comparison() {
    let script = Script::by_room([
        ("compare them", vec![sidekick_complete("beta is best")]),
        ("research alpha", held("alpha is old\nIt is from 1990.")),
        ("research beta", held("beta is new")),
        ("research gamma", held("gamma is slow")),
        ("do it", vec![research(), Reply::text("They look."), Reply::text("Beta is best.")]),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    let asked = |words: &str| requests(&house, words).len();
    wait_for(
        async || {
            ["alpha", "beta", "gamma"].iter().all(|name| asked(&format!("research {name}")) == 1)
        },
        "three requests at once",
    )
    .await;
    assert_eq!(statuses(&house), ["in_progress", "in_progress", "in_progress", "pending"]);
    let plan = house.plan();
    let rooms: Vec<_> = plan.steps.iter().map(|step| step.sidekick.is_some()).collect();
    assert_eq!(rooms, [true, true, true, false]);
    assert_eq!(plan.steps[0].sidekick, all(&house).last().map(|first| first.id));
    assert_eq!(all(&house).last().unwrap().step, Some(plan.steps[0].id.clone()));
    house.model.release();
    wait_end(&house).await;
    assert_eq!(house.plan().state, "done");
    assert_eq!(house.plan().steps[3].result.as_deref(), Some("beta is best"));

    let compare = requests(&house, "compare them").remove(0);
    let task = compare.texts("user").remove(0);
    assert_eq!(
        task,
        "compare them\n\nThis is step 4 of 4 of a plan: the goal\n\nWhat came of the steps before \
         it:\n- research alpha: alpha is old\nIt is from 1990.\n- research beta: \
         beta is new\n- research gamma: gamma is slow"
    );
    assert_eq!(house.count("plan_written"), 1, "one card throughout");
    wait_for(async || asked("do it") == 3, "the last word").await;
    let told = requests(&house, "do it").pop().unwrap().texts("system").join("\n");
    assert!(
        told.contains("the plan is done") && told.contains("4. compare them — beta is best"),
        "{told}"
    );
    assert_eq!(all(&house).len(), 4);
    assert_eq!(house.plan().usage.tokens(), 330, "what sidekicks used is the plan's");
}

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
async fn a_step_that_fails_takes_what_needs_it_along_and_the_others_end() {
    let script = Script::by_room([
        (
            "first",
            vec![Reply::call("sidekick_complete", json!({ "summary": "no way", "failed": true }))],
        ),
        ("second", vec![sidekick_complete("fine")]),
        (
            "do it",
            vec![
                graph(json!([
                    { "id": "a", "text": "first" },
                    { "id": "b", "text": "second" },
                    { "id": "c", "text": "third", "needs": ["a"] },
                ])),
                Reply::text("ok"),
            ],
        ),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    wait_end(&house).await;
    let plan = house.plan();
    assert_eq!(
        (plan.state.as_str(), plan.end_reason.as_deref()),
        ("failed", Some("1 of its steps failed"))
    );
    assert_eq!(statuses(&house), ["failed", "done", "skipped"]);
    assert_eq!(plan.steps[0].result.as_deref(), Some("no way"));
    assert!(plan.steps[2].blocked);
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

#[tokio::test]
async fn the_agent_of_the_room_can_not_end_a_step_of_theirs_and_a_person_can_skip_it() {
    let script = Script::by_room([
        ("part 2", vec![sidekick_complete("two")]),
        ("part 1", held("one")),
        (
            "do it",
            vec![
                graph(
                    json!([{ "id": "a", "text": "part 1" }, { "id": "b", "text": "part 2", "needs": ["a"] }]),
                ),
                step_done("a", "I say so"),
                Reply::text("ok"),
            ],
        ),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "do it").len() == 3, "the answer").await;
    assert!(requests(&house, "do it")[2].tool_results()[1].contains("a sidekick does it"));
    let first = all(&house).remove(0);
    house.person(Command::Skip { step: StepRef::Id("a".into()) }).await.unwrap();
    wait_end(&house).await;
    assert_eq!(statuses(&house), ["skipped", "done"]);
    assert_eq!(now(&house, first.id).state, "stopped");
}

#[tokio::test]
async fn the_agent_of_the_room_hears_of_each_step_and_may_put_its_result_better() {
    let script = Script::by_room([
        ("compare", vec![sidekick_complete("compared")]),
        ("research alpha", vec![sidekick_complete("alpha: 11 ms\nand much more")]),
        ("research beta", held("beta: 20 ms")),
        (
            "do it",
            vec![
                graph(json!([
                    { "id": "a", "text": "research alpha" },
                    { "id": "b", "text": "research beta" },
                    { "id": "c", "text": "compare", "needs": ["a", "b"] },
                ])),
                Reply::text("They look."),
                step_done("1", "alpha answers within 11 ms"),
                Reply::text("So far alpha."),
                Reply::text("All done."),
            ],
        ),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    house.wait("first step", |event| matches!(event, Event::StepDone { .. })).await;
    wait_for(async || requests(&house, "research beta").len() == 1, "the other to work").await;
    house.wait_idle().await;
    let alpha = all(&house).into_iter().find(|one| one.task.contains("alpha")).unwrap();
    let line = format!("Plan harness: step 1 from {}: alpha: 11 ms", alpha.codename);
    let told = |event: &Event| matches!(event, Event::Nudged { text, .. } if *text == line);
    house.wait("the line in the chat", told).await;
    assert_eq!(requests(&house, "do it").len(), 2, "nobody is asked for an answer to it");

    house.say("how far is it?").await;
    wait_for(async || requests(&house, "do it").len() == 4, "the answer").await;
    let asked = requests(&house, "do it").remove(2).texts("system").join("\n");
    assert!(asked.contains(&line), "{asked}");
    let step = &house.plan().steps[0];
    assert_eq!(
        (step.status.as_str(), step.result.as_deref()),
        ("done", Some("alpha answers within 11 ms"))
    );
    house.model.release();
    wait_end(&house).await;
    let task = requests(&house, "compare").remove(0).texts("user").remove(0);
    assert!(task.contains("- research alpha: alpha answers within 11 ms"), "{task}");
    assert_eq!(house.plan().state, "done");
}

#[tokio::test]
async fn in_strict_mode_each_has_the_scope_of_its_step() {
    let write = |path: &str| Reply::call("write_file", json!({ "path": path, "content": "x" }));
    let script = Script::by_room([
        ("part 1", vec![write("a.md"), sidekick_complete("one")]),
        ("part 2", vec![write("a2.md"), sidekick_complete("two")]),
        (
            "do it",
            vec![
                plan_write_with(
                    "g",
                    json!([
                        { "text": "part 1", "tool": "write_file", "target": "a.md" },
                        { "text": "part 2", "tool": "write_file", "target": "b.md" },
                    ]),
                    json!({ "mode": "parallel" }),
                ),
                Reply::text("ok"),
            ],
        ),
    ]);
    let house = House::with(script).await;
    house.mode(PlanMode::Strict).await;
    house.say("do it").await;
    house.wait("question", |event| matches!(event, Event::AskRaised { .. })).await;
    let plan = house.plan();
    let (revision, hash, model) = (plan.revision, plan.hash, None);
    house.person(Command::Approve { revision, hash, model, fresh_context: false }).await.unwrap();
    wait_for(async || house.workspace.has("a.md"), "what was approved").await;
    wait_for(async || house.view().asks.len() == 1, "what was not to be asked about").await;
    let ask = house.view().asks.remove(0);
    assert_eq!(ask.kind, plan::AskKind::Drift);
    assert!(ask.text.contains("a2.md") && ask.codename.is_some(), "{ask:?}");
    assert!(house.plan().steps[1].waiting && !house.workspace.has("a2.md"));
    let (revision, hash, note) = (None, None, None);
    let answer = Command::Answer { ask: ask.id, answer: "once".into(), note, revision, hash };
    house.engine().submit(ask.room_id, &me(), answer).unwrap();
    wait_end(&house).await;
    assert!(house.workspace.has("a2.md"));
    let plan = house.plan();
    assert_eq!(
        (plan.state.as_str(), plan.steps[0].changed.clone()),
        ("done", vec!["a.md".to_owned()])
    );
    let report = plan.report.unwrap();
    assert!(report.lines[0].touched && report.lines[0].beyond.is_empty());
    assert_eq!(report.lines[1].beyond[0].how, plan::How::Once);
}

#[tokio::test]
async fn a_check_is_made_before_a_step_counts_as_done() {
    let script = Script::by_room([
        (
            "part 1",
            vec![
                sidekick_complete("it is there"),
                Reply::call("write_file", json!({ "path": "out.txt", "content": "x" })),
                sidekick_complete("now it is"),
            ],
        ),
        (
            "do it",
            vec![
                plan_write_with(
                    "g",
                    json!([{ "text": "part 1", "verify": { "file": "out.txt" } }]),
                    json!({ "mode": "parallel" }),
                ),
                Reply::text("ok"),
            ],
        ),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    wait_end(&house).await;
    assert!(requests(&house, "part 1")[1].tool_results()[0].contains("CHECK_FAILED"));
    assert_eq!(house.plan().steps[0].result.as_deref(), Some("now it is"));
    assert_eq!(house.plan().state, "done");
}

#[tokio::test]
async fn steps_that_write_one_file_run_one_after_the_other() {
    let script = Script::by_room([
        ("part 1", held("one")),
        ("part 2", held("two")),
        ("part 3", held("three")),
        (
            "do it",
            vec![
                plan_write_with(
                    "g",
                    json!([
                        { "text": "part 1", "tool": "write_file", "target": "src/a.md" },
                        { "text": "part 2", "tool": "edit_file", "target": "src/a.md" },
                        { "text": "part 3", "tool": "write_file", "target": "src/b.md" },
                    ]),
                    json!({ "mode": "parallel" }),
                ),
                Reply::text("ok"),
            ],
        ),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 2, "two requests").await;
    assert_eq!(statuses(&house), ["in_progress", "pending", "in_progress"]);
    release_until(&house, "done").await;
}

/// A person says something to a sidekick.
async fn tell(house: &House, room: plan::RoomId, words: &str) {
    let message = plan::MessageId(engine::fresh_id());
    let say = Command::Say { message, text: words.into() };
    let said = house.engine().submit(room, &me(), say).expect("it is taken");
    said.stored().await.expect("it is stored");
}

#[tokio::test]
async fn what_a_person_says_where_the_plan_runs_refills_it() {
    let done = |n: u32| sidekick_complete(&n.to_string());
    let script = Script::by_room([
        ("part 1", vec![done(1), done(2).hold_after(1), done(3)]),
        (
            "do it",
            vec![
                plan_write_with(
                    "g",
                    json!(["part 1", "part 2", "part 3"]),
                    json!({ "venue": "sidekick" }),
                ),
                Reply::text("It runs."),
                Reply::text("It is done."),
            ],
        ),
    ]);
    let house = House::configured(script, "caps: { auto_steps: 1 }", &[]).await;
    house.say("do it").await;
    house.wait_paused().await;
    assert_eq!(house.plan().pause_reason, Some(PauseReason::AutoBudget));
    let venue = house.plan().venue_room_id;
    wait_state(&house, venue, "completed").await;
    tell(&house, venue, "go on").await;
    wait_for(async || requests(&house, "part 1").len() == 2, "the second step").await;
    // And while it runs: without this there would be a pause after it.
    tell(&house, venue, "and on").await;
    assert_eq!(house.plan().budget_left, Some(1));
    house.model.release();
    let second = |event: &Event| matches!(event, Event::StepDone { step, .. } if step.0 == "s2");
    let second = house.wait("the second step's end", second).await;
    let paused = |event: &Event| matches!(event, Event::Paused { .. });
    house.wait_after(second, "the next pause", paused).await;
    tell(&house, venue, "to the end").await;
    wait_end(&house).await;
    assert_eq!(house.plan().state, "done");
}

#[tokio::test]
async fn the_plan_of_a_sidekick_has_no_budget() {
    let script = Script::by_room([(
        "look",
        vec![
            plan_write_with("g", json!(["a", "b", "c"]), json!({})),
            step_done("s1", "1"),
            step_done("s2", "2"),
            step_done("s3", "3"),
            sidekick_complete("all of it"),
        ],
    )]);
    let house = House::configured(script, "caps: { auto_steps: 1 }", &[]).await;
    let sidekick = super::spawn(&house, "look").await;
    wait_state(&house, sidekick.id, "completed").await;
    let plan = house.engine().view(sidekick.id).unwrap().plan.unwrap();
    assert_eq!((plan.state.as_str(), plan.budget_left), ("done", None));
}

#[tokio::test]
async fn one_sidekick_does_a_whole_plan_step_by_step() {
    let script = Script::by_room([
        ("part 1", vec![sidekick_complete("one"), sidekick_complete("two")]),
        (
            "do it",
            vec![
                plan_write_with("g", json!(["part 1", "part 2"]), json!({ "venue": "sidekick" })),
                Reply::text("It runs."),
                Reply::text("It is done."),
            ],
        ),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    wait_end(&house).await;
    let plan = house.plan();
    assert_eq!(plan.state, "done");
    let results: Vec<_> = plan.steps.iter().map(|step| step.result.clone().unwrap()).collect();
    assert_eq!(results, ["one", "two"]);
    let sidekicks = all(&house);
    assert_eq!(sidekicks.len(), 1);
    assert_eq!((plan.room_id, plan.venue_room_id), (house.room, sidekicks[0].id));
    let asked = requests(&house, "part 1");
    assert_eq!(asked.len(), 2);
    assert!(asked[1].texts("user")[1].starts_with("part 2"));
    assert_eq!(now(&house, sidekicks[0].id).turns, 1, "turns count per step");
    let briefed = |event: &&Event| matches!(event, Event::Briefed { .. });
    assert_eq!(log(&house, sidekicks[0].id).iter().filter(briefed).count(), 2);
}
