//! A model that can't be reached, and an app that is killed.

use engine::Chatter;
use flow::House;
use futures::FutureExt;
use plan::{Command, Event, PauseReason, PlanMode};
use serde_json::json;
use std::time::Duration;
use support::{Reply, plan_write, step_done, wait_for};

fn error(status: u16, code: &str) -> Reply {
    let body = json!({ "error": { "message": "no", "code": code, "type": code } });
    Reply::status(status, body.to_string(), &[("content-type", "application/json")])
}

#[tokio::test]
async fn a_command_may_come_from_a_thread_without_a_runtime() {
    let house = House::with(vec![plan_write("g", &["a"]), error(401, "invalid_api_key")]).await;
    house.say("do it").await;
    house.wait_paused().await;
    let (engine, room) = (house.engine().clone(), house.room);
    let tray =
        std::thread::spawn(move || engine.submit(room, &flow::me(), Command::Resume).is_ok());
    assert!(tray.join().unwrap());
}

#[tokio::test]
async fn a_wrong_key_pauses_the_plan_with_plain_words() {
    let script =
        vec![plan_write("g", &["a"]), error(401, "invalid_api_key"), step_done("s1", "ok")];
    let house = House::with(script).await;
    house.say("do it").await;
    house.wait_paused().await;
    let plan = house.plan();
    assert_eq!(plan.pause_reason, Some(PauseReason::Provider));
    let words = plan.pause_detail.unwrap();
    assert!(words.contains("key"), "{words}");
    house.person(Command::Resume).await.unwrap();
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
}

#[tokio::test]
async fn without_a_plan_trouble_is_said_and_the_next_message_tries_again() {
    let house = House::with(vec![error(404, "model_not_found"), Reply::text("hello")]).await;
    house.say("hi").await;
    house.wait("trouble", |event| matches!(event, Event::Trouble { .. })).await;
    house.wait_idle().await;
    assert_eq!(house.model.requests().len(), 1);
    house.say("again").await;
    house.wait("reply", |event| matches!(event, Event::Replied { .. })).await;
}

#[tokio::test]
async fn nothing_is_run_by_a_configuration_that_is_bad_from_the_start() {
    let mut house = House::with(vec![Reply::text("hello")]).await;
    let file = house.config().join("plancard.yaml");
    let good = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{good}\ncaps: {{ attempts: lots }}\n")).unwrap();
    house.restart().await;
    // Neither the rehearsal nor any other model takes the place of the one that was chosen.
    house.say("hi").await;
    house.wait("trouble", |event| matches!(event, Event::Trouble { .. })).await;
    house.wait_idle().await;
    let said = house.log().into_iter().rev().find_map(|(_, event)| {
        let Event::Trouble { text, .. } = event else { return None };
        Some(text)
    });
    let said = said.unwrap();
    assert!(said.contains("plancard.yaml:") && said.contains("caps.attempts"), "{said}");
    assert_eq!(house.count("replied"), 0);
    assert_eq!(house.model.requests().len(), 0);
    // A room that is made meanwhile insists on a plan.
    let folder = house.workspace.path();
    let room = house.engine().create_room(&flow::me(), None, &folder, None).await.unwrap();
    assert_eq!(room.plan_mode, PlanMode::Strict);

    std::fs::write(&file, good).unwrap();
    house.say("again").await;
    house.wait("reply", |event| matches!(event, Event::Replied { .. })).await;
}

/// Answers that go on for longer than any guard waits.
const MANY: usize = 40;

async fn stopped(house: &House) -> String {
    house.say("hi").await;
    house.wait_idle().await;
    let words = house.log().into_iter().find_map(|(_, event)| {
        let Event::Trouble { code, text, .. } = event else { return None };
        (code == "STUCK").then_some(text)
    });
    words.expect("it was stopped")
}

#[tokio::test]
async fn the_same_failure_without_a_plan_ends_the_turn_until_a_person_speaks() {
    let house = House::with(vec![Reply::call("nosuch", json!({ "a": 1 })); MANY]).await;
    let words = stopped(&house).await;
    assert!(words.contains("nosuch 3 times") && words.contains("Send a message"), "{words}");
    assert_eq!(house.model.requests().len(), 3);
    house.say("again").await;
    house.wait_idle().await;
    assert_eq!(house.model.requests().len(), 6, "it has as many tries as before");
}

#[tokio::test]
async fn failures_of_all_kinds_without_a_plan_end_the_turn() {
    let call = |n| Reply::call("nosuch", json!({ "n": n }));
    let house = House::with((0..MANY).map(call).collect::<Vec<_>>()).await;
    let words = stopped(&house).await;
    assert!(words.contains("in 9 turns worked"), "{words}");
    assert_eq!(house.model.requests().len(), 9);
}

#[tokio::test]
async fn a_plan_that_was_sent_back_and_given_up_waits_for_a_person() {
    let mut script = vec![plan_write("g", &["a"])];
    script.extend((0..9).map(|n| Reply::call("nosuch", json!({ "n": n }))));
    script.push(Reply::text("What shall I change?"));
    let house = House::with(script).await;
    house.person(Command::SetMode { mode: PlanMode::Strict }).await.unwrap();
    house.say("do it").await;
    house.wait("question", |event| matches!(event, Event::AskRaised { .. })).await;
    let left = || house.engine().overview().unwrap().rooms[0].plan.as_ref().unwrap().left;
    assert!(!left(), "it waits for an approval, which is a question");
    let words = stopped(&house).await;
    let plan = house.plan();
    assert_eq!((plan.state.as_str(), plan.sent_back), ("draft", true));
    assert_eq!(plan.left, Some(words));
    assert!(left());
    // A word of theirs, and it is a conversation again.
    house.say("try it otherwise").await;
    house.wait_idle().await;
    assert!(!left());
}

#[tokio::test]
async fn what_succeeds_in_between_is_no_reason_to_stop() {
    let fails = || Reply::call("read_file", json!({ "path": "gone.txt" }));
    let works = || Reply::call("list_dir", json!({ "path": "." }));
    let script = vec![fails(), fails(), works(), fails(), works(), fails(), Reply::text("ok")];
    let house = House::with(script).await;
    house.say("hi").await;
    house.wait_idle().await;
    assert_eq!((house.model.requests().len(), house.count("trouble")), (7, 0));
}

#[tokio::test]
async fn an_overload_is_retried_when_its_time_has_come() {
    let later = Reply::status(429, "{}", &[("retry-after", "20")]);
    let house = House::with(vec![later, Reply::text("hello")]).await;
    let mut chatter = house.engine().watch(house.room, 0).unwrap().chatter();
    house.say("hi").await;
    let wait = loop {
        let piece = chatter.next().await.expect("somebody talks");
        if let Chatter::Retry { attempt, in_ms, why } = piece {
            assert_eq!((attempt, why.contains("slow down")), (1, true), "{why}");
            break in_ms;
        }
    };
    assert!(wait >= 20_000, "as long as it asked for: {wait}");
    house.clock.advance(Duration::from_millis(wait - 1));
    // Everything here takes turns on one thread, and has had many.
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    assert!(chatter.next().now_or_never().is_none(), "it is not asked again yet");
    assert_eq!(house.model.requests().len(), 1);
    house.clock.advance(Duration::from_millis(1));
    house.wait("reply", |event| matches!(event, Event::Replied { .. })).await;
    assert_eq!(house.model.requests().len(), 2);
}

#[tokio::test]
async fn a_quota_with_a_reset_time_goes_on_by_itself() {
    let body = json!({ "error": { "message": "used up", "code": "insufficient_quota", "type": "insufficient_quota" } });
    let quota = Reply::status(429, body.to_string(), &[("retry-after", "3600")]);
    let mut house = House::with(vec![plan_write("g", &["a"]), quota, step_done("s1", "ok")]).await;
    house.say("do it").await;
    house.wait_paused().await;
    let plan = house.plan();
    assert_eq!(plan.pause_reason, Some(PauseReason::Quota));
    assert!(plan.pause_until.is_some(), "{plan:?}");
    house.restart().await;
    assert_eq!(house.plan().pause_reason, Some(PauseReason::Quota), "also after a restart");
    house.clock.advance(Duration::from_secs(3_601));
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
}

#[tokio::test]
async fn a_stream_cut_in_the_middle_is_asked_again_and_no_call_is_repeated() {
    let whole = Reply::call("shell", json!({ "command": "echo once >> runs" }));
    let length = support::sse_body(&whole).len();
    let script = vec![whole.clone().cut_after(length / 2), whole, Reply::text("done")];
    let house = House::with(script).await;
    house.say("do it").await;
    let clock = std::sync::Arc::clone(&house.clock);
    let mover = tokio::spawn(async move {
        loop {
            clock.advance(Duration::from_secs(5));
            tokio::task::yield_now().await;
        }
    });
    house.model.request(2).await;
    mover.abort();
    assert_eq!(house.workspace.read("runs"), "once\n");
    house.wait_idle().await;
    assert_eq!(house.count("replied"), 2);
}

#[tokio::test]
async fn a_secret_printed_by_a_command_reaches_nobody() {
    let house = House::with(vec![
        Reply::call("shell", json!({ "command": "env; cat /proc/self/environ | tr '\\0' '\\n'" })),
        Reply::text("done"),
    ])
    .await;
    house.say("show the environment").await;
    let shown = house.model.request(1).await.tool_results().pop().unwrap();
    for name in ["CARGO_MANIFEST", "PLANCARD_TOKEN", "DBUS_SESSION"] {
        assert!(!shown.contains(name), "{name} in {shown}");
    }
}

#[tokio::test]
async fn a_secret_that_lies_across_a_cut_is_not_shown_by_its_ends() {
    let secret = "sk-very-secret-0123456789";
    // Half of what is shown of a long output, less half a secret, so that the cut goes through it.
    let command = |before: usize| json!({ "command": format!("head -c {before} /dev/zero | tr '\\0' x; cat key; head -c 90000 /dev/zero | tr '\\0' y; false") });
    for before in [8 * 1024 - 12, 8 * 1024 - 1] {
        let script = vec![Reply::call("shell", command(before)), Reply::text("done")];
        let house = House::knowing(script, secret).await;
        house.workspace.write("key", secret);
        house.say("print it").await;
        let shown = house.model.request(1).await.tool_results().pop().unwrap();
        assert!(!shown.contains("sk-v") && !shown.contains("6789"), "{before}");
        assert!(shown.contains("left out") && shown.contains("(exit code 1)"), "{before}");
    }
}

#[tokio::test]
async fn a_workspace_that_vanished_is_said_so() {
    let house =
        House::with(vec![Reply::call("read_file", json!({ "path": "a" })), Reply::text("done")])
            .await;
    std::fs::remove_dir_all(house.workspace.path()).unwrap();
    house.say("read").await;
    wait_for(async || house.model.requests().len() == 2, "the second request").await;
    let result = house.model.request(1).await.tool_results().pop().unwrap();
    assert!(result.contains("NO_FOLDER") && result.contains("was deleted"), "{result}");
}

#[tokio::test]
async fn a_draft_sent_back_is_written_anew_also_after_a_restart() {
    let held = Reply::text("a long answer").hold_after(1);
    let script = vec![plan_write("g", &["a"]), held, plan_write("g", &["a", "b"])];
    let mut house = House::with(script).await;
    house.mode(plan::PlanMode::Strict).await;
    house.say("do it").await;
    house.wait("question", |event| matches!(event, Event::AskRaised { .. })).await;
    house.say("and b").await;
    house.model.request(1).await;
    house.restart().await;
    house.say("go on").await;
    house.wait("revision", |event| matches!(event, Event::PlanRevised { .. })).await;
    house.wait_idle().await;
    let plan = house.plan();
    assert_eq!((plan.state.as_str(), plan.revision), ("awaiting_approval", 2));
}
