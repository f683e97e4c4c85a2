//! The council's clock, moved by hand.

use super::{
    answer, asked, b_wins, begin, body, log_of, now, three, vote, wait_asked, wait_state,
    wait_until,
};
use plan::{Command, DecidedBy, Event};
use serde_json::json;
use std::time::Duration;
use support::Reply;

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test]
async fn at_the_time_out_the_votes_so_far_decide() {
    let [a, mut b, mut c] = b_wins();
    b.talks[1] = b.talks[1].clone().hold_after(1);
    c.talks[1] = c.talks[1].clone().hold_after(1);
    let house = three(a, b, c).await;
    begin(&house, json!({ "orchestrator_timeout_seconds": 60 })).await;
    wait_until(&house, async || now(&house).members[0].vote.is_some(), "one vote").await;
    wait_asked(&house, "b", 2).await;
    wait_asked(&house, "c", 2).await;
    house.clock.advance(59 * SECOND);
    assert_eq!(now(&house).state, "voting");
    house.clock.advance(SECOND);
    let council = wait_state(&house, "done").await;
    assert_eq!(council.decided_by, Some(DecidedBy::Timeout));
    assert_eq!(council.winner.as_deref(), Some("agent2"));
    assert!(house.workspace.has("b.txt"), "its agent carried it out");
    assert_eq!(house.model.disconnects(), 2, "nobody is listened to any more");
}

#[tokio::test]
async fn at_the_time_out_without_votes_the_latest_answer_wins() {
    let look = || Reply::call("list_dir", json!({})).hold_after(1);
    let house = three(vec![answer("Plain", "a")], vec![look()], vec![look()]).await;
    let options =
        json!({ "orchestrator_timeout_seconds": 60, "final_answer_strategy": "winner_reuse" });
    begin(&house, options).await;
    wait_until(&house, async || !now(&house).members[0].answers.is_empty(), "an answer").await;
    house.clock.advance(60 * SECOND);
    let council = wait_state(&house, "done").await;
    assert_eq!(council.decided_by, Some(DecidedBy::Timeout));
    assert_eq!(council.winner.as_deref(), Some("agent1"));
}

#[tokio::test]
async fn at_the_time_out_without_answers_it_has_failed_and_says_why() {
    let look = || Reply::call("list_dir", json!({})).hold_after(1);
    let house = three(vec![look()], vec![look()], vec![look()]).await;
    begin(&house, json!({ "orchestrator_timeout_seconds": 60 })).await;
    wait_asked(&house, "a", 1).await;
    house.clock.advance(60 * SECOND);
    let council = wait_state(&house, "failed").await;
    let why = council.end_reason.expect("it says why");
    assert!(why.contains("before any member had answered"), "{why}");
    assert!(house.view().plan.is_none());
}

#[tokio::test]
async fn its_clock_stands_still_while_it_is_paused() {
    let [a, mut b, c] = b_wins();
    b.talks.insert(0, answer("x", "x").hold_after(1));
    let house = three(a, b, c).await;
    begin(&house, json!({ "orchestrator_timeout_seconds": 60 })).await;
    wait_asked(&house, "b", 1).await;
    let others =
        async || [0, 2].into_iter().all(|one| !now(&house).members[one].answers.is_empty());
    wait_until(&house, others, "the others to answer").await;
    house.clock.advance(30 * SECOND);
    house.person(Command::Pause).await.expect("it can be paused");
    assert_eq!(now(&house).state, "paused");
    assert_eq!(now(&house).deadline, None);
    let request = asked(&house, "b").swap_remove(0);
    assert_eq!(request.ended().await, support::Ending::Dropped, "its model is no longer heard");
    house.clock.advance(3_600 * SECOND);
    assert_eq!(now(&house).state, "paused");
    house.person(Command::Resume).await.expect("it goes on");
    let council = wait_state(&house, "done").await;
    assert_eq!(council.decided_by, Some(DecidedBy::Votes));
}

#[tokio::test]
async fn when_its_turn_runs_out_a_member_may_only_answer_or_vote_and_then_it_is_out() {
    let look = |path: &str| Reply::call("list_dir", json!({ "path": path }));
    let house = three(
        vec![look(".").hold_after(1), look("."), answer("x", "x").hold_after(1)],
        vec![answer("Better", "b"), vote("agent2", "mine")],
        vec![answer("Third", "c"), vote("agent2", "best")],
    )
    .await;
    let options = json!({
        "initial_round_timeout_seconds": 100,
        "round_timeout_grace_seconds": 50,
        "final_answer_strategy": "winner_reuse",
    });
    begin(&house, options).await;
    wait_asked(&house, "a", 1).await;
    house.clock.advance(100 * SECOND);
    let told = async || {
        log_of(&house, 0).iter().any(|event| matches!(event, Event::MemberTold { turn: 2, .. }))
    };
    wait_until(&house, told, "it to be told").await;
    house.model.release();
    let second = wait_asked(&house, "a", 2).await;
    assert_eq!(second.tool_names(), ["new_answer", "vote"]);
    assert!(body(&second).contains("time is running out"), "{}", body(&second));
    // It looks around all the same, and is refused.
    let third = wait_asked(&house, "a", 3).await;
    let refused = third.tool_results().pop().expect("a result");
    assert!(refused.contains("no time left"), "{refused}");
    house.clock.advance(50 * SECOND);
    let council = wait_state(&house, "done").await;
    assert_eq!(council.members[0].state, "failed");
    let why = council.members[0].problem.as_deref().unwrap_or_default();
    assert!(why.contains("too long"), "{why}");
    assert_eq!(council.winner.as_deref(), Some("agent2"));
}

#[tokio::test]
async fn answer_now_lets_what_is_there_decide() {
    let [a, mut b, mut c] = b_wins();
    b.talks[1] = b.talks[1].clone().hold_after(1);
    c.talks[1] = c.talks[1].clone().hold_after(1);
    let house = three(a, b, c).await;
    begin(&house, json!({ "final_answer_strategy": "winner_reuse" })).await;
    wait_until(&house, async || now(&house).members[0].vote.is_some(), "one vote").await;
    house.engine().answer_now(house.room, &flow::me()).expect("a person may");
    let council = wait_state(&house, "done").await;
    assert_eq!(council.decided_by, Some(DecidedBy::Person));
    assert_eq!(council.winner.as_deref(), Some("agent2"));
}
