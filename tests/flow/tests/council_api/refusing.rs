//! What is refused, and with which code.

use crate::{Desk, answer, held, refused};
use engine::config::Rights;
use flow::{House, Served, secret};
use serde_json::{Value, json};
use support::Reply;

#[tokio::test]
async fn a_room_without_a_council_says_so() {
    let desk = Desk::of_two(vec![], vec![]).await;
    let missing = refused(404, "COUNCIL_NOT_FOUND");
    let none = desk.client().get(&desk.at("/council")).await;
    assert_eq!(none.body["error"]["message"], "this room has had no council");
    assert_eq!(none.refusal(), missing);
    assert_eq!(desk.client().get(&desk.at("/councils")).await.ok(), json!({ "items": [] }));
    for button in ["answer-now", "pause", "resume", "cancel", "members/agent1/retry"] {
        assert_eq!(desk.press(button).await.refusal(), missing, "{button}");
    }
    for button in ["vote", "pick"] {
        let sent = desk.send(button, json!({ "member": "agent1" })).await;
        assert_eq!(sent.refusal(), missing, "{button}");
    }
    let nowhere = format!("/v1/rooms/{}/council", engine::fresh_id());
    assert_eq!(desk.client().get(&nowhere).await.refusal(), refused(404, "ROOM_NOT_FOUND"));
}

#[tokio::test]
async fn a_bad_start_names_what_is_wrong_and_starts_nothing() {
    let desk = Desk::of_two(vec![], vec![]).await;
    for (more, code, words) in [
        (json!({ "task": " " }), "EMPTY_MESSAGE", ""),
        (json!({ "task": 5 }), "BAD_BODY", "`task` must be text, not 5"),
        (json!({ "members": ["b", "nobody"] }), "AGENT_NOT_FOUND", "nobody"),
        (json!({ "evidence": "dry_run" }), "BAD_OPTION", "evidence"),
        (json!({ "evidence": "hope" }), "BAD_BODY", "`evidence` can't be `hope`"),
        (json!({ "options": { "tokens": "x" } }), "BAD_OPTION", "`options.tokens` must be"),
        (json!({ "options": { "rounds": 2 } }), "BAD_OPTION", "`rounds` is not known here"),
        (
            json!({ "options": { "orchestrator_timeout_seconds": 0 } }),
            "BAD_OPTION",
            "`options.orchestrator_timeout_seconds` must be 1 or more",
        ),
        (
            json!({ "options": { "final_answer_strategy": "none" } }),
            "BAD_OPTION",
            "`options.final_answer_strategy` can't be `none`",
        ),
    ] {
        let sent = desk.start(more).await;
        assert_eq!(sent.refusal(), refused(422, code), "{sent:?}");
        let message = sent.body["error"]["message"].as_str().unwrap();
        assert!(message.contains(words), "{words:?} in {message}");
        for leak in ["expected", "variant", "struct", "deserialize", "line 1"] {
            assert!(!message.contains(leak), "{message}");
        }
    }
    let one = desk.start(json!({ "members": ["b"] })).await;
    assert_eq!(one.refusal(), refused(409, "COUNCIL_SIZE"));
    assert_eq!(desk.house.count("council_started"), 0);
}

#[tokio::test]
async fn one_agent_is_no_council() {
    let desk = Desk::of(House::with(vec![]).await).await;
    assert_eq!(desk.start(json!({})).await.refusal(), refused(409, "COUNCIL_SIZE"));
    let preview = desk.client().get(&desk.at("/council/preview")).await.ok();
    assert!(preview["problem"].as_str().is_some_and(|words| words.contains("two agents")));
}

#[tokio::test]
async fn only_one_council_or_plan_at_a_time() {
    let desk = Desk::of_two(vec![held()], vec![held()]).await;
    desk.start(json!({})).await.ok();
    assert_eq!(desk.start(json!({})).await.refusal(), refused(409, "PLAN_ACTIVE"));
    let preview = desk.client().get(&desk.at("/council/preview")).await.ok();
    assert!(preview["problem"].is_string(), "{preview}");
}

#[tokio::test]
async fn a_preview_says_who_would_sit_there_and_what_they_share() {
    let agents = "test/a\n  b:\n    model: test/b\n  twin:\n    model: test/a";
    let desk = Desk::of(House::of_agent(agents, vec![], "", &[]).await).await;
    let preview =
        async |query: &str| desk.client().get(&desk.at(&format!("/council/preview{query}"))).await;
    let all = preview("").await.ok();
    assert_eq!(all["members"].as_array().map(Vec::len), Some(3));
    assert_eq!((&all["shared_models"], &all["turns"]), (&json!(["test/a"]), &json!(9)));
    let two = preview("?members=default,b").await.ok();
    assert_eq!((&two["shared_models"], &two["turns"]), (&json!([]), &json!(6)));
    let each = |preview: &Value| preview["members"][0]["tokens"].as_u64().unwrap();
    assert_eq!(two["tokens"].as_u64(), Some(2 * each(&two)));
    assert_eq!((&two["minutes"], &two["answers_each"]), (&json!(30), &json!(2)));
    assert_eq!(preview("?members=x").await.refusal(), refused(422, "AGENT_NOT_FOUND"));
    assert_eq!(preview("?who=x").await.refusal(), refused(400, "BAD_QUERY"));
}

#[tokio::test]
async fn what_it_may_cost_comes_from_the_turns_of_the_room() {
    let said = [Reply::text("Hello.").usage(1_000, 50), Reply::text("Yes.").usage(3_000, 150)];
    let agents = "test/a\n  b:\n    model: test/b";
    let desk = Desk::of(House::of_agent(agents, said.to_vec(), "", &[]).await).await;
    let preview = async || desk.client().get(&desk.at("/council/preview")).await.ok();
    assert!(preview().await["basis"].as_str().unwrap().starts_with("A guess"));
    for words in ["hello?", "are you there?"] {
        desk.house.say(words).await;
        desk.house.wait_idle().await;
    }
    let preview = preview().await;
    // The mean of both turns, three times, for two members.
    assert_eq!(preview["tokens"], json!(2 * 3 * 2_100), "{preview}");
    let basis = "From the last 2 turns in this room, 3 for each member.";
    assert_eq!(preview["basis"], basis);
}

#[tokio::test]
async fn a_members_room_is_marked_and_takes_no_words() {
    let desk = Desk::of_two(vec![held()], vec![held()]).await;
    desk.start(json!({})).await.ok();
    desk.house.model.request(1).await;
    let member = desk.council().await["members"][0]["room_id"].as_str().unwrap().to_owned();
    let rooms = desk.client().get("/v1/rooms").await.ok();
    let rooms = rooms["items"].as_array().unwrap().clone();
    let listed = rooms.iter().find(|room| room["id"] == member.as_str()).unwrap();
    assert_eq!(listed["kind"], "member");
    assert_eq!(listed["parent"], json!(desk.house.room));
    let say = json!({ "text": "hello" });
    let said = desk.client().post(&format!("/v1/rooms/{member}/messages"), say).await;
    assert_eq!(said.refusal(), refused(409, "MEMBER_ROOM"));
    let sidekicks = format!("/v1/rooms/{member}/sidekicks");
    let spawned = desk.client().post(&sidekicks, json!({ "task": "x" })).await;
    assert_eq!(spawned.refusal(), refused(409, "MEMBER_ROOM"));
    assert!(said.body["error"]["message"].as_str().unwrap().contains("council's room"));
    let above = rooms.iter().find(|room| room["id"] == json!(desk.house.room)).unwrap();
    assert_eq!(
        (&above["council"]["state"], &above["council"]["talks"]),
        (&json!("answering"), &json!(true))
    );
}

#[tokio::test]
async fn picking_needs_approve_and_steering_needs_supervise() {
    let desk =
        Desk::of_two(vec![answer("one", &["x"]), held()], vec![answer("two", &["y"]), held()])
            .await;
    let none = Rights { supervise: false, run: false, approve: false };
    let tokens = [
        ("runs", Some(Rights { run: true, ..none })),
        ("supervises", Some(Rights { supervise: true, ..none })),
    ];
    let served = Served::with_tokens(desk.house.engine(), &tokens).await;
    let as_ =
        |name: &str| served.client.header("authorization", &format!("Bearer {}", secret(name)));
    let start = json!({ "task": "Tidy" });
    let path = desk.at("/council");
    let forbidden = refused(403, "FORBIDDEN");
    assert_eq!(as_("supervises").post(&path, start.clone()).await.refusal(), forbidden);
    as_("runs").post(&path, start).await.ok();
    desk.wait_answers(2).await;
    let one: Value = json!({ "member": "agent1" });
    let vote = format!("{path}/vote");
    assert_eq!(as_("runs").post(&vote, one.clone()).await.refusal(), forbidden);
    assert_eq!(
        as_("supervises").post(&vote, one.clone()).await.ok()["person_vote"]["for"],
        "agent1"
    );
    let pick = format!("{path}/pick");
    for name in ["runs", "supervises"] {
        assert_eq!(as_(name).post(&pick, one.clone()).await.refusal(), forbidden, "{name}");
    }
    assert_eq!(desk.house.count("council_decided"), 0);
    assert_eq!(served.client.post(&pick, one).await.ok()["decided_by"], "person");
}

#[tokio::test]
async fn a_person_votes_once_all_members_have_answered() {
    let desk = Desk::of_two(vec![crate::answer("one", &["x"])], vec![crate::held()]).await;
    desk.start(json!({})).await.ok();
    desk.wait_answers(1).await;
    let sent = desk.send("vote", json!({ "member": "agent1" })).await;
    assert_eq!(sent.refusal(), refused(409, "ANSWER_FIRST"));
    assert_eq!(desk.council().await["actions"], json!(["answer_now", "pick", "pause", "cancel"]));
}

/// It reads as what it is: the person's request, in the list of what was said.
#[tokio::test]
async fn the_task_is_among_the_messages() {
    let desk = Desk::of_two(vec![crate::held()], vec![crate::held()]).await;
    desk.start(json!({})).await.ok();
    desk.wait("council_started").await;
    let said = desk.client().get(&desk.at("/messages")).await.ok();
    let first = &said["items"][0];
    assert_eq!((&first["role"], &first["text"]), (&json!("person"), &json!("Tidy the shelf")));
}
