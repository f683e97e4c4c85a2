//! What a restart leaves of sidekicks: everything.

use super::conflicts::answer;
use super::{first, now, requests, spawn, wait_state, wait_told};
use engine::journal::{Append, Chain, NewEvent};
use flow::{House, me};
use plan::{Ask, AskKind, Command, Event, MessageId, SidekickEnd};
use serde_json::json;
use support::{
    Reply, Script, plan_write, plan_write_with, sidekick_complete, spawn_sidekick, step_done,
    wait_for,
};

#[tokio::test]
async fn one_that_had_not_answered_yet_waits_for_a_person_too() {
    let script = Script::by_room([
        ("look", vec![Reply::text("hm").hold_after(1), sidekick_complete("done")]),
        ("", vec![]),
    ]);
    let mut house = House::with(script).await;
    let sidekick = spawn(&house, "look").await;
    house.model.request(0).await;
    house.restart().await;
    house.model.release();
    let asks = house.view().asks;
    let [ask] = &asks[..] else { panic!("{asks:?}") };
    assert_eq!(now(&house, sidekick.id).state, "waiting");
    assert_eq!(house.model.requests().len(), 1, "nothing goes on by itself");
    answer(&house, ask, Ask::GO_ON).await;
    wait_state(&house, sidekick.id, "completed").await;
    wait_told(&house, "done").await;
}

#[tokio::test]
async fn what_one_had_finished_before_is_told_and_no_model_is_asked() {
    let script = Script::by_room([
        ("look", vec![Reply::text("hm").hold_after(1)]),
        ("", vec![Reply::text("I see.")]),
    ]);
    let mut house = House::with(script).await;
    let sidekick = spawn(&house, "look").await;
    house.model.request(0).await;
    // Its end is on disk, and the program is killed before the room that asked hears of it.
    let ended = Event::SidekickEnded {
        end: SidekickEnd::Completed,
        result: "found it".into(),
        summary: None,
        told: false,
        checked: false,
        given_up: false,
        next: None,
    };
    let body = serde_json::to_vec(&ended).unwrap();
    let append = Append {
        room: sidekick.id.0,
        chain: Chain::default(),
        expected: house.engine().view(sidekick.id).unwrap().seq,
        events: vec![NewEvent { kind: "sidekick_ended", at: 1, body }],
        rows: vec![],
        blobs: vec![],
    };
    house.engine().journal().append(append).await.unwrap();
    house.restart().await;
    wait_told(&house, "found it").await;
    assert!(!house.view().busy, "nothing goes on by itself");
    house.say("and?").await;
    house.wait("reply", |event| matches!(event, Event::Replied { .. })).await;
    let heard = house.model.requests().pop().unwrap().texts("system").join("\n");
    assert!(heard.contains("found it"), "{heard}");
}

#[tokio::test]
async fn one_that_was_at_work_waits_and_goes_on_when_a_person_says_so() {
    let script = Script::by_room([
        (
            "look",
            vec![
                Reply::call("shell", json!({ "command": "touch begun; sleep 300" })),
                sidekick_complete("done after all"),
            ],
        ),
        ("", vec![]),
    ]);
    let mut house = House::with(script).await;
    let sidekick = spawn(&house, "look").await;
    wait_for(async || house.workspace.has("begun"), "the command to begin").await;
    house.restart().await;
    let waiting = now(&house, sidekick.id);
    assert_eq!((waiting.state.as_str(), waiting.codename), ("waiting", sidekick.codename));
    assert_eq!(requests(&house, "look").len(), 1, "nothing is repeated");
    assert_eq!(house.view().asks.len(), 1, "a person sees it");

    let say = Command::Say { message: MessageId(engine::fresh_id()), text: "go on".into() };
    house.engine().submit(sidekick.id, &me(), say).unwrap();
    let ended = wait_state(&house, sidekick.id, "completed").await;
    assert_eq!(ended.result.as_deref(), Some("done after all"));
    wait_told(&house, "done after all").await;
    assert!(house.view().asks.is_empty(), "nothing is left to ask");
    house.restart().await;
    assert_eq!(now(&house, sidekick.id).state, "completed");
    assert_eq!(house.count("nudged"), 1, "and it is told once");
}

#[tokio::test]
async fn or_is_let_go_on_or_stopped_from_the_inbox() {
    for (said, state) in [(Ask::GO_ON, "completed"), (Ask::STOP, "stopped")] {
        let script = Script::by_room([
            (
                "look",
                vec![
                    Reply::call("list_dir", json!({})),
                    Reply::text("hm").hold_after(1),
                    sidekick_complete("done after all"),
                ],
            ),
            ("", vec![]),
        ]);
        let mut house = House::with(script).await;
        let sidekick = spawn(&house, "look").await;
        wait_for(async || requests(&house, "look").len() == 2, "it to be at work").await;
        house.restart().await;
        // The room that asked shows it before anyone has looked at the sidekick.
        let asks = house.view().asks;
        let [ask] = &asks[..] else { panic!("{asks:?}") };
        assert_eq!((ask.kind, ask.room_id), (AskKind::Question, sidekick.id));
        assert!(ask.text.contains(&sidekick.codename) && ask.text.contains("look"), "{}", ask.text);
        // A second restart asks nothing twice.
        house.restart().await;
        assert_eq!(house.view().asks, asks);
        assert_eq!(requests(&house, "look").len(), 2, "nothing goes on by itself");
        answer(&house, ask, said).await;
        wait_state(&house, sidekick.id, state).await;
        assert!(house.view().asks.is_empty());
    }
}

#[tokio::test]
async fn one_that_the_agent_of_a_plan_asked_for_goes_on_when_that_is_resumed() {
    let script = Script::by_room([
        (
            "errand",
            vec![
                Reply::call("list_dir", json!({})),
                Reply::text("hm").hold_after(1),
                sidekick_complete("from below"),
            ],
        ),
        (
            "do it",
            vec![
                plan_write("g", &["one"]),
                spawn_sidekick("errand"),
                Reply::text("hm").hold_after(1),
                step_done("1", "one"),
                Reply::text("Done."),
                Reply::text("I see."),
            ],
        ),
    ]);
    let mut house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "errand").len() == 2, "the errand to be at work").await;
    wait_for(async || requests(&house, "do it").len() == 3, "the agent to be at work").await;
    house.restart().await;
    assert_eq!(house.plan().state, "paused");
    assert!(house.view().asks.is_empty(), "the plan is what is resumed");
    house.person(Command::Resume).await.unwrap();
    let errand = first(&house).await;
    let done = async || {
        house.model.release();
        now(&house, errand.id).state == "completed"
    };
    wait_for(done, "the errand to be done").await;
}

#[tokio::test]
async fn one_that_the_sidekick_of_a_step_asked_for_goes_on_with_the_plan() {
    let plan = plan_write_with("g", json!(["elder"]), json!({ "mode": "parallel" }));
    let script = Script::by_room([
        (
            "errand",
            vec![
                Reply::call("list_dir", json!({})),
                Reply::text("hm").hold_after(1),
                sidekick_complete("from below"),
            ],
        ),
        (
            "elder",
            vec![
                spawn_sidekick("errand"),
                Reply::text("I wait for it."),
                sidekick_complete("all of it"),
            ],
        ),
        ("do it", vec![plan, Reply::text("It works."), Reply::text("Done.")]),
    ]);
    let mut house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "errand").len() == 2, "the errand to be at work").await;
    wait_for(async || requests(&house, "elder").len() == 2, "the elder to wait").await;
    house.restart().await;
    assert_eq!(house.plan().state, "paused");
    house.person(Command::Resume).await.unwrap();
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    assert_eq!(house.plan().steps[0].result.as_deref(), Some("all of it"));
}
