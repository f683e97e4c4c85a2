//! What fails in a sidekick is an attempt at the step that it does.

use super::copies::{parallel, shell, write};
use super::steps::graph;
use super::{all, first, log, now, release_until, requests};
use flow::House;
use plan::{Command, Event, Outcome, RoomId, StepRef, Text};
use serde_json::json;
use support::{Reply, Script, plan_write_with, sidekick_complete, wait_for};

fn missing(name: &str) -> Reply {
    Reply::call("read_file", json!({ "path": name }))
}

/// A plan that stands still after three failed attempts at its first step.
async fn out_of_attempts(then: Vec<Reply>) -> House {
    let twice = missing("b").and(missing("c"));
    let mut first = vec![missing("a"), twice, missing("d")];
    first.extend(then);
    let script = Script::by_room([
        ("part 1", first),
        // It is asked again when the plan goes on.
        ("part 2", vec![sidekick_complete("2").hold_after(1); 2]),
        (
            "do it",
            vec![parallel(json!(["part 1", "part 2"])), Reply::text("ok"), Reply::text("ok")],
        ),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    house.wait("pause", |event| matches!(event, Event::Paused { .. })).await;
    house.wait_idle().await;
    let plan = house.plan();
    assert_eq!(json!(plan.pause_reason), "attempts");
    assert_eq!((plan.steps[0].status.as_str(), plan.steps[0].attempts), ("in_progress", 3));
    let asked = requests(&house, "part 1");
    assert_eq!(asked.len(), 3, "nobody is asked after the last one");
    let told = asked[2].tool_results();
    assert_eq!(told.len(), 3);
    // Two in one turn are one.
    for (attempt, result) in [1, 2, 2].into_iter().zip(&told) {
        let words = format!(
            "Plan harness: this is step 1/2, attempt {attempt}/3. If the error suggests \
             fallbacks, try the one that fits the user's intent."
        );
        assert!(result.contains(&words), "{told:?}");
    }
    house
}

#[tokio::test]
async fn the_last_one_pauses_the_plan_and_a_resume_gives_fresh_ones() {
    let house = out_of_attempts(vec![missing("e"), sidekick_complete("found it")]).await;
    let before = all(&house).len();
    house.person(Command::Resume).await.unwrap();
    release_until(&house, "done").await;
    assert_eq!(all(&house).len(), before, "the same one goes on");
    let told = requests(&house, "part 1").pop().unwrap().tool_results();
    assert!(told[3].contains("step 1/2, attempt 3/3"), "{told:?}");
    assert!(told[4].contains("step 1/2, attempt 1/3"), "{told:?}");
    assert_eq!(house.plan().steps[0].result.as_deref(), Some("found it"));
}

#[tokio::test]
async fn or_a_person_tries_the_step_anew_or_skips_it() {
    let retry = Command::Retry { step: StepRef::Number(1) };
    let skip = Command::Skip { step: StepRef::Number(1) };
    for (command, status, more) in [(retry, "done", 1), (skip, "skipped", 0)] {
        let house = out_of_attempts(vec![sidekick_complete("found it")]).await;
        let before = all(&house).len();
        house.person(command).await.unwrap();
        house.person(Command::Resume).await.unwrap();
        release_until(&house, "done").await;
        assert_eq!(house.plan().steps[0].status, status);
        assert_eq!(all(&house).len(), before + more, "{status}");
    }
}

#[tokio::test]
async fn a_turn_in_which_all_goes_well_takes_them_back() {
    let well = || Reply::call("list_dir", json!({}));
    let first = vec![missing("a"), missing("b"), well(), missing("c"), sidekick_complete("1")];
    let script = Script::by_room([
        ("part 1", first),
        ("do it", vec![parallel(json!(["part 1"])), Reply::text("ok"), Reply::text("ok")]),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    house.wait("plan", |event| matches!(event, Event::Started)).await;
    release_until(&house, "done").await;
    let told = requests(&house, "part 1").pop().unwrap().tool_results();
    assert!(told[3].contains("attempt 1/3"), "{told:?}");
}

#[tokio::test]
async fn a_check_that_fails_is_one_and_is_shown() {
    let step = json!([{ "id": "a", "text": "part 1", "verify": { "file": "made" } }]);
    let script = Script::by_room([
        ("part 1", vec![sidekick_complete("done"); 4]),
        ("do it", vec![graph(step), Reply::text("ok"), Reply::text("ok")]),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    house.wait("pause", |event| matches!(event, Event::Paused { .. })).await;
    let step = house.plan().steps.swap_remove(0);
    assert_eq!((step.attempts, step.status.as_str()), (3, "in_progress"));
    assert!(step.check_failed.is_some_and(|found| found.contains("made")));
    house.workspace.write("made", "x");
    house.person(Command::Resume).await.unwrap();
    release_until(&house, "done").await;
}

/// How the calls of a room ended that never began.
fn not_run(house: &House, room: RoomId) -> Vec<String> {
    let ended = |event| {
        let Event::CallEnded { outcome: Outcome::NotRun, result: Text::Inline(words), .. } = event
        else {
            return None;
        };
        Some(words)
    };
    log(house, room).into_iter().filter_map(ended).collect()
}

#[tokio::test]
async fn what_was_called_for_behind_the_last_one_is_not_run() {
    let last = missing("c").and(write("a.md", "late")).and(missing("d"));
    // Or it failed before it began.
    let broken = Reply::call("read_file", json!([])).and(write("a.md", "late"));
    for last in [last, broken] {
        let replies = vec![missing("a"), missing("b"), last, sidekick_complete("found it")];
        let script = Script::by_room([
            ("part 1", replies),
            ("do it", vec![parallel(json!(["part 1"])), Reply::text("ok"), Reply::text("ok")]),
        ]);
        let house = House::with(script).await;
        house.say("do it").await;
        house.wait("pause", |event| matches!(event, Event::Paused { .. })).await;
        let room = first(&house).await.id;
        wait_for(async || !not_run(&house, room).is_empty(), "calls that are not run").await;
        assert!(not_run(&house, room).iter().all(|words| words == "not_run: paused"));
        house.person(Command::Resume).await.unwrap();
        release_until(&house, "done").await;
        assert!(!house.workspace.has("a.md"), "it was called for before the pause");
        let told = requests(&house, "part 1").pop().unwrap().tool_results();
        assert!(told[2].contains("attempt 3/3"), "{told:?}");
        assert!(told[3..].iter().all(|said| said == "not_run: paused"), "{told:?}");
    }
}

#[tokio::test]
async fn nor_is_what_is_behind_a_call_under_way_when_a_person_pauses() {
    let both = shell("while [ ! -e go ]; do sleep 0.02; done").and(write("a.md", "late"));
    let script = Script::by_room([
        ("part 1", vec![both, sidekick_complete("found it")]),
        ("do it", vec![parallel(json!(["part 1"])), Reply::text("ok"), Reply::text("ok")]),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    let room = first(&house).await.id;
    let runs = async || now(&house, room).tool.as_deref() == Some("shell");
    wait_for(runs, "the command to run").await;
    house.person(Command::Pause).await.unwrap();
    wait_for(async || not_run(&house, room) == ["not_run: paused"], "the other to be off").await;
    assert_eq!(now(&house, room).tool.as_deref(), Some("shell"), "what began is let finish");
    // It looks in its copy where it has one.
    let folder = house.engine().with_room(room, |room| room.folder().to_owned()).unwrap();
    std::fs::write(std::path::Path::new(&folder).join("go"), "").unwrap();
    wait_for(async || now(&house, room).tool.is_none(), "the command's end").await;
    assert_eq!(requests(&house, "part 1").len(), 1, "nobody is asked during a pause");
    house.person(Command::Resume).await.unwrap();
    release_until(&house, "done").await;
    assert!(!house.workspace.has("a.md"));
    let told = requests(&house, "part 1").pop().unwrap().tool_results();
    assert_eq!(told.iter().filter(|said| *said == "not_run: paused").count(), 1, "{told:?}");
}

#[tokio::test]
async fn one_that_does_a_whole_plan_has_them_for_each_step() {
    let replies = vec![
        missing("a"),
        missing("b"),
        sidekick_complete("one"),
        missing("c"),
        missing("d"),
        missing("e").and(write("a.md", "late")),
        sidekick_complete("two"),
    ];
    let venue = json!({ "venue": "sidekick" });
    let script = Script::by_room([
        ("part 1", replies),
        (
            "do it",
            vec![
                plan_write_with("g", json!(["part 1", "part 2"]), venue),
                Reply::text("ok"),
                Reply::text("ok"),
            ],
        ),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    house.wait("pause", |event| matches!(event, Event::Paused { .. })).await;
    let plan = house.plan();
    assert_eq!(json!(plan.pause_reason), "attempts");
    assert_eq!((plan.steps[0].status.as_str(), plan.steps[1].attempts), ("done", 3));
    house.person(Command::Resume).await.unwrap();
    release_until(&house, "done").await;
    let told = requests(&house, "part 1").pop().unwrap().tool_results();
    let counted: Vec<&str> = told
        .iter()
        .filter_map(|said| said.split("this is step ").nth(1)?.split('.').next())
        .collect();
    let attempt = |step: u32, k: u32| format!("{step}/2, attempt {k}/3");
    let all = [attempt(1, 1), attempt(1, 2), attempt(2, 1), attempt(2, 2), attempt(2, 3)];
    assert_eq!(counted, all);
    assert_eq!(told.last().map(String::as_str), Some("not_run: paused"));
    assert!(!house.workspace.has("a.md"));
}
