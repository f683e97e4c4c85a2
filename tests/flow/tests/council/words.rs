//! What the person says while a council stands still reaches members before they go on.

use super::another_process::Other;
use super::{Voice, answer, asked, begin, body, three, vote, wait_asked, wait_state};
use flow::me;
use plan::{Command, MessageId, Text};
use serde_json::json;

const WORDS: &str = "Leave the drafts alone.";

/// A member that is asked once more after it stood still: for its vote, or for its answer.
fn member(title: &str, votes: bool) -> Voice {
    let held = |reply: support::Reply| reply.hold_after(1);
    let vote = || vote("agent2", "better");
    let own = || answer(title, title);
    match votes {
        true => vec![own(), held(vote()), vote()].into(),
        false => vec![held(own()), own(), vote()].into(),
    }
}

#[tokio::test]
async fn said_while_it_is_paused_they_are_told_with_the_question() {
    for votes in [true, false] {
        let house = three(member("a", votes), member("b", votes), member("c", votes)).await;
        begin(&house, json!({ "final_answer_strategy": "winner_reuse" })).await;
        let before = 1 + usize::from(votes);
        for model in ["a", "b", "c"] {
            wait_asked(&house, model, before).await;
        }
        house.person(Command::Pause).await.expect("it is paused");
        house.say(WORDS).await;
        for request in house.model.requests() {
            request.ended().await;
        }
        house.person(Command::Resume).await.expect("it goes on");
        wait_state(&house, "done").await;
        for model in ["a", "b", "c"] {
            for request in asked(&house, model).into_iter().skip(before) {
                assert!(body(&request).contains(WORDS), "{model}: {}", body(&request));
                assert_eq!(body(&request).matches(WORDS).count(), 1, "they are told once");
            }
        }
    }
}

#[tokio::test]
async fn said_after_the_app_was_killed_they_are_told_too() {
    let voices = [member("a", true), member("b", true), member("c", true)];
    let options = json!({ "final_answer_strategy": "winner_reuse" });
    let mut other = Other::begin(voices, options, false).await;
    other.stored("council_answered", 3).await;
    for model in ["a", "b", "c"] {
        other.wait_asked(model, 2).await;
    }
    let after = other.kill().await;
    after.stands_paused();
    let (message, text) = (MessageId(engine::fresh_id()), Text::from(WORDS));
    let say = Command::Say { message, text };
    after.engine.submit(after.other.room, &me(), say).expect("a person may");
    after.resume().await;
    after.wait_state("done").await;
    after.wait_idle().await;
    for model in ["a", "b", "c"] {
        for request in after.other.asked(model).into_iter().skip(2) {
            assert!(body(&request).contains(WORDS), "{model}: {}", body(&request));
        }
    }
}
