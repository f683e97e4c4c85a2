//! What a member can't do, whatever it calls: the gate blocks it, before and after a restart.

use super::{THREE, answer, asked, begin, log_of, now, vote, wait_asked, wait_state};
use flow::{House, Mark, me};
use plan::{Command, Event, Outcome, Rule, RuleAction};
use serde_json::{Value, json};
use std::path::Path;
use support::{Reply, Script};

/// Every call that a member tries, with a word that its refusal holds.
fn attacks() -> Vec<(&'static str, Value, &'static str)> {
    let python = "python3 -c \"open('p.txt','w').write('x')\"";
    vec![
        ("ask_user", json!({ "question": "May I?", "options": ["yes"] }), "COUNCIL"),
        ("fetch", json!({ "url": "https://example.com/" }), "COUNCIL"),
        ("write_file", json!({ "path": "w.txt", "content": "x" }), "COUNCIL"),
        ("edit_file", json!({ "path": "keep.txt", "old": "keep", "new": "lose" }), "COUNCIL"),
        ("delete_file", json!({ "path": "keep.txt" }), "COUNCIL"),
        ("move_file", json!({ "from": "keep.txt", "to": "gone.txt" }), "COUNCIL"),
        ("create_directory", json!({ "path": "made" }), "COUNCIL"),
        ("shell", json!({ "command": "echo x > r.txt" }), "COUNCIL"),
        ("shell", json!({ "command": "cat keep.txt | tee t.txt" }), "COUNCIL"),
        ("shell", json!({ "command": python }), "COUNCIL"),
        (
            "shell",
            json!({ "command": "curl https://example.com", "network": ["example.com"] }),
            "COUNCIL",
        ),
        ("hostile__write", json!({ "path": "m.txt", "text": "x" }), "COUNCIL"),
        ("hostile__lie", json!({}), "COUNCIL"),
        ("spawn_sidekick", json!({ "task": "write s.txt" }), "COUNCIL"),
        ("start_council", json!({ "task": "another" }), "COUNCIL"),
        ("plan", json!({ "action": "write", "goal": "g", "steps": ["one", "two"] }), "COUNCIL"),
        ("plan", json!({ "action": "run" }), "COUNCIL"),
        ("submit_plan", json!({ "title": "t", "steps": [{ "description": "d" }] }), "COUNCIL"),
        ("write_plan", json!({ "steps": ["Write a file with words"] }), "COUNCIL"),
        ("step_done", json!({ "result": "done" }), "COUNCIL"),
        ("sidekick_complete", json!({ "summary": "done" }), "COUNCIL"),
        ("submit", json!({}), "COUNCIL"),
        ("restart_orchestration", json!({ "reason": "r", "instructions": "i" }), "COUNCIL"),
        ("agent_permission", json!({ "title": "let me", "kind": "edit" }), ""),
        ("no_such_tool", json!({}), "UNKNOWN_TOOL"),
        ("vote", json!({ "agent_id": "agent9", "reason": "nobody" }), "agent9"),
        ("vote", json!({ "agent_id": "agent1.9", "reason": "forged" }), "agent1"),
        ("vote", json!({ "agent_id": "the harness", "reason": "forged" }), "the harness"),
    ]
}

fn all_at_once() -> Reply {
    Reply::calls(attacks().into_iter().map(|(tool, args, _)| (tool, args)))
}

/// Every rule a person could have kept, and a server that nobody trusts.
async fn house(mark: &Mark, mut attacker: Vec<Reply>) -> House {
    attacker.push(vote("agent2", "good"));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../support/mcp/hostile.py");
    let script = script.canonicalize().unwrap();
    let script = script.display();
    let more = format!(
        "mcp_servers:\n  hostile: {{ command: python3, args: [\"{script}\", \"{}\"], \
         read: [\"{script}\"], effects: {{ ask: read }} }}\n",
        mark.0
    );
    let allow = "permissions: { allow: [\"write_file(**)\", \"shell\", \"fetch\", \
                 \"hostile__write\", \"hostile.write\"], open: [\"shell\"] }";
    let agents = THREE.replacen("test/a", &format!("test/a\n    {allow}"), 1);
    let agents = agents.replacen("test/b", &format!("test/b\n    {allow}"), 1);
    let replies = |title: &str, file: &str| vec![answer(title, file), vote("agent2", "good")];
    let script = Script::by_model([
        ("a", attacker),
        ("b", replies("Better", "b.txt")),
        ("c", replies("Third", "c.txt")),
    ]);
    let house = House::of_agent(&agents, script, &more, &[("keep.txt", "keep me")]).await;
    for rule in ["write_file(**)", "edit_file(**)", "shell", "fetch", "hostile__write"] {
        let rule = Rule::parse(RuleAction::Allow, rule).unwrap();
        house.person(Command::KeepRule { rule }).await.unwrap();
    }
    assert!(house.view().rules.len() >= 5, "the room allows it all");
    house
}

/// What the calls of the attacker's last whole turn came to, as its model is told.
fn told(house: &House, request: usize) -> Vec<String> {
    let request = &asked(house, "a")[request];
    let results = request.tool_results();
    results[results.len() - attacks().len()..].to_vec()
}

fn all_blocked(house: &House, results: &[String]) {
    for ((tool, args, word), result) in attacks().iter().zip(results) {
        assert!(result.contains("\"code\""), "{tool} {args}: {result}");
        // Before all have answered nobody votes, whoever is named.
        let is_early = *tool == "vote" && result.contains("ANSWER_FIRST");
        assert!(is_early || result.contains(word), "{tool} {args}: {result}");
        assert!(result.contains("\"message\""), "it says why: {result}");
    }
    assert_eq!(house.workspace.files(), [("keep.txt".to_owned(), "keep me".to_owned())]);
    assert!(house.view().asks.is_empty(), "nobody is asked");
    let council = now(house);
    for member in 0..council.members.len() {
        let log = log_of(house, member);
        let begun = log.iter().filter(|event| matches!(event, Event::CallBegan { .. })).count();
        let asks = log.iter().filter(|event| matches!(event, Event::AskRaised { .. })).count();
        assert_eq!((begun, asks), (0, 0), "no call of member {member} began: {log:?}");
    }
    assert_eq!(house.count("plan_written") + house.count("ask_raised"), 0);
    assert!(house.engine().sidekicks(house.room).unwrap().is_empty());
}

#[tokio::test]
async fn every_attack_is_blocked_with_a_reason_and_so_after_a_restart() {
    let mark = Mark::fresh();
    let attacker =
        vec![all_at_once(), answer("x", "x").hold_after(1), all_at_once(), answer("Plain", "a")];
    let mut house = house(&mark, attacker).await;
    begin(&house, json!({ "final_answer_strategy": "winner_reuse" })).await;
    wait_asked(&house, "a", 2).await;
    all_blocked(&house, &told(&house, 1));

    house.restart().await;
    let council = now(&house);
    assert_eq!(council.state, "paused", "it stands paused");
    assert_eq!(asked(&house, "a").len(), 2, "nothing goes on by itself");
    house.person(Command::Resume).await.unwrap();
    wait_asked(&house, "a", 4).await;
    all_blocked(&house, &told(&house, 3));
    let council = wait_state(&house, "done").await;
    assert_eq!(council.winner.as_deref(), Some("agent2"), "{council:?}");
    assert!(council.members.iter().all(|member| member.state != "failed"), "{council:?}");
}

/// A tool that a person marked as one that only reads may ask its server's questions of nobody.
#[tokio::test]
async fn a_servers_question_to_a_member_is_declined_and_nobody_sees_it() {
    let mark = Mark::fresh();
    let attacker = vec![
        Reply::call("hostile__ask", json!({})),
        answer("x", "x").hold_after(1),
        Reply::call("hostile__ask", json!({})),
        answer("Plain", "a"),
    ];
    let mut house = house(&mark, attacker).await;
    begin(&house, json!({ "final_answer_strategy": "winner_reuse" })).await;
    for (request, restarts) in [(2, true), (4, false)] {
        wait_asked(&house, "a", request).await;
        let result = asked(&house, "a")[request - 1].tool_results().pop().unwrap();
        assert!(result.contains("cancel") || result.contains("decline"), "{result}");
        assert!(house.view().asks.is_empty());
        let log = log_of(&house, 0);
        assert!(!log.iter().any(|event| matches!(event, Event::AskRaised { .. })), "{log:?}");
        if restarts {
            house.restart().await;
            house.person(Command::Resume).await.unwrap();
        }
    }
    wait_state(&house, "done").await;
}

#[tokio::test]
async fn a_member_is_offered_no_tool_of_a_server_that_does_more_than_read() {
    let mark = Mark::fresh();
    let house = house(&mark, vec![answer("Plain", "a").hold_after(1)]).await;
    begin(&house, json!({})).await;
    let request = wait_asked(&house, "a", 1).await;
    let served: Vec<&str> =
        request.tool_names().into_iter().filter(|name| name.starts_with("hostile")).collect();
    assert_eq!(served, ["hostile__ask"], "only what a person marked as reading");
}

#[tokio::test]
async fn a_person_can_do_nothing_in_a_members_room() {
    let mark = Mark::fresh();
    let house = house(&mark, vec![answer("Plain", "a").hold_after(1)]).await;
    begin(&house, json!({})).await;
    wait_asked(&house, "a", 1).await;
    let room = now(&house).members[0].room_id;
    let mode = Command::SetMode { mode: plan::PlanMode::Off };
    for command in [mode, Command::Resume, Command::Pause] {
        let refused = house.engine().submit(room, &me(), command).map(|_| ());
        assert_eq!(refused.unwrap_err().code(), "MEMBER_ROOM");
    }
    let ended = log_of(&house, 0)
        .iter()
        .any(|event| matches!(event, Event::CallEnded { outcome, .. } if *outcome == Outcome::Ok));
    assert!(!ended);
}
