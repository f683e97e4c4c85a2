//! A model that answers nothing: the person is told, and nothing goes on for ever.

use flow::{House, Served};
use plan::{Event, PauseReason};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use support::{FastModel, Reply, Script, plan_write, sidekick_complete, start_fast, wait_for};

/// How each protocol ends an answer in which there was nothing.
const EMPTY: [(&str, &str, &str); 3] = [
    ("type: openai", "small", r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#),
    (
        "type: anthropic",
        "claude-opus-5-5",
        "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n\
         data: {\"type\":\"message_stop\"}",
    ),
    (
        "type: openai, api: responses",
        "gpt-6-sol",
        r#"{"type":"response.completed","response":{"output":[]}}"#,
    ),
];

/// How each protocol ends an answer that was cut off at its length limit.
const CUT: [(&str, &str, &str); 3] = [
    (
        "type: openai",
        "small",
        r#"{"choices":[{"delta":{"content":"It begins"},"finish_reason":"length"}]}"#,
    ),
    (
        "type: anthropic",
        "claude-opus-5-5",
        "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"It begins\"}}\n\n\
         data: {\"type\":\"content_block_stop\",\"index\":0}\n\n\
         data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"max_tokens\"}}\n\n\
         data: {\"type\":\"message_stop\"}",
    ),
    (
        "type: openai, api: responses",
        "gpt-6-sol",
        "{\"type\":\"response.output_text.delta\",\"delta\":\"It begins\"}\n\n\
         data: {\"type\":\"response.incomplete\",\"response\":{\"output\":[],\"incomplete_details\":{\"reason\":\"max_output_tokens\"}}}",
    ),
];

async fn house_of(kind: &str, model: &str, server: &FastModel) -> House {
    let mut house = House::with(Script::Replies(Vec::new())).await;
    let config = format!(
        "providers:\n  far: {{ {kind}, base_url: \"{}\" }}\nagents:\n  default: {{ model: far/{model} }}\n",
        server.base_url(),
    );
    std::fs::write(house.config().join("plancard.yaml"), config).expect("it can be written");
    house.restart().await;
    house
}

fn is_empty_answer(event: &Event) -> bool {
    matches!(event, Event::Trouble { code, .. } if code == "EMPTY_ANSWER")
}

#[tokio::test]
async fn an_empty_answer_is_said_to_be_empty_with_every_protocol() {
    for (kind, model, end) in EMPTY {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let server = start_fast(move |_, _| {
            count.fetch_add(1, Ordering::Relaxed);
            format!("data: {end}\n\n").into()
        })
        .await;
        let house = house_of(kind, model, &server).await;
        house.say("are you there?").await;
        house.wait("words for the person", is_empty_answer).await;
        house.wait_idle().await;
        assert_eq!(asked.load(Ordering::Relaxed), 1, "{kind}: it is not asked again by itself");
        let served = Served::new(house.engine()).await;
        let path = format!("/v1/rooms/{}/messages", house.room);
        let said = served.client.get(&path).await.ok()["items"].clone();
        let harness: Vec<&str> = said
            .as_array()
            .expect("messages")
            .iter()
            .filter(|message| message["role"] == "harness")
            .filter_map(|message| message["text"].as_str())
            .collect();
        let words = format!("far/{model} sent an empty answer. Send a message to try again.");
        assert_eq!(harness, [words], "{kind}");
        house.say("and now?").await;
        house.wait_idle().await;
        assert_eq!(house.count("trouble"), 2, "{kind}: each one is said");
    }
}

#[tokio::test]
async fn an_answer_that_was_cut_off_is_said_to_be_with_every_protocol() {
    for (kind, model, end) in CUT {
        let server = start_fast(move |_, _| format!("data: {end}\n\n").into()).await;
        let house = house_of(kind, model, &server).await;
        house.say("tell me everything").await;
        let is_said = |event: &Event| {
            matches!(event, Event::Trouble { code, text, .. }
                if code == "CUT_OFF" && text.contains(model) && text.contains("continue"))
        };
        house.wait("words for the person", is_said).await;
        house.wait_idle().await;
        let is_kept = |event: &Event| matches!(event, Event::Replied { text, .. } if text.head() == "It begins");
        assert!(house.log().iter().any(|(_, event)| is_kept(event)), "{kind}");
    }
}

#[tokio::test]
async fn thinking_between_tags_is_no_answer_and_is_not_sent_back() {
    let thinks = "<think>\nWhat was it?\n</think>\n\n";
    let script = vec![Reply::text(thinks), Reply::text(format!("{thinks}It is 42."))];
    let house = House::with(script).await;
    house.say("what is it?").await;
    house.wait("words for the person", is_empty_answer).await;
    house.say("well?").await;
    let said =
        |event: &Event| matches!(event, Event::Replied { text, .. } if text.head() == "It is 42.");
    house.wait("the answer", said).await;
    house.wait_idle().await;
    let sent = house.model.requests().pop().unwrap();
    assert!(sent.texts("assistant").iter().all(|text| !text.contains("think")), "{sent:?}");
}

#[tokio::test]
async fn an_empty_answer_after_the_plan_is_said_too() {
    let done = Reply::call("step_done", json!({ "result": "ok" }));
    let house = House::with(vec![plan_write("g", &["one"]), done, Reply::text("")]).await;
    house.say("do it").await;
    house.wait("words for the person", is_empty_answer).await;
    house.wait_idle().await;
    assert_eq!(house.plan().state, "done");
}

#[tokio::test]
async fn an_empty_answer_of_gemini_is_asked_for_twice_more_and_then_said() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let server = start_fast(move |_, _| {
        count.fetch_add(1, Ordering::Relaxed);
        let end = r#"{"candidates":[{"finishReason":"STOP","content":{"parts":[]}}]}"#;
        format!("data: {end}\n\n").into()
    })
    .await;
    let house = house_of("type: gemini", "gemini-2.5-flash", &server).await;
    house.say("are you there?").await;
    let said = async || {
        house.clock.advance(Duration::from_secs(10));
        house.count("trouble") == 1
    };
    wait_for(said, "words for the person").await;
    let empty = |event: &Event| matches!(event, Event::Trouble { text, .. } if text.contains("it is empty"));
    assert!(house.log().iter().any(|(_, event)| empty(event)), "{:?}", house.kinds());
    house.wait_idle().await;
    assert_eq!(asked.load(Ordering::Relaxed), 3);
}

#[tokio::test]
async fn in_a_plan_it_is_nudged_on_and_the_pause_says_what_it_was() {
    let house = House::with(vec![plan_write("g", &["one"])]).await;
    house.say("do it").await;
    house.wait_paused().await;
    house.wait_idle().await;
    let plan = house.plan();
    assert_eq!(plan.pause_reason, Some(PauseReason::Attempts));
    let detail = "the agent answered 3 times but did no work; its last answer was empty";
    assert_eq!(plan.pause_detail.as_deref(), Some(detail));
    assert_eq!(house.count("trouble"), 0);
}

#[tokio::test]
async fn who_only_hears_how_far_sidekicks_are_need_not_answer() {
    let script = Script::from_fn(|request| {
        match request.texts("user")[0].lines().next().unwrap_or_default() {
            "one" | "two" => sidekick_complete("done"),
            _ if request.tool_results().is_empty() => {
                support::plan_write_with("g", json!(["one", "two"]), json!({ "mode": "parallel" }))
            }
            _ if request.texts("system").concat().contains("the plan is done") => {
                Reply::text("Both are done.")
            }
            _ => Reply::default(),
        }
    });
    let house = House::with(script).await;
    house.say("do it").await;
    let done = |event: &Event| matches!(event, Event::Replied { text, .. } if text.head() == "Both are done.");
    house.wait("answer", done).await;
    let after = house.log().iter().filter(|(_, event)| is_empty_answer(event)).count();
    // The first answer of the room is one to the person.
    assert!(after <= 1, "{:?}", house.kinds());
}
