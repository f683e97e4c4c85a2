//! A council that begins again: once where it may, with what was wrong in view.

use super::{
    Voice, answer, asked, begin, body, done, execute, now, three, voice, vote, wait_asked,
    wait_state, wait_until,
};
use engine::export;
use flow::House;
use serde_json::json;
use support::Reply;

fn again() -> Reply {
    let args =
        json!({ "reason": "The licence is missing.", "instructions": "Add a LICENSE file." });
    Reply::call("restart_orchestration", args)
}

fn members(b: Voice) -> [Voice; 3] {
    let other = |title: &str, file: &str| -> Voice {
        vec![
            answer(title, file),
            vote("agent2", "b is better"),
            answer(&format!("{title} again"), file),
            vote("agent2", "b is better again"),
        ]
        .into()
    };
    [other("Plain", "a.txt"), b, other("Third", "c.txt")]
}

fn once() -> serde_json::Value {
    json!({ "max_orchestration_restarts": 1 })
}

async fn twice() -> House {
    let b = voice(
        vec![
            answer("Better", "b.txt"),
            vote("agent2", "mine"),
            answer("Better with a licence", "LICENSE"),
            vote("agent2", "mine"),
        ],
        vec![execute("b.txt"), again(), execute("LICENSE"), again(), done()],
    );
    let [a, b, c] = members(b);
    let house = three(a, b, c).await;
    begin(&house, once()).await;
    wait_state(&house, "done").await;
    house.wait_idle().await;
    house
}

#[tokio::test]
async fn the_second_attempt_carries_reason_and_instructions_and_the_last_result() {
    let house = twice().await;
    for model in ["a", "b", "c"] {
        let told = "Reason: The licence is missing.";
        let requests = asked(&house, model);
        let (before, after): (Vec<_>, Vec<_>) =
            requests.iter().partition(|one| !body(one).contains(told));
        assert!(!before.is_empty() && !after.is_empty(), "{model}: {}", after.len());
        let first = body(after[0]);
        assert!(first.contains("Add a LICENSE file."), "{first}");
        assert!(first.contains("Write b.txt"), "what came of the last one: {first}");
        let words = after[0].texts("user").swap_remove(0);
        let (top, task) = (words.find(told), words.find(super::TASK));
        assert!(top < task, "at the top of the task: {words}");
    }
    assert!(house.workspace.has("b.txt") && house.workspace.has("LICENSE"));
}

#[tokio::test]
async fn the_winner_judges_with_nothing_else_on_offer() {
    let house = twice().await;
    let judges = |one: &support::Recorded| one.tool_names().contains(&"submit");
    let review = asked(&house, "b").into_iter().find(judges).expect("the winner judges");
    assert_eq!(review.tool_names(), ["submit", "restart_orchestration"]);
    assert!(body(&review).contains("the plan is done"), "{}", body(&review));
}

#[tokio::test]
async fn a_second_restart_is_refused_and_every_attempt_is_kept() {
    let house = twice().await;
    assert_eq!(house.count("council_restarted"), 1);
    let last = asked(&house, "b").pop().expect("it was asked");
    let refused = last.tool_results().pop().expect("a result");
    assert!(refused.contains("\"code\"") && refused.contains("no finished work"), "{refused}");
    let council = now(&house);
    assert_eq!((council.attempt, council.attempts), (2, 2));
    assert_eq!(council.winner.as_deref(), Some("agent2"));
    let [first] = &council.earlier[..] else { panic!("{council:?}") };
    assert_eq!((first.attempt, first.winner.as_deref()), (1, Some("agent2")));
    assert_eq!(first.reason, "The licence is missing.");
    assert_eq!(first.instructions, "Add a LICENSE file.");
    let answers: Vec<usize> = first.members.iter().map(|one| one.answers.len()).collect();
    assert_eq!(answers, [1, 1, 1], "what was said then is kept");
    let titles: Vec<&str> =
        council.members.iter().map(|one| one.answers[0].title.as_str()).collect();
    assert_eq!(titles, ["Plain again", "Better with a licence", "Third again"]);
    let rooms =
        |all: &[plan::CouncilMemberView]| -> Vec<_> { all.iter().map(|one| one.room_id).collect() };
    assert_ne!(rooms(&first.members), rooms(&council.members), "in rooms of their own");
    assert_ne!(Some(first.plan_id), council.plan_id, "a new plan");
}

#[tokio::test]
async fn submit_ends_it_and_so_does_saying_nothing() {
    for last in [Reply::call("submit", json!({})), done()] {
        let b = voice(
            vec![answer("Better", "b.txt"), vote("agent2", "mine")],
            vec![execute("b.txt"), last],
        );
        let [a, b, c] = members(b);
        let house = three(a, b, c).await;
        begin(&house, once()).await;
        let council = wait_state(&house, "done").await;
        assert_eq!((council.attempt, council.earlier.len()), (1, 0));
        house.wait_idle().await;
        let acts = |one: &support::Recorded| !one.tool_names().contains(&"new_answer");
        let acted = house.model.requests().into_iter().filter(acts).count();
        assert_eq!(acted, 2, "nobody is asked any more");
    }
}

#[tokio::test]
async fn a_new_attempt_needs_a_new_approval() {
    let b = voice(
        vec![
            answer("Better", "b.txt"),
            vote("agent2", "mine"),
            answer("Better with a licence", "LICENSE"),
            vote("agent2", "mine"),
        ],
        vec![execute("b.txt"), again()],
    );
    let [a, b, c] = members(b);
    let house = three(a, b, c).await;
    house.mode(plan::PlanMode::Strict).await;
    begin(&house, once()).await;
    wait_until(&house, async || house.view().plan.is_some(), "a plan").await;
    let first = house.plan();
    assert_eq!(first.state, "awaiting_approval");
    super::endings::approve(&house).await;
    let second = async || {
        let plan = house.plan();
        plan.id != first.id && plan.state == "awaiting_approval"
    };
    wait_until(&house, second, "the second plan to wait").await;
    assert_eq!(now(&house).state, "decided");
    assert!(!house.workspace.has("LICENSE"));
}

#[tokio::test]
async fn an_earlier_attempt_is_exported_with_the_persons_vote_and_its_result() {
    let slow = |title: &str, file: &str| -> Voice {
        vec![
            answer(title, file),
            vote("agent2", "better").hold_after(1),
            answer(&format!("{title} again"), file),
            vote("agent2", "better again"),
        ]
        .into()
    };
    let b = voice(
        vec![
            answer("Better", "b.txt"),
            vote("agent2", "mine").hold_after(1),
            answer("Better with a licence", "LICENSE"),
            vote("agent2", "mine"),
        ],
        vec![execute("b.txt"), again(), execute("LICENSE"), done()],
    );
    let house = three(slow("Plain", "a.txt"), b, slow("Third", "c.txt")).await;
    begin(&house, once()).await;
    for model in ["a", "b", "c"] {
        wait_asked(&house, model, 2).await;
    }
    let voted = house.engine().vote_council(house.room, &flow::me(), "agent2", "mine, too");
    voted.expect("a person may").stored().await.expect("it is stored");
    house.model.release();
    let council = wait_state(&house, "done").await;
    let [first] = &council.earlier[..] else { panic!("{council:?}") };
    let plan = export::plan(house.engine(), first.plan_id.0).unwrap().expect("it is kept");
    let its = export::council(house.engine(), &plan).unwrap();
    let text = export::with_council(&plan, its.as_ref());
    assert!(text.contains("- You for agent2.1: mine, too"), "{text}");
    assert!(text.contains("followed: The licence is missing.\n> 1. Write b.txt: made"), "{text}");
    assert!(council.person_vote.is_none());
}
