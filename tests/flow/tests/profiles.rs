//! What a model can do is found out by real requests to a scripted server, kept, and forgotten
//! when the address is another.

use engine::config::ModelRef;
use engine::{Planning, ProfileSource};
use flow::{House, Served};
use models::{CallForm, Patience, Profile};
use serde_json::{Value, json};
use std::time::Duration;
use support::{Recorded, Reply, Script, ScriptedModel, wait_for};

/// How the scripted model behaves when it is checked.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Able,
    /// Fails the full form of a plan.
    Simple,
    /// Writes its calls in its words, one at a time.
    Words,
    /// Ignores tools.
    Talker,
}

fn model() -> ModelRef {
    ModelRef::new("test", "scripted")
}

fn written(name: &str, arguments: &Value) -> Reply {
    let call = json!({ "name": name, "arguments": arguments });
    Reply::text(format!("<tool_call>\n{call}\n</tool_call>"))
}

/// What it answers to the request of a check; anything else it answers in words.
fn answer(kind: Kind, request: &Recorded) -> Reply {
    let read = |path: &str| ("read_file", json!({ "path": path }));
    let steps = json!(["make a.txt", "make b.txt", "list the folder"]);
    match (request.tool_names().as_slice(), kind) {
        (["note"], Kind::Able | Kind::Simple) => Reply::call("note", json!({ "text": "ready" })),
        (["note"], Kind::Words) => written("note", &json!({ "text": "ready" })),
        (["note", "read_file"], Kind::Able) => Reply::calls([read("a.txt")]),
        (["read_file"], Kind::Able) => Reply::calls([read("a.txt"), read("b.txt")]),
        (["read_file"], Kind::Simple) => Reply::calls([read("a.txt")]),
        (["read_file"], Kind::Words) => written("read_file", &json!({ "path": "a.txt" })),
        (["write_plan"], Kind::Able | Kind::Simple) => {
            Reply::call("write_plan", json!({ "steps": steps }))
        }
        (["write_plan"], Kind::Words) => written("write_plan", &json!({ "steps": steps })),
        (["plan"], Kind::Able) => {
            Reply::call("plan", json!({ "action": "write", "goal": "two files", "steps": steps }))
        }
        (["plan"], Kind::Simple) => Reply::call("plan", json!({ "steps": steps })),
        ([], Kind::Able) if request.texts("user").concat().contains("grass") => {
            Reply::text(r#"{"colour":"green","legs":4}"#)
        }
        _ => Reply::text("Hello!"),
    }
    .usage(50, 10)
}

fn behaves(kind: Kind) -> Script {
    Script::from_fn(move |request| answer(kind, request))
}

async fn check(house: &House) -> Value {
    let served = Served::new(house.engine()).await;
    served.client.post("/v1/models/profile", json!({})).await.ok()
}

async fn checked(kind: Kind) -> Value {
    check(&House::with(behaves(kind)).await).await
}

#[tokio::test]
async fn an_able_model_plans_reliably() {
    let house = House::with(behaves(Kind::Able)).await;
    assert_eq!(
        check(&house).await,
        json!({
            "model": "test/scripted", "ok": true, "words": ["Plans reliably."],
            "profile": {
                "tools": "native", "simple": false, "parallel": true, "schema": true,
                "forced_tool": true, "thinks": false,
            },
            "requests": 6, "input_tokens": 300, "output_tokens": 60,
        })
    );
    let requests = house.model.requests();
    assert!(requests.iter().all(|request| request.json()["max_tokens"].as_u64() <= Some(800)));
    assert_eq!(house.engine().profile(&model()).calls, CallForm::Native);
}

#[tokio::test]
async fn a_model_that_fails_the_full_form_plans_with_the_simple_one() {
    let said = checked(Kind::Simple).await;
    let words = ["Plans with the simple form.", "Makes one tool call at a time."];
    assert_eq!((&said["words"], &said["profile"]["simple"]), (&json!(words), &json!(true)));
}

#[tokio::test]
async fn a_model_that_writes_its_calls_is_read_so() {
    let said = checked(Kind::Words).await;
    assert_eq!(said["profile"]["tools"], "text");
    let words = [
        "Plans with the simple form.",
        "Writes tool calls as text.",
        "Makes one tool call at a time.",
    ];
    assert_eq!(said["words"], json!(words));
}

#[tokio::test]
async fn a_model_that_ignores_tools_can_only_answer() {
    let said = checked(Kind::Talker).await;
    assert_eq!(said["profile"]["tools"], "none");
    assert_eq!(said["words"], json!(["Doesn't call tools: it can only answer."]));
    assert_eq!(said["requests"], 3, "what needs tools is not asked");
}

#[tokio::test]
async fn what_stands_in_the_way_is_said_and_nothing_is_kept() {
    let refused = Reply::status(401, r#"{"error":{"message":"no","code":"invalid_api_key"}}"#, &[]);
    let house = House::with(vec![refused]).await;
    let said = check(&house).await;
    assert_eq!((&said["ok"], &said["code"]), (&json!(false), &json!("MODEL_INVALID_KEY")));
    let words = "Couldn't check test/scripted: test does not accept the key, or needs one: check \
                 it in the settings, or the variable that key_env names.";
    assert_eq!(said["words"], json!([words]));
    assert_eq!(house.engine().known_profile(&model()).source, ProfileSource::Default);
    assert!(!house.data().join("profiles.json").exists());
}

#[tokio::test]
async fn a_server_that_is_gone_or_says_nothing_is_given_up() {
    let silence = Duration::from_millis(200);
    let patience = Patience { silence, ..Patience::default() };
    let house = House::with(behaves(Kind::Able)).await.impatient(patience).await;
    house.model.hold();
    let said = check(&house).await;
    assert_eq!((&said["ok"], &said["code"]), (&json!(false), &json!("MODEL_SILENT")));
    assert_eq!(said["requests"], 1);

    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = free.local_addr().expect("it has a number").port();
    drop(free);
    let gone = format!("  gone: {{ type: openai, base_url: \"http://127.0.0.1:{port}/v1\" }}\n");
    let house = House::configured(vec![], &gone, &[]).await;
    let served = Served::new(house.engine()).await;
    let said = served.client.post("/v1/models/profile", json!({ "model": "gone/x" })).await.ok();
    assert_eq!((&said["ok"], &said["code"]), (&json!(false), &json!("MODEL_UNREACHABLE")));
    let words = said["words"][0].as_str().expect("it says something");
    assert!(words.ends_with("is the server running?"), "{words}");
}

#[tokio::test]
async fn what_plans_in_its_own_way_needs_no_check() {
    let agent = "  other: { type: acp, command: no-such-agent }\n";
    let house = House::configured(vec![], agent, &[]).await;
    let served = Served::new(house.engine()).await;
    for (name, words) in [("rehearsal/tour", "Built in:"), ("other/default", "External agent:")] {
        let said = served.client.post("/v1/models/profile", json!({ "model": name })).await.ok();
        assert_eq!((&said["ok"], &said["requests"]), (&json!(true), &json!(0)), "{name}");
        assert!(said["words"][0].as_str().expect("it says something").starts_with(words));
    }
    assert!(!house.data().join("profiles.json").exists());
}

#[tokio::test]
async fn the_servers_window_and_size_count() {
    let house = House::with(behaves(Kind::Able)).await;
    house.model.lists(&llama(1_777_088_000));
    let said = check(&house).await;
    let words = ["Plans with the simple form.", "Window: 16,384 tokens."];
    assert_eq!(said["words"], json!(words), "a small model stays one, however well it does");
    assert_eq!(said["profile"]["context_window"], 16_384);
    assert_eq!(house.engine().profile(&model()).window, Some(16_384));
}

#[tokio::test]
async fn what_was_found_out_is_kept_for_this_address_alone() {
    let mut house = House::with(behaves(Kind::Simple)).await;
    assert!(house.engine().check_profile(None).await.expect("there is a model").ok);
    let known = house.engine().known_profile(&model());
    assert_eq!((known.source, known.planning), (ProfileSource::Probe, Planning::Simple));
    house.restart().await;
    assert_eq!(house.engine().known_profile(&model()), known);

    let file = house.config().join("plancard.yaml");
    let config = std::fs::read_to_string(&file).expect("it can be read");
    let elsewhere = ScriptedModel::start(behaves(Kind::Able)).await;
    let moved = config.replace(&house.model.base_url(), &elsewhere.base_url());
    std::fs::write(&file, &moved).expect("it can be written");
    house.engine().config().reload();
    let unknown = house.engine().known_profile(&model());
    assert_eq!((unknown.profile, unknown.source), (Profile::default(), ProfileSource::Default));

    // Spoken to in another way, it is another one, too.
    let spoken = config.replace("type: openai,", "type: openai, api: responses,");
    std::fs::write(&file, spoken).expect("it can be written");
    house.engine().config().reload();
    assert_eq!(house.engine().known_profile(&model()).source, ProfileSource::Default);

    std::fs::write(&file, config).expect("it can be written");
    house.engine().config().reload();
    assert_eq!(house.engine().known_profile(&model()), known);
}

#[tokio::test]
async fn what_the_configuration_says_wins_over_a_check() {
    let more = "models:\n  test/scripted: { tools: native, simple: false, context_window: 9000 }\n";
    let house = House::configured(behaves(Kind::Talker), more, &[]).await;
    let said = check(&house).await;
    assert_eq!(said["profile"]["tools"], "native");
    assert_eq!(said["words"][0], "Plans reliably.");
    let known = house.engine().known_profile(&model());
    assert_eq!((known.source, known.profile.window), (ProfileSource::Config, Some(9000)));
    assert!(!known.profile.parallel, "what it does not say was found out");
}

#[tokio::test]
async fn models_are_listed_with_what_is_known_and_who_would_plan_better() {
    let more = "models:\n  test/weak: { tools: text, simple: true }\n  \
                test/strong: { tools: native, simple: false, context_window: 64000 }\n";
    let house = House::of_agent("test/weak", Script::from(vec![]), more, &[]).await;
    let served = Served::new(house.engine()).await;
    let listed = served.client.get("/v1/models/profiles").await.ok();
    let better = "Set plan_model to test/strong: it plans, and this model does the steps.";
    assert_eq!(
        listed,
        json!({ "items": [{
            "model": "test/weak", "address": house.model.base_url(), "agents": ["default"],
            "plans_for": [], "source": "config",
            "words": ["Plans with the simple form.", "Writes tool calls as text.", better],
            "profile": {
                "tools": "text", "simple": true, "parallel": true, "schema": false,
                "forced_tool": false, "thinks": false,
            },
            "plan_model": "test/strong",
        }]})
    );
    assert_eq!(house.model.requests().len(), 0, "nothing is asked for a list");
}

#[tokio::test]
async fn a_model_that_has_a_planner_or_needs_none_gets_no_advice() {
    let strong = "models:\n  test/strong: { tools: native, simple: false }\n";
    let weak = "  test/weak: { simple: true }\n";
    for (agent, more) in [
        ("test/weak\n    plan_model: test/strong", format!("{strong}{weak}")),
        ("test/strong", strong.to_owned()),
        // Nothing better is known.
        ("test/weak", format!("models:\n{weak}  other: test/unheard-of\n")),
        ("test/weak", format!("{strong}{weak}planner: {{ decompositionModel: test/strong }}\n")),
    ] {
        let house = House::of_agent(agent, Script::from(vec![]), &more, &[]).await;
        for one in house.engine().model_profiles() {
            assert_eq!(one.plan_model, None, "{agent} {more}");
        }
    }
}

/// How llama.cpp lists its model.
fn llama(parameters: u64) -> Value {
    json!({ "object": "list", "data": [{
        "id": "scripted", "object": "model", "owned_by": "llamacpp",
        "meta": { "n_ctx": 16_384, "n_ctx_train": 32_768, "n_params": parameters },
    }]})
}

fn is_check(request: &Recorded) -> bool {
    request.tool_names() == ["note"]
}

/// Lets time go on until what a model can do was found out by itself.
async fn found_out(house: &House, model: &ModelRef) {
    let found = async || {
        house.clock.advance(Duration::from_secs(20));
        house.engine().known_profile(model).source == ProfileSource::Probe
    };
    wait_for(found, "a check that nobody asked for").await;
}

#[tokio::test]
async fn a_local_model_is_checked_by_itself_after_its_first_answer() {
    let house = House::with(behaves(Kind::Able)).await;
    house.model.lists(&llama(14_000_000_000));
    house.say("hello").await;
    found_out(&house, &model()).await;
    let requests = house.model.requests();
    assert!(!is_check(&requests[0]), "the person's words come first");
    assert_eq!(requests.len(), 1 + 6);
    assert_eq!(house.engine().profile(&model()).window, Some(16_384));
    house.say("again").await;
    house.model.request(7).await;
    house.wait_idle().await;
    assert_eq!(house.model.requests().iter().filter(|request| is_check(request)).count(), 1);
}

#[tokio::test]
async fn a_check_by_itself_makes_way_for_a_person() {
    let house = House::with(behaves(Kind::Able)).await;
    house.model.lists(&llama(14_000_000_000));
    house.say("hello").await;
    house.model.request(0).await;
    house.wait_idle().await;
    house.model.hold();
    let begun = async || {
        house.clock.advance(Duration::from_secs(20));
        house.model.requests().len() == 2
    };
    wait_for(begun, "the check to begin").await;
    let check = house.model.request(1).await;
    assert!(is_check(&check));
    house.say("and now?").await;
    let words = house.model.request(2).await;
    assert!(words.texts("user").concat().contains("and now?"));
    wait_for(async || check.dropped(), "the check to end").await;
    house.model.release();
    found_out(&house, &model()).await;
}

#[tokio::test]
async fn what_may_cost_something_or_is_known_is_never_checked_unasked() {
    let known = ScriptedModel::start(behaves(Kind::Able)).await;
    // Any server may stand behind such an address, also one that passes requests on.
    let door = ScriptedModel::start(behaves(Kind::Able)).await;
    known.lists(&llama(14_000_000_000));
    let more = format!(
        "  known: {{ type: openai, base_url: \"{}\" }}\n  door: {{ type: openai, base_url: \"{}\" }}\n\
         models:\n  known/said: {{ simple: false }}\n  \
         known/dear: {{ prices: {{ input: 1, output: 1 }} }}\n",
        known.base_url(),
        door.base_url()
    );
    let house = House::configured(behaves(Kind::Able), &more, &[]).await;
    house.model.lists(&llama(14_000_000_000));
    for (number, name) in
        ["known/said", "known/dear", "door/any", "test/scripted"].iter().enumerate()
    {
        let file = house.config().join("plancard.yaml");
        let config = std::fs::read_to_string(&file).expect("it can be read");
        let agent =
            config.lines().find(|line| line.starts_with("    model: ")).expect("it is there");
        let config = config.replace(agent, &format!("    model: {name}"));
        std::fs::write(&file, config).expect("it can be written");
        house.engine().config().reload();
        house.say("hello").await;
        let answers = async || house.count("replied") == number + 1;
        wait_for(answers, "an answer").await;
        house.wait_idle().await;
    }
    found_out(&house, &model()).await;
    for other in [&known, &door] {
        assert!(!other.requests().iter().any(is_check));
    }
    assert_eq!((known.requests().len(), door.requests().len()), (2, 1));
}
