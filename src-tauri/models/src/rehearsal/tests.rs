use futures::StreamExt;
use serde_json::Value;

use super::*;
use crate::{ToolSet, Transcript};

/// What the rehearsal does next after these messages.
async fn turn(messages: &[Message]) -> Vec<ModelEvent> {
    let mut transcript = Transcript::new(Protocol::Rehearsal);
    messages.iter().for_each(|message| transcript.push(message));
    let request = Request {
        model: "rehearsal".into(),
        system: "".into(),
        history: transcript.snapshot(),
        // A plan is under way, which is told beside the history.
        tail: Some("Plan".into()),
        tools: ToolSet::new(Protocol::Rehearsal, &[]),
        max_output: None,
        thinking: None,
        force: None,
    };
    let stream = Rehearsal::new(Pace::Instant).stream(request).await.unwrap();
    stream.map(Result::unwrap).collect().await
}

/// The turn as the message that goes into the history.
fn message(events: &[ModelEvent]) -> Message {
    let mut text = String::new();
    let mut calls = Vec::new();
    for event in events {
        match event {
            ModelEvent::Text(more) => text.push_str(more),
            ModelEvent::ToolCall(call) => calls.push(call.clone()),
            ModelEvent::Thinking(_)
            | ModelEvent::Kept(_)
            | ModelEvent::Usage(_)
            | ModelEvent::Done(_) => {}
        }
    }
    Message::Assistant { text, calls, kept: None }
}

fn calls(message: &Message) -> &[CallRequest] {
    let Message::Assistant { calls, .. } = message else { panic!("not a turn: {message:?}") };
    calls
}

fn text(message: &Message) -> &str {
    let Message::Assistant { text, .. } = message else { panic!("not a turn: {message:?}") };
    text
}

fn user(text: &str) -> Message {
    Message::User { text: text.into() }
}

fn result(call: &CallRequest, text: &str) -> Message {
    Message::ToolResult {
        call: call.id.clone(),
        text: text.into(),
        images: Vec::new(),
        failed: false,
    }
}

/// Runs from the given history until a turn ends in words; returns the whole history.
async fn run(mut history: Vec<Message>) -> Vec<Message> {
    loop {
        let next = message(&turn(&history).await);
        let asked = calls(&next).to_vec();
        history.push(next);
        if asked.is_empty() {
            return history;
        }
        history.extend(asked.iter().map(|call| result(call, "ok")));
    }
}

/// Names of the calls with the step or path they are about.
fn done_steps(history: &[Message]) -> Vec<String> {
    let turns = history.iter().filter(|m| matches!(m, Message::Assistant { .. }));
    let arguments = turns.flat_map(calls).filter(|call| call.name == "plan").map(|call| {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
        arguments["step"].as_str().unwrap_or("write").to_owned()
    });
    arguments.collect()
}

#[tokio::test]
async fn the_tour_does_every_step_of_its_plan_in_order() {
    let history = run(vec![user("tidy up")]).await;
    let write: Value = serde_json::from_str(&calls(&history[1])[0].arguments).unwrap();
    let mut expected = vec!["write".to_owned()];
    let steps = write["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 12);
    expected.extend(steps.iter().map(|step| step["id"].as_str().unwrap().to_owned()));
    assert_eq!(done_steps(&history), expected);
    assert!(text(history.last().unwrap()).contains("## Still to do"));
    let mut ids: Vec<&str> = history
        .iter()
        .filter(|m| matches!(m, Message::Assistant { .. }))
        .flat_map(calls)
        .map(|call| call.id.as_str())
        .collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all, "an id was used twice");
}

#[tokio::test]
async fn the_tour_goes_on_from_any_prefix() {
    let history = run(vec![user("tidy up")]).await;
    for length in 1..history.len() {
        if matches!(history[length], Message::Assistant { .. }) {
            assert_eq!(run(history[..length].to_vec()).await, history, "cut at {length}");
        }
    }
}

#[tokio::test]
async fn words_in_mid_run_do_not_begin_it_again() {
    let history = run(vec![user("tidy up")]).await;
    let half = history.iter().rposition(|m| matches!(m, Message::Assistant { .. })).unwrap() / 2;
    let at = (half..).find(|at| matches!(history[*at], Message::Assistant { .. })).unwrap();
    let mut steered = history[..at].to_vec();
    steered.push(user("is this going to fail?"));
    steered.push(Message::Note { text: "go on with step 6".into() });
    assert_eq!(message(&turn(&steered).await), history[at]);
    steered.push(Message::Assistant { text: "Half a sen".into(), calls: Vec::new(), kept: None });
    assert_eq!(calls(&message(&turn(&steered).await)).len(), calls(&history[at]).len());
}

#[tokio::test]
async fn a_new_message_after_the_end_opens_a_new_run() {
    let mut history = run(vec![user("tidy up")]).await;
    assert!(text(&message(&turn(&history).await)).contains("the whole rehearsal"));
    history.push(user("and again"));
    assert_eq!(calls(&message(&turn(&history).await))[0].name, "plan");
    assert_eq!(done_steps(&run(history).await).len(), 2 * 13);
}

#[tokio::test]
async fn what_was_not_run_is_asked_for_again() {
    let mut history = vec![user("tidy up")];
    let both = loop {
        let next = message(&turn(&history).await);
        history.push(next.clone());
        if calls(&next).len() == 2 {
            break next;
        }
        history.extend(calls(&next).iter().map(|call| result(call, "ok")));
    };
    history.push(result(&calls(&both)[0], "written"));
    history.push(result(&calls(&both)[1], "not_run: paused"));
    let again = message(&turn(&history).await);
    let name_and_arguments = |call: &CallRequest| (call.name.clone(), call.arguments.clone());
    let expected = vec![name_and_arguments(&calls(&both)[1])];
    assert_eq!(calls(&again).iter().map(name_and_arguments).collect::<Vec<_>>(), expected);
    assert_ne!(calls(&again)[0].id, calls(&both)[1].id);
    let finished = run(history).await;
    assert_eq!(done_steps(&finished).len(), 14, "thirteen plan calls, one of them twice");
}

#[tokio::test]
async fn a_refused_plan_is_said_in_words_and_ends_the_run() {
    for answer in [
        r#"{"approved":false,"reason":"too long"}"#,
        r#"{"code":"PLAN_CONFLICT","message":"too long","fallbacks":[]}"#,
        r#"{"error":{"code":"X","message":"too long"}} Plan harness: try again"#,
        "Refused: too long",
    ] {
        let mut history = vec![user("tidy up")];
        history.push(message(&turn(&history).await));
        history.push(result(&calls(&history[1])[0], answer));
        let words = message(&turn(&history).await);
        assert!(text(&words).ends_with("too long"), "{words:?}");
        assert_eq!(calls(&words), []);
        history.push(words);
        assert!(text(&message(&turn(&history).await)).contains("Send a message"));
        history.push(user("once more"));
        assert_eq!(calls(&message(&turn(&history).await))[0].name, "plan");
    }
}

#[tokio::test]
async fn a_question_gets_words_and_failing_fails_three_times() {
    let answer = turn(&[user("What can you do? ")]).await;
    assert_eq!(calls(&message(&answer)), []);
    assert!(answer.iter().filter(|e| matches!(e, ModelEvent::Text(_))).count() > 3);
    assert_eq!(answer.last(), Some(&ModelEvent::Done(Stop::End)));
    let history = run(vec![user("Show me a failing step.")]).await;
    let turns = history.iter().filter(|m| matches!(m, Message::Assistant { .. }));
    let greps = turns.flat_map(calls).filter(|call| call.arguments.contains("grep -q"));
    assert_eq!(greps.count(), 3);
    assert_eq!(done_steps(&history), ["write", "report", "signed", "read"]);
}

#[test]
fn the_built_in_scenarios_are_readable() {
    let names: Vec<String> =
        scenario::built_in().iter().map(|scenario| scenario.name().to_owned()).collect();
    assert_eq!(names, ["answer", "failing", "tour"]);
    assert!(sample_files().iter().all(|(path, content)| !path.is_empty() && !content.is_empty()));
}

/// The first question to a member of the built-in council, and the one after all have answered.
fn asked(number: usize) -> [Message; 2] {
    let first = format!(
        "You are agent{number} in a council of 3. The task is:\n\nTidy up\n\nThen give your answer \
         with new_answer. Nobody votes yet."
    );
    let answers = "agent1.1 by agent1:\n\nagent2.1 by agent2:\n\nagent3.1 by agent3:";
    let second = format!("{answers}\n\nThen vote for the best answer, or give a better one.");
    [user(&first), user(&second)]
}

#[tokio::test]
async fn three_members_look_answer_and_vote_and_two_of_them_agree() {
    let mut votes = Vec::new();
    let mut titles = std::collections::BTreeSet::new();
    for number in 1..=3 {
        let [first, second] = asked(number);
        let mut messages = vec![first];
        for expected in ["list_dir", "new_answer"] {
            let said = message(&turn(&messages).await);
            let call = calls(&said)[0].clone();
            assert_eq!(call.name, expected, "agent{number}");
            if expected == "new_answer" {
                let args: Value = serde_json::from_str(&call.arguments).unwrap();
                assert!(args["steps"].as_array().is_some_and(|steps| steps.len() > 1));
                titles.insert(args["content"].as_str().unwrap().lines().next().unwrap().to_owned());
            }
            messages.extend([said, result(&call, "{}")]);
        }
        messages.push(second);
        let said = message(&turn(&messages).await);
        let call = &calls(&said)[0];
        assert_eq!(call.name, "vote", "agent{number}");
        let args: Value = serde_json::from_str(&call.arguments).unwrap();
        votes.push(args["agent_id"].as_str().unwrap().to_owned());
    }
    assert_eq!(votes, ["agent2", "agent2", "agent1"]);
    assert_eq!(titles.len(), 3);
}

#[tokio::test]
async fn the_winner_of_a_council_carries_out_its_own_answer() {
    for part in super::council::built_in() {
        let scenario = part.scenario();
        let note = format!(
            "Plan harness: a council of 3 talked about this task, and your answer won.\n\nYour \
             answer:\n{}\n\nWhat you saw",
            scenario.name()
        );
        let mut messages = vec![user("Tidy up"), Message::Note { text: note }];
        loop {
            let said = message(&turn(&messages).await);
            let made = calls(&said).to_vec();
            messages.push(said.clone());
            messages.extend(made.iter().map(|call| result(call, "{}")));
            if made.is_empty() {
                assert!(text(&said).starts_with("Done"), "{said:?}");
                break;
            }
        }
        assert_eq!(messages.len(), 2 + 2 * scenario.replies.len() - 1, "{}", scenario.name());
    }
}
