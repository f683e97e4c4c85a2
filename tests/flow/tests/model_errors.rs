//! What a person reads on the card when the model can't be asked, case by case.

use engine::Clock;
use expect_test::expect;
use flow::House;
use models::Patience;
use plan::{Command, Effect, Event};
use serde_json::json;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use support::{Reply, plan_write, plan_write_with, self_signed, sse_body, step_done, wait_for};

/// Times enough for every retry.
const TRIES: usize = 8;

fn json_error(status: u16, code: &str, headers: &[(&str, &str)]) -> Reply {
    let body = json!({ "error": { "message": "no", "code": code, "type": code } });
    let mut all = vec![("content-type", "application/json")];
    all.extend(headers);
    Reply::status(status, body.to_string(), &all)
}

/// Words that would steer a terminal, turn text around and fill the card.
fn steering() -> Reply {
    let words = format!("\u{1b}[31mred\0 \u{202e}exe.txt{}end", "\r\n".repeat(2000));
    Reply::status(500, json!({ "error": { "message": words } }).to_string(), &[])
}

/// Moves the time on for as long as it is held.
struct Moving(tokio::task::JoinHandle<()>);

impl Moving {
    fn of(house: &House) -> Self {
        let clock = Arc::clone(&house.clock);
        Self(tokio::spawn(async move {
            loop {
                clock.advance(Duration::from_secs(1));
                tokio::task::yield_now().await;
            }
        }))
    }
}

impl Drop for Moving {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The card once the plan is paused.
async fn card(house: &House) -> String {
    let moving = Moving::of(house);
    house.say("do it").await;
    house.wait_paused().await;
    drop(moving);
    let plan = house.plan();
    let reason = plan.pause_reason.map(|reason| format!("{reason:?}")).unwrap_or_default();
    let until = if plan.pause_until.is_some() { ", goes on by itself" } else { "" };
    format!("{reason}{until}: {}", plan.pause_detail.unwrap_or_default())
}

/// A plan whose first step meets this answer again and again.
async fn answered(answer: Reply) -> String {
    let mut script = vec![plan_write("g", &["a"])];
    script.extend(std::iter::repeat_n(answer, TRIES));
    let house = House::with(script).await;
    card(&house).await.replace(&house.model.base_url(), "HERE")
}

/// A plan whose first step is for a model at another address.
async fn at(address: &str) -> String {
    let step = json!([{ "text": "a", "model": "other/small" }]);
    let script = vec![plan_write_with("g", step, json!({}))];
    let other = format!("  other: {{ type: openai, base_url: \"{address}\" }}\n");
    let house = House::configured(script, &other, &[]).await;
    card(&house).await.replace(address, "THERE")
}

/// A plan whose first step is for a model at a door of this test, which alone may knock there:
/// what is said of a model in the configuration is not found out by asking it.
async fn at_door(port: u16) -> House {
    let step = json!([{ "text": "a", "model": "other/small" }]);
    let script = vec![plan_write_with("g", step, json!({}))];
    let other = format!(
        "  other: {{ type: openai, base_url: \"http://127.0.0.1:{port}/v1\" }}\n\
         models:\n  other/small: {{ tools: native }}\n"
    );
    House::configured(script, &other, &[]).await
}

/// A plan whose first step is for a model that takes the request and says this, and then nothing.
async fn silent(said: &'static str) -> String {
    let (open, port) = door();
    std::thread::spawn(move || {
        let speak = |stream: std::io::Result<TcpStream>| {
            let mut stream = stream.ok()?;
            let _ = stream.read(&mut [0; 64 * 1024]);
            stream.write_all(said.as_bytes()).ok().map(|()| stream)
        };
        // Held open: whoever asks gives up first.
        let _held: Vec<_> = open.incoming().map(speak).collect();
    });
    let house = at_door(port).await;
    let patience = Patience { silence: Duration::from_secs(2), ..Patience::default() };
    card(&house.impatient(patience).await).await
}

/// A model that answers with all but the end of the first reply and shows that it lives from then
/// on, and answers with the other replies when it is asked again; asked so often, it has said all.
fn stalling(first: &Reply, then: Vec<Reply>) -> (u16, Arc<AtomicUsize>) {
    const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    let (open, port) = door();
    let asked = Arc::new(AtomicUsize::new(0));
    let whole = String::from_utf8(sse_body(first).to_vec()).expect("it is text");
    // Nothing but the reason to finish and the end mark are missing.
    let begun = whole.rsplitn(4, "data: ").last().expect("there is an end").to_owned();
    let mut then = then.into_iter();
    let count = Arc::clone(&asked);
    std::thread::spawn(move || {
        for mut stream in open.incoming().flatten() {
            let _ = stream.read(&mut [0; 256 * 1024]);
            let reply = (count.fetch_add(1, Ordering::SeqCst) > 0).then(|| then.next()).flatten();
            if let Some(reply) = reply {
                let _ = stream.write_all(&[HEAD.as_bytes(), &sse_body(&reply)].concat());
                continue;
            }
            let _ = stream.write_all([HEAD, &begun].concat().as_bytes());
            std::thread::spawn(move || {
                while stream.write_all(b": still here\n\n").is_ok() {
                    std::thread::sleep(Duration::from_millis(10));
                }
            });
        }
    });
    (port, asked)
}

/// A plan whose first step is for the model at this door, of which only signs of life are heard.
async fn stalled_at(port: u16) -> House {
    let house = at_door(port).await;
    let patience = Patience { stall: Duration::from_secs(1), ..Patience::default() };
    house.impatient(patience).await
}

/// A plan whose first step is for a model whose key is in a variable that nobody set.
async fn unkeyed() -> String {
    let step = json!([{ "text": "a", "model": "keyed/small" }]);
    let script = vec![plan_write_with("g", step, json!({}))];
    let keyed = "  keyed: { type: openai, base_url: \"http://127.0.0.1:9/v1\", \
                 key_env: PLANCARD_TEST_NO_SUCH_KEY }\n";
    card(&House::configured(script, keyed, &[]).await).await
}

/// A door on this computer, and its number; closed when it is dropped.
fn door() -> (TcpListener, u16) {
    let door = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = door.local_addr().expect("it has a number").port();
    (door, port)
}

/// Whatever a provider asks to wait, either it is waited for a little and then asked about, or the
/// card says until when.
#[tokio::test]
async fn no_wait_that_a_provider_asks_for_is_endured_in_silence() {
    let nonsense = [
        "-20",
        "0",
        "soon",
        "NaN",
        "1000000000000",
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Fri, 31 Dec 9999 23:59:59 GMT",
    ];
    for asked in nonsense {
        let card = answered(json_error(429, "rate_limit", &[("retry-after", asked)])).await;
        assert_eq!(card, "Provider: the provider asks to slow down", "{asked}");
    }
    let days = [("retry-after", "3456000")];
    let script = vec![plan_write("g", &["a"]), json_error(503, "busy", &days)];
    let house = House::with(script).await;
    let began = house.clock.now();
    let expected = "Quota, goes on by itself: the provider is overloaded for 40 days";
    assert_eq!(card(&house).await, expected);
    let until = house.plan().pause_until.expect("the card says until when");
    let (earliest, latest) = (began.0, house.clock.now().0);
    assert!((earliest..=latest).contains(&(until.0 - 3_456_000_000)), "{until:?}");
}

#[tokio::test]
async fn each_trouble_has_words_of_its_own() {
    let quota = "insufficient_quota";
    let (week, nonsense) = ([("retry-after", "604800")], [("retry-after", "-20")]);
    let page = Reply::status(200, "<!doctype html><p>hi", &[("content-type", "text/html")]);
    let stream = [("content-type", "text/event-stream")];
    let empty = Reply::status(200, "data: [DONE]\n\n", &stream);
    let (open, plain) = door();
    let (_, closed) = door();
    // Speaks, but not in the words of a secure connection.
    std::thread::spawn(move || {
        for stream in open.incoming().flatten() {
            let _ = Write::write_all(&mut &stream, b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let rows = [
        ("429", answered(json_error(429, "rate_limit", &[("retry-after", "20")])).await),
        ("529", answered(json_error(529, "overloaded_error", &[])).await),
        ("500", answered(json_error(500, "server_error", &[])).await),
        ("500 that steers", answered(steering()).await),
        ("502", answered(json_error(502, "bad_gateway", &[("retry-after", "30")])).await),
        ("529 for a week", answered(json_error(529, "overloaded_error", &week)).await),
        ("429 with nonsense", answered(json_error(429, "rate_limit", &nonsense)).await),
        ("filtered", answered(Reply::text("").finish("content_filter")).await),
        ("quota", answered(json_error(429, quota, &[("retry-after", "3600")])).await),
        ("empty account", answered(json_error(429, quota, &[])).await),
        ("key", answered(json_error(401, "invalid_api_key", &[])).await),
        ("model", answered(json_error(404, "model_not_found", &[])).await),
        ("page", answered(page).await),
        ("refused", at(&format!("http://127.0.0.1:{}/v1", closed)).await),
        ("plain", at(&format!("https://127.0.0.1:{plain}/v1")).await),
        ("certificate", at(&format!("https://127.0.0.1:{}/v1", self_signed())).await),
        ("silent", silent("").await),
        ("stalled", card(&stalled_at(stalling(&Reply::text("So"), Vec::new()).0).await).await),
        ("key variable", unkeyed().await),
        ("empty", answered(empty).await),
    ];
    let table: String = rows.iter().map(|(name, card)| format!("{name}: {card}\n")).collect();
    expect![[r#"
        429: Provider: the provider asks to slow down for 20 seconds
        529: Provider: the provider is overloaded
        500: Provider: the provider had an error of its own (status 500): no
        500 that steers: Provider: the provider had an error of its own (status 500): [31mred exe.txt end
        502: Provider: the provider had an error of its own (status 502) and asks to wait for 30 seconds: no
        529 for a week: Quota, goes on by itself: the provider is overloaded for 7 days
        429 with nonsense: Provider: the provider asks to slow down
        filtered: Provider: the provider declined to answer (content filter): say it in another way
        quota: Quota, goes on by itself: the quota at the provider is used up and is renewed in 60 minutes
        empty account: Provider: the quota at the provider is used up: check the account there
        key: Provider: test does not accept the key, or needs one: check it in the settings, or the variable that key_env names
        model: Provider: test has no model named scripted: choose another one
        page: Provider: HERE answers with a web page instead of a model's answer: check the address
        refused: Provider: nothing answers at THERE: is the server running?
        plain: Provider: THERE does not answer in https: if the server there speaks plain http, begin its address with http://
        certificate: Provider: no secure connection to THERE: check its certificate
        silent: Provider: the model said nothing for 2 seconds: see whether its server still works, or choose another model
        stalled: Provider: the model's server is still there, but for 1 second no part of an answer came: try again later, or choose another model
        key variable: Provider: keyed takes its key from the environment variable PLANCARD_TEST_NO_SUCH_KEY, which is not set: set it and start Plancard again, or name no variable in the configuration and give the key in the window's settings
        empty: Provider: the model's answer can't be read: it is empty
    "#]].assert_eq(&table);
    let mut words: Vec<&str> = rows.iter().map(|(_, card)| card.as_str()).collect();
    words.sort_unstable();
    words.dedup();
    assert_eq!(words.len(), rows.len(), "no two read the same");
}

/// The head of an answer is no answer.
#[tokio::test]
async fn a_head_and_then_nothing_is_silence() {
    for kind in ["text/event-stream", "application/json"] {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: 9\r\n\r\n");
        let card = silent(head.leak()).await;
        assert!(
            card.starts_with("Provider: the model said nothing for 2 seconds"),
            "{kind}: {card}"
        );
    }
}

/// A call of an answer that never ended is not made; it is made once when the answer comes whole.
#[tokio::test]
async fn signs_of_life_alone_are_asked_again_and_no_call_is_made_twice() {
    let write = |text: &str| Reply::call("write_file", json!({ "path": "a", "content": text }));
    let then = vec![write("second"), step_done("s1", "ok")];
    let (port, asked) = stalling(&write("first"), then);
    let house = stalled_at(port).await;
    let moving = Moving::of(&house);
    house.say("do it").await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    drop(moving);
    assert_eq!(house.workspace.read("a"), "second");
    assert_eq!((asked.load(Ordering::SeqCst), house.count("paused")), (3, 0));
    let writes = |event: &Event| matches!(event, Event::CallBegan { effect: Effect::Write, .. });
    assert_eq!(house.log().iter().filter(|(_, event)| writes(event)).count(), 1);
}

#[tokio::test]
async fn what_passes_is_waited_for_and_the_plan_goes_on() {
    for passing in [
        json_error(429, "rate_limit", &[("retry-after", "20")]),
        json_error(529, "overloaded_error", &[]),
        json_error(500, "server_error", &[]),
    ] {
        let script = vec![plan_write("g", &["a"]), passing, step_done("s1", "ok")];
        let house = House::with(script).await;
        let moving = Moving::of(&house);
        house.say("do it").await;
        house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
        drop(moving);
        assert_eq!(house.count("paused"), 0);
    }
}

#[tokio::test]
async fn a_repaired_address_goes_on_where_it_stood() {
    let script = vec![
        plan_write("g", &["a"]),
        json_error(401, "invalid_api_key", &[]),
        step_done("s1", "ok"),
    ];
    let house = House::with(script).await;
    house.say("do it").await;
    house.wait_paused().await;
    assert_eq!(house.model.requests().len(), 2, "a wrong key is not tried again");
    house.person(Command::Resume).await.unwrap();
    wait_for(async || house.plan().state == "done", "the plan to end").await;
}

/// The time limit of a silent model is minutes; a person never waits for it.
#[tokio::test(flavor = "multi_thread")]
async fn who_pauses_or_cancels_while_a_model_is_silent_is_heard_at_once() {
    let (silent, port) = door();
    let house = at_door(port).await;
    let asked = || {
        let (mut stream, _) = silent.accept().expect("it is asked");
        let mut first = [0; 1];
        std::io::Read::read_exact(&mut stream, &mut first).expect("a request comes");
        stream
    };
    let hung_up = |mut stream: std::net::TcpStream| {
        let mut rest = Vec::new();
        // Whoever hangs up in the middle may say so rudely.
        let _ = std::io::Read::read_to_end(&mut stream, &mut rest);
    };
    house.say("do it").await;
    let first = tokio::task::block_in_place(asked);
    house.person(Command::Pause).await.unwrap();
    assert_eq!(house.plan().state, "paused");
    tokio::task::block_in_place(|| hung_up(first));
    house.person(Command::Resume).await.unwrap();
    let second = tokio::task::block_in_place(asked);
    house.person(Command::Cancel { reason: String::new(), call: None }).await.unwrap();
    assert_eq!(house.plan().state, "cancelled");
    tokio::task::block_in_place(|| hung_up(second));
    house.wait_idle().await;
}

#[tokio::test]
async fn a_call_that_the_server_cannot_read_is_a_failed_attempt_of_the_model() {
    let failed = json!({ "error": { "code": "tool_use_failed", "message": "Failed to call a function.",
        "failed_generation": "<function=write_file>{\"path\": \"x.txt\"</function>" } });
    let unread = json!({ "error": { "code": 500, "type": "server_error",
        "message": "Failed to parse input at pos 31: <tool_call>" } });
    for (status, error, tool) in [(400, failed, "write_file: "), (500, unread, "could not be read")]
    {
        let script = vec![
            plan_write("goal", &["a"]),
            Reply::status(status, error.to_string(), &[]),
            step_done("s1", "made"),
            Reply::text("Done."),
        ];
        let house = House::with(script).await;
        house.say("do it").await;
        house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
        house.wait_idle().await;
        let requests = house.model.requests();
        let told = requests[2].tool_results().pop().unwrap();
        assert!(told.contains("BAD_ARGUMENTS") && told.contains(tool), "{told}");
        assert!(told.contains("attempt 1/3"), "with the nudge: {told}");
        assert_ne!(requests[1].body(), requests[2].body(), "nothing is sent again unchanged");
    }
}

#[tokio::test]
async fn a_template_that_takes_a_system_message_only_first_gets_notes_as_a_users() {
    let refusal = json!({ "error": { "message": "System message must be at the beginning." } });
    let script = vec![
        plan_write("goal", &["a"]),
        Reply::status(400, refusal.to_string(), &[]),
        Reply::text("Hm."),
        step_done("s1", "made"),
        Reply::text("Done."),
    ];
    let house = House::with(script).await;
    house.say("do it").await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    house.wait_idle().await;
    let requests = house.model.requests();
    assert!(requests[1].texts("system").len() > 1);
    for request in &requests[2..] {
        assert_eq!(request.texts("system").len(), 1, "and it is not tried again");
    }
    assert!(requests[3].texts("user").join("\n").contains("Plan harness"));
}
