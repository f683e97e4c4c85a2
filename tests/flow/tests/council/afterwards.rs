//! After a council that executed nothing its task is nobody's to do: the room's agent rests, and is
//! told what became of it when a person next says something.

use super::{TASK, Voice, answer, asked, begin, body, done, execute, now, three, voice, vote};
use super::{wait_asked, wait_state, wait_until};
use engine::StartCouncil;
use flow::{House, me};
use plan::Command;
use serde_json::json;
use support::{Recorded, Reply};

/// What the person says while members are at work.
const MEANWHILE: &str = "Hurry, and mind the photos.";

/// The same house with a provider of another protocol.
fn speaking(house: House, protocol: &str) -> House {
    let file = house.config().join("plancard.yaml");
    let text = std::fs::read_to_string(&file).expect("it can be read");
    let other = text.replace("type: openai", &format!("type: {protocol}"));
    std::fs::write(&file, other).expect("it can be written");
    house.engine().config().reload();
    house
}

/// A member that answers when it is let, and a room's agent that would delete something.
fn late(title: &str, file: &str) -> Voice {
    let talks = vec![answer(title, file).hold_after(1), vote("agent2", "better")];
    voice(talks, vec![Reply::text("You are welcome.")])
}

/// What was asked of anyone but members.
fn acts(house: &House) -> Vec<Recorded> {
    let all = house.model.requests().into_iter();
    all.filter(|one| !one.tool_names().contains(&"new_answer")).collect()
}

fn cancel() -> Command {
    Command::Cancel { reason: "not now".to_owned(), call: None }
}

#[tokio::test]
async fn nobody_is_asked_and_the_next_message_is_told_what_became_of_it() {
    for protocol in ["openai", "anthropic"] {
        for (end, became) in [
            ("failed", "The council failed: It was to answer at once"),
            ("cancelled", "The council was cancelled: not now."),
            ("done", "I would write b.txt."),
        ] {
            let voices = [late("Plain", "a.txt"), late("Better", "b.txt"), late("Third", "c.txt")];
            let [a, b, c] = voices;
            let house = speaking(three(a, b, c).await, protocol);
            begin(&house, json!({ "final_answer_strategy": "winner_reuse" })).await;
            for model in ["a", "b", "c"] {
                wait_asked(&house, model, 1).await;
            }
            house.say(MEANWHILE).await;
            match end {
                "failed" => drop(house.person(Command::AnswerNow).await.expect("a person may")),
                "cancelled" => drop(house.person(cancel()).await.expect("a person may")),
                _ => {}
            }
            house.model.release();
            wait_state(&house, end).await;
            house.wait_idle().await;
            assert_eq!(acts(&house).len(), 0, "{protocol}, {end}: the room's agent rests");

            house.say("Thanks.").await;
            wait_until(&house, async || acts(&house).len() == 1, "its answer").await;
            house.wait_idle().await;
            let told = body(&acts(&house)[0]);
            let order = [TASK, MEANWHILE, became, "Nothing of it is to be done", "Thanks."];
            let places: Vec<_> = order.iter().map(|words| told.find(words)).collect();
            assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{end}: {told}");
            // Nobody reads them as words that wait for an answer.
            let said = acts(&house)[0].texts("user");
            for words in [TASK, MEANWHILE] {
                assert!(!said.iter().any(|one| one.trim_start().starts_with(words)), "{said:?}");
            }
            assert_eq!(house.workspace.files(), [], "{protocol}, {end}");
        }
    }
}

#[tokio::test]
async fn after_a_restart_it_is_told_the_same() {
    let house = three(late("Plain", "a"), late("Better", "b"), late("Third", "c")).await;
    begin(&house, json!({})).await;
    wait_asked(&house, "a", 1).await;
    house.say(MEANWHILE).await;
    house.person(cancel()).await.expect("a person may");
    house.model.release();
    let mut house = house;
    house.restart().await;
    house.wait_idle().await;
    assert_eq!(acts(&house).len(), 0);
    house.say("Thanks.").await;
    wait_until(&house, async || acts(&house).len() == 1, "its answer").await;
    let told = body(&acts(&house)[0]);
    assert!(told.contains(TASK) && told.contains("The council was cancelled"), "{told}");
}

#[tokio::test]
async fn the_next_councils_winner_reads_that_the_first_was_cancelled() {
    let held = || Reply::text("a long look").hold_after(1);
    let house = three(
        vec![held(), answer("Plain", "a.txt"), vote("agent2", "b is better")],
        voice(
            vec![held(), answer("Better", "b.txt"), vote("agent2", "mine")],
            vec![execute("b.txt"), done()],
        ),
        vec![held(), answer("Third", "c.txt"), vote("agent2", "b is best")],
    )
    .await;
    let first = "Delete the folder notes";
    let start = StartCouncil { task: first.to_owned(), ..StartCouncil::default() };
    house.engine().start_council(house.room, &me(), start).await.expect("a council begins");
    for model in ["a", "b", "c"] {
        wait_asked(&house, model, 1).await;
    }
    house.person(cancel()).await.expect("a person may");
    for request in house.model.requests() {
        request.ended().await;
    }
    begin(&house, json!({})).await;
    wait_until(&house, async || !now(&house).members[0].answers.is_empty(), "an answer").await;
    house.say(MEANWHILE).await;
    wait_state(&house, "done").await;
    house.wait_idle().await;
    let acts = acts(&house);
    let told = body(&acts[0]);
    let order = [first, "The council was cancelled", TASK, "your answer won"];
    let places: Vec<_> = order.iter().map(|words| told.find(words)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{told}");
    let said = acts[0].texts("user");
    assert!(!said.iter().any(|one| one.contains(first)), "{said:?}");
    assert!(said.iter().any(|one| one.contains(TASK)), "its task is told by a person: {said:?}");
    assert!(house.workspace.has("b.txt"));
    assert!(asked(&house, "a").len() <= 3);
}
