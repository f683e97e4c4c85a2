//! A step that a person takes as done keeps what its sidekick did in a copy.

use super::conflicts::answer;
use super::copies::{copies, parallel, wait_no_copies, write};
use super::steps::graph;
use super::{all, now, release_until, requests, wait_state};
use flow::House;
use plan::{Action, Command, PauseReason, SidekickView, StepRef};
use serde_json::json;
use support::{Reply, Script, sidekick_complete, wait_for, wait_for_some};

const MARKED: &str = "a person marked it as done";

fn mark() -> Command {
    Command::Override { step: StepRef::Number(1) }
}

/// Two steps at once: the first writes, and its check never passes.
async fn beside(then: Vec<Reply>) -> House {
    let mut first = vec![write("v.txt", "mine\n").hold_after(1)];
    first.extend(then);
    let step = json!({ "text": "part 1", "verify": { "file": "nothere" } });
    let second = vec![write("o.txt", "x").hold_after(1), sidekick_complete("2").hold_after(1)];
    let script = Script::by_room([
        ("part 1", first),
        ("part 2", [second.clone(), second].concat()),
        ("do it", vec![parallel(json!([step, "part 2"])), Reply::text("ok"), Reply::text("ok")]),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 2, "both at once").await;
    house.model.release();
    wait_for(async || copies(&house.data()).len() == 2, "two copies").await;
    house
}

fn of_first(house: &House) -> SidekickView {
    all(house).into_iter().find(|one| one.task.starts_with("part 1")).expect("it is there")
}

async fn assert_taken(house: &House) {
    release_until(house, "done").await;
    let plan = house.plan();
    assert_eq!(plan.steps[0].status, "done");
    assert_eq!(plan.steps[0].changed, ["v.txt"]);
    let result = plan.steps[0].result.as_deref().unwrap_or_default();
    assert!(result.starts_with(MARKED), "{result}");
    assert_eq!(house.workspace.read("v.txt"), "mine\n");
    assert_eq!(now(house, of_first(house).id).state, "completed");
    wait_no_copies(&house.data()).await;
}

#[tokio::test]
async fn after_a_pause_for_checks_that_failed_or_for_words() {
    for last in [sidekick_complete("done"), Reply::text("I am done.")] {
        let house = beside(vec![last; 3]).await;
        house.wait_paused().await;
        assert_eq!(house.plan().pause_reason, Some(PauseReason::Attempts));
        house.wait_idle().await;
        house.person(mark()).await.unwrap();
        let plan = house.plan();
        assert_eq!(plan.steps[0].check_failed, None, "it is no question any more");
        assert!(!plan.actions.contains(&Action::Override));
        // Who says it twice has said it.
        house.person(mark()).await.unwrap();
        assert!(!house.workspace.has("v.txt"), "nothing is merged in a pause");
        assert_eq!(house.plan().steps[0].status, "in_progress");
        house.person(Command::Resume).await.unwrap();
        assert_taken(&house).await;
    }
}

#[tokio::test]
async fn while_it_tries_again_and_a_conflict_is_asked_about_first() {
    let house = beside(vec![sidekick_complete("done"), Reply::text("hm").hold_after(1)]).await;
    wait_for(async || requests(&house, "part 1").len() == 3, "another try").await;
    house.workspace.write("v.txt", "yours\n");
    house.person(mark()).await.unwrap();
    let ask = wait_for_some(async || house.view().asks.pop(), "a question").await;
    assert_eq!(ask.room_id, of_first(&house).id);
    assert_eq!(house.plan().steps[0].status, "in_progress");
    assert_eq!(house.person(mark()).await.unwrap(), [], "it is being taken over");
    assert_eq!(house.plan().steps[0].status, "in_progress");
    answer(&house, &ask, "theirs").await;
    assert_taken(&house).await;
}

#[tokio::test]
async fn what_needs_the_step_finds_what_was_taken_over() {
    let steps = json!([
        { "id": "a", "text": "part 1", "verify": { "file": "nothere" } },
        { "id": "b", "text": "part 2" },
        { "id": "c", "text": "look at it", "needs": ["a"] },
    ]);
    let look = Reply::call("read_file", json!({ "path": "v.txt" }));
    let script = Script::by_room([
        // It is told of the step before it, too.
        ("look at it", vec![look, sidekick_complete("seen")]),
        ("part 1", vec![write("v.txt", "mine\n").hold_after(1), Reply::text("hm").hold_after(1)]),
        ("part 2", vec![write("o.txt", "x").hold_after(1), sidekick_complete("2").hold_after(1)]),
        ("do it", vec![graph(steps), Reply::text("ok"), Reply::text("ok")]),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 2, "both at once").await;
    house.model.release();
    wait_for(async || requests(&house, "part 1").len() == 2, "what was written").await;
    house.person(mark()).await.unwrap();
    wait_state(&house, of_first(&house).id, "completed").await;
    release_until(&house, "done").await;
    let found = requests(&house, "look at it").pop().unwrap().tool_results();
    assert!(found[0].contains("mine"), "{found:?}");
    let told = requests(&house, "look at it")[0].texts("user").remove(0);
    assert!(told.contains(MARKED), "{told}");
}
