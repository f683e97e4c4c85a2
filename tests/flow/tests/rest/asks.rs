//! The inbox.

use crate::{Desk, held, refused};
use plan::Event;
use serde_json::{Value, json};
use support::{Reply, ask_user, plan_write};

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
