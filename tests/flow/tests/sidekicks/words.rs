//! Words are no work: a sidekick that answers in words is sent on, and when it insists a person
//! decides. What it said is never lost.

use super::conflicts::answer;
use super::copies::{parallel, write};
use super::{all, first, log, now, release_until, requests, spawn, wait_state, wait_told};
use engine::NewSidekick;
use flow::House;
use plan::{Ask, AskKind, Command, Event, PauseReason};
use serde_json::json;
use support::{Reply, Script, plan_write_with, sidekick_complete, wait_for, wait_for_some};

const SAID: &str = "It says hello.\nIn the second line, too.";

/// A sidekick that only ever answers in words, and then what follows.
fn wordy(then: Vec<Reply>) -> Vec<Reply> {
    let mut replies = vec![Reply::text("I will look."), Reply::text("I look."), Reply::text(SAID)];
    replies.extend(then);
    replies
}

/// One that nobody's plan asked for, once it was sent on in vain.
async fn asked_about(then: Vec<Reply>) -> (House, plan::SidekickView, plan::AskView) {
    let house = House::with(Script::by_room([("look", wordy(then)), ("", vec![])])).await;
    let sidekick = spawn(&house, "look").await;
    let ask = wait_for_some(async || house.view().asks.pop(), "a question").await;
    wait_state(&house, sidekick.id, "waiting").await;
    assert_eq!((ask.kind, ask.room_id), (AskKind::Question, sidekick.id));
    assert!(ask.detail.iter().any(|detail| detail.name == Ask::SAID && detail.value == SAID));
    assert!(ask.text.ends_with("It said: It says hello."), "{}", ask.text);
    assert_eq!(requests(&house, "look").len(), 3, "it is not asked for ever");
    (house, sidekick, ask)
}

#[tokio::test]
async fn a_nudge_leads_to_a_result() {
    let replies = vec![Reply::text(SAID), sidekick_complete("It says hello.")];
    let house = House::with(Script::by_room([("look", replies), ("", vec![])])).await;
    let sidekick = spawn(&house, "look").await;
    let ended = wait_state(&house, sidekick.id, "completed").await;
    assert_eq!(ended.result.as_deref(), Some("It says hello."));
    let told = requests(&house, "look")[1].texts("system").join("\n");
    assert!(told.contains("call sidekick_complete with what came of it"), "{told}");
}

#[tokio::test]
async fn one_that_no_step_asked_for_waits_and_its_words_become_the_result_by_a_word() {
    let (house, sidekick, ask) = asked_about(Vec::new()).await;
    answer(&house, &ask, Ask::TAKE_WORDS).await;
    let ended = wait_state(&house, sidekick.id, "completed").await;
    assert_eq!(ended.result.as_deref(), Some("It says hello."));
    wait_told(&house, &format!("has finished: {SAID}")).await;
}

#[tokio::test]
async fn or_it_goes_on_or_is_stopped_or_is_told_how() {
    let (house, sidekick, ask) = asked_about(vec![sidekick_complete("done")]).await;
    answer(&house, &ask, Ask::GO_ON).await;
    wait_state(&house, sidekick.id, "completed").await;
    assert!(house.view().asks.is_empty());

    let (house, sidekick, ask) = asked_about(Vec::new()).await;
    answer(&house, &ask, Ask::STOP).await;
    wait_state(&house, sidekick.id, "stopped").await;
    assert_eq!(requests(&house, "look").len(), 3);

    let (house, sidekick, _) = asked_about(vec![sidekick_complete("done")]).await;
    let message = plan::MessageId(engine::fresh_id());
    let say = Command::Say { message, text: "look in b".into() };
    house.engine().submit(sidekick.id, &flow::me(), say).unwrap();
    wait_state(&house, sidekick.id, "completed").await;
    assert!(house.view().asks.is_empty(), "it was said what to do");
    let last = requests(&house, "look").pop().unwrap().texts("user");
    assert_eq!(last.last().map(String::as_str), Some("look in b"));
}

#[tokio::test]
async fn the_question_and_what_it_changed_outlive_a_restart() {
    let mut replies = vec![write("a.md", "made")];
    replies.extend(wordy(Vec::new()));
    let script = Script::by_room([
        ("look", replies),
        ("do it", vec![Reply::text("hm").hold_after(1), Reply::text("hm")]),
    ]);
    let mut house = House::with(script).await;
    // Beside the room's own turn it works in a copy.
    house.say("do it").await;
    house.model.request(0).await;
    let sidekick = spawn(&house, "look").await;
    wait_state(&house, sidekick.id, "waiting").await;
    house.restart().await;
    assert_eq!(now(&house, sidekick.id).state, "waiting");
    let asks = house.view().asks;
    assert_eq!(asks.len(), 1, "{asks:?}");
    assert!(!house.workspace.has("a.md"));
    answer(&house, &asks[0], Ask::TAKE_WORDS).await;
    wait_state(&house, sidekick.id, "completed").await;
    wait_for(async || house.workspace.has("a.md"), "what it changed").await;
}

#[tokio::test]
async fn a_step_is_not_done_by_words_and_its_plan_is_paused() {
    let script = Script::by_room([
        ("part 1", wordy(vec![Reply::text("Still looking."), sidekick_complete("found it")])),
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
    let plan = house.plan();
    assert_eq!(plan.pause_reason, Some(PauseReason::Attempts));
    assert_eq!(plan.steps[0].status, "in_progress");
    let why = plan.pause_detail.unwrap_or_default();
    assert!(why.contains("3 times in words") && why.contains("It says hello."), "{why}");
    house.wait_idle().await;
    assert_eq!(requests(&house, "part 1").len(), 3, "it is not asked for ever");

    house.person(Command::Resume).await.unwrap();
    release_until(&house, "done").await;
    assert_eq!(house.plan().steps[0].result.as_deref(), Some("found it"));
    assert_eq!(all(&house).len(), 2, "the same one went on");
}

#[tokio::test]
async fn the_cap_is_the_plans_and_work_in_between_starts_the_count_again() {
    let caps = "caps: { idle_turns: 2 }\n";
    let looks = || Reply::call("list_dir", json!({}));
    let words = || Reply::text("hm");
    let replies = vec![words(), looks(), words(), looks(), words(), words(), words()];
    let plan = plan_write_with("g", json!(["part 1"]), json!({ "mode": "parallel" }));
    let script = Script::by_room([
        ("part 1", replies),
        ("do it", vec![plan, Reply::text("ok"), Reply::text("ok")]),
    ]);
    let house = House::configured(script, caps, &[]).await;
    house.say("do it").await;
    house.wait("pause", |event| matches!(event, Event::Paused { .. })).await;
    assert_eq!(house.plan().pause_reason, Some(PauseReason::Attempts));
    assert_eq!(requests(&house, "part 1").len(), 6);
    let room = first(&house).await.id;
    let ended = |event: &Event| matches!(event, Event::SidekickEnded { .. });
    assert!(!log(&house, room).iter().any(ended));
}

#[tokio::test]
async fn one_that_has_no_tool_for_it_is_taken_at_its_word() {
    let house = House::with(Script::by_room([("", vec![])])).await;
    let (task, model) = ("what is it?".to_owned(), Some("rehearsal/demo".to_owned()));
    let new = NewSidekick { task, model, ..NewSidekick::default() };
    let sidekick = house.engine().spawn_sidekick(house.room, &flow::me(), new).await.unwrap();
    let ended = wait_state(&house, sidekick.id, "completed").await;
    assert!(ended.result.is_some_and(|said| !said.is_empty()));
    let nudged = |event: &&Event| matches!(event, Event::Nudged { .. });
    assert_eq!(log(&house, sidekick.id).iter().filter(nudged).count(), 2);
}
