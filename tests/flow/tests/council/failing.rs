//! Members that fall out, or have to wait: the others go on.

use super::{
    THREE, Voice, answer, asked, b_wins, begin, now, three, three_with, vote, wait_asked,
    wait_state, wait_until,
};
use engine::Clock;
use plan::{Command, DecidedBy};
use serde_json::json;
use std::time::Duration;
use support::Reply;

const BAD_KEY: &str = r#"{"error":{"message":"Incorrect API key","code":"invalid_api_key"}}"#;
const REUSE: &str = "winner_reuse";

fn used_up(seconds: &str) -> Reply {
    let body =
        r#"{"error":{"message":"quota","code":"insufficient_quota","type":"insufficient_quota"}}"#;
    Reply::status(429, body, &[("retry-after", seconds)])
}

#[tokio::test]
async fn a_quota_that_resets_after_the_deadline_puts_its_member_out_at_once() {
    let [_, b, c] = b_wins();
    let house = three(vec![used_up("7200")], b, c).await;
    begin(&house, json!({ "final_answer_strategy": REUSE })).await;
    let council = wait_state(&house, "done").await;
    assert_eq!(council.members[0].state, "failed");
    let why = council.members[0].problem.as_deref().unwrap_or_default();
    assert!(why.contains("its rate limit resets after"), "{why}");
    assert_eq!(
        (council.winner.as_deref(), council.decided_by),
        (Some("agent2"), Some(DecidedBy::Votes))
    );
    assert_eq!(asked(&house, "a").len(), 1, "it is not asked again");
}

#[tokio::test]
async fn a_shorter_wait_is_waited_for_and_does_not_count_against_the_turn() {
    let [mut a, b, c] = b_wins();
    a.talks.insert(0, used_up("600"));
    let house = three(a, b, c).await;
    let options = json!({
        "final_answer_strategy": REUSE,
        "initial_round_timeout_seconds": 60,
        "round_timeout_grace_seconds": 30,
    });
    begin(&house, options).await;
    let waits = async || now(&house).members[0].waits_until.is_some();
    wait_until(&house, waits, "it to wait").await;
    let others = async || now(&house).members[1..].iter().all(|one| !one.answers.is_empty());
    wait_until(&house, others, "the others to answer").await;
    assert_eq!(now(&house).state, "answering", "they wait for it");
    house.clock.advance(Duration::from_secs(599));
    assert_eq!(asked(&house, "a").len(), 1);
    house.clock.advance(Duration::from_secs(1));
    let council = wait_state(&house, "done").await;
    assert!(council.members.iter().all(|one| one.state != "failed"), "{council:?}");
    assert_eq!(council.members[0].answers.len(), 1);
    assert_eq!(council.members[0].waits_until, None);
}

/// The provider asks to slow down, for a moment and more than once.
fn slow_down(seconds: Option<&str>) -> Reply {
    let body = r#"{"error":{"message":"slow down","type":"rate_limit_error"}}"#;
    let headers: Vec<(&str, &str)> =
        seconds.map(|wait| ("retry-after", wait)).into_iter().collect();
    Reply::status(429, body, &headers)
}

#[tokio::test]
async fn a_moments_wait_does_not_count_against_the_turn_either() {
    for seconds in [Some("3"), None] {
        let [mut a, b, c] = b_wins();
        a.talks.insert(0, slow_down(seconds));
        a.talks.insert(0, slow_down(seconds));
        let house = three(a, b, c).await;
        let options = json!({
            "final_answer_strategy": REUSE,
            "initial_round_timeout_seconds": 1,
            "round_timeout_grace_seconds": 1,
        });
        begin(&house, options).await;
        for request in [1, 2] {
            wait_asked(&house, "a", request).await;
            let waits = async || {
                let members = now(&house).members;
                let others = members[1..].iter().all(|one| !one.answers.is_empty());
                others && members[0].waits_until.is_some_and(|until| until > house.clock.now())
            };
            wait_until(&house, waits, "it to wait").await;
            let until = now(&house).members[0].waits_until.expect("it waits");
            let left = u64::try_from(until.0 - house.clock.now().0).expect("it is to come");
            house.clock.advance(Duration::from_millis(left));
        }
        let council = wait_state(&house, "done").await;
        assert!(council.members.iter().all(|one| one.state != "failed"), "{council:?}");
        assert_eq!(asked(&house, "a").len().min(3), 3);
    }
}

#[tokio::test]
async fn a_moment_that_ends_after_the_deadline_puts_its_member_out_at_once() {
    let [_, b, c] = b_wins();
    let house = three(vec![slow_down(Some("25"))], b, c).await;
    let options = json!({ "final_answer_strategy": REUSE, "orchestrator_timeout_seconds": 15 });
    begin(&house, options).await;
    let council = wait_state(&house, "done").await;
    assert_eq!(council.members[0].state, "failed");
    assert_eq!(council.decided_by, Some(DecidedBy::Votes), "no time has passed");
    assert_eq!(asked(&house, "a").len(), 1);
}

#[tokio::test]
async fn who_is_told_to_slow_down_again_and_again_is_out() {
    let [_, b, c] = b_wins();
    let house = three(vec![slow_down(None); 6], b, c).await;
    begin(&house, json!({ "final_answer_strategy": REUSE })).await;
    let over = async || {
        house.clock.advance(Duration::from_secs(5));
        now(&house).state == "done"
    };
    wait_until(&house, over, "the end").await;
    assert_eq!(now(&house).members[0].state, "failed");
    assert_eq!(asked(&house, "a").len(), 6, "as often as in any other room");
}

#[tokio::test]
async fn a_wait_goes_on_after_a_restart() {
    let [mut a, b, c] = b_wins();
    a.talks.insert(0, used_up("600"));
    let mut house = three(a, b, c).await;
    begin(&house, json!({ "final_answer_strategy": REUSE })).await;
    let stands = async || {
        let members = now(&house).members;
        members[0].waits_until.is_some() && members[1..].iter().all(|one| !one.answers.is_empty())
    };
    wait_until(&house, stands, "it to wait, and the others to have answered").await;
    house.restart().await;
    assert_eq!(now(&house).state, "paused");
    house.person(Command::Resume).await.expect("it goes on");
    assert_eq!(asked(&house, "a").len(), 1, "it still has to wait");
    house.clock.advance(Duration::from_secs(600));
    let council = wait_state(&house, "done").await;
    assert!(council.members.iter().all(|one| one.state != "failed"), "{council:?}");
}

#[tokio::test]
async fn a_member_with_a_bad_key_is_out_and_the_others_finish() {
    let [_, b, c] = b_wins();
    let house = three(vec![Reply::status(401, BAD_KEY, &[])], b, c).await;
    begin(&house, json!({})).await;
    let council = wait_state(&house, "done").await;
    assert_eq!(council.members[0].state, "failed");
    let why = council.members[0].problem.as_deref().unwrap_or_default();
    assert!(why.contains("key"), "{why}");
    assert_eq!(council.winner.as_deref(), Some("agent2"));
    assert!(house.workspace.has("b.txt"));
}

#[tokio::test]
async fn a_member_whose_provider_is_gone_is_out_and_the_others_finish() {
    let [_, b, c] = b_wins();
    // Nothing listens there.
    let nowhere = "  gone: { type: openai, base_url: \"http://127.0.0.1:9/v1\" }";
    let agents = THREE.replacen("test/a", "gone/a", 1);
    let house = three_with([Voice::default(), b, c], &agents, nowhere, &[]).await;
    begin(&house, json!({ "final_answer_strategy": REUSE })).await;
    let out = async || {
        // It is asked a few times before it is given up.
        house.clock.advance(Duration::from_secs(5));
        now(&house).state == "done"
    };
    wait_until(&house, out, "the end").await;
    let council = now(&house);
    assert_eq!(council.members[0].state, "failed", "{council:?}");
    let why = council.members[0].problem.as_deref().unwrap_or_default();
    assert!(why.contains("127.0.0.1"), "{why}");
    assert_eq!(
        (council.winner.as_deref(), council.decided_by),
        (Some("agent2"), Some(DecidedBy::Votes))
    );
}

#[tokio::test]
async fn words_alone_are_told_three_times_how_a_turn_ends_and_then_the_member_is_out() {
    let words = |n: usize| Reply::text(format!("I think, part {n}."));
    let [_, b, c] = b_wins();
    let words: Vec<Reply> = (1..=5).map(words).collect();
    let house = three(words, b, c).await;
    begin(&house, json!({ "final_answer_strategy": REUSE })).await;
    let council = wait_state(&house, "done").await;
    assert_eq!(asked(&house, "a").len(), 4, "asked once, and told so three times");
    let last = asked(&house, "a").pop().expect("it was asked");
    let told = String::from_utf8_lossy(last.body()).matches("nobody reads your words here").count();
    assert_eq!(told, 3);
    let why = council.members[0].problem.as_deref().unwrap_or_default();
    assert!(why.contains("3 times"), "{why}");
    assert_eq!(council.winner.as_deref(), Some("agent2"));
}

#[tokio::test]
async fn one_living_member_goes_on_to_its_answer() {
    let bad = || Reply::status(401, BAD_KEY, &[]);
    let house = three(vec![bad()], vec![answer("Only", "b").hold_after(1)], vec![bad()]).await;
    begin(&house, json!({ "final_answer_strategy": REUSE })).await;
    let out = async || now(&house).members.iter().filter(|one| one.state == "failed").count() == 2;
    wait_until(&house, out, "two to be out").await;
    wait_asked(&house, "b", 1).await;
    house.model.release();
    let council = wait_state(&house, "done").await;
    assert_eq!(
        (council.winner.as_deref(), council.decided_by),
        (Some("agent2"), Some(DecidedBy::LastMember))
    );
}

#[tokio::test]
async fn without_any_member_it_has_failed_and_says_why() {
    let bad = || vec![Reply::status(401, BAD_KEY, &[])];
    let house = three(bad(), bad(), bad()).await;
    begin(&house, json!({})).await;
    let council = wait_state(&house, "failed").await;
    let why = council.end_reason.expect("it says why");
    assert!(why.contains("key"), "{why}");
}

#[tokio::test]
async fn a_member_that_is_out_gets_another_chance() {
    let [mut a, mut b, c] = b_wins();
    a.talks.insert(0, Reply::status(401, BAD_KEY, &[]));
    b.talks[0] = b.talks[0].clone().hold_after(1);
    let house = three(a, b, c).await;
    begin(&house, json!({ "final_answer_strategy": REUSE })).await;
    wait_until(&house, async || now(&house).members[0].state == "failed", "it to be out").await;
    let room = now(&house).members[0].room_id;
    house.engine().retry_member(house.room, &flow::me(), "agent1").expect("a person may");
    wait_until(&house, async || now(&house).members[0].answers.len() == 1, "its answer").await;
    assert_ne!(now(&house).members[0].room_id, room, "in a room of its own again");
    wait_asked(&house, "b", 1).await;
    house.model.release();
    let council = wait_state(&house, "done").await;
    assert!(council.members.iter().all(|one| one.state != "failed"), "{council:?}");
    assert_eq!(asked(&house, "a").len(), 3);
}

#[tokio::test]
async fn an_answer_that_is_not_new_is_refused_and_its_member_may_only_vote() {
    let again = || answer("Plain", "a");
    let house = three(
        vec![again(), again(), vote("agent2", "then")],
        vec![answer("Wholly other words than that one", "b"), vote("agent2", "mine").hold_after(1)],
        vec![
            answer("Something quite different for once", "c"),
            vote("agent3", "mine").hold_after(1),
        ],
    )
    .await;
    begin(
        &house,
        json!({ "final_answer_strategy": REUSE, "answer_novelty_requirement": "balanced" }),
    )
    .await;
    let third = wait_asked(&house, "a", 3).await;
    let refused = third.tool_results().pop().expect("a result");
    assert!(refused.contains("NOT_NEW"), "{refused}");
    wait_until(&house, async || now(&house).members[0].vote.is_some(), "its vote").await;
    assert_eq!(now(&house).members[0].answers.len(), 1);
    house.model.release();
    wait_state(&house, "done").await;
}
