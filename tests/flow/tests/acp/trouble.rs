//! An agent that is missing, breaks, or is not wanted any more.

use crate::{Mark, approve, configured, house, provider, said, trouble};
use plan::{Command, Event, PauseReason, PlanMode};
use serde_json::json;
use support::wait_for;

#[tokio::test]
async fn one_that_is_not_installed_is_said_so() {
    let house =
        configured("  mine: { type: acp, command: no-such-agent }\n", "default", json!([])).await;
    house.say("go").await;
    let (code, text) = trouble(&house).await;
    assert_eq!(code, "AGENT_NOT_INSTALLED");
    assert!(text.contains("there is no program called no-such-agent"), "{text}");
    assert!(text.contains("set command of the provider mine"), "{text}");
    let tested = house.engine().tested(&engine::config::ModelRef::new("mine", "default")).await;
    assert_eq!(
        (tested.ok, tested.code, tested.message),
        (false, Some("AGENT_NOT_INSTALLED"), text)
    );
}

#[tokio::test]
async fn a_program_that_is_no_agent_is_said_so() {
    for (command, why) in [
        ("[cat]", "it repeats what it is told"),
        ("[sh, -c, 'echo hello; cat'] ", "it says \"hello\""),
    ] {
        let provider = format!("  mine: {{ type: acp, command: {command} }}\n");
        let house = configured(&provider, "default", json!([])).await;
        house.say("go").await;
        let (code, text) = trouble(&house).await;
        let words =
            format!("mine does not speak the Agent Client Protocol ({why}): check its command");
        assert_eq!(code, "AGENT_OTHER_PROTOCOL", "{text}");
        assert!(text.starts_with(&words), "{text}");
    }
}

#[tokio::test]
async fn another_version_a_login_and_broken_words_have_messages_of_their_own() {
    for (args, turns, code, words) in [
        (vec!["--other-version"], json!([]), "AGENT_OTHER_VERSION", "version 99"),
        (vec!["--login"], json!([]), "AGENT_NEEDS_LOGIN", "Log in on the web"),
        (vec![], json!([[{ "garbage": "Welcome!" }]]), "AGENT_UNREADABLE", "Welcome!"),
        (vec![], json!([[{ "error": [-32603, "no credit"] }]]), "AGENT_REFUSED", "no credit"),
        (
            vec![],
            json!([[{ "error": [-32603, "\u{1b}[2Jno\u{202e}\n\n\0credit"] }]]),
            "AGENT_REFUSED",
            "[2Jno credit",
        ),
        (
            vec![],
            json!([[{ "say": "a" }, { "crash": "out of luck" }]]),
            "AGENT_ENDED",
            "out of luck",
        ),
        (
            vec![],
            json!([[{ "say": "a" }, { "crash": "out\u{1b}[2J \u{202e}of\nluck" }]]),
            "AGENT_ENDED",
            "out [2J of\nluck",
        ),
    ] {
        let mark = Mark::fresh();
        let house = house(&mark, &args, turns).await;
        house.say("go").await;
        let (found, text) = trouble(&house).await;
        assert_eq!(found, code, "{text}");
        assert!(text.contains(words), "{text}");
        wait_for(async || !mark.is_running(), "the agent to be gone").await;
    }
}

#[tokio::test]
async fn one_whose_answer_has_no_end_is_cut_off_and_ended() {
    let grew = "it was cut off, since it grew beyond 4 MiB";
    let beside = "it was cut off, since more than 64 MiB came that belong to no answer";
    for (endless, why) in [
        ("say", grew),
        ("think", grew),
        ("own_tool", grew),
        ("arguments", grew),
        ("news", beside),
        ("requests", beside),
    ] {
        let mark = Mark::fresh();
        let house = house(&mark, &[], json!([[{ "endless": endless }]])).await;
        house.say("go").await;
        let (code, text) = trouble(&house).await;
        assert_eq!(code, "AGENT_TOO_LONG", "{endless}: {text}");
        assert_eq!(text, format!("the answer of mine has no end: {why}"), "{endless}");
        wait_for(async || !mark.is_running(), "the agent to be gone").await;
        house.wait_idle().await;
        assert_eq!((house.count("trouble"), house.count("call_began")), (1, 0), "{endless}");
        assert!(!house.workspace.has("a"), "{endless}");
    }
}

#[tokio::test]
async fn a_model_is_chosen_by_its_name_and_one_it_does_not_have_is_said_so() {
    let mark = Mark::fresh();
    let turns = || json!([[{ "tell_model": 1 }]]);
    let house = configured(&provider(&mark, &[]), "large", turns()).await;
    house.say("go").await;
    house.wait_idle().await;
    assert_eq!(said(&house), "model: large");
    let house = configured(&provider(&mark, &[]), "huge", turns()).await;
    house.say("go").await;
    let (code, text) = trouble(&house).await;
    assert_eq!(
        (code.as_str(), text.contains("mine has no model named huge")),
        ("MODEL_UNKNOWN", true)
    );
}

#[tokio::test]
async fn a_crash_in_a_plan_pauses_it_and_a_resume_starts_it_anew() {
    let mark = Mark::fresh();
    let turns = json!([
        [{ "plan": [["a", "in_progress"], ["b", "pending"]] }, { "crash": "oh" }],
    ]);
    let house = house(&mark, &[], turns).await;
    house.say("go").await;
    let paused = house.wait_paused().await;
    assert_eq!(house.plan().pause_reason, Some(PauseReason::Provider));
    let turns = json!([[{ "plan": [["a", "completed"], ["b", "completed"]] }, { "say": "ok" }]]);
    house.workspace.write("agent.json", &turns.to_string());
    house.person(Command::Resume).await.unwrap();
    house.wait_after(paused, "end", |event| matches!(event, Event::PlanDone { .. })).await;
}

#[tokio::test]
async fn a_pause_calls_it_off_and_a_resume_goes_on_in_the_same_session() {
    let mark = Mark::fresh();
    let turns = json!([
        [{ "plan": [["a", "in_progress"]] }, { "say": "on it" }, { "wait": 1 }],
        [{ "repeat_prompt": 1 }, { "plan": [["a", "completed"]] }],
    ]);
    let house = house(&mark, &[], turns).await;
    // Here it can only look, so nothing is to be feared of it while it waits.
    house.mode(PlanMode::Strict).await;
    house.say("go").await;
    house.wait("approval", |event| matches!(event, Event::ApprovalRequested)).await;
    // Before its turn goes on there is nothing to call off.
    tokio::join!(house.hear(house.room, "on it"), approve(&house));
    house.person(Command::Pause).await.unwrap();
    house.wait_idle().await;
    assert!(mark.is_running());
    house.person(Command::Resume).await.unwrap();
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    let said = said(&house);
    assert!(said.contains("heard: ") && !said.contains("A harness"), "{said}");
}

#[tokio::test]
async fn one_that_may_write_ends_with_a_pause_and_a_resume_tells_another_everything() {
    let mark = Mark::fresh();
    let turns = json!([[{ "plan": [["a", "in_progress"]] }, { "say": "on it" }, { "wait": 1 }]]);
    let house = house(&mark, &[], turns).await;
    house.say("go").await;
    house.wait("start", |event| matches!(event, Event::Started)).await;
    house.person(Command::Pause).await.unwrap();
    wait_for(async || !mark.is_running(), "the agent to be gone").await;
    let end = [["a", "completed"]];
    let turns = json!([[{ "repeat_prompt": 1 }, { "plan": end }, { "say": "it is done" }]]);
    house.workspace.write("agent.json", &turns.to_string());
    house.person(Command::Resume).await.unwrap();
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    house.wait_idle().await;
    let said = said(&house);
    assert!(said.contains("heard: ") && said.contains("A harness"), "{said}");
    assert!(said.contains("Person: go"), "{said}");
    assert_eq!(house.count("trouble"), 0);
}

#[tokio::test]
async fn a_cancel_leaves_no_process_even_of_one_that_does_not_listen() {
    for args in [vec![], vec!["--deaf"]] {
        let mark = Mark::fresh();
        let turns =
            json!([[{ "plan": [["a", "in_progress"]] }, { "say": "on it" }, { "wait": 1 }]]);
        let house = house(&mark, &args, turns).await;
        house.say("go").await;
        house.wait("start", |event| matches!(event, Event::Started)).await;
        wait_for(async || mark.is_running(), "the agent").await;
        let cancel = Command::Cancel { reason: "enough".to_owned(), call: None };
        house.person(cancel).await.unwrap();
        wait_for(async || !mark.is_running(), "the agent to be gone").await;
    }
}

#[tokio::test]
async fn a_cancel_while_it_waits_for_an_answer_leaves_no_process() {
    let mark = Mark::fresh();
    let house = house(&mark, &[], json!([[{ "write": ["ask-first/a.txt", "x"] }]])).await;
    house.say("go").await;
    house.wait("question", |event| matches!(event, Event::AskRaised { .. })).await;
    house.person(Command::Stop { so_far: None }).await.unwrap();
    wait_for(async || !mark.is_running(), "the agent to be gone").await;
    assert!(!house.workspace.has("ask-first/a.txt"));
}

#[tokio::test]
async fn a_deleted_room_takes_its_agent_with_it() {
    let mark = Mark::fresh();
    let house = house(&mark, &[], json!([[{ "say": "hello" }]])).await;
    house.say("go").await;
    house.wait_idle().await;
    assert!(mark.is_running());
    house.engine().delete_room(house.room, &flow::me()).await.unwrap();
    assert!(!mark.is_running());
}
