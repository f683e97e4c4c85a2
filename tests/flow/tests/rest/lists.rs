//! Lists: newest first, page by page.

use crate::Desk;
use plan::Event;
use serde_json::{Value, json};
use support::{Reply, TempWorkspace, plan_write, step_done};

/// Every item of a list, read in pages of this size.
async fn pages(desk: &Desk, path: &str, limit: usize) -> Vec<Value> {
    let mut items = Vec::new();
    let mut next: Option<String> = None;
    loop {
        let before = next.map(|next| format!("&before={next}")).unwrap_or_default();
        let page = desk.client().get(&format!("{path}?limit={limit}{before}")).await.ok();
        let page_items = page["items"].as_array().expect("a list has items");
        assert!(page_items.len() <= limit);
        items.extend(page_items.iter().cloned());
        next = page["next"].as_str().map(str::to_owned);
        if next.is_none() {
            return items;
        }
        assert_eq!(page_items.len(), limit, "a page before the last is full");
    }
}

async fn whole(desk: &Desk, path: &str) -> Vec<Value> {
    let page = desk.client().get(path).await.ok();
    assert!(page.get("next").is_none());
    page["items"].as_array().expect("a list has items").clone()
}

#[tokio::test]
async fn rooms_come_newest_first_in_pages_of_any_size() {
    let desk = Desk::with(vec![]).await;
    let folder = TempWorkspace::new(&[]);
    for n in 1..=5 {
        let body = json!({ "title": format!("room {n}"), "workspace": folder.path() });
        desk.client().post("/v1/rooms", body).await.ok();
    }
    let all = whole(&desk, "/v1/rooms").await;
    let titles: Vec<&str> = all.iter().take(5).filter_map(|room| room["title"].as_str()).collect();
    assert_eq!(titles, ["room 5", "room 4", "room 3", "room 2", "room 1"]);
    assert_eq!(all.len(), 6);
    for limit in 1..=7 {
        assert_eq!(pages(&desk, "/v1/rooms", limit).await, all, "pages of {limit}");
    }
}

#[tokio::test]
async fn messages_and_plans_come_newest_first_in_pages_of_any_size() {
    let mut script = Vec::new();
    for n in 1..=3 {
        script.push(plan_write(&format!("goal {n}"), &["one"]));
        script.push(step_done("s1", "ok"));
        script.push(Reply::text(format!("answer {n}")));
    }
    let desk = Desk::with(script).await;
    let mut after = 0;
    for n in 1..=3 {
        desk.say(&format!("question {n}")).await;
        let done = |event: &Event| matches!(event, Event::PlanDone { .. });
        after = desk.house.wait_after(after, "end", done).await;
        desk.house.wait_idle().await;
    }
    let plans = whole(&desk, &desk.at("/plans")).await;
    let goals: Vec<(&Value, &Value)> =
        plans.iter().map(|plan| (&plan["goal"], &plan["state"])).collect();
    let done = json!("done");
    assert_eq!(
        goals,
        [(&json!("goal 3"), &done), (&json!("goal 2"), &done), (&json!("goal 1"), &done)]
    );
    let messages = whole(&desk, &desk.at("/messages")).await;
    let sequences: Vec<u64> = messages.iter().filter_map(|item| item["seq"].as_u64()).collect();
    assert!(sequences.is_sorted_by(|a, b| a > b), "{sequences:?}");
    assert_eq!(messages[0]["text"], "answer 3");
    assert_eq!(messages.last().unwrap()["text"], "question 1");
    for limit in 1..=4 {
        assert_eq!(pages(&desk, &desk.at("/plans"), limit).await, plans, "pages of {limit}");
        assert_eq!(pages(&desk, &desk.at("/messages"), limit).await, messages, "pages of {limit}");
    }
}
