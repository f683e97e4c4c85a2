//! Calls that come broken or in other words: what can be read is run, what can't is a failed attempt
//! with an error that teaches, on protocols that differ most.

use flow::{House, Served};
use plan::{Event, PauseReason};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use support::{FastModel, Script, start_fast};

/// A protocol in its own words.
struct Wire {
    kind: &'static str,
    model: &'static str,
    /// A call with these raw arguments; `cut` where the limit on output was reached in it.
    call: fn(&str, &str, bool) -> Vec<Value>,
    words: fn(&str) -> Vec<Value>,
}

const WIRES: [Wire; 2] = [
    Wire {
        kind: "type: openai",
        model: "small",
        call: |tool, arguments, cut| {
            let reason = if cut { "length" } else { "tool_calls" };
            let call = json!({ "index": 0, "id": "c1", "type": "function",
                "function": { "name": tool, "arguments": arguments } });
            vec![
                json!({ "choices": [{ "delta": { "tool_calls": [call] } }] }),
                json!({ "choices": [{ "delta": {}, "finish_reason": reason }],
                    "usage": { "prompt_tokens": 100, "completion_tokens": 7 } }),
            ]
        },
        words: |words| {
            vec![json!({ "choices": [{ "delta": { "content": words }, "finish_reason": "stop" }] })]
        },
    },
    Wire {
        kind: "type: anthropic",
        model: "claude-opus-5-5",
        call: |tool, arguments, cut| {
            let reason = if cut { "max_tokens" } else { "tool_use" };
            vec![
                json!({ "type": "message_start", "message": { "usage": { "input_tokens": 100 } } }),
                json!({ "type": "content_block_start", "index": 0, "content_block": {
                    "type": "tool_use", "id": "toolu_1", "name": tool, "input": {} } }),
                json!({ "type": "content_block_delta", "index": 0, "delta": {
                    "type": "input_json_delta", "partial_json": arguments } }),
                json!({ "type": "message_delta", "delta": { "stop_reason": reason },
                    "usage": { "output_tokens": 7 } }),
                json!({ "type": "message_stop" }),
            ]
        },
        words: |words| {
            vec![
                json!({ "type": "content_block_start", "index": 0,
                    "content_block": { "type": "text", "text": words } }),
                json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } }),
                json!({ "type": "message_stop" }),
            ]
        },
    },
];

/// Reads calls itself, and tells of one that it could not read in words of its own.
const GEMINI: Wire = Wire {
    kind: "type: gemini",
    model: "gemini-2.5-flash",
    call: |tool, arguments, _| {
        vec![match serde_json::from_str::<Value>(arguments) {
            Ok(args) => json!({ "candidates": [{ "finishReason": "STOP", "content": {
                "parts": [{ "functionCall": { "name": tool, "args": args } }] } }] }),
            Err(_) => json!({ "candidates": [{ "finishReason": "MALFORMED_FUNCTION_CALL",
                "finishMessage":
                    format!("Malformed function call: call:default_api:{tool}{arguments}") }] }),
        }]
    },
    words: |words| {
        vec![json!({ "candidates": [{ "finishReason": "STOP",
            "content": { "parts": [{ "text": words }] } }] })]
    },
};

/// One answer: a call with raw arguments, one that is cut, or words.
#[derive(Clone, Copy)]
enum Say {
    Call(&'static str, &'static str),
    Cut(&'static str, &'static str),
    Words(&'static str),
}

use Say::{Call, Cut, Words};

const PLAN: Say = Call("plan", r#"{"action": "write", "goal": "g", "steps": ["a"]}"#);
const DONE: Say = Call("plan", r#"{"action": "step_done", "step": "s1", "result": "ok"}"#);
const HALF: &str = r#"{"path": "a.txt", "content": "one tw"#;
const NUDGE: &str = "Plan harness: this is step 1/1, attempt 1/3. If the error suggests fallbacks, \
                     try the one that fits the user's intent.";

type Asked = Arc<Mutex<Vec<String>>>;

/// A house whose model says these in turn, and what it was asked.
async fn house(wire: &'static Wire, script: &'static [Say]) -> (House, FastModel, Asked) {
    let asked = Asked::default();
    let seen = Arc::clone(&asked);
    let server = start_fast(move |number, body| {
        let body = String::from_utf8_lossy(body).into_owned();
        seen.lock().unwrap_or_else(PoisonError::into_inner).push(body);
        let events = match script.get(usize::try_from(number).unwrap_or(usize::MAX)) {
            Some(Call(tool, arguments)) => (wire.call)(tool, arguments, false),
            Some(Cut(tool, arguments)) => (wire.call)(tool, arguments, true),
            Some(Words(words)) => (wire.words)(words),
            None => (wire.words)("Nothing more."),
        };
        let lines: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        lines.into()
    })
    .await;
    let mut house = House::with(Script::Replies(Vec::new())).await;
    let config = format!(
        "providers:\n  far: {{ {}, base_url: \"{}\" }}\nagents:\n  default: {{ model: far/{} }}\n",
        wire.kind,
        server.base_url(),
        wire.model
    );
    std::fs::write(house.config().join("plancard.yaml"), config).expect("it can be written");
    house.restart().await;
    (house, server, asked)
}

fn sent(asked: &Asked) -> Vec<String> {
    asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// How each call ended: its result and the nudge.
fn ends(house: &House) -> Vec<(String, Option<String>)> {
    let end = |event: Event| {
        let Event::CallEnded { result, nudge, .. } = event else { return None };
        Some((result.head().to_owned(), nudge))
    };
    house.log().into_iter().filter_map(|(_, event)| end(event)).collect()
}

#[tokio::test]
async fn a_cut_call_is_a_failed_attempt_that_counts_and_is_not_asked_for_again() {
    const SCRIPT: &[Say] = &[
        PLAN,
        Cut("write_file", HALF),
        Call("write_file", r#"{"path":"a.txt","content":"one"}"#),
        DONE,
        Words("All done."),
    ];
    for wire in &WIRES {
        let (house, _server, asked) = house(wire, SCRIPT).await;
        house.say("do it").await;
        house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
        house.wait_idle().await;
        let sent = sent(&asked);
        assert_eq!(sent.len(), 5, "{}: nothing is asked for twice", wire.kind);
        let (result, nudge) = &ends(&house)[1];
        assert!(result.starts_with(r#"{"code":"BAD_ARGUMENTS""#), "{result}");
        assert!(result.contains("write_file: the answer reached its length limit"), "{result}");
        assert_eq!(nudge.as_deref(), Some(NUDGE), "{}", wire.kind);
        // The model is told all of it, in a request that every server can read.
        let told: Value = serde_json::from_str(&sent[2]).unwrap();
        assert!(sent[2].contains("edit_file") && sent[2].contains("attempt 1/3"), "{told}");
        assert!(sent[2].contains("one tw"), "what it wrote is shown to it: {told}");
        assert_eq!((house.count("paused"), house.count("trouble")), (0, 0), "{}", wire.kind);
        assert_eq!(house.workspace.read("a.txt"), "one");
        let replies = house.log().into_iter().filter_map(|(_, event)| {
            let Event::Replied { usage, .. } = event else { return None };
            Some((usage.input, usage.output))
        });
        assert_eq!(replies.collect::<Vec<_>>()[1], (100, 7), "{}: its tokens count", wire.kind);
    }
}

#[tokio::test]
async fn arguments_that_are_no_json_are_failed_attempts_until_the_plan_pauses_for_them() {
    const BROKEN: Say = Call("shell", r#"{"command": "echo "a" > b.txt"}"#);
    const SCRIPT: &[Say] = &[PLAN, BROKEN, BROKEN, BROKEN];
    for wire in WIRES.iter().chain([&GEMINI]) {
        let (house, _server, asked) = house(wire, SCRIPT).await;
        house.say("do it").await;
        house.wait_paused().await;
        assert_eq!(house.plan().pause_reason, Some(PauseReason::Attempts), "{}", wire.kind);
        assert_eq!(sent(&asked).len(), 4, "{}", wire.kind);
        let ends = ends(&house);
        assert!(ends[1].0.contains("double quotes") && ends[1].0.contains("Example: shell"));
        assert!(!ends[1].0.contains("failed before"), "{:?}", ends[1]);
        assert!(ends[2].0.contains("failed before"), "the second time it is said: {:?}", ends[2]);
        assert!(!house.workspace.path().join("b.txt").exists());
    }
}

#[tokio::test]
async fn without_a_plan_the_model_hears_it_and_goes_on() {
    const SCRIPT: &[Say] = &[Cut("write_file", HALF), Words("I can't.")];
    for wire in &WIRES {
        let (house, _server, asked) = house(wire, SCRIPT).await;
        house.say("write a file").await;
        house
            .wait(
                "words",
                |event| matches!(event, Event::Replied { text, .. } if text.head() == "I can't."),
            )
            .await;
        house.wait_idle().await;
        let (result, nudge) = ends(&house).remove(0);
        assert!(result.contains("length limit") && nudge.is_none(), "{result}");
        assert_eq!((sent(&asked).len(), house.count("trouble")), (2, 0), "{}", wire.kind);
        assert!(!house.workspace.path().join("a.txt").exists());
    }
}

#[tokio::test]
async fn a_plan_in_a_weak_models_words_is_written_and_done() {
    const STEPS: &str = "{'steps': '1. Write a.txt\\n2. Tell of it',}";
    const SCRIPT: &[Say] = &[
        Call("functions.write_plan", STEPS),
        Call("Write-File", r#"{"file_path": "a.txt", "contents": "one"}"#),
        Call("step_done", ""),
        Call("plan", r#"{"action": "complete", "summary": "told"}"#),
        Words("All done."),
    ];
    for wire in &WIRES {
        let (house, _server, _asked) = house(wire, SCRIPT).await;
        house.say("Write a.txt and tell me").await;
        house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
        house.wait_idle().await;
        let plan = house.plan();
        assert_eq!(plan.goal, "Write a.txt and tell me", "{}", wire.kind);
        let texts: Vec<&str> = plan.steps.iter().map(|step| step.text.as_str()).collect();
        assert_eq!(texts, ["Write a.txt", "Tell of it"]);
        assert_eq!(plan.steps[1].result.as_deref(), Some("told"));
        assert_eq!(house.workspace.read("a.txt"), "one");
        // What was really sent is kept, and shown where people look.
        let mut served = Served::new(house.engine()).await;
        let path = format!("/v1/rooms/{}/messages", house.room.0);
        let messages = served.client.get(&path).await.ok();
        let messages = messages["items"].as_array().unwrap();
        let first = messages.iter().rev().find(|message| message["calls"] == json!(["write_plan"]));
        let sent = &first.unwrap_or_else(|| panic!("{messages:?}"))["sent"];
        assert_eq!(sent, &json!([{ "call": 0, "tool": "functions.write_plan", "args": STEPS }]));
        served.close().await;
    }
}

#[tokio::test]
async fn a_call_with_a_field_that_its_tool_does_not_have_changes_nothing() {
    const SCRIPT: &[Say] = &[
        Call("delete_file", r#"{"path": "sub", "name": "s.txt"}"#),
        Call("move_file", r#"{"from": "sub", "to": "new", "pattern": "*.md"}"#),
        Call("shell", r#"{"command": "rm -f *.txt", "chdir": "sub"}"#),
        Call("edit_file", r#"{"path": "a.txt", "old": "a", "new": "b", "max_replacements": 1}"#),
        Call("delete_file", r#"{"path": "sub/s.txt", "reason": "old"}"#),
        Words("Done."),
    ];
    for wire in &WIRES {
        let (house, _server, _asked) = house(wire, SCRIPT).await;
        house.workspace.write("a.txt", "a");
        house.workspace.write("sub/k.txt", "k");
        house.workspace.write("sub/s.txt", "s");
        house.say("Tidy up").await;
        house
            .wait(
                "words",
                |event| matches!(event, Event::Replied { text, .. } if text.head() == "Done."),
            )
            .await;
        house.wait_idle().await;
        let ends = ends(&house);
        for (at, field) in ["name", "pattern", "chdir", "max_replacements"].iter().enumerate() {
            let result = &ends[at].0;
            assert!(result.contains("BAD_ARGUMENTS"), "{}: {result}", wire.kind);
            assert!(result.contains(&format!("there is no `{field}`")), "{result}");
        }
        let files = house.workspace.files();
        let kept: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(kept, ["a.txt", "sub/k.txt"], "{}: only what was named is gone", wire.kind);
        assert_eq!(house.workspace.read("a.txt"), "a");
    }
}

#[tokio::test]
async fn a_step_is_not_done_by_a_report_that_says_it_failed() {
    const SCRIPT: &[Say] = &[
        PLAN,
        Call("step_done", r#"{"success": false, "error": "tests fail"}"#),
        Call("plan", r#"{"action": "step_done", "steps": [1, 2]}"#),
        DONE,
        Words("All done."),
    ];
    for wire in &WIRES {
        let (house, _server, _asked) = house(wire, SCRIPT).await;
        house.say("do it").await;
        house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
        house.wait_idle().await;
        let errors = house.log().into_iter().filter_map(|(_, event)| {
            let Event::ErrorReported { error, .. } = event else { return None };
            Some(error)
        });
        assert_eq!(errors.collect::<Vec<_>>(), ["tests fail"], "{}", wire.kind);
        let ends = ends(&house);
        assert!(ends[1].0.contains("read as step_failed"), "{}", ends[1].0);
        assert!(ends[2].0.contains("`steps`"), "{}", ends[2].0);
        assert_eq!(house.plan().steps[0].result.as_deref(), Some("ok"), "{}", wire.kind);
    }
}
