//! Plans that run where a sidekick works.

use super::steps::wait_end;
use super::{all, log, now, requests, wait_state};
use flow::{House, me};
use plan::{Command, Event, PauseReason};
use serde_json::json;
use support::{Reply, Script, plan_write_with, sidekick_complete, step_done, wait_for};

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

#[tokio::test]
async fn who_says_that_its_step_is_done_has_done_it() {
    let script = Script::by_room([
        (
            "part 1",
            vec![
                step_done("2", "not mine"),
                step_done("1", "one"),
                step_done("2", "two"),
                Reply::text("over"),
            ],
        ),
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
    let results: Vec<_> = house.plan().steps.into_iter().filter_map(|step| step.result).collect();
    assert_eq!((house.plan().state.as_str(), results), ("done", vec!["one".into(), "two".into()]));
    let told = requests(&house, "part 1").remove(1).tool_results();
    assert!(told[0].contains("your step is number 1"), "{told:?}");
}
