//! What arrives while a model answers stands after that answer, with every protocol and after a
//! restart.

use flow::{House, me};
use plan::{Actor, Command, Event, MessageId, Text, Told};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use support::{
    FastModel, Reply, Script, plan_write_with, sidekick_complete, spawn_sidekick, start_fast,
    wait_for,
};

/// A provider: how its answers come, and where its requests hold the conversation.
struct Provider {
    kind: &'static str,
    model: &'static str,
    words: fn(&str) -> Value,
    call: fn(&str, &str) -> Value,
    end: &'static str,
    conversation: &'static str,
}

const PROVIDERS: [Provider; 4] = [
    Provider {
        kind: "type: openai",
        model: "small",
        words: |words| json!({ "choices": [{ "delta": { "content": words }, "finish_reason": "stop" }] }),
        call: |name, arguments| {
            json!({ "choices": [{ "finish_reason": "tool_calls", "delta": { "tool_calls": [
                { "index": 0, "id": "c1", "type": "function",
                  "function": { "name": name, "arguments": arguments } }] } }] })
        },
        end: "[DONE]",
        conversation: "messages",
    },
    Provider {
        kind: "type: anthropic",
        model: "claude-opus-5-5",
        words: |words| {
            json!({ "type": "content_block_start", "index": 0,
                "content_block": { "type": "text", "text": words } })
        },
        call: |name, arguments| {
            let input: Value = serde_json::from_str(arguments).expect("arguments are JSON");
            json!({ "type": "content_block_start", "index": 0, "content_block":
                { "type": "tool_use", "id": "toolu_1", "name": name, "input": input } })
        },
        end: r#"{"type":"message_stop"}"#,
        conversation: "messages",
    },
    Provider {
        kind: "type: gemini",
        model: "gemini-2.5-flash",
        words: |words| {
            json!({ "candidates": [
                { "finishReason": "STOP", "content": { "parts": [{ "text": words }] } }] })
        },
        call: |name, arguments| {
            let args: Value = serde_json::from_str(arguments).expect("arguments are JSON");
            json!({ "candidates": [{ "finishReason": "STOP", "content": { "parts": [
                { "functionCall": { "name": name, "args": args } }] } }] })
        },
        end: "",
        conversation: "contents",
    },
    Provider {
        kind: "type: openai, api: responses",
        model: "gpt-6-sol",
        words: |words| json!({ "type": "response.output_text.delta", "delta": words }),
        call: |name, arguments| {
            json!({ "type": "response.output_item.done", "item": { "type": "function_call",
                "call_id": "call_1", "name": name, "arguments": arguments } })
        },
        end: r#"{"type":"response.completed","response":{}}"#,
        conversation: "input",
    },
];

/// What happens while the answer of this number is being written.
type During = Arc<Mutex<Option<Box<dyn Fn(u64) + Send>>>>;
type Requests = Arc<Mutex<Vec<String>>>;

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A server that calls a tool first, if it is to, and then says "answer 0", "answer 1" and so on.
async fn serve(provider: &'static Provider, calls: bool) -> (FastModel, During, Requests) {
    let (during, requests) = (During::default(), Requests::default());
    let (now, seen) = (Arc::clone(&during), Arc::clone(&requests));
    let server = start_fast(move |number, body| {
        locked(&seen).push(String::from_utf8_lossy(body).into_owned());
        if let Some(during) = &*locked(&now) {
            during(number);
        }
        let event = match calls && number == 0 {
            true => (provider.call)("list_dir", r#"{"path":"."}"#),
            false => (provider.words)(&format!("answer {number}")),
        };
        format!("data: {event}\n\ndata: {}\n\n", provider.end).into()
    })
    .await;
    (server, during, requests)
}

async fn house_of(provider: &Provider, server: &FastModel) -> House {
    let mut house = House::configured(Script::Replies(Vec::new()), "", &[("a.txt", "")]).await;
    let config = format!(
        "providers:\n  far: {{ {}, base_url: \"{}\" }}\nagents:\n  default: {{ model: far/{} }}\n",
        provider.kind,
        server.base_url(),
        provider.model
    );
    std::fs::write(house.config().join("plancard.yaml"), config).expect("it can be written");
    house.restart().await;
    house
}

/// A person's words, taken in at once.
fn say(house: &House, words: &'static str) -> impl Fn() + Send + use<> {
    let (engine, room) = (house.engine().clone(), house.room);
    move || {
        let (message, text) = (MessageId(engine::fresh_id()), Text::from(words));
        engine.submit(room, &me(), Command::Say { message, text }).expect("it is taken");
    }
}

fn at(number: u64, what: impl Fn() + Send + 'static) -> Box<dyn Fn(u64) + Send> {
    Box::new(move |now| {
        if now == number {
            what();
        }
    })
}

/// The request of this number: it holds these in this order, and does not end with the model's own
/// words.
async fn assert_order(provider: &Provider, requests: &Requests, number: usize, order: &[&str]) {
    wait_for(async || locked(requests).len() > number, "the request").await;
    let body = locked(requests)[number].clone();
    let read: Value = serde_json::from_str(&body).expect("a request is JSON");
    let conversation = read[provider.conversation].as_array().expect("there is a conversation");
    let role = conversation.last().map_or(&Value::Null, |last| &last["role"]);
    assert!(!["assistant", "model"].iter().any(|own| role == own), "{}: {body}", provider.kind);
    let told = read[provider.conversation].to_string();
    let places: Vec<Option<usize>> = order.iter().map(|words| told.find(words)).collect();
    assert!(places.iter().all(Option::is_some), "{}: {order:?} in {told}", provider.kind);
    assert!(places.is_sorted(), "{}: {order:?} in {told}", provider.kind);
}

#[tokio::test]
async fn a_persons_words_stand_after_the_answer_during_which_they_came() {
    for provider in &PROVIDERS {
        let (server, during, requests) = serve(provider, false).await;
        let mut house = house_of(provider, &server).await;
        *locked(&during) = Some(at(0, say(&house, "the second question")));
        house.say("the first question").await;
        let order = ["the first question", "answer 0", "the second question"];
        assert_order(provider, &requests, 1, &order).await;
        house.wait_idle().await;
        assert_eq!(locked(&requests).len(), 2, "each was answered once");

        *locked(&during) = None;
        house.restart().await;
        house.say("the third question").await;
        let order = [&order[..], &["answer 1", "the third question"]].concat();
        assert_order(provider, &requests, 2, &order).await;
    }
}

#[tokio::test]
async fn words_during_a_call_stand_after_its_result() {
    for provider in &PROVIDERS {
        let (server, during, requests) = serve(provider, true).await;
        let mut house = house_of(provider, &server).await;
        *locked(&during) = Some(at(0, say(&house, "the second question")));
        house.say("the first question").await;
        let order = ["the first question", "list_dir", "a.txt", "the second question"];
        assert_order(provider, &requests, 1, &order).await;
        house.wait_idle().await;
        assert_eq!(locked(&requests).len(), 2, "both were answered together");

        *locked(&during) = None;
        house.restart().await;
        house.say("the third question").await;
        let order = [&order[..], &["answer 1", "the third question"]].concat();
        assert_order(provider, &requests, 2, &order).await;
    }
}

#[tokio::test]
async fn news_of_a_sidekick_stands_after_the_answer_during_which_it_came() {
    for provider in &PROVIDERS {
        let (server, during, requests) = serve(provider, false).await;
        let house = house_of(provider, &server).await;
        let (engine, room) = (house.engine().clone(), house.room);
        *locked(&during) = Some(at(0, move || {
            let from = Told { room: plan::RoomId(engine::fresh_id()), seq: 1 };
            let text = "Sidekick brave-otter has finished: 42".to_owned();
            let tell = Command::Tell { from, text, quiet: false };
            engine.submit(room, &Actor::harness(), tell).expect("it is taken");
        }));
        house.say("the first question").await;
        let order = ["the first question", "answer 0", "brave-otter"];
        assert_order(provider, &requests, 1, &order).await;
    }
}

/// The room's last request but one ends with what is new, and not with the agent's own words.
fn news_after(house: &House, words: &str, news: &str) {
    let requests = house.model.requests();
    let request =
        requests.iter().rev().find(|request| request.texts("system").concat().contains(news));
    let messages = request.expect("the room hears of it").messages();
    let place = |words: &str| {
        let holds = |message: &Value| message["content"].to_string().contains(words);
        messages.iter().position(holds).unwrap_or_else(|| panic!("no {words:?} in {messages:?}"))
    };
    assert!(place(words) < place(news), "{messages:?}");
}

#[tokio::test]
async fn the_end_of_a_sidekick_and_of_a_plan_stand_after_an_answer_they_interrupt() {
    let script = Script::by_room([
        ("count them", vec![sidekick_complete("there are 7 of them")]),
        (
            "ask around",
            vec![
                spawn_sidekick("count them"),
                Reply::text("I have sent someone.").hold_after(2),
                Reply::text("It is 7."),
            ],
        ),
    ]);
    let house = House::with(script).await;
    house.say("ask around").await;
    let told = |event: &Event| matches!(event, Event::Nudged { from: Some(_), .. });
    house.wait("news", told).await;
    house.model.release();
    house
        .wait(
            "answer",
            |event| matches!(event, Event::Replied { text, .. } if text.head() == "It is 7."),
        )
        .await;
    news_after(&house, "I have sent someone.", "there are 7 of them");

    let script = Script::by_room([
        ("count the red", vec![sidekick_complete("3 red ones")]),
        ("count the blue", vec![sidekick_complete("4 blue ones")]),
        (
            "share it",
            vec![
                plan_write_with(
                    "count",
                    json!(["count the red", "count the blue"]),
                    json!({ "mode": "parallel" }),
                ),
                Reply::text("They are at it.").hold_after(2),
                Reply::text("It is 7."),
            ],
        ),
    ]);
    let house = House::with(script).await;
    house.say("share it").await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    house.model.release();
    house
        .wait(
            "answer",
            |event| matches!(event, Event::Replied { text, .. } if text.head() == "It is 7."),
        )
        .await;
    news_after(&house, "They are at it.", "the plan is done");
}

/// What a request holds, without marks that only say what a provider shall keep, and the schema
/// that the next answer is held to.
fn lasting(body: &str, provider: &Provider) -> (Value, Vec<Value>) {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.remove("cache_control");
                fields.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut read: Value = serde_json::from_str(body).expect("a request is JSON");
    strip(&mut read);
    let fields = read.as_object_mut().expect("a request is an object");
    fields.remove("response_format");
    let conversation = fields.remove(provider.conversation).expect("there is a conversation");
    (read, conversation.as_array().cloned().expect("it is a list"))
}

/// Providers keep what a request begins with. `tail` is how many messages stand behind the
/// conversation and are never kept.
async fn assert_kept(provider: &'static Provider, model: &'static str, more: &str, tail: usize) {
    let (server, _during, requests) = serve(provider, true).await;
    let mut house = house_of(provider, &server).await;
    let config = format!(
        "providers:\n  far: {{ {}, base_url: \"{}\" }}\nagents:\n  default: {{ model: far/{model} }}\n{more}",
        provider.kind,
        server.base_url(),
    );
    std::fs::write(house.config().join("plancard.yaml"), config).expect("it can be written");
    house.restart().await;
    house.say("the first question").await;
    house.wait_idle().await;
    house.say("the second question").await;
    house.wait_idle().await;
    let bodies = locked(&requests).clone();
    assert_eq!(bodies.len(), 3, "{}", provider.kind);
    let all: Vec<_> = bodies.iter().map(|body| lasting(body, provider)).collect();
    for pair in all.windows(2) {
        let [(before, old), (after, new)] = pair else { unreachable!() };
        assert_eq!(before, after, "{} {model}: instructions and tools", provider.kind);
        let old = &old[..old.len() - tail];
        assert!(new.starts_with(old), "{} {model}: {old:#?} in {new:#?}", provider.kind);
    }
}

#[tokio::test]
async fn what_was_sent_is_what_the_next_request_begins_with() {
    for provider in &PROVIDERS {
        assert_kept(provider, provider.model, "", 0).await;
    }
    let held = "models:\n  far/led-1.5b: { schema: true }\n";
    assert_kept(&PROVIDERS[0], "led-1.5b", held, 1).await;
}
