//! The program is killed in every phase of a council: after the next start it stands paused with
//! everything in view, goes on when a person resumes it, and pays for no stored answer twice.

use super::another_process::Other;
use super::{Voice, answer, done, execute, voice, vote};
use flow::me;
use plan::Command;
use serde_json::json;
use support::{Recorded, Reply, wait_for};

fn plain(title: &str, file: &str) -> Voice {
    vec![answer(title, file), vote("agent2", "b is better")].into()
}

#[tokio::test]
async fn killed_while_members_answer_it_goes_on_and_asks_only_those_who_had_not() {
    let late = |title: &str, file: &str| answer(title, file).hold_after(1);
    let mut other = Other::begin(
        [
            plain("Plain", "a.txt"),
            voice(
                vec![late("x", "x"), answer("Better", "b.txt"), vote("agent2", "mine")],
                vec![execute("b.txt"), done()],
            ),
            vec![late("x", "x"), answer("Third", "c.txt"), vote("agent2", "best")].into(),
        ],
        json!({}),
        false,
    )
    .await;
    other.stored("council_answered", 1).await;
    other.wait_asked("b", 1).await;
    other.wait_asked("c", 1).await;
    let after = other.kill().await;
    let council = after.stands_paused();
    assert_eq!(council.members[0].answers.len(), 1, "what was said is in view");
    after.resume().await;
    let council = after.wait_state("done").await;
    after.wait_idle().await;
    assert_eq!(council.winner.as_deref(), Some("agent2"));
    let [a, b, c] = after.paid();
    assert!(a <= 2 && b <= 5 && c <= 3, "no stored answer is paid for twice: {a} {b} {c}");
    assert_eq!(after.files(), ["b.txt", "keep.txt"]);
}

#[tokio::test]
async fn killed_while_members_vote_the_votes_are_kept() {
    let late = |member: &str| vote(member, "x").hold_after(1);
    let mut other = Other::begin(
        [
            plain("Plain", "a.txt"),
            voice(
                vec![answer("Better", "b.txt"), late("agent1"), vote("agent2", "mine")],
                vec![execute("b.txt"), done()],
            ),
            vec![answer("Third", "c.txt"), late("agent1"), vote("agent3", "mine")].into(),
        ],
        json!({}),
        false,
    )
    .await;
    other.stored("council_voted", 1).await;
    other.wait_asked("b", 2).await;
    other.wait_asked("c", 2).await;
    let after = other.kill().await;
    let council = after.stands_paused();
    assert!(council.members[0].vote.is_some(), "{council:?}");
    assert!(council.members.iter().all(|one| one.answers.len() == 1));
    after.resume().await;
    let council = after.wait_state("done").await;
    after.wait_idle().await;
    assert_eq!(council.winner.as_deref(), Some("agent2"));
    assert_eq!(after.paid()[0], 2, "it had answered and voted");
    assert!(after.paid()[1] <= 5 && after.paid()[2] <= 3, "{:?}", after.paid());
}

#[tokio::test]
async fn killed_after_the_decision_the_winner_goes_on_writing() {
    let mut other = Other::begin(
        [
            plain("Plain", "a.txt"),
            voice(
                vec![
                    answer("Better", "b.txt"),
                    vote("agent2", "mine"),
                    answer("x", "x.txt").hold_after(1),
                    answer("All", "all.txt"),
                ],
                vec![execute("all.txt"), done()],
            ),
            plain("Third", "c.txt"),
        ],
        json!({ "final_answer_strategy": "synthesize" }),
        false,
    )
    .await;
    other.stored("council_decided", 1).await;
    let writes = |one: &Recorded| String::from_utf8_lossy(one.body()).contains("You won the vote");
    wait_for(async || other.asked("b").iter().any(writes), "the winner to write").await;
    let after = other.kill().await;
    let council = after.stands_paused();
    assert_eq!(council.winner.as_deref(), Some("agent2"), "{council:?}");
    assert!(after.engine.view(after.other.room).expect("it is there").plan.is_none());
    let [a, b, c] = after.paid();
    after.resume().await;
    after.wait_state("done").await;
    after.wait_idle().await;
    assert_eq!(after.files(), ["all.txt", "keep.txt"]);
    assert_eq!(after.paid(), [a, b + 3, c], "only the winner is asked again");
}

#[tokio::test]
async fn killed_while_the_plan_waits_for_approval_it_still_waits() {
    let mut other = Other::begin(
        [
            plain("Plain", "a.txt"),
            voice(
                vec![answer("Better", "b.txt"), vote("agent2", "mine")],
                vec![execute("b.txt"), done()],
            ),
            plain("Third", "c.txt"),
        ],
        json!({}),
        true,
    )
    .await;
    other.stored("approval_requested", 1).await;
    let after = other.kill().await;
    assert_eq!(after.council().state, "decided", "nothing was interrupted");
    let plan = after.engine.view(after.other.room).expect("it is there").plan.expect("a plan");
    assert_eq!(plan.state, "awaiting_approval");
    let (revision, hash) = (plan.revision, plan.hash);
    let approve = Command::Approve { revision, hash, model: None, fresh_context: false };
    after.engine.submit(after.other.room, &me(), approve).expect("a person may");
    after.wait_state("done").await;
    after.wait_idle().await;
    assert_eq!(after.files(), ["b.txt", "keep.txt"]);
}

#[tokio::test]
async fn killed_while_the_winner_acts_it_goes_on_with_its_plan() {
    let mut other = Other::begin(
        [
            plain("Plain", "a.txt"),
            voice(
                vec![answer("Better", "b.txt"), vote("agent2", "mine")],
                vec![
                    Reply::call("list_dir", json!({})),
                    execute("x.txt").hold_after(1),
                    execute("b.txt"),
                    done(),
                ],
            ),
            plain("Third", "c.txt"),
        ],
        json!({}),
        false,
    )
    .await;
    other.stored("call_ended", 1).await;
    let acts = |one: &Recorded| one.tool_names().contains(&"plan");
    let twice = async || other.asked("b").iter().filter(|one| acts(one)).count() == 2;
    wait_for(twice, "its second turn").await;
    let after = other.kill().await;
    let council = after.stands_paused();
    assert_eq!(council.winner.as_deref(), Some("agent2"));
    let [a, b, c] = after.paid();
    after.resume().await;
    after.wait_state("done").await;
    after.wait_idle().await;
    assert_eq!(after.files(), ["b.txt", "keep.txt"]);
    assert!(after.paid()[1] <= b + 2 && after.paid()[0] == a && after.paid()[2] == c);
}

#[tokio::test]
async fn killed_while_the_winner_judges_or_the_council_begins_again_it_goes_on_from_there() {
    let again =
        json!({ "reason": "The licence is missing.", "instructions": "Add a LICENSE file." });
    let again = || Reply::call("restart_orchestration", again.clone());
    for judging in [true, false] {
        let first = |file: &str| vec![answer(file, file), vote("agent2", "b")];
        let late = |file: &str| match judging {
            true => vec![answer(file, file), vote("agent2", "b")],
            false => vec![answer("x", "x").hold_after(1), answer(file, file), vote("agent2", "b")],
        };
        let review = if judging { vec![again().hold_after(1), again()] } else { vec![again()] };
        let acts = [vec![execute("b.txt")], review, vec![execute("LICENSE"), done()]].concat();
        let mut other = Other::begin(
            [
                [first("a.txt"), late("a2.txt")].concat().into(),
                voice([first("b.txt"), late("LICENSE")].concat(), acts),
                [first("c.txt"), late("c2.txt")].concat().into(),
            ],
            json!({ "max_orchestration_restarts": 1 }),
            false,
        )
        .await;
        if judging {
            other.stored("council_review_began", 1).await;
            let judges = |one: &Recorded| one.tool_names() == ["submit", "restart_orchestration"];
            wait_for(async || other.asked("b").iter().any(judges), "the winner to judge").await;
        } else {
            other.stored("council_restarted", 1).await;
            let second =
                |one: &Recorded| String::from_utf8_lossy(one.body()).contains("another attempt");
            for model in ["a", "b", "c"] {
                let begun = async || other.asked(model).iter().any(second);
                wait_for(begun, "the second attempt").await;
            }
        }
        let after = other.kill().await;
        let council = after.stands_paused();
        assert_eq!(council.attempt, if judging { 1 } else { 2 });
        after.resume().await;
        let council = after.wait_state("done").await;
        after.wait_idle().await;
        assert_eq!((council.attempt, council.earlier.len()), (2, 1));
        assert_eq!(council.earlier[0].reason, "The licence is missing.");
        assert_eq!(after.files(), ["LICENSE", "b.txt", "keep.txt"]);
    }
}
