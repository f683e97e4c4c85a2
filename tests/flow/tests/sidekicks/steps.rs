//! Plans whose steps sidekicks do.

use super::{all, release_until, requests};
use flow::{House, me};
use plan::{Command, Event, PlanMode};
use serde_json::{Value, json};
use support::{Reply, Script, plan_write_with, sidekick_complete, step_done, wait_for};

pub(super) fn graph(steps: Value) -> Reply {
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

pub(super) async fn wait_end(house: &House) {
    let over = |event: &Event| matches!(event, Event::PlanDone { .. } | Event::PlanFailed { .. });
    house.wait("end of the plan", over).await;
    house.wait_idle().await;
}

pub(super) fn statuses(house: &House) -> Vec<String> {
    house.plan().steps.into_iter().map(|step| step.status).collect()
}

/// One reply of a step, held until it is let.
pub(super) fn held(summary: &str) -> Vec<Reply> {
    vec![sidekick_complete(summary).usage(100, 10).hold_after(1)]
}

/// What runs is what the revision says that was approved, whatever the first one said.
#[tokio::test]
async fn an_agent_that_there_is_not_is_warned_about() {
    let steps =
        json!([{ "text": "part 1", "agent": "nobody" }, { "text": "part 2", "agent": "default" }]);
    let script = Script::by_room([
        ("part", vec![sidekick_complete("done")]),
        (
            "do it",
            vec![plan_write_with("g", steps, json!({ "mode": "parallel" })), Reply::text("ok")],
        ),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    let warned = "there is no agent called nobody; others do the steps that name it";
    house
        .wait("warning", |event| matches!(event, Event::Warned { text, .. } if text == warned))
        .await;
}

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
        ("do it", std::iter::once(research()).chain(vec![Reply::text("I see."); 6]).collect()),
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
    let told = || requests(&house, "do it").pop().unwrap().texts("system").join("\n");
    wait_for(async || told().contains("the plan is done"), "the last word").await;
    let told = told();
    assert!(told.contains("4. compare them — beta is best"), "{told}");
    assert_eq!(all(&house).len(), 4);
    let tokens = house.plan().usage.tokens();
    assert!(tokens >= 330, "what sidekicks used is the plan's: {tokens}");
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
                        { "text": "part 2", "tool": "edit_file", "target": "src/../src/./a.md" },
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
