//! Stopping, steering, going on.

use super::{all, now, requests, spawn, wait_state, wait_told};
use flow::{House, me};
use plan::{Command, MessageId};
use serde_json::json;
use support::{
    Reply, Script, plan_write, plan_write_with, sidekick_complete, spawn_sidekick, step_failed,
    wait_for,
};

/// A command that can be found by its name.
fn sleeper() -> (String, String) {
    let marker = format!("plancard-test-{}", engine::fresh_id().simple());
    let command = format!("bash -c 'exec -a {marker} sleep 300'");
    (marker, command)
}

#[tokio::test]
async fn one_is_stopped_with_its_command_and_the_others_go_on() {
    let (marker, command) = sleeper();
    let script = Script::by_room([
        ("slow", vec![Reply::call("shell", json!({ "command": command }))]),
        ("other", vec![Reply::text("hm").hold_after(1), sidekick_complete("fine")]),
        ("", vec![]),
    ]);
    let house = House::with(script).await;
    let slow = spawn(&house, "slow").await;
    let other = spawn(&house, "other").await;
    wait_for(async || flow::is_running(&marker), "the command to run").await;
    house.engine().stop_sidekick(slow.id, &me()).await.unwrap();
    wait_for(async || !flow::is_running(&marker), "the command to be gone").await;
    assert_eq!(now(&house, slow.id).state, "stopped");
    wait_told(&house, "was stopped").await;
    house.model.release();
    wait_state(&house, other.id, "completed").await;
}

#[tokio::test]
async fn what_is_said_to_one_reaches_it_and_an_ended_one_goes_on() {
    let script = Script::by_room([
        (
            "look",
            vec![
                Reply::call("read_file", json!({ "path": "a" })).hold_after(1),
                sidekick_complete("first"),
                Reply::text("Because of b."),
                sidekick_complete("second"),
            ],
        ),
        ("", vec![]),
    ]);
    let house = House::with(script).await;
    let sidekick = spawn(&house, "look").await;
    house.model.request(0).await;
    let say = |text: &str| {
        let command = Command::Say { message: MessageId(engine::fresh_id()), text: text.into() };
        house.engine().submit(sidekick.id, &me(), command).unwrap();
    };
    say("mind b");
    house.model.release();
    wait_state(&house, sidekick.id, "completed").await;
    let asked = super::requests(&house, "look");
    assert_eq!(asked[1].texts("user"), ["look", "mind b"]);

    say("why?");
    wait_for(async || super::requests(&house, "look").len() == 3, "an answer").await;
    wait_for(async || now(&house, sidekick.id).state == "completed", "it to be quiet").await;
    assert_eq!(now(&house, sidekick.id).result.as_deref(), Some("first"), "talk changes nothing");
    say("do b, too");
    wait_told(&house, "has finished: second").await;
    assert_eq!(now(&house, sidekick.id).result.as_deref(), Some("second"));
}

#[tokio::test]
async fn cancelling_the_plan_ends_the_whole_tree_and_the_model_is_left_in_peace() {
    let (marker, command) = sleeper();
    let script = Script::by_room([
        (
            "do it",
            vec![
                plan_write("goal", &["one"]),
                spawn_sidekick("child"),
                Reply::text("hm").hold_after(1),
            ],
        ),
        ("grandchild", vec![Reply::call("shell", json!({ "command": command }))]),
        ("child", vec![spawn_sidekick("grandchild"), Reply::text("hm").hold_after(1)]),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || flow::is_running(&marker), "the command to run").await;
    let child = all(&house).remove(0);
    let grandchild = house.engine().sidekicks(child.id).unwrap().remove(0);
    let before = std::time::Instant::now();
    house.person(Command::Cancel { reason: "enough".into(), call: None }).await.unwrap();
    wait_for(async || !flow::is_running(&marker), "the command to be gone").await;
    assert!(before.elapsed().as_secs() < 5);
    assert_eq!(now(&house, child.id).state, "stopped");
    wait_state(&house, grandchild.id, "stopped").await;
    house.wait_idle().await;
    assert_eq!(house.count("nudged"), 0);
}

#[tokio::test]
async fn stopping_archiving_or_deleting_the_room_ends_them() {
    for how in ["stop", "archive", "delete"] {
        let (marker, command) = sleeper();
        let script = Script::by_room([
            ("do it", vec![Reply::text("hm").hold_after(1)]),
            ("slow", vec![Reply::call("shell", json!({ "command": command }))]),
        ]);
        let house = House::with(script).await;
        house.say("do it").await;
        house.model.request(0).await;
        let sidekick = spawn(&house, "slow").await;
        wait_for(async || flow::is_running(&marker), "the command to run").await;
        match how {
            "stop" => house.engine().stop_turn(house.room, &me()).await.unwrap(),
            "archive" => house.engine().archive_room(house.room, &me(), true).await.unwrap(),
            _ => house.engine().delete_room(house.room, &me()).await.unwrap(),
        }
        wait_for(async || !flow::is_running(&marker), "the command to be gone").await;
        if how == "delete" {
            wait_for(async || house.engine().view(sidekick.id).is_err(), "it to be deleted").await;
        } else {
            wait_state(&house, sidekick.id, "stopped").await;
        }
    }
}

#[tokio::test]
async fn who_waits_for_sidekicks_of_its_own_is_not_hurried() {
    let script = Script::by_room([
        ("errand", vec![sidekick_complete("from below").hold_after(1)]),
        (
            "elder",
            vec![
                spawn_sidekick("errand"),
                Reply::text("I wait for it."),
                sidekick_complete("all of it"),
            ],
        ),
        ("", vec![]),
    ]);
    let house = House::with(script).await;
    let child = spawn(&house, "elder").await;
    wait_state(&house, child.id, "waiting").await;
    assert_eq!(super::requests(&house, "elder").len(), 2);
    house.model.release();
    let ended = wait_state(&house, child.id, "completed").await;
    assert_eq!(ended.result.as_deref(), Some("all of it"));
    let last = super::requests(&house, "elder").pop().unwrap();
    assert!(last.texts("system").iter().any(|text| text.ends_with("has finished: from below")));
}

#[tokio::test]
async fn who_waits_for_one_that_was_stopped_with_a_plan_does_not_wait_for_ever() {
    let script = Script::by_room([
        ("errand", vec![Reply::text("hm").hold_after(1)]),
        (
            "elder",
            vec![
                plan_write("goal", &["one"]),
                spawn_sidekick("errand"),
                step_failed("s1", "no way", "abort"),
                Reply::text("It did not work."),
                sidekick_complete("nothing came of it"),
            ],
        ),
        ("", vec![]),
    ]);
    let house = House::with(script).await;
    let elder = spawn(&house, "elder").await;
    let ended = wait_state(&house, elder.id, "completed").await;
    assert_eq!(ended.result.as_deref(), Some("nothing came of it"));
    let below = house.engine().sidekicks(elder.id).unwrap().remove(0);
    wait_state(&house, below.id, "stopped").await;
}

#[tokio::test]
async fn nor_for_one_whose_room_was_deleted() {
    let script = Script::by_room([
        ("errand", vec![Reply::text("hm").hold_after(1)]),
        (
            "elder",
            vec![
                spawn_sidekick("errand"),
                Reply::text("I wait for it."),
                sidekick_complete("without it"),
            ],
        ),
        ("", vec![]),
    ]);
    let house = House::with(script).await;
    let elder = spawn(&house, "elder").await;
    wait_state(&house, elder.id, "waiting").await;
    let below = house.engine().sidekicks(elder.id).unwrap().remove(0);
    house.engine().delete_room(below.id, &me()).await.unwrap();
    let ended = wait_state(&house, elder.id, "completed").await;
    assert_eq!(ended.result.as_deref(), Some("without it"));
}

#[tokio::test]
async fn a_step_does_not_wait_for_one_whose_room_was_deleted() {
    let plan = plan_write_with("g", json!(["part 1", "part 2"]), json!({ "mode": "parallel" }));
    let script = Script::by_room([
        ("part 1", vec![Reply::text("hm").hold_after(1)]),
        ("part 2", vec![sidekick_complete("two")]),
        ("do it", vec![plan, Reply::text("ok"), Reply::text("ok")]),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 2, "both at once").await;
    let first = all(&house).into_iter().find(|one| one.task.starts_with("part 1")).unwrap();
    house.engine().delete_room(first.id, &me()).await.unwrap();
    wait_for(async || house.plan().state == "failed", "the end").await;
    let plan = house.plan();
    assert_eq!((plan.steps[0].status.as_str(), plan.steps[1].status.as_str()), ("failed", "done"));
}
