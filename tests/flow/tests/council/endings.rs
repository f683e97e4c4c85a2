//! What becomes of the winner's answer.

use super::{
    answer, asked, b_wins, begin, body, done, execute, now, three, voice, vote, wait_asked,
    wait_state, wait_until,
};
use flow::House;
use plan::{Command, Event, PlanMode};
use serde_json::json;
use support::Reply;

/// Approves the plan that is shown.
pub async fn approve(house: &House) {
    let plan = house.plan();
    let (revision, hash) = (plan.revision, plan.hash);
    let approve = Command::Approve { revision, hash, model: None, fresh_context: false };
    house.person(approve).await.expect("a person may approve");
}

#[tokio::test]
async fn reused_the_winners_answer_is_shown_and_nothing_is_executed() {
    let [a, b, c] = b_wins();
    let house = three(a, b, c).await;
    begin(&house, json!({ "final_answer_strategy": "winner_reuse" })).await;
    let council = wait_state(&house, "done").await;
    house.wait_idle().await;
    assert_eq!(council.winner.as_deref(), Some("agent2"));
    assert!(council.members[1].answers[0].content.head().starts_with("Better"));
    assert!(house.view().plan.is_none(), "no plan");
    assert_eq!(house.workspace.files(), []);
    assert!(asked(&house, "b").len() <= 2, "its agent is not asked to act");
    let acted = |kind: &str| house.count(kind);
    assert_eq!((acted("replied"), acted("call_began")), (0, 0), "nobody acted in the room");
    // It is exported by its room, as there is no plan.
    let council = engine::export::council_without_plan(house.engine(), house.room);
    let text = engine::export::council_markdown(&council.expect("it is read").expect("one"));
    for words in ["# Council\n\nState: done", "agent2 (bob) won with", "### Votes", "> Better"] {
        assert!(text.contains(words), "{words:?} in {text}");
    }
}

#[tokio::test]
async fn synthesized_the_winner_writes_one_plan_from_all_answers_first() {
    let [a, _, mut c] = b_wins();
    c.talks[1] = c.talks[1].clone().hold_after(1);
    let b = voice(
        vec![answer("Better", "b.txt"), vote("agent2", "mine"), answer("The best", "all.txt")],
        vec![execute("all.txt"), done()],
    );
    let house = three(a, b, c).await;
    begin(&house, json!({ "final_answer_strategy": "synthesize" })).await;
    let council = wait_state(&house, "done").await;
    let request = asked(&house, "b").into_iter().find(|one| body(one).contains("You won the vote"));
    let request = request.expect("the winner is asked");
    let told = request.texts("user").pop().expect("it is told");
    for label in ["agent1.1 by", "agent2.1 by", "agent3.1 by"] {
        assert!(told.contains(label), "{told}");
    }
    assert!(!told.contains("News:") && !told.contains("vote for the best"), "{told}");
    let tools = request.tool_names();
    assert!(tools.contains(&"new_answer") && !tools.contains(&"vote"), "{tools:?}");
    assert_eq!(house.plan().steps[0].text, "Write all.txt");
    assert!(house.workspace.has("all.txt") && !house.workspace.has("b.txt"));
    assert_eq!(council.members[1].answers.len(), 2);
    assert!(asked(&house, "a").len() <= 2 && asked(&house, "c").len() <= 2, "the others rest");
}

/// While the winner writes, those who were still thinking are not listened to any more.
#[tokio::test]
async fn after_the_decision_nobody_but_the_winner_is_asked() {
    let late = |member: &str| vote(member, "x").hold_after(1);
    let best = answer("The best", "all.txt").hold_after(1);
    let house = three(
        vec![answer("Plain", "a.txt"), late("agent2")],
        voice(
            vec![answer("Better", "b.txt"), vote("agent2", "mine"), best],
            vec![execute("all.txt"), done()],
        ),
        vec![
            answer("Third", "c.txt"),
            Reply::call("list_dir", json!({})).hold_after(1),
            late("agent2"),
            vote("agent2", "too late"),
        ],
    )
    .await;
    begin(&house, json!({ "final_answer_strategy": "synthesize" })).await;
    wait_asked(&house, "a", 2).await;
    wait_asked(&house, "c", 2).await;
    house.model.release();
    wait_asked(&house, "b", 3).await;
    assert_eq!(now(&house).state, "decided");
    for request in asked(&house, "c") {
        request.ended().await;
    }
    let before = asked(&house, "c").len();
    house.model.release();
    wait_state(&house, "done").await;
    assert_eq!(asked(&house, "c").len(), before, "it is not asked again");
}

#[tokio::test]
async fn in_a_strict_room_the_plan_waits_for_approval_and_then_runs() {
    let [a, b, c] = b_wins();
    let mut house = three(a, b, c).await;
    house.mode(PlanMode::Strict).await;
    begin(&house, json!({})).await;
    wait_until(&house, async || house.view().plan.is_some(), "a plan").await;
    assert_eq!(house.plan().state, "awaiting_approval");
    assert_eq!(now(&house).state, "decided");
    assert_eq!(house.view().asks.len(), 1, "a person is asked");
    assert_eq!(house.workspace.files(), []);
    house.restart().await;
    assert_eq!(
        (house.plan().state.as_str(), now(&house).state.as_str()),
        ("awaiting_approval", "decided")
    );
    approve(&house).await;
    wait_state(&house, "done").await;
    assert!(house.workspace.has("b.txt"));
    let approved = house.log().iter().any(|(_, event)| matches!(event, Event::Approved { .. }));
    assert!(approved);
}

#[tokio::test]
async fn a_rejected_or_cancelled_plan_ends_the_council_so() {
    let [a, b, c] = b_wins();
    let house = three(a, b, c).await;
    house.mode(PlanMode::Strict).await;
    begin(&house, json!({})).await;
    wait_until(&house, async || house.view().plan.is_some(), "a plan").await;
    house
        .person(Command::Cancel { reason: "no".to_owned(), call: None })
        .await
        .expect("a person may");
    let council = wait_state(&house, "cancelled").await;
    assert_eq!(council.winner.as_deref(), Some("agent2"), "what was decided stays in view");
    assert_eq!(house.workspace.files(), []);
}

#[tokio::test]
async fn the_winner_is_given_the_task_the_plan_and_what_it_saw_as_a_member() {
    let [a, mut b, c] = b_wins();
    b.talks.insert(0, Reply::call("read_file", json!({ "path": "notes.md" })));
    let files = [("notes.md", "mind the gap")];
    let house = super::three_with([a, b, c], super::THREE, "", &files).await;
    begin(&house, json!({})).await;
    wait_state(&house, "done").await;
    let acts = asked(&house, "b").into_iter().find(|one| one.tool_names().contains(&"plan"));
    let told = body(&acts.expect("the winner acts"));
    for words in [super::TASK, "Write b.txt", "mind the gap", "your answer won"] {
        assert!(told.contains(words), "{words} is missing: {told}");
    }
}

#[tokio::test]
async fn cancelled_while_they_talk_everyone_stops_and_nothing_is_left() {
    let look = || vec![Reply::call("list_dir", json!({})), answer("x", "x").hold_after(1)];
    let house = three(look(), look(), look()).await;
    begin(&house, json!({})).await;
    for model in ["a", "b", "c"] {
        wait_asked(&house, model, 2).await;
    }
    house
        .person(Command::Cancel { reason: "enough".to_owned(), call: None })
        .await
        .expect("a person may");
    let council = wait_state(&house, "cancelled").await;
    assert_eq!(council.end_reason.as_deref(), Some("enough"));
    for request in house.model.requests().iter().skip(3) {
        request.ended().await;
    }
    let copies = house.data().join("copies");
    let gone = async || std::fs::read_dir(&copies).map_or(0, Iterator::count) == 0;
    wait_until(&house, gone, "the copies to be gone").await;
    assert_eq!(house.model.requests().len(), 6, "nobody is asked any more");
}

/// Nobody else carries out what the winner proposed.
#[tokio::test]
async fn without_the_winners_agent_its_plan_waits_and_nobody_else_executes() {
    let [a, b, c] = b_wins();
    let mut house = three(a, b, c).await;
    house.mode(plan::PlanMode::Strict).await;
    begin(&house, json!({})).await;
    wait_state(&house, "decided").await;
    house.wait("question", |event| matches!(event, Event::ApprovalRequested)).await;
    let file = house.config().join("plancard.yaml");
    let whole = std::fs::read_to_string(&file).expect("it can be read");
    let without = whole.replace("  bob:\n    model: test/b\n", "");
    assert_ne!(whole, without);
    std::fs::write(&file, without).expect("it can be written");
    house.restart().await;
    let before = house.model.requests().len();
    approve(&house).await;
    let council = wait_state(&house, "paused").await;
    assert_eq!(council.pause_reason, Some(plan::PauseReason::Provider));
    let why = council.pause_detail.unwrap_or_default();
    assert!(why.contains("bob") && why.contains("no longer among the agents"), "{why}");
    assert_eq!(house.model.requests().len(), before, "nobody is asked");
    std::fs::write(&file, whole).expect("it can be written");
    house.engine().config().reload();
    house.person(Command::Resume).await.expect("it goes on");
    wait_state(&house, "done").await;
    assert!(house.workspace.has("b.txt"));
}
