//! What is said, in both directions.

use crate::{Mark, house, replies, said};
use plan::{Event, PlanMode};
use serde_json::json;

#[tokio::test]
async fn words_and_thoughts_are_a_turn_like_any_other() {
    let mark = Mark::fresh();
    let turn = json!([[
        { "think": "let me see" }, { "own_tool": "Look around" }, { "say": "hello " }, { "say": "you" }
    ]]);
    let house = house(&mark, &[], turn).await;
    house.say("hi").await;
    house.wait_idle().await;
    let reply = house.log().into_iter().find_map(|(_, event)| {
        let Event::Replied { model, text, thinking, usage, .. } = event else { return None };
        Some((model, text.head().to_owned(), thinking?.head().to_owned(), usage.input))
    });
    let thought = "let me see\n[Look around]\n".to_owned();
    let Some(reply) = reply else { panic!("{:#?}", house.log()) };
    assert_eq!(reply, ("mine/default".to_owned(), "hello you".to_owned(), thought, 10));
}

#[tokio::test]
async fn it_is_told_the_rules_once_and_then_only_what_is_new() {
    let mark = Mark::fresh();
    let house =
        house(&mark, &[], json!([[{ "repeat_prompt": 1 }], [{ "repeat_prompt": 1 }]])).await;
    house.say("first words").await;
    house.wait_idle().await;
    assert!(said(&house).contains("A harness") && said(&house).contains("Person: first words"));
    house.say("second words").await;
    house.wait_idle().await;
    assert_eq!(replies(&house).pop().unwrap().trim(), "heard: second words");
}

#[tokio::test]
async fn after_a_restart_it_hears_the_conversation_so_far() {
    let mark = Mark::fresh();
    let turns = json!([[{ "repeat_prompt": 1 }]]);
    let mut house = house(&mark, &[], turns).await;
    house.say("first words").await;
    house.wait_idle().await;
    house.restart().await;
    assert!(!mark.is_running(), "it ended with the app");
    house.say("second words").await;
    house.wait_idle().await;
    let last = replies(&house).pop().unwrap();
    assert!(
        last.contains("The conversation so far:\nPerson: first words\nAgent: heard: "),
        "{last}"
    );
    assert!(last.trim().ends_with("Now:\nPerson: second words"), "{last}");
}

#[tokio::test]
async fn a_person_who_speaks_while_it_waits_is_heard_next() {
    let mark = Mark::fresh();
    let turns = json!([
        [{ "plan": [["look", "in_progress"], ["tell", "pending"]] }, { "write": ["a.txt", "a"] }],
        [{ "repeat_prompt": 1 }],
    ]);
    let house = house(&mark, &[], turns).await;
    house.mode(PlanMode::Strict).await;
    house.say("go").await;
    house.wait("approval", |event| matches!(event, Event::ApprovalRequested)).await;
    house.say("rather not").await;
    house.wait("the words", |event| {
        matches!(event, Event::Replied { text, .. } if text.head().contains("rather not"))
    })
    .await;
    assert!(said(&house).contains("did not approve your plan"), "{}", said(&house));
    assert!(!house.workspace.has("a.txt"));
}
