//! What sidekicks use counts against the caps of the plan at the top, however deep they are.

use super::copies::parallel;
use super::{requests, spawn};
use flow::House;
use plan::{Event, PauseReason};
use serde_json::json;
use support::{Reply, Script, plan_write, sidekick_complete, spawn_sidekick, wait_for};

const CAP: &str = "caps: { tokens: 100 }";

/// What two do for someone else: together, they reach the cap, neither by itself.
fn two(first: &'static str, second: &'static str) -> [(&'static str, Vec<Reply>); 2] {
    let look = || Reply::call("list_dir", json!({}));
    [
        (first, vec![look().usage(40, 2), sidekick_complete("done").usage(0, 0)]),
        (
            second,
            vec![
                look().usage(40, 2),
                look().usage(20, 0).hold_after(1),
                sidekick_complete("done").usage(0, 0).hold_after(1),
            ],
        ),
    ]
}

fn both(first: Reply, second: Reply) -> Vec<Reply> {
    let wait = || Reply::text("I wait.").usage(0, 0);
    vec![first.and(second).usage(0, 0), wait(), wait(), wait()]
}

/// The plan is warned when it is near the cap, and paused when it has reached it.
async fn is_warned_and_paused(house: &House, last: &str) {
    house.wait("warning", |event| matches!(event, Event::CapWarned { .. })).await;
    wait_for(async || requests(house, last).len() == 2, "the last turn").await;
    assert_eq!((house.plan().state.as_str(), house.plan().usage.tokens()), ("running", 84));
    house.model.release();
    house.wait_paused().await;
    let plan = house.plan();
    assert_eq!((plan.pause_reason, plan.usage.tokens()), (Some(PauseReason::Cap), 104));
    assert_eq!(plan.pause_detail.as_deref(), Some("the cap on tokens is reached"));
    house.wait_idle().await;
    assert_eq!(requests(house, last).len(), 2, "nobody is asked any more");
}

#[tokio::test]
async fn sidekicks_below_a_step_count_against_the_plan_above() {
    let script = Script::by_room(two("below 1", "below 2").into_iter().chain([
        ("part", both(spawn_sidekick("below 1"), spawn_sidekick("below 2"))),
        ("do it", vec![parallel(json!(["part"])).usage(0, 0), Reply::text("ok").usage(0, 0)]),
    ]));
    let house = House::configured(script, CAP, &[]).await;
    house.say("do it").await;
    is_warned_and_paused(&house, "below 2").await;
    assert_eq!(house.plan().steps[0].usage.tokens(), 104);
}

#[tokio::test]
async fn steps_of_a_plan_below_count_against_the_plan_above() {
    let below = parallel(json!(["below 1", "below 2"])).usage(0, 0);
    let wait = Reply::text("I wait.").usage(0, 0);
    let script = Script::by_room(two("below 1", "below 2").into_iter().chain([
        ("part", vec![below, wait.clone(), wait.clone(), wait]),
        ("do it", vec![parallel(json!(["part"])).usage(0, 0), Reply::text("ok").usage(0, 0)]),
    ]));
    let house = House::configured(script, CAP, &[]).await;
    house.say("do it").await;
    is_warned_and_paused(&house, "below 2").await;
}

#[tokio::test]
async fn sidekicks_of_the_agent_that_does_a_plan_count_and_those_of_a_person_do_not() {
    let mut agent = vec![plan_write("g", &["part"]).usage(0, 0)];
    agent.extend(both(spawn_sidekick("below 1"), spawn_sidekick("below 2")));
    let asked = vec![Reply::call("list_dir", json!({})).usage(90, 0)];
    let script = Script::by_room(
        two("below 1", "below 2").into_iter().chain([("by a person", asked), ("do it", agent)]),
    );
    let house = House::configured(script, CAP, &[]).await;
    house.say("do it").await;
    let own = spawn(&house, "by a person").await;
    wait_for(async || super::now(&house, own.id).usage.tokens() == 90, "the person's own").await;
    is_warned_and_paused(&house, "below 2").await;
}

#[tokio::test]
async fn without_a_cap_the_plan_still_says_what_all_of_them_used() {
    let below = vec![sidekick_complete("done").usage(30, 3)];
    let script = Script::by_room([
        ("below", below),
        (
            "part",
            vec![
                spawn_sidekick("below").usage(5, 0),
                Reply::text("I wait.").usage(0, 0),
                sidekick_complete("done").usage(7, 0),
            ],
        ),
        ("do it", vec![parallel(json!(["part"])).usage(0, 0), Reply::text("ok").usage(0, 0)]),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    assert_eq!(house.plan().steps[0].usage.tokens(), 45);
    assert_eq!(house.plan().usage.tokens(), 45);
}
