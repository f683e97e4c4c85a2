//! What sidekicks use counts against the caps of the plan at the top, however deep they are.

use super::copies::parallel;
use super::{requests, spawn};
use flow::House;
use plan::{Command, Event, PauseReason};
use serde_json::json;
use support::{Recorded, Reply, Script, plan_write, sidekick_complete, spawn_sidekick, wait_for};

/// Whoever waits may be told of others as often as it happens.
const CAP: &str = "caps: { tokens: 100, idle_turns: 50 }";

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
    let waits = std::iter::repeat_with(wait).take(12);
    std::iter::once(first.and(second).usage(0, 0)).chain(waits).collect()
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
    let done = sidekick_complete("done").usage(0, 0);
    let asked = vec![Reply::call("list_dir", json!({})).usage(90, 0), done];
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

/// Steps that look around so many times, each at the same price, whoever is hung up on.
fn steady(steps: &'static [&'static str], looks: usize) -> Script {
    Script::from_fn(move |request: &Recorded| {
        let said = request.texts("user").first().cloned().unwrap_or_default();
        match (said.starts_with("part"), request.tool_results().len()) {
            (true, n) if n < looks => Reply::call("list_dir", json!({})).usage(40, 0),
            (true, _) => sidekick_complete("done").usage(0, 0),
            (false, 0) => parallel(json!(steps)).usage(0, 0),
            (false, _) => Reply::text("ok").usage(0, 0),
        }
    })
}

/// Lets a plan go on each time that it is paused by the cap, until it has ended; how often that was.
async fn resume_until_done(house: &House) -> usize {
    let stands = |event: &Event| {
        matches!(event, Event::Paused { .. } | Event::PlanDone { .. } | Event::PlanFailed { .. })
    };
    let mut last = house.wait("pause", stands).await;
    let mut pauses = 0;
    while house.plan().state == "paused" {
        let plan = house.plan();
        assert_eq!(plan.pause_reason, Some(PauseReason::Cap));
        assert!(plan.steps.iter().all(|step| step.status != "failed"), "{plan:?}");
        pauses += 1;
        house.person(Command::Resume).await.expect("it may go on");
        last = house.wait_after(last, "pause or end", stands).await;
    }
    assert_eq!(house.plan().state, "done", "{:?}", house.plan());
    pauses
}

#[tokio::test]
async fn who_lets_a_plan_go_on_lets_its_sidekicks_use_as_much_again() {
    let script = steady(&["part 1", "part 2"], 6);
    let more = "caps: { tokens: 100, sidekick_turns: 6 }";
    let house = House::configured(script, more, &[]).await;
    house.say("do it").await;
    assert!(resume_until_done(&house).await >= 2);
}

#[tokio::test]
async fn one_that_uses_all_of_it_alone_is_paused_with_its_plan_and_goes_on() {
    let house = House::configured(steady(&["part"], 7), CAP, &[]).await;
    house.say("do it").await;
    assert_eq!(resume_until_done(&house).await, 2);
    assert_eq!(house.plan().steps[0].result.as_deref(), Some("done"));
}
