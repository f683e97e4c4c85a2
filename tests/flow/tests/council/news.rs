//! New answers while others vote: votes are cleared or dropped, and asked for again.

use super::{answer, asked, begin, body, now, three, vote, wait_asked, wait_state, wait_until};
use plan::DecidedBy;
use serde_json::json;
use support::{Recorded, Reply};

/// A vote that waits to be let go.
fn held(member: &str) -> Reply {
    vote(member, "so far").hold_after(1)
}

#[tokio::test]
async fn a_vote_cast_while_a_new_answer_comes_in_is_dropped_logged_and_asked_for_again() {
    let house = three(
        vec![
            answer("Plain", "a"),
            // It votes on what it was shown, and the second answer of `c` is there before.
            vote("agent2", "of what I saw").hold_after(1),
            vote("agent3", "the new one is better"),
        ],
        vec![answer("Better", "b"), held("agent3"), held("agent3")],
        vec![answer("Third", "c"), answer("Fourth", "d"), vote("agent3", "mine")],
    )
    .await;
    let options = json!({
        "final_answer_strategy": "winner_reuse",
        // No news in the middle of a turn, so that its model is not told before it votes.
        "max_midstream_injections_per_round": 0,
    });
    begin(&house, options).await;
    wait_asked(&house, "a", 2).await;
    wait_until(&house, async || now(&house).members[2].answers.len() == 2, "a new answer").await;
    house.model.release();
    let council = wait_state(&house, "done").await;
    let dropped: Vec<_> = council.dropped.iter().filter(|one| one.member == "agent1").collect();
    let [dropped] = dropped[..] else { panic!("{council:?}") };
    assert_eq!(dropped.choice, "agent2");
    assert!(dropped.why.contains("new answer"), "{dropped:?}");
    assert_eq!(house.count("council_vote_dropped"), council.dropped.len());
    let told = wait_asked(&house, "a", 3).await;
    assert!(body(&told).contains("did not count"), "{}", body(&told));
    assert!(body(&told).contains("agent3.2 by agent3"), "it sees the new answer");
    assert_eq!(
        (council.winner.as_deref(), council.decided_by),
        (Some("agent3"), Some(DecidedBy::Votes))
    );
}

#[tokio::test]
async fn news_reach_a_member_that_has_answered_at_its_next_tool_boundary() {
    let look = || Reply::call("list_dir", json!({}));
    let house = three(
        vec![answer("Plain", "a"), look().hold_after(1), vote("agent3", "the newest")],
        vec![answer("Better", "b"), held("agent3"), held("agent3")],
        vec![answer("Third", "c"), answer("Fourth", "d"), vote("agent3", "mine")],
    )
    .await;
    begin(&house, json!({ "final_answer_strategy": "winner_reuse" })).await;
    wait_asked(&house, "a", 2).await;
    wait_asked(&house, "b", 2).await;
    wait_until(&house, async || now(&house).members[2].answers.len() == 2, "a new answer").await;
    house.model.release();
    let told = wait_asked(&house, "a", 3).await;
    assert!(body(&told).contains("News: there are new answers"), "{}", body(&told));
    assert!(body(&told).contains("agent3.2 by agent3"), "{}", body(&told));
    let council = wait_state(&house, "done").await;
    let dropped: Vec<&str> = council.dropped.iter().map(|one| one.member.as_str()).collect();
    assert!(!dropped.contains(&"agent1"), "it was told in time: {council:?}");
}

#[tokio::test]
async fn a_new_answer_clears_the_votes_and_begins_another_round() {
    let house = three(
        vec![answer("Plain", "a"), vote("agent1", "mine"), vote("agent3", "better now")],
        vec![answer("Better", "b"), held("agent3"), held("agent3")],
        vec![answer("Third", "c"), answer("Fourth", "d").hold_after(1), vote("agent3", "mine")],
    )
    .await;
    begin(&house, json!({ "final_answer_strategy": "winner_reuse" })).await;
    wait_until(&house, async || now(&house).members[0].vote.is_some(), "a vote").await;
    wait_asked(&house, "b", 2).await;
    wait_asked(&house, "c", 2).await;
    assert_eq!(now(&house).round, 1);
    house.model.release();
    let council = wait_state(&house, "done").await;
    assert_eq!(council.winner.as_deref(), Some("agent3"));
    assert!(council.round >= 2, "{council:?}");
    let again = wait_asked(&house, "a", 3).await;
    assert!(body(&again).contains("agent3.2 by agent3"), "asked again, with the new answer");
}

#[tokio::test]
async fn a_member_without_an_answer_is_never_interrupted() {
    let house = three(
        vec![
            Reply::call("list_dir", json!({})).hold_after(1),
            answer("Late", "a"),
            vote("agent2", "x"),
        ],
        vec![answer("Better", "b"), held("agent2"), vote("agent2", "mine"), vote("agent2", "x")],
        vec![answer("Third", "c"), held("agent2"), vote("agent2", "best"), vote("agent2", "x")],
    )
    .await;
    let options = json!({
        "final_answer_strategy": "winner_reuse",
        "defer_voting_until_all_answered": false,
    });
    begin(&house, options).await;
    let answered =
        async || now(&house).members.iter().filter(|one| !one.answers.is_empty()).count() == 2;
    wait_until(&house, answered, "two answers").await;
    wait_asked(&house, "b", 2).await;
    wait_asked(&house, "c", 2).await;
    house.model.release();
    let second = wait_asked(&house, "a", 2).await;
    assert!(!body(&second).contains("by agent2"), "nothing is told it: {}", body(&second));
    wait_state(&house, "done").await;
}

#[tokio::test]
async fn what_the_person_says_reaches_every_member_before_its_next_turn_and_clears_no_vote() {
    let house = three(
        vec![answer("Plain", "a"), vote("agent1", "mine"), held("agent3")],
        vec![answer("Better", "b"), held("agent2"), held("agent3"), held("agent3")],
        vec![answer("Third", "c"), answer("Fourth", "d").hold_after(1), held("agent3")],
    )
    .await;
    begin(&house, json!({ "final_answer_strategy": "winner_reuse" })).await;
    wait_until(&house, async || now(&house).members[0].vote.is_some(), "a vote").await;
    wait_asked(&house, "b", 2).await;
    wait_asked(&house, "c", 2).await;
    house.say("Mind the licence.").await;
    assert!(now(&house).members[0].vote.is_some(), "no vote is cleared");
    house.model.release();
    let told = |model: &str| {
        let says = |one: &Recorded| body(one).contains("The person says: Mind the licence.");
        asked(&house, model).iter().any(says)
    };
    let all = async || ["a", "b", "c"].into_iter().all(told);
    wait_until(&house, all, "all to be told").await;
    assert_eq!(house.count("replied"), 0, "the room's agent rests");
    let over = async || {
        house.model.release();
        now(&house).state == "done"
    };
    wait_until(&house, over, "the end").await;
}
