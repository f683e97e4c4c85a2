//! What a sidekick may use, and that waiting costs nothing.

use super::{log, now, requests, spawn, wait_state, wait_told};
use engine::Clock as _;
use flow::{House, me};
use plan::{Command, Event, PauseReason, RoomId};
use serde_json::json;
use std::time::Duration;
use support::{Recorded, Reply, Script, ask_user, plan_write_with, sidekick_complete, wait_for};

const LOW: &str = "time is running low";

const NOTE: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

fn look() -> Reply {
    look_at(1)
}

fn look_at(line: usize) -> Reply {
    let from = json!({ "path": "note.txt", "start_line": line });
    Reply::call("read_file", from).and_text("Still looking.")
}

/// Looks at one line after the other: the same look again would not be run.
fn looks(count: usize) -> Vec<Reply> {
    (1..=count).map(look_at).collect()
}

fn low(house: &House, room: RoomId) -> usize {
    let is_low = |event: &&Event| matches!(event, Event::Nudged { text, .. } if text.contains(LOW));
    log(house, room).iter().filter(is_low).count()
}

#[tokio::test]
async fn the_last_turn_is_run_and_there_is_no_other() {
    let script = Script::by_room([("look", looks(9)), ("", vec![])]);
    let more = "caps: { sidekick_turns: 5 }";
    let house = House::configured(script, more, &[("note.txt", NOTE)]).await;
    let sidekick = spawn(&house, "look").await;
    let ended = wait_state(&house, sidekick.id, "stopped").await;
    let result = "the cap on turns is reached; so far: Still looking.";
    assert_eq!((ended.turns, ended.result.as_deref()), (5, Some(result)));
    wait_told(&house, result).await;
    let asked = requests(&house, "look");
    assert_eq!(asked.len(), 5);
    let told = |n: usize| asked[n].texts("system").iter().any(|text| text.contains(LOW));
    assert!(!told(3) && told(4), "the warning comes before the last turn");
    assert_eq!(low(&house, sidekick.id), 1);
}

#[tokio::test]
async fn who_submits_when_it_is_told_to_completes() {
    let mut script = looks(4);
    script.push(sidekick_complete("found half of it"));
    let script = Script::by_room([("look", script), ("", vec![])]);
    let more = "caps: { sidekick_turns: 5 }";
    let house = House::configured(script, more, &[("note.txt", NOTE)]).await;
    let sidekick = spawn(&house, "look").await;
    let ended = wait_state(&house, sidekick.id, "completed").await;
    assert_eq!(ended.result.as_deref(), Some("found half of it"));
}

#[tokio::test]
async fn time_is_told_when_it_is_low_and_ends_it_when_it_is_over() {
    let marker = format!("plancard-test-{}", engine::fresh_id().simple());
    let command = format!("bash -c 'exec -a {marker} sleep 300'");
    let script = Script::by_room([
        ("look", vec![Reply::call("shell", json!({ "command": command })).and_text("I sleep.")]),
        ("", vec![]),
    ]);
    let house = House::with(script).await;
    let sidekick = spawn(&house, "look").await;
    wait_for(async || flow::is_running(&marker), "the command to run").await;
    house.clock.advance(Duration::from_secs(239));
    assert_eq!(low(&house, sidekick.id), 0);
    house.clock.advance(Duration::from_secs(2));
    wait_for(async || low(&house, sidekick.id) == 1, "the warning").await;
    assert_eq!(now(&house, sidekick.id).state, "running");
    house.clock.advance(Duration::from_secs(60));
    let ended = wait_state(&house, sidekick.id, "stopped").await;
    let result = "the cap on time is reached; so far: I sleep.";
    assert_eq!(ended.result.as_deref(), Some(result));
    wait_for(async || !flow::is_running(&marker), "the command to be gone").await;
}

#[tokio::test]
async fn tokens_are_counted() {
    let looks = looks(4).into_iter().map(|look| look.usage(400, 20)).collect();
    let script = Script::by_room([("look", looks), ("", vec![])]);
    let more = "caps: { tokens: 1000 }";
    let house = House::configured(script, more, &[("note.txt", NOTE)]).await;
    let sidekick = spawn(&house, "look").await;
    let ended = wait_state(&house, sidekick.id, "stopped").await;
    assert!(ended.result.unwrap().starts_with("the cap on tokens is reached"));
    assert_eq!((ended.turns, low(&house, sidekick.id)), (3, 1));
}

#[tokio::test]
async fn waiting_for_a_person_costs_no_time_and_the_question_is_shown_in_both_rooms() {
    let script = Script::by_room([
        ("look", vec![ask_user("which one?", &[]), sidekick_complete("the blue one")]),
        ("", vec![]),
    ]);
    let house = House::with(script).await;
    let sidekick = spawn(&house, "look").await;
    wait_state(&house, sidekick.id, "waiting").await;
    house.clock.advance(Duration::from_secs(10_000));
    let asks = house.view().asks;
    assert_eq!(asks.len(), 1);
    let ask = &asks[0];
    assert_eq!(
        (ask.text.as_str(), ask.room_id, ask.parent),
        ("which one?", sidekick.id, Some(house.room))
    );
    assert_eq!(ask.codename.as_deref(), Some(sidekick.codename.as_str()));
    assert_eq!(house.engine().view(sidekick.id).unwrap().asks, asks);
    wait_for(async || house.engine().open_asks().unwrap() == asks, "the inbox").await;

    let (revision, hash, note) = (None, None, None);
    let answer = Command::Answer { ask: ask.id, answer: "blue".into(), note, revision, hash };
    house.engine().submit(ask.room_id, &me(), answer).unwrap();
    let ended = wait_state(&house, sidekick.id, "completed").await;
    assert_eq!(ended.result.as_deref(), Some("the blue one"));
    assert!(house.view().asks.is_empty() && house.engine().open_asks().unwrap().is_empty());
}

#[tokio::test]
async fn what_a_sidekick_asks_is_shown_above_after_a_restart() {
    let script = Script::by_room([("look", vec![ask_user("which one?", &[])]), ("", vec![])]);
    let mut house = House::with(script).await;
    let sidekick = spawn(&house, "look").await;
    wait_state(&house, sidekick.id, "waiting").await;
    house.restart().await;
    assert_eq!(house.view().asks.len(), 1);
}

#[tokio::test]
async fn a_quota_that_comes_back_is_waited_for_and_costs_no_time() {
    let body = r#"{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}"#;
    let used_up = Reply::status(429, body, &[("retry-after", "7200")]);
    let script =
        Script::by_room([("look", vec![used_up, sidekick_complete("done")]), ("", vec![])]);
    let mut house = House::with(script).await;
    let sidekick = spawn(&house, "look").await;
    wait_state(&house, sidekick.id, "waiting").await;
    house.restart().await;
    assert_eq!(now(&house, sidekick.id).state, "waiting");
    house.clock.advance(Duration::from_secs(7_201));
    let ended = wait_state(&house, sidekick.id, "completed").await;
    assert_eq!(ended.result.as_deref(), Some("done"));
}

#[tokio::test]
async fn words_that_are_cut_short_are_the_best_result() {
    let script = Script::by_room([
        ("look", vec![look(), Reply::text("It is in the attic").hold_after(4)]),
        ("", vec![]),
    ]);
    let house = House::configured(script, "", &[("note.txt", NOTE)]).await;
    let sidekick = spawn(&house, "look").await;
    wait_for(async || requests(&house, "look").len() == 2, "its second turn").await;
    house.hear(sidekick.id, "It is in").await;
    house.clock.advance(Duration::from_secs(301));
    let ended = wait_state(&house, sidekick.id, "stopped").await;
    let result = ended.result.unwrap();
    assert!(result.contains("so far: It is in"), "{result}");
}

#[tokio::test]
async fn who_asks_for_one_may_say_how_long_it_takes() {
    let spawn = Reply::call("spawn_sidekick", json!({ "task": "look", "timeout": 10 }));
    let script = Script::by_room([
        ("look", vec![Reply::text("hm").hold_after(1)]),
        ("do it", vec![spawn, Reply::text("It looks.")]),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    let sidekick = super::first(&house).await;
    wait_for(async || requests(&house, "look").len() == 1, "it to be asked").await;
    house.clock.advance(Duration::from_secs(9));
    wait_for(async || low(&house, sidekick.id) == 1, "the warning at 80 %").await;
    house.clock.advance(Duration::from_secs(2));
    let ended = wait_state(&house, sidekick.id, "stopped").await;
    assert!(ended.result.unwrap().starts_with("the cap on time is reached"));
}

#[tokio::test]
async fn waiting_until_a_busy_provider_has_time_costs_none() {
    let busy =
        Reply::status(429, r#"{"error":{"message":"slow down"}}"#, &[("retry-after", "200")]);
    let script = Script::by_room([
        ("look", vec![busy.clone(), busy, sidekick_complete("done")]),
        ("", vec![]),
    ]);
    let house = House::with(script).await;
    let sidekick = spawn(&house, "look").await;
    for asked in 1..=2 {
        wait_for(async || requests(&house, "look").len() == asked, "it to be asked").await;
        let waits = || {
            let log = log(&house, sidekick.id);
            log.iter().filter(|event| matches!(event, Event::SidekickQueued { .. })).count()
        };
        wait_for(async || waits() == asked, "it to wait").await;
        house.clock.advance(Duration::from_secs(240));
    }
    let ended = wait_state(&house, sidekick.id, "completed").await;
    assert_eq!(ended.result.as_deref(), Some("done"));
    assert_eq!(low(&house, sidekick.id), 0);
}

#[tokio::test]
async fn one_of_which_nothing_is_heard_for_as_long_as_is_set_is_stalled() {
    let script = Script::by_room([("look", vec![Reply::text("hm").hold_after(1)]), ("", vec![])]);
    let house = House::configured(script, "caps: { stalled_seconds: 20 }", &[]).await;
    let served = flow::Served::new(house.engine()).await;
    let sidekick = spawn(&house, "look").await;
    wait_for(async || requests(&house, "look").len() == 1, "it to be asked").await;
    let (list, one) = (
        format!("/v1/rooms/{}/sidekicks", house.room),
        format!("/v1/rooms/{}/sidekicks/{}", house.room, sidekick.codename),
    );
    house.clock.advance(Duration::from_secs(19));
    assert_eq!(served.client.get(&one).await.ok()["state"], "running");
    house.clock.advance(Duration::from_secs(2));
    assert_eq!(served.client.get(&one).await.ok()["state"], "stalled");
    assert_eq!(served.client.get(&list).await.ok()["items"][0]["state"], "stalled");
}

#[tokio::test]
async fn it_is_stalled_after_a_minute_unless_something_comes_of_it() {
    let read = || Reply::call("read_file", json!({ "path": "note.txt" }));
    let part = vec![read(), read().hold_after(1), read().hold_after(1)];
    let script = Script::by_room([("look", part), ("", vec![])]);
    let house = House::configured(script, "", &[("note.txt", NOTE)]).await;
    let served = flow::Served::new(house.engine()).await;
    let sidekick = spawn(&house, "look").await;
    let one = format!("/v1/rooms/{}/sidekicks/{}", house.room, sidekick.codename);
    let state = async || served.client.get(&one).await.ok()["state"].clone();
    wait_for(async || requests(&house, "look").len() == 2, "its second turn").await;
    house.clock.advance(Duration::from_millis(59_999));
    assert_eq!(state().await, "running");
    house.clock.advance(Duration::from_millis(1));
    assert_eq!(state().await, "stalled");
    // It takes a turn: that is progress, and the minute begins anew.
    house.model.release();
    wait_for(async || requests(&house, "look").len() == 3, "its third turn").await;
    assert_eq!(state().await, "running");
    house.clock.advance(Duration::from_secs(60));
    assert_eq!(state().await, "stalled");
    // Only one that works can be stalled.
    house.engine().stop_sidekick(sidekick.id, &me()).await.unwrap();
    assert_eq!(state().await, "stopped");
}

#[tokio::test]
async fn one_that_is_continued_begins_anew_and_its_rest_does_not_count_as_work() {
    let turns = vec![sidekick_complete("one"), Reply::text("hm").hold_after(1)];
    let house = House::with(Script::by_room([("look", turns), ("", vec![])])).await;
    let served = flow::Served::new(house.engine()).await;
    let sidekick = spawn(&house, "look").await;
    wait_state(&house, sidekick.id, "completed").await;
    house.clock.advance(Duration::from_secs(600));
    let one = format!("/v1/rooms/{}/sidekicks/{}", house.room, sidekick.codename);
    let said = served.client.post(&format!("{one}/steer"), json!({ "text": "and now?" })).await;
    assert_eq!(said.status, 202);
    wait_for(async || requests(&house, "look").len() == 2, "it to be asked again").await;
    house.clock.advance(Duration::from_secs(59));
    let seen = served.client.get(&one).await.ok();
    assert_eq!(seen["state"], "running");
    assert_eq!(seen["worked_ms"], 0, "the clock stood still while it worked before");
    let since = seen["working_since"].as_i64().unwrap();
    assert_eq!(house.clock.now().0 - since, 59_000);
}

#[tokio::test]
async fn words_that_come_in_are_progress_for_everyone() {
    let said = Reply::text("It is a long story").hold_after(4);
    let script = Script::by_room([("look", vec![said]), ("", vec![])]);
    let house = House::with(script).await;
    let sidekick = spawn(&house, "look").await;
    wait_for(async || requests(&house, "look").len() == 1, "it to be asked").await;
    let begun = now(&house, sidekick.id).progress_at.unwrap();
    house.clock.advance(Duration::from_secs(100));
    house.hear(sidekick.id, "It is").await;
    let heard = now(&house, sidekick.id).progress_at.unwrap();
    assert!(heard.since(begun) > 60_000, "{begun:?} {heard:?}");
    let served = flow::Served::new(house.engine()).await;
    let list = format!("/v1/rooms/{}/sidekicks", house.room);
    assert_eq!(served.client.get(&list).await.ok()["items"][0]["state"], "running");
}

/// Two steps that look around again and again.
fn both_look() -> Script {
    Script::from_fn(|request: &Recorded| {
        let said = request.texts("user").first().cloned().unwrap_or_default();
        match (said.starts_with("part"), request.tool_results().len()) {
            (true, 0) => Reply::call("list_dir", json!({})).usage(50, 10),
            (true, _) => Reply::text("long").hold_after(1),
            (false, 0) => {
                plan_write_with("g", json!(["part 1", "part 2"]), json!({ "mode": "parallel" }))
                    .usage(1, 1)
            }
            (false, _) => Reply::text("ok").usage(0, 0),
        }
    })
}

#[tokio::test]
async fn what_sidekicks_use_up_counts_against_the_plan_while_they_work() {
    let house = House::configured(both_look(), "caps: { tokens: 100 }", &[]).await;
    house.say("do it").await;
    house.wait_paused().await;
    let plan = house.plan();
    assert_eq!(plan.pause_reason, Some(PauseReason::Cap));
    assert_eq!(plan.pause_detail.as_deref(), Some("the cap on tokens is reached"));
    assert!(plan.steps.iter().all(|step| step.status == "in_progress"), "{plan:?}");
    assert_eq!(plan.steps[0].usage.tokens() + plan.steps[1].usage.tokens(), 120);
    assert!(plan.usage.tokens() >= 120, "{plan:?}");
}

#[tokio::test]
async fn no_time_at_all_is_refused() {
    let spawn = Reply::call("spawn_sidekick", json!({ "task": "look", "timeout": 0 }));
    let house = House::with(Script::by_room([("do it", vec![spawn, Reply::text("ok")])])).await;
    house.say("do it").await;
    house.wait_idle().await;
    let told = requests(&house, "do it")[1].tool_results().join("\n");
    assert!(told.contains("timeout must be at least 1 second"), "{told}");
    assert!(super::all(&house).is_empty());
}

#[tokio::test]
async fn who_works_for_a_plan_that_is_near_its_cap_is_told_to_submit_once() {
    let script = Script::from_fn(|request: &Recorded| {
        let said = request.texts("user").first().cloned().unwrap_or_default();
        let low = request.texts("system").iter().any(|text| text.contains(LOW));
        match (said.starts_with("part"), request.tool_results().len()) {
            (true, 0) => Reply::call("list_dir", json!({})).usage(40, 2),
            (true, _) if low => sidekick_complete("half of it").usage(0, 0),
            (true, _) => Reply::text("long").usage(0, 0).hold_after(1),
            (false, 0) => {
                plan_write_with("g", json!(["part 1", "part 2"]), json!({ "mode": "parallel" }))
                    .usage(0, 0)
            }
            (false, _) => Reply::text("ok").usage(0, 0),
        }
    });
    let house = House::configured(script, "caps: { tokens: 100 }", &[]).await;
    house.say("do it").await;
    house.wait("warning", |event| matches!(event, Event::CapWarned { .. })).await;
    let done = async || {
        house.model.release();
        house.plan().state == "done"
    };
    wait_for(done, "both to submit").await;
    for step in house.plan().steps {
        assert_eq!(step.result.as_deref(), Some("half of it"));
        assert_eq!(low(&house, step.sidekick.unwrap()), 1);
    }
}

#[tokio::test]
async fn time_counts_against_the_plan_while_they_work() {
    let house = House::configured(both_look(), "caps: { seconds: 100 }", &[]).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 4, "both to be asked twice").await;
    house.wait_idle().await;
    house.clock.advance(Duration::from_secs(81));
    house.wait("warning", |event| matches!(event, Event::CapWarned { .. })).await;
    assert_eq!(house.plan().state, "running");
    house.clock.advance(Duration::from_secs(20));
    house.wait_paused().await;
    assert_eq!(house.plan().pause_detail.as_deref(), Some("the cap on time is reached"));
    wait_for(async || house.model.disconnects() == 2, "both to be hung up on").await;
    // Who goes on has all of it again.
    house.person(Command::Resume).await.unwrap();
    wait_for(async || requests(&house, "part").len() == 6, "both to go on").await;
    let before = house.view().seq;
    house.clock.advance(Duration::from_secs(101));
    house.wait_after(before, "pause", |event| matches!(event, Event::Paused { .. })).await;
}
