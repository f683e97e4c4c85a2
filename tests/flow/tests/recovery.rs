//! What goes on after something went wrong.

use engine::journal::{Append, Chain, NewEvent};
use flow::House;
use plan::{Command, Event, PauseReason};
use serde_json::json;
use support::{Reply, Script, plan_write, step_done, submit_plan, wait_for};

#[tokio::test]
async fn a_plan_that_was_sent_back_is_taken_up_again_after_a_restart() {
    let script = vec![
        submit_plan("first", json!([{ "description": "a" }]), "why"),
        Reply::text("let me think").hold_after(1),
        submit_plan("second", json!([{ "description": "b" }]), "why"),
    ];
    let mut house = House::with(script).await;
    house.say("do it").await;
    house.wait("question", |event| matches!(event, Event::AskRaised { .. })).await;
    house.person(Command::Reject { reason: "not like this".into() }).await.unwrap();
    let told = house.model.request(1).await.tool_results().pop().unwrap();
    assert_eq!(told, r#"{"approved":false,"reason":"not like this"}"#);
    house.restart().await;
    house.model.release();
    assert!(!house.view().busy, "nothing goes on by itself");
    house.say("go on").await;
    house.model.request(2).await;
    house
        .wait("next revision", |event| matches!(event, Event::PlanRevised { revision: 2, .. }))
        .await;
    assert_eq!(house.plan().state, "awaiting_approval", "a new revision asks in every mode");
}

#[tokio::test]
async fn an_answer_that_was_cut_off_waits_and_says_so() {
    let script = vec![
        Reply::text("a long answer").hold_after(1),
        Reply::call("write_file", json!({ "path": "late.txt", "content": "x" })),
        Reply::text("done"),
    ];
    let mut house = House::with(script).await;
    house.say("tidy up").await;
    house.model.request(0).await;
    house.restart().await;
    house.model.release();
    let view = house.view();
    assert!(!view.busy, "nothing goes on by itself");
    let (_, last) = house.log().pop().unwrap();
    let Event::Trouble { code, text, .. } = last else { panic!("{last:?}") };
    assert_eq!(code, "INTERRUPTED");
    assert_eq!(text, "The app stopped before the answer was there. Say something to go on.");
    house.restart().await;
    assert_eq!(house.view().seq, view.seq, "it is said once");

    house.say("go on").await;
    let asked = house.model.request(1).await.texts("user");
    assert_eq!(asked, ["tidy up", "go on"], "what was said is not lost");
    house.wait("reply", |event| matches!(event, Event::CallEnded { .. })).await;
    house.wait_idle().await;
    assert_eq!((house.model.requests().len(), house.workspace.has("late.txt")), (3, true));
}

#[tokio::test]
async fn a_command_that_quitting_cuts_off_is_told_to_all() {
    let script = vec![
        Reply::call(
            "shell",
            json!({ "command": "echo run >> runs; while true; do sleep 0.05; done" }),
        ),
        Reply::text("done"),
    ];
    let mut house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || house.workspace.has("runs"), "the command to begin").await;
    house.restart().await;
    let (_, last) = house.log().pop().unwrap();
    let Event::Trouble { text, .. } = last else { panic!("{last:?}") };
    let cut = "it was cut off: shell echo run >> runs; while true; do sleep 0.05; done. ";
    assert!(text.contains(cut) && text.ends_with("Say something to go on."), "{text}");
    house.say("go on").await;
    let told = house.model.request(1).await.tool_results().pop().unwrap();
    assert!(told.contains("The app was closed, which cut it off. Look what it did"), "{told}");
}

#[tokio::test]
async fn a_job_that_quitting_ends_is_named_and_nobody_says_there_was_none() {
    let job = "echo run >> runs; while true; do sleep 0.05; done";
    let wait =
        "until test -e runs; do sleep 0.05; done; touch both; while true; do sleep 0.05; done";
    let script = vec![
        plan_write("goal", &["one"]),
        Reply::call("shell", json!({ "command": job, "background": true })),
        Reply::call("shell", json!({ "command": wait })),
        Reply::call("job_output", json!({ "job": 1 })),
        Reply::text("done"),
    ];
    let mut house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || house.workspace.has("both"), "both commands to run").await;
    house.restart().await;
    let why = house.plan().pause_detail.unwrap();
    assert!(why.contains(&format!("{wait}; shell {job} (in the background). ")), "{why}");
    house.person(Command::Resume).await.unwrap();
    let told = house.model.request(4).await.tool_results().pop().unwrap();
    assert!(told.contains("NO_SUCH_JOB") && told.contains("end with the app"), "{told}");
}

#[tokio::test]
async fn whoever_writes_a_plan_anew_can_be_stopped() {
    let script = vec![
        submit_plan("first", json!([{ "description": "a" }]), "why"),
        Reply::text("let me think").hold_after(1),
    ];
    let house = House::with(script).await;
    house.say("do it").await;
    house.wait("question", |event| matches!(event, Event::AskRaised { .. })).await;
    house.say("and b").await;
    house.model.request(1).await;
    house.engine().stop_turn(house.room, &flow::me()).await.unwrap();
    wait_for(async || house.model.disconnects() == 1, "the model to be hung up on").await;
    house.wait_idle().await;
    assert_eq!((house.plan().state.as_str(), house.model.requests().len()), ("draft", 2));
}

#[tokio::test]
async fn a_message_larger_than_the_window_does_not_compact_for_ever() {
    let script = Script::from_fn(|_| Reply::text("short"));
    let more = "models:\n  test/scripted: { context_window: 2000 }\n";
    let house = House::configured(script, more, &[]).await;
    house.say(&"word ".repeat(40_000)).await;
    house.wait("reply", |event| matches!(event, Event::Replied { .. })).await;
    house.wait_idle().await;
    assert!(house.model.requests().len() <= 3, "{}", house.model.requests().len());
    let last = house.model.requests().pop().unwrap();
    assert!(
        last.body().len() < 40_000,
        "what fills the window again is cut: {}",
        last.body().len()
    );
}

#[tokio::test]
async fn a_turn_without_a_plan_can_be_stopped() {
    let marker = format!("plancard-test-{}", engine::fresh_id().simple());
    let command = format!("bash -c 'exec -a {marker} sleep 300'");
    let house = House::with(vec![Reply::calls([
        ("shell", json!({ "command": command })),
        ("write_file", json!({ "path": "after.txt", "content": "x" })),
    ])])
    .await;
    house.say("do it").await;
    wait_for(async || flow::is_running(&marker), "the command to run").await;
    house.person(Command::Stop { so_far: None }).await.unwrap();
    wait_for(async || !flow::is_running(&marker), "the command to be gone").await;
    house
        .wait("receipt", |event| {
            matches!(event, Event::CallEnded { outcome: plan::Outcome::Cancelled, .. })
        })
        .await;
    house.wait_idle().await;
    assert!(!house.workspace.has("after.txt"));
    assert_eq!(house.model.requests().len(), 1, "and the model is not asked again");
}

#[tokio::test]
async fn when_the_log_refuses_memory_gives_way_and_the_plan_is_paused() {
    let script = vec![
        plan_write("g", &["a"]),
        Reply::call("shell", json!({ "command": "while [ ! -e go ]; do sleep 0.02; done" })),
        step_done("s1", "ok"),
        Reply::text("done"),
    ];
    let house = House::with(script).await;
    house.say("do it").await;
    house.wait("call", |event| matches!(event, Event::CallBegan { .. })).await;
    // Someone else writes to this room's log: what memory holds is no longer the truth.
    let seq = house.view().seq;
    let body = serde_json::to_vec(&Event::RoomRenamed { title: "taken".into() }).unwrap();
    let events = vec![NewEvent { kind: "room_renamed", at: 1, body }];
    let intruder = Append {
        room: house.room.0,
        chain: Chain::default(),
        expected: seq,
        events,
        rows: vec![],
        blobs: vec![],
    };
    house.engine().journal().append(intruder).await.unwrap();
    house.workspace.write("go", "");
    wait_for(async || house.view().title == "taken", "the room to be read anew").await;
    let view = house.view();
    let plan = view.plan.unwrap();
    assert_eq!(plan.pause_reason, Some(PauseReason::Interrupted));
    assert_eq!(view.asks.len(), 1, "the call without a receipt is asked about");
}

#[tokio::test]
async fn two_rooms_do_not_wait_for_each_other() {
    let script = Script::by_room([
        ("first", vec![Reply::text("slow").hold_after(1)]),
        ("second", vec![Reply::text("quick")]),
    ]);
    let house = House::with(script).await;
    house.say("first").await;
    house.model.request(0).await;
    let folder = house.workspace.path();
    let other = house.engine().create_room(&flow::me(), None, &folder, None).await.unwrap();
    let message = plan::MessageId(engine::fresh_id());
    let say = Command::Say { message, text: "second".into() };
    house.engine().submit(other.id, &flow::me(), say).unwrap();
    wait_for(
        async || {
            house.engine().journal().read_kinds(other.id.0, &["replied"], None, 1).unwrap().len()
                == 1
        },
        "the second room's answer",
    )
    .await;
    assert_eq!(house.count("replied"), 0);
    house.model.release();
    house.wait("reply", |event| matches!(event, Event::Replied { .. })).await;
}

#[tokio::test]
async fn a_workspace_swapped_for_another_folder_runs_nothing_there() {
    let script =
        vec![Reply::call("shell", json!({ "command": "touch planted; ls" })), Reply::text("done")];
    let house = House::configured(script, "", &[("inner/file.txt", "x")]).await;
    let inner = house.workspace.path().join("inner");
    let other = house.engine().create_room(&flow::me(), None, &inner, None).await.unwrap();
    let data = house.data().canonicalize().unwrap();
    std::fs::rename(&inner, house.workspace.path().join("was")).unwrap();
    std::os::unix::fs::symlink(&data, &inner).unwrap();
    let message = plan::MessageId(engine::fresh_id());
    let say = Command::Say { message, text: "look".into() };
    house.engine().submit(other.id, &flow::me(), say).unwrap();
    let told = house.model.request(1).await.tool_results().pop().unwrap();
    assert!(!told.contains("plancard.db"), "{told}");
    assert!(!data.join("planted").exists());
}

#[tokio::test]
async fn a_call_that_holds_a_secret_is_not_run_with_other_words() {
    let secret = "a-known-secret-value";
    let script = vec![
        Reply::call("shell", json!({ "command": format!("touch ran; echo {secret}") })),
        Reply::text("done"),
    ];
    let house = House::knowing(script, secret).await;
    house.say("do it").await;
    let told = house.model.request(1).await.tool_results().pop().unwrap();
    assert!(told.contains("was not made: its arguments held a secret"), "{told}");
    assert!(!told.contains("JSON"), "{told}");
    assert!(!house.workspace.has("ran"));
    house.wait_idle().await;
    let stored: Vec<u8> = house.log().into_iter().flat_map(|(stored, _)| stored.body).collect();
    assert!(!String::from_utf8_lossy(&stored).contains(secret));
}

#[tokio::test]
async fn resuming_takes_an_archived_room_out_again() {
    let script =
        vec![plan_write("g", &["a"]), Reply::text("hm").hold_after(1), step_done("s1", "ok")];
    let house = House::with(script).await;
    house.say("do it").await;
    house.model.request(1).await;
    house.person(Command::Archive { archived: true }).await.unwrap();
    assert_eq!(house.plan().pause_reason, Some(PauseReason::Supervisor));
    house.model.release();
    house.person(Command::Resume).await.unwrap();
    assert!(!house.view().archived);
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
}

#[tokio::test]
async fn a_plan_whose_folder_is_gone_pauses_and_says_what_to_do() {
    let script =
        vec![plan_write("g", &["a"]), Reply::text("hm").hold_after(1), step_done("s1", "ok")];
    let house = House::with(script).await;
    house.say("do it").await;
    house.model.request(1).await;
    house.person(Command::Pause).await.unwrap();
    house.model.release();
    let folder = house.workspace.path();
    let away = folder.with_extension("away");
    std::fs::rename(&folder, &away).unwrap();
    let asked = house.model.requests().len();
    let paused = house.view().seq;
    house.person(Command::Resume).await.unwrap();
    let pauses = |event: &Event| matches!(event, Event::Paused { .. });
    house.wait_after(paused, "pause", pauses).await;
    let plan = house.plan();
    assert_eq!(plan.pause_reason, Some(PauseReason::Interrupted));
    let why = plan.pause_detail.unwrap();
    assert!(why.contains("is not there. Put the folder back and resume"), "{why}");
    assert_eq!(house.model.requests().len(), asked, "no model is asked");

    std::fs::rename(&away, &folder).unwrap();
    house.person(Command::Resume).await.unwrap();
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
}

/// Deletes the folder of a room and makes another one in its place.
fn made_again(house: &House, content: &str) {
    let folder = house.workspace.path();
    std::fs::remove_dir_all(&folder).expect("it is there");
    std::fs::create_dir(&folder).expect("it is gone");
    house.workspace.write("a.txt", content);
}

#[tokio::test]
async fn a_folder_that_was_made_again_is_used_and_a_link_in_its_place_is_not() {
    let read = || Reply::call("read_file", json!({ "path": "a.txt" }));
    let shell = || Reply::call("shell", json!({ "command": "cat a.txt; touch made" }));
    let write = || Reply::call("write_file", json!({ "path": "made", "content": "x" }));
    let done = || Reply::text("done");
    let script = vec![
        vec![read(), done()],
        vec![read(), shell(), done()],
        vec![read(), shell(), write(), done()],
        vec![read(), shell(), done()],
    ];
    let script: Vec<Reply> = script.into_iter().flatten().collect();
    let house = House::configured(script, "", &[("a.txt", "first")]).await;
    let told = async |number: usize| house.model.request(number).await.tool_results().pop();
    house.say("read it").await;
    assert!(told(1).await.unwrap().contains("first"));
    house.wait_idle().await;

    made_again(&house, "second");
    house.say("again").await;
    for number in [3, 4] {
        let told = told(number).await.unwrap();
        assert!(told.contains("second"), "{told}");
    }
    house.wait_idle().await;
    assert!(house.workspace.has("made"));

    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::write(elsewhere.path().join("a.txt"), "of somebody else").unwrap();
    let folder = house.workspace.path();
    std::fs::remove_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), &folder).unwrap();
    house.say("and again").await;
    for number in [6, 7, 8] {
        let told = told(number).await.unwrap();
        assert!(told.contains("NO_FOLDER") && !told.contains("somebody else"), "{told}");
    }
    house.wait_idle().await;
    assert!(!elsewhere.path().join("made").exists());

    std::fs::remove_file(&folder).unwrap();
    std::fs::create_dir(&folder).unwrap();
    house.workspace.write("a.txt", "third");
    house.say("once more").await;
    for number in [10, 11] {
        let told = told(number).await.unwrap();
        assert!(told.contains("third"), "{told}");
    }
}

#[tokio::test]
async fn a_plan_whose_folder_was_made_again_pauses_before_it_goes_on_there() {
    let read = Reply::call("read_file", json!({ "path": "a.txt" }));
    let script = vec![
        plan_write("g", &["a"]),
        read,
        Reply::text("hm").hold_after(1),
        Reply::call("shell", json!({ "command": "cat a.txt; touch made" })),
        step_done("s1", "ok"),
    ];
    let house = House::configured(script, "", &[("a.txt", "first")]).await;
    house.say("do it").await;
    house.model.request(2).await;
    made_again(&house, "second");
    house.model.release();
    house.wait("pause", |event| matches!(event, Event::Paused { .. })).await;
    let plan = house.plan();
    assert_eq!(plan.pause_reason, Some(PauseReason::Interrupted));
    let why = plan.pause_detail.unwrap();
    assert!(why.contains("is another folder than before"), "{why}");
    assert_eq!(house.model.requests().len(), 3, "no model is asked");
    assert!(!house.workspace.has("made"));

    house.person(Command::Resume).await.unwrap();
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    assert!(house.workspace.has("made"));
}
