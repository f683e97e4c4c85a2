//! A sidekick that can't do what it was told says so, and what the plan is to do.

use super::copies::{parallel, wait_no_copies, write};
use super::steps::{statuses, wait_end};
use super::{all, first, now, release_until, requests, spawn, wait_state, wait_told};
use flow::House;
use plan::{Command, Event, PauseReason};
use serde_json::{Value, json};
use support::{
    Reply, Script, plan_revise, plan_write_with, sidekick_complete, spawn_sidekick, step_failed,
    wait_for,
};

/// What a sidekick says of the one step that it has.
fn fails(next: &str) -> Reply {
    Reply::call("plan", json!({ "action": "step_failed", "error": "no way", "next": next }))
}

/// A plan of two steps, the first of which answers as it is told when it is let.
async fn two_steps(first: Vec<Reply>, above: Vec<Reply>) -> House {
    beside(vec![sidekick_complete("two").hold_after(1); 3], first, above).await
}

/// The same, beside another one that answers so.
async fn beside(second: Vec<Reply>, first: Vec<Reply>, above: Vec<Reply>) -> House {
    let mut replies = vec![parallel(json!(["part 1", "part 2"])), Reply::text("It runs.")];
    replies.extend(above);
    let script = Script::by_room([
        ("part 1", first),
        ("part 2", second),
        ("another way", vec![sidekick_complete("found it")]),
        ("do it", replies),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 2, "both at once").await;
    wait_for(async || requests(&house, "do it").len() == 2, "the agent's answer").await;
    house.wait_idle().await;
    house.model.release();
    house
}

fn one(house: &House, task: &str) -> plan::SidekickView {
    all(house).into_iter().find(|one| one.task.starts_with(task)).expect("there is one")
}

#[tokio::test]
async fn it_leaves_the_step_out_and_the_plan_goes_on() {
    let house = two_steps(vec![fails("skip").hold_after(1)], vec![Reply::text("Done.")]).await;
    wait_end(&house).await;
    assert_eq!(
        (house.plan().state.as_str(), statuses(&house)),
        ("done", vec!["skipped".into(), "done".into()])
    );
    assert_eq!(house.plan().steps[0].result.as_deref(), Some("no way"));
    let ended = one(&house, "part 1");
    assert_eq!((ended.state.as_str(), ended.result.as_deref()), ("failed", Some("no way")));
    let told = wait_told(&house, "step 1 from").await;
    assert!(told.ends_with("was left out: no way"), "{told}");
    let prompt = requests(&house, "part 1")[0].texts("system").join("\n");
    assert!(prompt.contains("step_failed") && prompt.contains("failed=true"), "{prompt}");
}

#[tokio::test]
async fn it_ends_the_plan_and_nothing_of_its_copy_is_taken_over() {
    let first = vec![write("a.md", "half").hold_after(1), fails("abort").hold_after(1)];
    let looks = Reply::call("list_dir", json!({})).hold_after(1);
    let second = vec![looks, sidekick_complete("two").hold_after(1)];
    let house = beside(second, first, vec![Reply::text("It failed.")]).await;
    wait_for(async || requests(&house, "part").len() == 4, "the change").await;
    // The other one is done before, or ends with the plan.
    release_until(&house, "failed").await;
    wait_end(&house).await;
    assert_eq!(house.plan().steps[0].status, "failed");
    let result = house.plan().steps[0].result.clone().unwrap_or_default();
    assert!(result.starts_with("no way"), "{result}");
    let reason = |event: &Event| matches!(event, Event::PlanFailed { reason } if reason.starts_with("no way"));
    assert!(house.log().iter().any(|(_, event)| reason(event)));
    wait_no_copies(&house.data()).await;
    assert!(house.workspace.files().is_empty());
}

#[tokio::test]
async fn it_wants_another_plan_and_the_agent_above_changes_it() {
    let edit = json!({ "edits": [{ "op": "set", "step": 1, "text": "another way" }] });
    let above = vec![
        plan_revise(edit, "the first one does not work"),
        Reply::text("I changed it."),
        Reply::text("Done."),
    ];
    // The other one is still at work, so that this is the first that the agent above hears.
    let mut second = vec![Reply::call("list_dir", json!({})).hold_after(1)];
    // An answer that a pause cuts off is asked for again.
    second.extend(vec![sidekick_complete("two").hold_after(1); 3]);
    let house = beside(second, vec![fails("revise").hold_after(1)], above).await;
    house.wait("the revision", |event| matches!(event, Event::PlanRevised { .. })).await;
    house.wait_idle().await;
    let plan = house.plan();
    assert_eq!(plan.pause_reason, Some(PauseReason::Revise));
    assert_eq!(plan.steps[0].status, "pending");
    let heard = requests(&house, "do it")[2].texts("system").join("\n");
    assert!(heard.contains("can't be done as it is: no way"), "{heard}");
    assert_eq!(one(&house, "part 1").state, "failed");

    house.person(Command::Resume).await.unwrap();
    release_until(&house, "done").await;
    assert_eq!(house.plan().steps[0].result.as_deref(), Some("found it"));
    assert_eq!(one(&house, "another way").state, "completed");
}

#[tokio::test]
async fn trying_again_is_an_attempt_and_the_last_one_pauses_the_plan() {
    let retry = || fails("retry");
    // A second failure in the same turn is no other attempt.
    let twice = retry().and(retry());
    let mut first = vec![retry().hold_after(1), twice, retry()];
    first.extend([retry(), sidekick_complete("found it")]);
    let house = two_steps(first, vec![Reply::text("Done.")]).await;
    house.wait("pause", |event| matches!(event, Event::Paused { .. })).await;
    assert_eq!(house.plan().pause_reason, Some(PauseReason::Attempts));
    assert_eq!(house.plan().steps[0].attempts, 3);
    assert_eq!(requests(&house, "part 1").len(), 3);
    house.person(Command::Resume).await.unwrap();
    release_until(&house, "done").await;
    let told = requests(&house, "part 1").pop().unwrap().tool_results();
    for (attempt, result) in [1, 2, 2, 3, 1].into_iter().zip(&told) {
        assert!(result.contains(&format!("step 1/2, attempt {attempt}/3")), "{told:?}");
        assert!(result.contains("no way. Try again"), "{told:?}");
    }
}

#[tokio::test]
async fn the_step_it_names_is_its_own() {
    let named = |step: Value| {
        let fails = json!({ "action": "step_failed", "step": step, "error": "no", "next": "skip" });
        Reply::call("plan", fails)
    };
    let first = vec![named(json!(2)).hold_after(1), named(json!("s2")), named(json!(1))];
    let house = two_steps(first, vec![Reply::text("Done.")]).await;
    wait_end(&house).await;
    assert_eq!(statuses(&house), ["skipped", "done"]);
    let told = requests(&house, "part 1").pop().unwrap().tool_results();
    assert_eq!(told.len(), 2);
    assert!(told.iter().all(|said| said.contains("your step is number 1")), "{told:?}");
}

#[tokio::test]
async fn one_that_does_a_whole_plan_gives_up_one_step_and_does_the_next() {
    let script = Script::by_room([
        ("part 1", vec![fails("skip"), sidekick_complete("two"), fails("abort")]),
        (
            "do it",
            vec![
                plan_write_with(
                    "g",
                    json!(["part 1", "part 2", "part 3", "part 4"]),
                    json!({ "venue": "sidekick" }),
                ),
                Reply::text("It runs."),
                Reply::text("It failed."),
            ],
        ),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    wait_end(&house).await;
    assert_eq!(house.plan().state, "failed");
    assert_eq!(statuses(&house), ["skipped", "done", "failed", "skipped"]);
    assert_eq!(all(&house).len(), 1);
}

#[tokio::test]
async fn one_that_was_given_no_step_is_told_how_to_fail() {
    let failed = json!({ "summary": "no way\nnot even so", "failed": true });
    let script = Script::by_room([
        (
            "look",
            vec![step_failed("1", "no way", "abort"), Reply::call("sidekick_complete", failed)],
        ),
        ("do it", vec![spawn_sidekick("look"), Reply::text("I wait."), Reply::text("I see.")]),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    wait_told(&house, "has failed: no way\nnot even so").await;
    let ended = first(&house).await;
    assert_eq!((ended.state.as_str(), ended.result.as_deref()), ("failed", Some("no way")));
    let told = requests(&house, "look").pop().unwrap().tool_results();
    assert!(told[0].contains("NO_STEP") && told[0].contains("failed=true"), "{told:?}");
}

/// What is told to one that wants to be done while its own are at work.
#[tokio::test]
async fn it_is_not_done_while_its_own_are_at_work() {
    let script = Script::by_room([
        ("errand", vec![sidekick_complete("from below").hold_after(1)]),
        (
            "elder",
            vec![
                spawn_sidekick("errand"),
                sidekick_complete("too early"),
                Reply::text("I wait for it."),
                sidekick_complete("all of it"),
            ],
        ),
        ("", vec![]),
    ]);
    let house = House::with(script).await;
    let elder = spawn(&house, "elder").await;
    wait_for(async || requests(&house, "elder").len() == 3, "the refusal").await;
    wait_state(&house, elder.id, "waiting").await;
    let below = house.engine().sidekicks(elder.id).unwrap().remove(0);
    let told = requests(&house, "elder").pop().unwrap().tool_results();
    assert!(told[1].contains("SIDEKICKS_AT_WORK") && told[1].contains(&below.codename), "{told:?}");
    assert_eq!(now(&house, below.id).state, "running");
    house.model.release();
    let ended = wait_state(&house, elder.id, "completed").await;
    assert_eq!(ended.result.as_deref(), Some("all of it"));
    assert_eq!(now(&house, below.id).state, "completed");
    let heard = requests(&house, "elder").pop().unwrap().texts("system").join("\n");
    assert!(heard.contains("has finished: from below"), "{heard}");
}

#[tokio::test]
async fn or_it_stops_them_and_the_room_above_hears_of_it() {
    let stops = json!({ "summary": "enough is known", "stop_sidekicks": true });
    let script = Script::by_room([
        ("errand", vec![Reply::text("half of it").hold_after(2)]),
        ("elder", vec![spawn_sidekick("errand"), Reply::call("sidekick_complete", stops)]),
        ("", vec![Reply::text("I see.")]),
    ]);
    let house = House::with(script).await;
    let elder = spawn(&house, "elder").await;
    let ended = wait_state(&house, elder.id, "completed").await;
    assert_eq!(ended.result.as_deref(), Some("enough is known"));
    let below = house.engine().sidekicks(elder.id).unwrap().remove(0);
    wait_state(&house, below.id, "stopped").await;
    let told = wait_told(&house, "has finished: enough is known").await;
    assert!(
        told.ends_with(&format!("Its own sidekicks were stopped: {}.", below.codename)),
        "{told}"
    );
}
