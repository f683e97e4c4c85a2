//! A plan from the message to its end with every protocol, and a change of provider in between.

use flow::House;
use plan::Event;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use support::{FastModel, Script, start_fast, wait_for};

/// A provider that writes a plan of one step, does it, and says so; every turn is signed.
struct Provider {
    kind: &'static str,
    model: &'static str,
    call: fn(&Value) -> Vec<Value>,
    words: fn(&str) -> Vec<Value>,
    /// What it wants to see again.
    signature: &'static str,
}

const PROVIDERS: [Provider; 3] = [
    Provider {
        kind: "type: anthropic",
        model: "claude-opus-5-5",
        call: |arguments| {
            vec![
                json!({ "type": "message_start", "message": { "usage": { "input_tokens": 10 } } }),
                json!({ "type": "content_block_start", "index": 0, "content_block": {
                    "type": "thinking", "thinking": "Hm.", "signature": "signed-by-claude" } }),
                json!({ "type": "content_block_start", "index": 1, "content_block": {
                    "type": "tool_use", "id": "toolu_1", "name": "plan", "input": arguments } }),
                json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" },
                    "usage": { "output_tokens": 3, "cache_creation_input_tokens": 1000 } }),
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
        signature: "signed-by-claude",
    },
    Provider {
        kind: "type: gemini",
        model: "gemini-3.8-flash",
        call: |arguments| {
            vec![json!({ "candidates": [{ "finishReason": "STOP", "content": { "parts": [
                { "text": "Hm.", "thought": true },
                { "functionCall": { "name": "plan", "args": arguments },
                  "thoughtSignature": "signed-by-gemini" },
            ] } }], "usageMetadata": { "promptTokenCount": 10 } })]
        },
        words: |words| {
            vec![json!({ "candidates": [
                { "finishReason": "STOP", "content": { "parts": [{ "text": words }] } }] })]
        },
        signature: "signed-by-gemini",
    },
    Provider {
        kind: "type: openai, api: responses",
        model: "gpt-6-sol",
        call: |arguments| {
            vec![
                json!({ "type": "response.output_item.done", "item": {
                    "type": "reasoning", "id": "rs_1", "summary": [],
                    "encrypted_content": "sealed-by-openai" } }),
                json!({ "type": "response.output_item.done", "item": {
                    "type": "function_call", "call_id": "call_1", "name": "plan",
                    "arguments": arguments.to_string() } }),
                json!({ "type": "response.completed",
                    "response": { "usage": { "input_tokens": 10 } } }),
            ]
        },
        words: |words| {
            vec![
                json!({ "type": "response.output_text.delta", "delta": words }),
                json!({ "type": "response.completed", "response": {} }),
            ]
        },
        signature: "sealed-by-openai",
    },
];

/// One that speaks the oldest protocol of all, and signs nothing.
const CHAT: Provider = Provider {
    kind: "type: openai",
    model: "small",
    call: |arguments| {
        vec![
            json!({ "choices": [{ "delta": { "content": "Hm." } }] }),
            json!({ "choices": [{ "delta": { "tool_calls": [{ "index": 0, "id": "c1",
                "type": "function",
                "function": { "name": "plan", "arguments": arguments.to_string() } }] } }] }),
            json!({ "choices": [{ "delta": {}, "finish_reason": "tool_calls" }] }),
        ]
    },
    words: |words| {
        vec![json!({ "choices": [{ "delta": { "content": words }, "finish_reason": "stop" }] })]
    },
    signature: "",
};

type Requests = Arc<Mutex<Vec<String>>>;

/// The provider's server, and what it was asked.
async fn serve(provider: &'static Provider) -> (FastModel, Requests) {
    let asked = Requests::default();
    let seen = Arc::clone(&asked);
    let server = start_fast(move |number, body| {
        let body = String::from_utf8_lossy(body).into_owned();
        seen.lock().unwrap_or_else(PoisonError::into_inner).push(body);
        let events = match number {
            0 => (provider.call)(&json!({ "action": "write", "goal": "g", "steps": ["a"] })),
            1 => (provider.call)(&json!({ "action": "step_done", "step": "s1", "result": "ok" })),
            _ => (provider.words)("All done."),
        };
        let lines: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        lines.into()
    })
    .await;
    (server, asked)
}

fn asked(requests: &Requests) -> Vec<String> {
    requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A house whose agent is with this provider from now on.
async fn move_to(house: &mut House, provider: &Provider, server: &FastModel) {
    let config = format!(
        "providers:\n  far: {{ {}, base_url: \"{}\" }}\n\
         agents:\n  default: {{ model: far/{}, thinking: low }}\n",
        provider.kind,
        server.base_url(),
        provider.model
    );
    std::fs::write(house.config().join("plancard.yaml"), config).expect("it can be written");
    house.restart().await;
}

#[tokio::test]
async fn a_plan_runs_to_its_end_with_every_protocol() {
    for provider in &PROVIDERS {
        let (server, requests) = serve(provider).await;
        let mut house = House::with(Script::Replies(Vec::new())).await;
        move_to(&mut house, provider, &server).await;
        house.say("do it").await;
        house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
        house.wait_idle().await;
        assert_eq!(house.plan().steps[0].result.as_deref(), Some("ok"), "{}", provider.kind);
        let sent = asked(&requests);
        assert_eq!(sent.len(), 3, "{}", provider.kind);
        assert_eq!(sent[2].matches(provider.signature).count(), 2, "{}", sent[2]);
        assert!(sent[2].contains("low"), "the thinking asked for: {}", sent[2]);

        // What the provider wants to see again is in the log.
        house.restart().await;
        house.say("and now?").await;
        wait_for(async || asked(&requests).len() == 4, "the next request").await;
        house.wait_idle().await;
        let sent = asked(&requests);
        assert_eq!(sent[3].matches(provider.signature).count(), 2, "{}", sent[3]);
        assert!(!sent[3].contains("[redacted]"));
    }
}

/// A stream that ends just before, at or after any of its events: the call in it is run once.
#[tokio::test]
async fn a_stream_cut_around_any_event_runs_its_call_once() {
    for provider in PROVIDERS.iter().chain([&CHAT]) {
        let lines = |events: Vec<Value>| {
            let lines = events.iter().map(|event| format!("data: {event}\n\n"));
            lines.map(|line| line.replace("\"plan\"", "\"shell\"")).collect::<Vec<_>>()
        };
        let body = move |round: usize| {
            lines((provider.call)(&json!({ "command": format!("echo {round} >> runs") })))
        };
        // Where the stream of this round is still to be cut.
        let cut: Arc<Mutex<(usize, Option<usize>)>> = Arc::default();
        let state = Arc::clone(&cut);
        let server = start_fast(move |_, asked| {
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            let (round, whole) = (state.0, body(state.0).concat());
            let ran = String::from_utf8_lossy(asked).contains(&format!("echo {round} >>"));
            match state.1.take() {
                Some(cut) => whole[..cut.min(whole.len())].to_owned().into(),
                None if ran => lines((provider.words)("Done.")).concat().into(),
                None => whole.into(),
            }
        })
        .await;
        let mut house = House::with(Script::Replies(Vec::new())).await;
        move_to(&mut house, provider, &server).await;
        let mut ends = vec![0];
        ends.extend(body(10).iter().scan(0, |end, line| {
            *end += line.len();
            Some(*end)
        }));
        let cuts = ends.into_iter().flat_map(|end| [end.saturating_sub(1), end, end + 1]);
        let mut expected = String::new();
        for (round, at) in (10..).zip(cuts) {
            *cut.lock().unwrap_or_else(PoisonError::into_inner) = (round, Some(at));
            let clock = Arc::clone(&house.clock);
            let mover = tokio::spawn(async move {
                loop {
                    clock.advance(std::time::Duration::from_secs(5));
                    tokio::task::yield_now().await;
                }
            });
            house.say("do it").await;
            house.wait_idle().await;
            mover.abort();
            expected += &format!("{round}\n");
            let ran = house.workspace.read("runs");
            assert_eq!(ran, expected, "{} cut at {at}", provider.kind);
        }
        assert_eq!(house.count("trouble"), 0, "{}", provider.kind);
    }
}

#[tokio::test]
async fn a_conversation_goes_on_with_another_provider() {
    let mut house = House::with(Script::Replies(Vec::new())).await;
    let mut before: Option<&Provider> = None;
    for (round, provider) in PROVIDERS.iter().enumerate() {
        let (server, requests) = serve(provider).await;
        move_to(&mut house, provider, &server).await;
        let from = house.view().seq;
        house.say(&format!("round {round}")).await;
        house.wait_after(from, "end", |event| matches!(event, Event::PlanDone { .. })).await;
        house.wait_idle().await;
        let sent = asked(&requests);
        assert!(sent[0].contains("round 0"), "all of the conversation is told");
        if let Some(before) = before {
            assert!(sent[0].contains("All done."), "what another said is told");
            assert!(!sent[0].contains(before.signature), "what another thought is not");
        }
        before = Some(provider);
    }
    // And back again: the first one knows its own.
    let (server, requests) = serve(&PROVIDERS[0]).await;
    move_to(&mut house, &PROVIDERS[0], &server).await;
    house.say("last round").await;
    wait_for(async || !asked(&requests).is_empty(), "the request").await;
    let first = asked(&requests).remove(0);
    assert_eq!(first.matches(PROVIDERS[0].signature).count(), 2, "{first}");
    assert!(!first.contains(PROVIDERS[1].signature) && !first.contains(PROVIDERS[2].signature));
}

#[tokio::test]
async fn a_room_goes_on_when_its_provider_refuses_its_old_reasoning() {
    let provider = &PROVIDERS[0];
    let (server, _) = serve(provider).await;
    let mut house = House::with(Script::Replies(Vec::new())).await;
    move_to(&mut house, provider, &server).await;
    house.say("do it").await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    house.wait_idle().await;

    let requests = Requests::default();
    let seen = Arc::clone(&requests);
    let strict = start_fast(move |_, body| {
        let body = String::from_utf8_lossy(body).into_owned();
        let events = match body.contains(provider.signature) {
            true => vec![json!({ "type": "error", "error": { "type": "invalid_request_error",
                "message": "messages.1.content.0: Invalid `signature` in `thinking` block" } })],
            false => (provider.words)("Here I am."),
        };
        seen.lock().unwrap_or_else(PoisonError::into_inner).push(body);
        let lines: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        lines.into()
    })
    .await;
    move_to(&mut house, provider, &strict).await;
    for (words, asked_so_far) in [("are you there?", 2), ("and now?", 3)] {
        house.say(words).await;
        house.wait_idle().await;
        assert_eq!(house.count("trouble"), 0, "{:?}", house.kinds());
        assert_eq!(asked(&requests).len(), asked_so_far);
    }
}

#[tokio::test]
async fn reasoning_that_holds_a_secret_is_kept_nowhere() {
    for provider in &PROVIDERS {
        let (server, requests) = serve(provider).await;
        let mut house = House::knowing(Script::Replies(Vec::new()), provider.signature).await;
        move_to(&mut house, provider, &server).await;
        house.say("do it").await;
        house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
        house.wait_idle().await;
        let sent = asked(&requests).concat();
        assert!(!sent.contains(provider.signature), "{}", provider.kind);
        let log: String = house.log().iter().map(|(_, event)| format!("{event:?}")).collect();
        assert!(!log.contains(provider.signature), "{}", provider.kind);
    }
}

#[tokio::test]
async fn a_model_is_tried_in_its_own_protocol() {
    for provider in &PROVIDERS {
        let (server, requests) = serve(provider).await;
        let mut house = House::with(Script::Replies(Vec::new())).await;
        move_to(&mut house, provider, &server).await;
        let name = engine::config::ModelRef::new("far", provider.model);
        let tested = house.engine().tested(&name).await;
        assert!(tested.ok, "{}: {}", provider.kind, tested.message);
        assert!(asked(&requests)[0].contains("Answer with the word ready."));
    }
}
