//! In which order members see answers, and what they are called.

use super::{TASK, body, now, wait_until};
use engine::StartCouncil;
use flow::{House, me};
use serde_json::json;
use std::collections::BTreeSet;
use support::{Recorded, Reply, Script};

/// The labels of the answers that a request shows, in their order.
fn labels(request: &Recorded) -> Vec<String> {
    let told = request.texts("user").pop().unwrap_or_default();
    let label = |line: &str| line.split_once(" by agent").map(|(label, _)| label.to_owned());
    told.lines().filter_map(label).collect()
}

#[tokio::test]
async fn each_of_eight_members_sees_all_answers_in_an_order_of_its_own() {
    let script = Script::from_fn(|request| {
        let told = request.texts("user").join("\n");
        match told.contains("agent1.1 by") {
            true => {
                let vote = json!({ "agent_id": "agent8", "reason": "good" });
                Reply::call("vote", vote).hold_after(1)
            }
            false => {
                let content = format!("Idea {}\nDo it.", request.model());
                Reply::call("new_answer", json!({ "content": content })).hold_after(1)
            }
        }
    });
    let names: Vec<String> = (2..=8).map(|n| format!("m{n}")).collect();
    let others: String = names.iter().map(|n| format!("\n  {n}:\n    model: test/{n}")).collect();
    let house = House::of_agent(&format!("test/m1{others}"), script, "", &[]).await;
    let members = ["default".to_owned()].into_iter().chain(names).collect();
    let options = json!({ "final_answer_strategy": "winner_reuse" });
    let options = options.as_object().cloned().unwrap();
    let start = StartCouncil { task: TASK.to_owned(), members, options };
    house.engine().start_council(house.room, &me(), start).await.unwrap();
    wait_until(&house, async || house.model.requests().len() == 8, "all to be asked").await;
    for (number, request) in (1..).zip(&house.model.requests()) {
        let told = body(request);
        assert!(told.contains("in a council of 8"), "{number}: {told}");
        assert_eq!(labels(request), [""; 0], "the first answers are blind");
        assert!(told.contains("Nobody votes yet"), "{told}");
    }
    // All answers are in before anyone votes.
    house.model.release();
    wait_until(&house, async || house.model.requests().len() == 16, "all to be asked again").await;
    let orders: Vec<Vec<String>> = house.model.requests()[8..].iter().map(labels).collect();
    let all: BTreeSet<String> = (1..=8).map(|n| format!("agent{n}.1")).collect();
    for order in &orders {
        assert_eq!(order.iter().cloned().collect::<BTreeSet<_>>(), all);
    }
    assert!(orders.iter().collect::<BTreeSet<_>>().len() > 1, "{orders:?}");
    assert_eq!(now(&house).state, "voting");
    house.model.release();
    wait_until(&house, async || now(&house).state == "done", "the end").await;
    assert_eq!(now(&house).winner.as_deref(), Some("agent8"));
}

#[tokio::test]
async fn nobody_votes_for_what_they_can_not_see() {
    let step = json!({
        "text": "Test", "tool": "shell", "target": "cargo test", "expected_outcome": "All pass",
        "verify": "true", "agent": "cid", "model": "test/c",
    });
    let whole = Reply::call("new_answer", json!({ "content": "Test it", "steps": [step] }));
    let house = super::three(
        vec![super::answer("Plain", "a.txt"), super::vote("agent1", "x")],
        vec![whole, super::vote("agent1", "x")],
        vec![super::answer("Third", "c.txt"), super::vote("agent1", "x")],
    )
    .await;
    super::begin(&house, json!({ "final_answer_strategy": "winner_reuse" })).await;
    let told = super::wait_asked(&house, "a", 2).await.texts("user").join("\n");
    for words in [
        "Does: shell cargo test",
        "Expected: All pass",
        "Check: `true` exits with 0",
        "Agent: cid",
        "Model: test/c",
    ] {
        assert!(told.contains(words), "{words} in {told}");
    }
    let council = super::wait_state(&house, "done").await;
    let step = &council.members[1].answers[0].steps[0];
    assert!(step.verify.is_some() && step.agent.as_deref() == Some("cid"), "{step:?}");
}
