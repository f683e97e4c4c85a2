//! A council from its start to its end, as a program sees it.

use crate::{Desk, answer, held, vote};
use engine::export;
use serde_json::{Value, json};
use support::{Reply, step_done};

/// A desk whose council is won by the first member, against the vote of the third.
async fn won_by_first() -> Desk {
    let a = vec![
        answer("Sort by size", &["sort"]),
        vote("agent1", "mine is short").hold_after(1),
        step_done("s1", "sorted"),
        Reply::text("It is tidy."),
    ];
    let b = vec![answer("Sort by colour", &["paint"]), vote("agent1", "it is shorter")];
    let long = format!("Throw all away\n{}", "and buy new books. ".repeat(100));
    let c = vec![answer(&long, &["throw"]), vote("agent3", "it is faster")];
    Desk::of_three(a, b, c).await
}

/// The first member votes last, so that nobody's vote comes too late.
async fn let_all_vote(desk: &Desk) {
    desk.house.model.request(5).await;
    let votes = async || desk.house.count("council_voted") == 2;
    support::wait_for(votes, "two votes").await;
    desk.house.model.release();
}

#[tokio::test]
async fn a_council_is_started_followed_and_read() {
    let desk = won_by_first().await;
    let mut feed = desk.client().follow(&desk.at("/stream"), None).await;
    let begun = desk.start(json!({})).await;
    assert_eq!(begun.status, 202);
    let id = begun.body["council_id"].clone();
    let_all_vote(&desk).await;
    let heard = feed.until("end", |heard| heard.name == "council_ended").await;
    let of_council: Vec<_> =
        heard.iter().filter(|heard| heard.name.starts_with("council_")).collect();
    for heard in &of_council {
        assert_eq!(heard.data["council_id"], id, "{heard:?}");
        assert_eq!(heard.data["type"], heard.name.as_str());
        assert_eq!(heard.data["seq"], heard.seq());
        assert!(heard.data.get("frame").is_none() && heard.data.get("ask").is_none(), "{heard:?}");
    }
    let data = |name: &str| {
        let found = of_council.iter().filter(|heard| heard.name == name);
        found.map(|heard| heard.data.clone()).collect::<Vec<Value>>()
    };
    let seats = &data("council_started")[0]["members"];
    assert_eq!((&seats[1]["id"], &seats[1]["agent"]), (&json!("agent2"), &json!("b")));
    let mut labels: Vec<String> =
        data("council_answered").iter().map(|one| one["label"].to_string()).collect();
    labels.sort();
    assert_eq!(labels, ["\"agent1.1\"", "\"agent2.1\"", "\"agent3.1\""]);
    let long = data("council_answered").into_iter().find(|one| one["member"] == "agent3").unwrap();
    assert!(long["content"].as_str().is_some_and(|text| text.len() > 1_500), "it comes whole");
    assert_eq!(long["steps"][0]["text"], "throw");
    let voted = data("council_voted").into_iter().find(|one| one["member"] == "agent2").unwrap();
    assert_eq!((&voted["for"], &voted["label"]), (&json!("agent1"), &json!("agent1.1")));
    assert_eq!(voted["reason"], "it is shorter");
    assert_eq!(data("council_decided")[0]["winner"], "agent1");
    assert_eq!(data("council_decided")[0]["decided_by"], "votes");
    assert!(data("council_handed_over")[0].get("text").is_none(), "a member's talk is its own");
    assert_eq!(data("council_ended")[0]["state"], "done");

    let council = desk.council().await;
    assert_eq!((&council["id"], &council["state"]), (&id, &json!("done")));
    assert_eq!((&council["winner"], &council["decided_by"]), (&json!("agent1"), &json!("votes")));
    assert_eq!(council["plan_id"], json!(desk.house.plan().id));
    assert_eq!(council["members"][2]["vote"]["for"], "agent3");
    let content = &council["members"][2]["answers"][0]["content"];
    assert!(content.as_str().is_some_and(|text| text.len() > 1_500), "{content}");
    let list = desk.client().get(&desk.at("/councils")).await.ok();
    assert_eq!(list, json!({ "items": [council] }));
}

#[tokio::test]
async fn who_comes_back_in_the_middle_still_learns_which_council_it_is() {
    let desk = won_by_first().await;
    let id = desk.start(json!({})).await.ok()["council_id"].clone();
    let_all_vote(&desk).await;
    let seq = desk.wait("council_decided").await;
    let mut feed = desk.client().follow(&desk.at("/stream"), Some(&(seq - 1).to_string())).await;
    let heard = feed.next_stored().await.unwrap();
    assert_eq!((heard.name.as_str(), &heard.data["council_id"]), ("council_decided", &id));
}

#[tokio::test]
async fn the_same_request_sent_twice_starts_one_council() {
    let desk = Desk::of_two(vec![held()], vec![held()]).await;
    let client = desk.client().header("idempotency-key", "once");
    let body = json!({ "task": "Tidy" });
    let first = client.post(&desk.at("/council"), body.clone()).await;
    let again = client.post(&desk.at("/council"), body).await;
    assert_eq!((first.status, &first.body), (again.status, &again.body));
    assert_eq!(desk.house.count("council_started"), 1);
}

#[tokio::test]
async fn councils_are_listed_newest_first_in_pages() {
    let desk = Desk::of_two(vec![held(), held()], vec![held(), held()]).await;
    let mut ids = Vec::new();
    for _ in 0..2 {
        ids.push(desk.start(json!({})).await.ok()["council_id"].clone());
        assert_eq!(desk.press("cancel").await.ok()["state"], "cancelled");
    }
    let page = desk.client().get(&desk.at("/councils?limit=1")).await.ok();
    assert_eq!((&page["items"][0]["id"], &page["next"]), (&ids[1], &ids[1]));
    let next = page["next"].as_str().unwrap();
    let rest = desk.client().get(&desk.at(&format!("/councils?limit=1&before={next}"))).await.ok();
    assert_eq!((&rest["items"][0]["id"], rest.get("next")), (&ids[0], None));
}

#[tokio::test]
async fn an_exported_plan_tells_of_proposals_votes_and_dissent() {
    let desk = won_by_first().await;
    desk.start(json!({})).await.ok();
    let_all_vote(&desk).await;
    desk.wait("council_ended").await;
    let engine = desk.house.engine();
    let plan = export::plan(engine, desk.house.plan().id.0).unwrap().unwrap();
    let council = export::council(engine, &plan).unwrap();
    let text = export::with_council(&plan, council.as_ref());
    for words in [
        "## Council\n\nTask: Tidy the shelf\n",
        "agent1 (default) won with 2 of 3 votes, decided by the votes.",
        "#### agent2.1 by b (test/b)\n\n> Sort by colour\n\n1. paint\n",
        "### Votes\n\n- agent1 (default) for agent1.1: mine is short\n- agent2 (b) for agent1.1: ",
        "### Dissent\n\n- agent3 (c) for agent3.1: it is faster\n",
    ] {
        assert!(text.contains(words), "{words:?} in {text}");
    }
    let json: Value =
        serde_json::from_str(&export::json(&plan, council.as_ref()).unwrap()).unwrap();
    assert_eq!(json["council"]["winner"], "agent1");
    assert_eq!(json["id"], json!(plan.id));
}
