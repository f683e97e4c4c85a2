//! A model that says the same without end: its answer is cut off, it is told so and asked again, a
//! few times.

use flow::House;
use models::Patience;
use plan::{Event, PauseReason};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use support::{FastModel, Script, start_fast};

/// A protocol in its own words, each answer a token at a time.
struct Wire {
    kind: &'static str,
    model: &'static str,
    call: fn(&str, &[&str]) -> Vec<Value>,
    words: fn(&[&str]) -> Vec<Value>,
}

const WIRES: [Wire; 2] = [
    Wire {
        kind: "type: openai",
        model: "small",
        call: |tool, pieces| {
            let call = json!({ "index": 0, "id": "c1", "type": "function",
                "function": { "name": tool, "arguments": "" } });
            let mut events = vec![json!({ "choices": [{ "delta": { "tool_calls": [call] } }] })];
            events.extend(pieces.iter().map(|piece| {
                let more = json!({ "index": 0, "function": { "arguments": piece } });
                json!({ "choices": [{ "delta": { "tool_calls": [more] } }] })
            }));
            events.push(json!({ "choices": [{ "delta": {}, "finish_reason": "tool_calls" }] }));
            events
        },
        words: |pieces| {
            let token = |piece| json!({ "choices": [{ "delta": { "content": piece } }] });
            let mut events: Vec<Value> = pieces.iter().map(token).collect();
            events.push(json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] }));
            events
        },
    },
    Wire {
        kind: "type: anthropic",
        model: "claude-opus-5-5",
        call: |tool, pieces| {
            let mut events = vec![json!({ "type": "content_block_start", "index": 0,
                "content_block": { "type": "tool_use", "id": "toolu_1", "name": tool, "input": {} } })];
            events.extend(pieces.iter().map(|piece| {
                json!({ "type": "content_block_delta", "index": 0,
                    "delta": { "type": "input_json_delta", "partial_json": piece } })
            }));
            events.push(json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }));
            events.push(json!({ "type": "message_stop" }));
            events
        },
        words: |pieces| {
            let mut events = vec![json!({ "type": "content_block_start", "index": 0,
                "content_block": { "type": "text", "text": "" } })];
            events.extend(pieces.iter().map(|piece| {
                json!({ "type": "content_block_delta", "index": 0,
                    "delta": { "type": "text_delta", "text": piece } })
            }));
            events.push(json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } }));
            events.push(json!({ "type": "message_stop" }));
            events
        },
    },
];

/// One answer.
#[derive(Clone, Copy)]
enum Say {
    Call(&'static str, &'static str),
    /// A call whose last string never ends.
    EndlessCall(&'static str, &'static str),
    Words(&'static str),
    /// Words that never end.
    Endless(&'static str),
}

use Say::{Call, Endless, EndlessCall, Words};

const PLAN: Say = Call("plan", r#"{"action": "write", "goal": "g", "steps": ["a"]}"#);
const DONE: Say = Call("plan", r#"{"action": "step_done", "step": "s1", "result": "ok"}"#);
const WRITE: Say = Call("write_file", r#"{"path":"a.txt","content":"one"}"#);
const TOLD: &str = "Plan harness: your answer repeated itself and was cut off.";

type Asked = Arc<Mutex<Vec<String>>>;

/// A house whose model says these in turn, and what it was asked.
async fn house(wire: &'static Wire, script: &'static [Say]) -> (House, FastModel, Asked) {
    let say = |number: u64, _: &str| script.get(usize::try_from(number).unwrap_or(usize::MAX));
    house_saying(wire, move |number, body| say(number, body).copied()).await
}

/// A house whose model says what it is told to, by the number and the text of a request.
async fn house_saying(
    wire: &'static Wire,
    say: impl Fn(u64, &str) -> Option<Say> + Send + Sync + 'static,
) -> (House, FastModel, Asked) {
    let asked = Asked::default();
    let seen = Arc::clone(&asked);
    let server = start_fast(move |number, body| {
        let body = String::from_utf8_lossy(body).into_owned();
        let said = say(number, &body);
        seen.lock().unwrap_or_else(PoisonError::into_inner).push(body);
        let endless = |begin| [begin].into_iter().chain(["so ", "it ", "is "].repeat(1_000));
        let events = match said {
            Some(Call(tool, arguments)) => (wire.call)(tool, &[arguments]),
            Some(EndlessCall(tool, begin)) => {
                (wire.call)(tool, &endless(begin).collect::<Vec<_>>())
            }
            Some(Words(words)) => (wire.words)(&[words]),
            Some(Endless(begin)) => (wire.words)(&endless(begin).collect::<Vec<_>>()),
            None => (wire.words)(&["Nothing more."]),
        };
        let lines: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        lines.into()
    })
    .await;
    let house = House::with(Script::Replies(Vec::new())).await;
    let config = format!(
        "providers:\n  far: {{ {}, base_url: \"{}\" }}\nagents:\n  default: {{ model: far/{} }}\n",
        wire.kind,
        server.base_url(),
        wire.model
    );
    std::fs::write(house.config().join("plancard.yaml"), config).expect("it can be written");
    let patience = Patience { repetition: Duration::ZERO, ..Patience::default() };
    (house.impatient(patience).await, server, asked)
}

fn sent(asked: &Asked) -> Vec<String> {
    asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// What was said, in order.
fn replies(house: &House) -> Vec<String> {
    let words = |event| {
        let Event::Replied { text, .. } = event else { return None };
        Some(text.head().to_owned())
    };
    house.log().into_iter().filter_map(|(_, event)| words(event)).collect()
}

#[tokio::test]
async fn words_without_end_are_a_failed_attempt_and_the_step_goes_on() {
    const SCRIPT: &[Say] = &[PLAN, Endless("Now "), WRITE, DONE, Words("All done.")];
    for wire in &WIRES {
        let (house, _server, asked) = house(wire, SCRIPT).await;
        house.say("do it").await;
        house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
        house.wait_idle().await;
        let sent = sent(&asked);
        assert_eq!(sent.len(), 5, "{}: each is asked for once", wire.kind);
        assert!(sent[2].contains(TOLD) && sent[2].contains("attempt 1/3"), "{}", sent[2]);
        assert!(!sent[2].contains(&"so it is ".repeat(4)), "the rest of it is not shown again");
        let kept = &replies(&house)[1];
        assert!(kept.starts_with("Now so it is so it is") && kept.ends_with('…'), "{kept}");
        assert_eq!((house.count("attempt_failed"), house.count("attempts_reset")), (1, 1));
        assert_eq!((house.count("paused"), house.count("trouble")), (0, 0), "{}", wire.kind);
        assert_eq!(house.workspace.read("a.txt"), "one");
    }
}

#[tokio::test]
async fn the_plan_pauses_for_the_attempts_and_says_why() {
    const SCRIPT: &[Say] = &[PLAN, Endless("One "), Endless("Two "), Endless("Three ")];
    for wire in &WIRES {
        let (house, _server, asked) = house(wire, SCRIPT).await;
        house.say("do it").await;
        house.wait_paused().await;
        house.wait_idle().await;
        let plan = house.plan();
        assert_eq!(plan.pause_reason, Some(PauseReason::Attempts), "{}", wire.kind);
        let detail = "step 1 failed 3 times; the last answer repeated itself and was cut off";
        assert_eq!(plan.pause_detail.as_deref(), Some(detail), "{}", wire.kind);
        assert_eq!(sent(&asked).len(), 4, "{}", wire.kind);
    }
}

#[tokio::test]
async fn a_question_is_asked_three_times_and_the_person_hears_why_it_ends() {
    const SCRIPT: &[Say] = &[Endless("One "), Endless("Two "), Endless("Three ")];
    for wire in &WIRES {
        let (house, _server, asked) = house(wire, SCRIPT).await;
        house.say("how are you?").await;
        house.wait("words", |event| matches!(event, Event::Trouble { .. })).await;
        house.wait_idle().await;
        assert_eq!(sent(&asked).len(), 3, "{}", wire.kind);
        let why = house.log().into_iter().find_map(|(_, event)| {
            let Event::Trouble { code, text, .. } = event else { return None };
            Some((code, text))
        });
        let words = "Stopped: 3 answers in a row repeated themselves without end. Another model may \
                     do better. Send a message to continue.";
        assert_eq!(why, Some(("STUCK".to_owned(), words.to_owned())), "{}", wire.kind);
        house.say("and now?").await;
        house.wait_idle().await;
        assert_eq!(replies(&house).last().map(String::as_str), Some("Nothing more."));
    }
}

#[tokio::test]
async fn a_call_without_end_is_not_run_and_its_model_hears_why() {
    const SCRIPT: &[Say] =
        &[EndlessCall("write_file", r#"{"path":"a.txt","content":""#), WRITE, Words("Done.")];
    for wire in &WIRES {
        let (house, _server, asked) = house(wire, SCRIPT).await;
        house.say("write a file").await;
        house
            .wait(
                "end",
                |event| matches!(event, Event::Replied { text, .. } if text.head() == "Done."),
            )
            .await;
        house.wait_idle().await;
        let results: Vec<String> = house
            .log()
            .into_iter()
            .filter_map(|(_, event)| {
                let Event::CallEnded { result, .. } = event else { return None };
                Some(result.head().to_owned())
            })
            .collect();
        let why =
            "write_file: your answer repeated itself and the call was cut off. Nothing was done.";
        assert!(results[0].contains(why), "{results:?}");
        assert_eq!((results.len(), sent(&asked).len()), (2, 3), "{}", wire.kind);
        assert!(!sent(&asked)[1].contains(&"so it is ".repeat(4)), "{}", wire.kind);
        assert_eq!(house.workspace.read("a.txt"), "one");
    }
}

#[tokio::test]
async fn a_sidekick_that_repeats_itself_pauses_the_plan_for_its_attempts() {
    const PARALLEL: Say = Call(
        "plan",
        r#"{"action": "write", "goal": "g", "mode": "parallel", "steps": ["alpha", "beta"]}"#,
    );
    for wire in &WIRES {
        let say = |number, body: &str| match (number, body.contains("sidekick_complete")) {
            (0, _) => Some(PARALLEL),
            (_, true) => Some(Endless("Now ")),
            (_, false) => Some(Words("They are at work.")),
        };
        let (house, _server, _asked) = house_saying(wire, say).await;
        house.say("do both").await;
        house.wait_paused().await;
        house.wait_idle().await;
        let plan = house.plan();
        assert_eq!(plan.pause_reason, Some(PauseReason::Attempts), "{}", wire.kind);
        let failed = plan.steps.iter().find(|step| step.attempts == 3).expect("one failed");
        let error = Some("its answer repeated itself and was cut off");
        assert_eq!(failed.error.as_deref(), error, "{}", wire.kind);
        let detail = format!("step {} failed 3 times", failed.number);
        assert_eq!(plan.pause_detail, Some(detail), "{}", wire.kind);
    }
}
