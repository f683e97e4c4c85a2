//! What a person does to a council over the API.

use crate::{Desk, answer, held, refused, vote};
use plan::PlanMode;
use serde_json::json;
use support::Reply;

/// Two members who have answered and think about their votes.
async fn answered() -> Desk {
    let a = vec![answer("one", &["x"]), held(), held()];
    let b = vec![answer("two", &["y"]), held(), held()];
    let desk = Desk::of_two(a, b).await;
    desk.house.mode(PlanMode::Strict).await;
    desk.start(json!({})).await.ok();
    desk.wait_answers(2).await;
    desk
}

#[tokio::test]
async fn a_pause_is_the_councils_and_a_second_one_changes_nothing() {
    let desk = answered().await;
    let paused = desk.press("pause").await.ok();
    assert_eq!(
        (&paused["state"], &paused["pause_reason"]),
        (&json!("paused"), &json!("supervisor"))
    );
    assert!(paused.get("deadline").is_none(), "its clock stands still");
    assert_eq!(desk.press("pause").await.ok(), paused);
    assert_eq!(desk.house.count("council_paused"), 1);
    let resumed = desk.press("resume").await.ok();
    assert_eq!(resumed["state"], "voting");
    assert_eq!(desk.press("resume").await.ok()["state"], "voting");
    assert_eq!(desk.house.count("council_resumed"), 1);
}

#[tokio::test]
async fn the_buttons_of_a_plan_do_nothing_to_a_council_that_talks() {
    let desk = answered().await;
    for button in ["pause", "resume", "cancel"] {
        let pressed = desk.client().press(&desk.at(&format!("/plan/{button}"))).await;
        assert_eq!(pressed.refusal(), refused(404, "PLAN_NOT_FOUND"), "{button}");
    }
    assert_eq!(desk.council().await["state"], "voting");
}

#[tokio::test]
async fn stopping_the_room_pauses_its_council() {
    let desk = answered().await;
    desk.client().press(&desk.at("/stop")).await.ok();
    assert_eq!(desk.council().await["state"], "paused");
}

#[tokio::test]
async fn a_persons_vote_can_change_and_decides_when_an_answer_is_wanted_now() {
    let desk = answered().await;
    let sent = desk.send("vote", json!({ "member": "agent1", "reason": "short" })).await.ok();
    assert_eq!(sent["person_vote"]["reason"], "short");
    let sent = desk.send("vote", json!({ "member": "agent2" })).await.ok();
    assert_eq!(sent["person_vote"]["for"], "agent2");
    let votes = |place: usize| &sent["tally"][place]["votes"];
    assert_eq!((votes(0), votes(1)), (&json!(0), &json!(1)), "it was changed, not added");
    for nobody in ["agent7", "b", ""] {
        let sent = desk.send("vote", json!({ "member": nobody })).await;
        assert_eq!(sent.refusal(), refused(404, "MEMBER_NOT_FOUND"), "{nobody}");
    }
    let decided = desk.press("answer-now").await.ok();
    assert_eq!((&decided["winner"], &decided["decided_by"]), (&json!("agent2"), &json!("person")));
    desk.wait("ask_raised").await;
    let council = desk.council().await;
    assert_eq!(
        (&council["state"], &council["plan_id"]),
        (&json!("decided"), &json!(desk.house.plan().id))
    );
    let asks = desk.client().get("/v1/asks").await.ok();
    assert_eq!(asks["items"][0]["kind"], "approval");
}

#[tokio::test]
async fn from_the_decision_on_the_council_and_its_plan_are_one() {
    let desk = answered().await;
    desk.send("pick", json!({ "member": "agent1" })).await.ok();
    desk.wait("ask_raised").await;
    assert_eq!(desk.press("pause").await.refusal(), refused(409, "PLAN_NOT_PAUSABLE"));
    let plan = desk.house.plan();
    let approve = json!({ "revision": plan.revision, "hash": plan.hash });
    desk.client().post(&desk.at("/plan/approve"), approve).await.ok();
    desk.wait("step_started").await;
    assert_eq!(desk.press("pause").await.ok()["state"], "paused");
    assert_eq!(desk.house.plan().state, "paused");
    desk.client().press(&desk.at("/plan/resume")).await.ok();
    assert_eq!(desk.council().await["state"], "executing");
    let gone = desk.send("cancel", json!({ "reason": "enough" })).await.ok();
    assert_eq!((&gone["state"], &gone["end_reason"]), (&json!("cancelled"), &json!("enough")));
    assert_eq!(desk.house.plan().state, "cancelled");
    assert_eq!(desk.press("cancel").await.ok()["state"], "cancelled", "once more is no error");
}

#[tokio::test]
async fn a_member_that_failed_gets_another_chance_and_another_does_not() {
    let broken = Reply::status(400, r#"{"error":{"message":"no"}}"#, &[]);
    let a = vec![answer("one", &["x"]), held()];
    let b = vec![broken, answer("two", &["y"]), held()];
    let c = vec![held()];
    let desk = Desk::of_three(a, b, c).await;
    desk.start(json!({})).await.ok();
    desk.wait("council_member_failed").await;
    let out = desk.council().await["members"][1].clone();
    assert_eq!(out["state"], "failed");
    assert!(out["problem"].is_string(), "{out}");
    assert_eq!(desk.press("members/agent3/retry").await.refusal().0, 409);
    assert_eq!(
        desk.press("members/agent9/retry").await.refusal(),
        refused(404, "MEMBER_NOT_FOUND")
    );
    desk.press("members/agent2/retry").await.ok();
    desk.wait_answers(2).await;
    assert_eq!(desk.council().await["members"][1]["answers"][0]["label"], "agent2.1");
}

#[tokio::test]
async fn an_answer_that_is_only_shown_leaves_no_plan() {
    let a = vec![answer("one", &["x"]), vote("agent1", "good")];
    let b = vec![answer("two", &["y"]), vote("agent1", "better")];
    let desk = Desk::of_two(a, b).await;
    desk.start(json!({ "options": { "final_answer_strategy": "winner_reuse" } })).await.ok();
    desk.wait("council_ended").await;
    let council = desk.council().await;
    assert_eq!((&council["state"], council.get("plan_id")), (&json!("done"), None));
    assert!(desk.house.view().plan.is_none());
}
