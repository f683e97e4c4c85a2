//! What fails in a sidekick is an attempt at the step that it does.

use super::copies::parallel;
use super::steps::graph;
use super::{all, release_until, requests};
use flow::House;
use plan::{Command, Event, StepRef};
use serde_json::json;
use support::{Reply, Script, sidekick_complete};

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
