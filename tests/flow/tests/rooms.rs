//! Rooms that are stopped, moved, or whose folder can't be used.

use flow::House;
use plan::{Command, Event, PauseReason};
use serde_json::json;
use support::{Reply, plan_write, step_done};

fn replies(house: &House) -> Vec<String> {
    let log = house.log().into_iter();
    let reply = log.filter_map(|(_, event)| {
        let Event::Replied { text, .. } = event else { return None };
        Some(text.head().to_owned())
    });
    reply.collect()
}

#[tokio::test]
async fn words_that_were_streamed_before_a_stop_stay() {
    let script = vec![
        Reply::text("The first half, and the second.").hold_after(2),
        Reply::text("As I said."),
    ];
    let house = House::with(script).await;
    let mut chatter = house.engine().watch(house.room, 0).unwrap().chatter();
    house.say("tell me").await;
    let heard = loop {
        if let engine::Chatter::Text { delta } = chatter.next().await.unwrap() {
            break delta;
        }
    };
    house.engine().stop_turn(house.room, &flow::me()).await.unwrap();
    let last: Vec<String> = house.kinds().into_iter().rev().take(2).collect();
    assert_eq!(last, ["trouble", "replied"]);
    assert!(replies(&house)[0].starts_with(&heard), "{:?}", replies(&house));
    house.model.release();
    house.say("go on").await;
    let told = house.model.request(1).await.texts("assistant");
    assert!(told[0].starts_with(&heard), "the model knows what it said: {told:?}");
    house.wait_idle().await;
    assert_eq!(replies(&house).len(), 2);
}

#[tokio::test]
async fn a_secret_that_is_streamed_in_pieces_is_not_heard() {
    // Each word is a piece of its own.
    let script = vec![Reply::text("It is open the green door, open the door. Good bye open the")];
    let house = House::knowing(script, "open the green door").await;
    let mut chatter = house.engine().watch(house.room, 0).unwrap().chatter();
    house.say("tell me").await;
    let mut pieces = Vec::new();
    loop {
        let piece = chatter.next().await.unwrap();
        if matches!(piece, engine::Chatter::Quiet { .. }) {
            break;
        }
        if let engine::Chatter::Text { delta } = piece {
            pieces.push(delta);
        }
    }
    house.wait_idle().await;
    let heard = pieces.concat();
    assert_eq!(heard, "It is [redacted], open the door. Good bye open the");
    assert_eq!(replies(&house), [heard]);
    assert_eq!(pieces[..2], ["It ", "is "], "other words come as they are said");
}

#[tokio::test]
async fn a_stop_before_the_first_word_leaves_none() {
    let house = House::with(vec![Reply::text("late").hold_after(0)]).await;
    house.say("tell me").await;
    house.model.request(0).await;
    house.engine().stop_turn(house.room, &flow::me()).await.unwrap();
    house.model.release();
    house.wait_idle().await;
    assert_eq!(replies(&house), Vec::<String>::new());
}

#[tokio::test]
async fn a_room_whose_folder_was_moved_is_pointed_there_and_works_on() {
    let script = vec![
        Reply::call("read_file", json!({ "path": "a.txt" })),
        Reply::text("not there"),
        Reply::call("read_file", json!({ "path": "a.txt" })),
        Reply::text("there"),
    ];
    let mut house = House::configured(script, "", &[("a.txt", "found me")]).await;
    let folder = house.workspace.path();
    let moved = folder.with_file_name("moved-away");
    assert_eq!(house.engine().folder_trouble(house.room).unwrap(), None);
    std::fs::rename(&folder, &moved).unwrap();
    let trouble = house.engine().folder_trouble(house.room).unwrap().unwrap();
    assert!(trouble.ends_with("is not there"), "{trouble}");
    house.say("read it").await;
    let told = house.model.request(1).await.tool_results().pop().unwrap();
    assert!(!told.contains("found me"), "{told}");
    house.wait_idle().await;
    house.engine().move_room(house.room, &flow::me(), &moved).await.unwrap();
    house.restart().await;
    assert_eq!(house.engine().folder_trouble(house.room).unwrap(), None);
    house.say("again").await;
    let told = house.model.request(3).await.tool_results().pop().unwrap();
    assert!(told.contains("found me"), "{told}");
    std::fs::rename(&moved, &folder).unwrap();
}

#[tokio::test]
async fn a_room_moves_only_to_a_folder_that_fits_and_not_while_it_works() {
    let script = vec![
        plan_write("g", &["a"]),
        Reply::text("thinking").hold_after(1),
        step_done("s1", "ok"),
        Reply::text("done"),
    ];
    let house = House::with(script).await;
    let other = tempfile::tempdir().unwrap();
    let go = |folder: std::path::PathBuf| {
        let engine = house.engine().clone();
        let room = house.room;
        async move { engine.move_room(room, &flow::me(), &folder).await.map_err(|e| e.code()) }
    };
    assert_eq!(go(other.path().join("none")).await, Err("BAD_WORKSPACE"));
    assert_eq!(go(house.data()).await, Err("BAD_WORKSPACE"));
    house.say("do it").await;
    house.model.request(1).await;
    assert_eq!(go(other.path().to_owned()).await, Err("ROOM_AT_WORK"));
    house.person(Command::Pause).await.unwrap();
    assert_eq!(go(other.path().to_owned()).await, Err("ROOM_AT_WORK"), "the plan is for here");
    house.person(Command::Cancel { reason: String::new(), call: None }).await.unwrap();
    house.model.release();
    house.wait_idle().await;
    assert_eq!(go(other.path().to_owned()).await, Ok(()));
    let agent = plan::Actor::agent("default");
    let folder = house.workspace.path();
    let refused = house.engine().move_room(house.room, &agent, &folder).await.unwrap_err();
    assert_eq!(refused.code(), "PERSON_ONLY");
}

/// A step is not done because the model says so in the breath in which its work failed.
#[tokio::test]
async fn a_step_is_not_done_in_the_turn_in_which_its_call_failed() {
    let script = vec![
        plan_write("g", &["a"]),
        Reply::call("read_file", json!({ "path": "none.txt" })).and(step_done("s1", "read it")),
        step_done("s1", "it is not there, as expected"),
        Reply::text("done"),
    ];
    let house = House::with(script).await;
    house.say("do it").await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    let told = house.model.request(2).await.tool_results().pop().unwrap();
    assert!(told.contains("CALL_FAILED"), "{told}");
    assert_eq!(house.count("step_done"), 1);
}

#[tokio::test]
async fn the_rehearsal_does_not_claim_what_it_could_not_do() {
    let house = House::rehearsing().await;
    // A file is in the way of the folder the tour begins with.
    house.workspace.write("rehearsal", "in the way");
    house.say("Show me").await;
    house.wait_paused().await;
    let plan = house.plan();
    assert_eq!(plan.pause_reason, Some(PauseReason::Attempts));
    assert_eq!(house.count("step_done"), 0);
    std::fs::remove_file(house.workspace.path().join("rehearsal")).unwrap();
    house.person(Command::Resume).await.unwrap();
    house
        .wait("check-in", |event| {
            matches!(event, Event::Paused { reason: PauseReason::AutoBudget, .. })
        })
        .await;
    assert_eq!(house.count("step_done"), 8);
}

/// A turn that was stopped stays stopped, however soon the next words come.
#[tokio::test]
async fn words_right_after_a_stop_do_not_take_the_stop_back() {
    let script = vec![Reply::text("too late").hold_after(1), Reply::text("now")];
    let house = House::with(script).await;
    house.say("tell me").await;
    house.model.request(0).await;
    // Both on one thread, so that nobody can look in between.
    let say = Command::Say { message: plan::MessageId(engine::fresh_id()), text: "go on".into() };
    let (engine, me) = (house.engine(), flow::me());
    engine.submit(house.room, &me, Command::Stop { so_far: None }).unwrap();
    engine.submit(house.room, &me, say).unwrap();
    house.model.request(1).await;
    house.model.release();
    house.wait_idle().await;
    assert_eq!(replies(&house), ["now"]);
}

#[tokio::test]
async fn what_is_always_allowed_is_seen_and_can_be_taken_back() {
    let write = Reply::call("write_file", json!({ "path": "ask-first/a.txt", "content": "x" }));
    let script = vec![write.clone(), write.clone(), Reply::text("twice"), write, Reply::text("no")];
    let mut house = House::with(script).await;
    house.say("write it").await;
    house.wait("question", |event| matches!(event, Event::AskRaised { .. })).await;
    let ask = house.view().asks[0].id;
    let always = |ask| Command::Answer {
        ask,
        answer: "always".into(),
        note: None,
        revision: None,
        hash: None,
    };
    house.person(always(ask)).await.unwrap();
    house.wait_idle().await;
    assert_eq!(house.count("ask_raised"), 1, "the second one passes");
    let rule = house.view().rules.pop().unwrap();
    house.restart().await;
    assert_eq!(house.view().rules.as_slice(), std::slice::from_ref(&rule));
    house.person(Command::ForgetRule { rule: rule.clone() }).await.unwrap();
    assert_eq!(house.view().rules, Vec::<String>::new());
    assert_eq!(house.person(Command::ForgetRule { rule }).await, Err("RULE_NOT_FOUND"));
    let before = house.say("again").await;
    house.wait_after(before, "question", |event| matches!(event, Event::AskRaised { .. })).await;
}

#[tokio::test]
async fn putting_a_room_away_keeps_what_was_said() {
    let script = vec![Reply::text("The first half, and the second.").hold_after(2)];
    let house = House::with(script).await;
    let mut chatter = house.engine().watch(house.room, 0).unwrap().chatter();
    house.say("tell me").await;
    while !matches!(chatter.next().await.unwrap(), engine::Chatter::Text { .. }) {}
    house.engine().archive_room(house.room, &flow::me(), true).await.unwrap();
    let last: Vec<String> = house.kinds().into_iter().rev().take(3).collect();
    assert_eq!(last, ["room_archived", "trouble", "replied"]);
    house.model.release();
}

#[tokio::test]
async fn after_a_cancel_the_rehearsal_begins_anew() {
    let house = House::rehearsing().await;
    house.say("Show me").await;
    house.wait_paused().await;
    house.person(Command::Cancel { reason: String::new(), call: None }).await.unwrap();
    let before = house.say("failing").await;
    house.wait_after(before, "plan", |event| matches!(event, Event::PlanWritten { .. })).await;
    house
        .wait_after(before, "end", |event| {
            matches!(event, Event::PlanDone { .. } | Event::Paused { .. })
        })
        .await;
    assert_eq!(house.count("warned"), 0, "nothing is done without a plan");
}
