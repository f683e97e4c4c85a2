//! What it asks for passes the gate, and what it does by itself stays in the sandbox.

use crate::{Mark, answer, approve, configured, house, next_ask, provider, replies, said};
use engine::NewSidekick;
use flow::{House, Process, me};
use plan::{AskKind, Command, Event, PauseReason, PlanMode};
use serde_json::{Value, json};
use support::wait_for;

fn edit(path: &str) -> Value {
    json!({ "permit": { "kind": "edit", "title": "Edit it", "locations": [{ "path": path }] } })
}

const YES: &str = r#""optionId": "yes""#;
const NO: &str = r#""optionId": "no""#;

#[tokio::test]
async fn files_and_commands_are_our_tools() {
    let mark = Mark::fresh();
    let turns = json!([[
        { "read": { "path": "note.txt" } },
        { "read": { "path": "note.txt", "line": 1, "limit": 1 } },
        { "read": { "path": "none.txt" } },
        { "write": ["made.txt", "by hand\n"] },
        { "run": "cat made.txt; exit 3" },
        { "unknown": "_its/own" },
    ]]);
    let house = house(&mark, &[], turns).await;
    house.say("go").await;
    house.wait_idle().await;
    let said = said(&house);
    assert!(said.contains(r#"ok {"content": "hello\nworld\n"}"#), "{said}");
    assert!(said.contains(r#"ok {"content": "hello\n"}"#), "{said}");
    assert!(said.contains("refused: ") && said.contains("none.txt"), "{said}");
    assert!(said.contains(r#"{"exitCode": 3, "signal": null}"#), "{said}");
    assert!(said.contains("by hand"), "{said}");
    assert!(said.contains("there is no method _its/own"), "{said}");
    assert_eq!(house.workspace.read("made.txt"), "by hand\n");
    let tools: Vec<String> = house
        .log()
        .into_iter()
        .filter_map(|(_, event)| {
            let Event::Replied { calls, .. } = event else { return None };
            Some(calls.first()?.tool.clone())
        })
        .collect();
    assert_eq!(tools, ["read_file", "read_file", "read_file", "write_file", "shell"]);
    let changed = house.log().into_iter().any(|(_, event)| {
        matches!(event, Event::CallEnded { changed, .. } if changed.iter().any(|c| c.path == "made.txt"))
    });
    assert!(changed, "what it changed is on the receipt");
}

#[tokio::test]
async fn strict_before_approval_lets_it_look_and_nothing_else() {
    let mark = Mark::fresh();
    let turns = json!([[
        { "read": { "path": "note.txt" } },
        { "write": ["made.txt", "x"] },
        { "run": "touch made.txt" },
        edit("made.txt"),
        { "permit": { "kind": "execute", "rawInput": { "command": "touch made.txt" } } },
        { "permit": { "kind": "other", "title": "Some tool" } },
        { "permit": { "kind": "read", "locations": [{ "path": "note.txt" }] } },
        { "direct": "made.txt" },
    ]]);
    let house = house(&mark, &[], turns).await;
    house.mode(PlanMode::Strict).await;
    house.say("go").await;
    house.wait_idle().await;
    let said = said(&house);
    assert!(said.contains("hello"), "{said}");
    assert_eq!(said.matches("refused: ").count(), 2, "{said}");
    assert!(said.contains("no plan is approved"), "{said}");
    assert_eq!((said.matches(NO).count(), said.matches(YES).count()), (3, 1), "{said}");
    assert!(said.contains("direct failed"), "{said}");
    assert_eq!(house.count("ask_raised"), 0);
    assert!(!house.workspace.has("made.txt"));
}

#[tokio::test]
async fn its_list_is_the_plan_and_after_approval_it_may_do_what_the_plan_names() {
    let mark = Mark::fresh();
    let look = "look around";
    let make = "write it down [write_file made.txt]";
    let turns = json!([[
        { "plan": [[look, "in_progress"], [make, "pending"]] },
        { "plan": [[look, "completed"], [make, "in_progress"]] },
        { "write": ["made.txt", "as approved"] },
        { "write": ["other.txt", "beyond"] },
        edit("made.txt"),
        { "direct": "direct.txt" },
        { "plan": [[look, "completed"], [make, "completed"]] },
        { "say": "all done" },
    ]]);
    let house = house(&mark, &[], turns).await;
    house.mode(PlanMode::Strict).await;
    house.say("write something down").await;
    house.wait("approval", |event| matches!(event, Event::ApprovalRequested)).await;
    let plan = house.plan();
    assert_eq!(plan.goal, "write something down");
    let steps: Vec<(&str, Option<&str>)> =
        plan.steps.iter().map(|step| (step.text.as_str(), step.target.as_deref())).collect();
    assert_eq!(steps, [(look, None), ("write it down", Some("made.txt"))]);
    assert!(!house.workspace.has("made.txt"));
    approve(&house).await;
    let started = house.wait("start", |event| matches!(event, Event::Started)).await;
    let (_, ask) = next_ask(&house, started).await;
    assert_eq!(ask.kind, AskKind::Drift);
    assert!(ask.text.contains("other.txt"), "{}", ask.text);
    assert_eq!(house.workspace.read("made.txt"), "as approved");
    answer(&house, ask.id, "refuse").await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    house.wait_idle().await;
    let said = said(&house);
    assert!(said.contains(YES) && said.contains("direct failed") && said.contains("all done"));
    assert!(!house.workspace.has("other.txt") && !house.workspace.has("direct.txt"));
}

#[tokio::test]
async fn a_list_that_grows_is_one_plan_and_what_comes_later_is_approved_again() {
    let mark = Mark::fresh();
    let [a, b] = ["write it down [write_file made.txt]", "and again [write_file more.txt]"];
    let turns = json!([
        [
            { "plan": [["look around", "pending"]] },
            { "plan": [["look around", "pending"], [a, "pending"]] },
            { "say": "shall I?" },
        ],
        [
            { "plan": [["look around", "completed"], [a, "in_progress"]] },
            { "write": ["made.txt", "as approved"] },
            { "plan": [["look around", "completed"], [a, "completed"], [b, "pending"]] },
            { "write": ["more.txt", "as approved later"] },
            { "plan": [["look around", "completed"], [a, "completed"], [b, "completed"]] },
        ],
    ]);
    let house = house(&mark, &[], turns).await;
    house.mode(PlanMode::Strict).await;
    house.say("go").await;
    let asked = house.wait("approval", |event| matches!(event, Event::ApprovalRequested)).await;
    assert_eq!(house.plan().steps.len(), 2);
    approve(&house).await;
    house.wait_after(asked, "approval", |event| matches!(event, Event::ApprovalRequested)).await;
    let plan = house.plan();
    assert_eq!((plan.revision, plan.steps[2].target.as_deref()), (2, Some("more.txt")));
    assert!(house.workspace.has("made.txt") && !house.workspace.has("more.txt"));
    approve(&house).await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    assert_eq!(house.workspace.read("more.txt"), "as approved later");
    assert_eq!(house.count("plan_written"), 1);
}

#[tokio::test]
async fn a_permission_is_asked_where_the_persons_rules_say_so() {
    for (word, expected) in [("allow", YES), ("refuse", NO)] {
        let mark = Mark::fresh();
        let house = house(&mark, &[], json!([[edit("ask-first/a.txt"), edit("free.txt")]])).await;
        house.say("go").await;
        let (_, ask) = next_ask(&house, 0).await;
        assert_eq!(ask.kind, AskKind::Permission);
        assert!(ask.text.contains("ask-first/a.txt"), "{}", ask.text);
        assert!(ask.detail.iter().any(|one| one.value == "Edit it"), "{ask:?}");
        answer(&house, ask.id, word).await;
        house.wait_idle().await;
        let said = replies(&house);
        assert!(said[1].contains(expected), "{said:?}");
        assert!(said[2].contains(YES), "{said:?}");
        assert_eq!(house.count("ask_raised"), 1);
    }
}

/// A house with these rules beside the usual one.
async fn ruled(mark: &Mark, rules: &str, turns: Value) -> House {
    let mut house = house(mark, &[], turns).await;
    let file = house.config().join("plancard.yaml");
    let config = std::fs::read_to_string(&file).unwrap();
    let rules = format!("permissions: {{ {rules},");
    std::fs::write(&file, config.replace("permissions: {", &rules)).unwrap();
    house.restart().await;
    house
}

fn permit(kind: &str, more: Value) -> Value {
    let mut wish = json!({ "kind": kind, "title": "Do it" });
    wish.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({ "permit": wish })
}

fn at(paths: &[&str]) -> Value {
    let one = |path: &&str| json!({ "path": path });
    json!({ "locations": paths.iter().map(one).collect::<Vec<_>>() })
}

/// Each kind is judged by the rules of every tool of ours that would do the same.
#[tokio::test]
async fn what_a_rule_forbids_our_tools_it_forbids_those_of_an_agent() {
    let mark = Mark::fresh();
    let rules = "deny: [\"edit_file(docs/**)\", \"delete_file(keep/**)\", \"move_file(mv/**)\", \
                 \"write_file(secret/**)\", \"read_file(*.pem)\", \"search(hidden)\", \
                 \"shell(touch *)\", \"fetch(evil.example)\"]";
    let forbidden = [
        permit("edit", at(&["docs/a"])),
        permit("edit", at(&["secret/a"])),
        permit("edit", at(&["b", "docs/a"])),
        permit("edit", json!({ "locations": [{ "path": "b" }], "rawInput": { "path": "docs/a" } })),
        permit("delete", at(&["keep/f"])),
        permit("delete", at(&["keep"])),
        permit("move", at(&["mv/f", "b"])),
        permit("move", at(&["b", "mv/f"])),
        permit("move", json!({ "rawInput": { "source": "b", "destination": "mv/f" } })),
        permit("read", at(&["k.pem"])),
        permit("search", at(&["k.pem"])),
        permit("search", at(&["hidden"])),
        permit("execute", json!({ "rawInput": { "command": "touch a" } })),
        permit("fetch", json!({ "rawInput": { "url": "https://EVIL.example/x" } })),
    ];
    let free = [
        permit("edit", at(&["b"])),
        permit("delete", at(&["docs/a"])),
        permit("move", at(&["b", "docs/c"])),
        permit("read", at(&["docs/a"])),
        permit("search", json!({})),
        permit("think", json!({})),
    ];
    let count = forbidden.len();
    // What only fails ends a turn, and so does what came before, so each is followed by something
    // that is free and new.
    let more = (0..).map(|n| permit("read", at(&[&format!("docs/{n}")])));
    let pairs = forbidden.into_iter().zip(free.into_iter().chain(more));
    let turns = json!([pairs.flat_map(<[Value; 2]>::from).collect::<Vec<_>>()]);
    let house = ruled(&mark, rules, turns).await;
    house.say("go").await;
    house.wait_idle().await;
    let told: Vec<String> =
        replies(&house).into_iter().filter(|text| text.contains("optionId")).collect();
    let is_no: Vec<bool> = told.iter().map(|text| text.contains(NO)).collect();
    assert_eq!(is_no, [true, false].repeat(count), "{told:?}");
    assert_eq!(house.count("ask_raised"), 0);
}

/// What is not named might be what a rule is about; and in another mode it might not ask again.
#[tokio::test]
async fn what_an_agent_leaves_out_and_another_mode_are_asked_about() {
    for (wish, words) in [
        (permit("fetch", json!({})), "May fetch run? It does not say where."),
        (permit("edit", json!({})), "It does not say which file."),
        (permit("move", at(&["a"])), "It does not say from where to where."),
        (permit("switch_mode", json!({})), "switch its mode: Do it run? Nobody vouches"),
    ] {
        let mark = Mark::fresh();
        let rules = "deny: [\"edit_file(docs/**)\", \"move_file(mv/**)\"], allow: [\"fetch(*)\"]";
        let house = ruled(&mark, rules, json!([[wish]])).await;
        house.say("go").await;
        let (_, ask) = next_ask(&house, 0).await;
        assert!(ask.text.contains(words), "{}", ask.text);
        answer(&house, ask.id, "refuse").await;
        house.wait_idle().await;
        assert!(said(&house).contains(NO), "{}", said(&house));
    }
}

#[tokio::test]
async fn who_takes_only_yes_for_always_is_not_told_yes_and_the_log_says_so() {
    let mark = Mark::fresh();
    let always = json!([{ "optionId": "a", "name": "Always", "kind": "allow_always" }]);
    let wish = permit("edit", json!({ "locations": [{ "path": "a" }], "options": always }));
    let house = house(&mark, &[], json!([[wish]])).await;
    house.say("go").await;
    house.wait_idle().await;
    assert!(said(&house).contains(r#"{"outcome": "cancelled"}"#), "{}", said(&house));
    let told = house.log().into_iter().find_map(|(_, event)| {
        let Event::CallEnded { result, .. } = event else { return None };
        Some(result.head().to_owned())
    });
    assert!(told.as_ref().is_some_and(|told| told.contains("ONLY_ALWAYS")), "{told:?}");
}

#[tokio::test]
async fn outside_strict_mode_its_own_tools_work_in_the_workspace_and_nowhere_else() {
    let mark = Mark::fresh();
    let outside = "/etc/plancard-was-here";
    let house =
        house(&mark, &[], json!([[{ "direct": "direct.txt" }, { "direct": outside }]])).await;
    house.say("go").await;
    house.wait_idle().await;
    let said = said(&house);
    assert!(said.contains("direct okdirect failed"), "{said}");
    assert_eq!(house.workspace.read("direct.txt"), "direct");
    house.mode(PlanMode::Strict).await;
    house.say("again").await;
    house
        .wait("the second try", |event| {
            let twice = |text: &str| text.matches("direct failed").count() == 2;
            matches!(event, Event::Replied { text, .. } if twice(text.head()))
        })
        .await;
}

/// Whoever wrote there is gone. What is there now, if anything, was started anew.
async fn wait_gone(writers: &[Process]) {
    assert!(!writers.is_empty());
    let gone = async || !writers.iter().any(Process::is_running);
    wait_for(gone, "the agent that wrote to be gone").await;
}

async fn wait_ticks(house: &House) {
    let ticks = async || house.workspace.has("ticks") && house.workspace.read("ticks").len() > 20;
    wait_for(ticks, "the agent to write").await;
}

#[tokio::test]
async fn a_pause_ends_one_that_writes_with_tools_of_its_own() {
    for args in [vec![], vec!["--deaf"]] {
        let mark = Mark::fresh();
        let turns = json!([[
            { "plan": [["a", "in_progress"]] }, { "keep_writing": "ticks" }, { "wait": 1 },
        ]]);
        let house = house(&mark, &args, turns).await;
        house.say("go").await;
        house.wait("start", |event| matches!(event, Event::Started)).await;
        wait_ticks(&house).await;
        let writers = mark.processes();
        house.person(Command::Pause).await.unwrap();
        wait_gone(&writers).await;
        wait_for(async || !mark.is_running(), "no other to be there").await;
    }
}

/// Its list ended a turn, and so nobody listens; its prompt goes on.
#[tokio::test]
async fn a_pause_between_two_turns_ends_it_as_well() {
    let mark = Mark::fresh();
    let turns = json!([[
        { "plan": [["a", "in_progress"], ["b", "pending"]] },
        { "keep_writing": "ticks" },
        { "plan": [["a", "completed"], ["b", "in_progress"]] },
        { "wait": 1 },
    ]]);
    let config = format!("{}caps: {{ auto_steps: 1 }}\n", provider(&mark, &[]));
    let house = configured(&config, "default", turns).await;
    house.say("go").await;
    house.wait_paused().await;
    assert_eq!(house.plan().pause_reason, Some(PauseReason::AutoBudget));
    wait_for(async || !mark.is_running(), "the agent to be gone").await;
}

#[tokio::test]
async fn strict_mode_in_the_middle_of_a_prompt_ends_it_and_another_looks_on() {
    let mark = Mark::fresh();
    let turns = json!([[{ "keep_writing": "ticks" }, { "say": "on it" }, { "wait": 1 }]]);
    let house = house(&mark, &[], turns).await;
    house.say("go").await;
    wait_ticks(&house).await;
    let writers = mark.processes();
    let turns = json!([[{ "repeat_prompt": 1 }, { "direct": "direct.txt" }]]);
    house.workspace.write("agent.json", &turns.to_string());
    house.mode(PlanMode::Strict).await;
    house
        .wait(
            "an answer",
            |event| matches!(event, Event::Replied { text, .. } if text.head().contains("heard")),
        )
        .await;
    house.wait_idle().await;
    let said = said(&house);
    assert!(said.contains("Plan mode is strict") && said.contains("Person: go"), "{said}");
    assert!(said.contains("direct failed") && !said.contains("on it"), "{said}");
    assert_eq!(house.count("trouble"), 0, "nothing went wrong");
    wait_gone(&writers).await;
    assert!(!house.workspace.has("direct.txt"));
}

/// A sidekick's program has no more rights than the room above it.
#[tokio::test]
async fn strict_mode_above_ends_a_sidekicks_program_and_another_looks_on() {
    let mark = Mark::fresh();
    let turns = json!([[{ "keep_writing": "ticks" }, { "say": "on it" }, { "wait": 1 }]]);
    let house = house(&mark, &[], turns).await;
    let new = NewSidekick { task: "go".to_owned(), ..NewSidekick::default() };
    let child = house.engine().spawn_sidekick(house.room, &me(), new).await.unwrap();
    wait_ticks(&house).await;
    let writers = mark.processes();
    let turns = json!([[{ "direct": "direct.txt" }]]);
    house.workspace.write("agent.json", &turns.to_string());
    house.mode(PlanMode::Strict).await;
    let failed = async || {
        let rows = house.engine().journal().read(child.id.0, 0, 1_000).unwrap();
        rows.iter().any(|row| String::from_utf8_lossy(&row.body).contains("direct failed"))
    };
    wait_for(failed, "another one to look on").await;
    wait_gone(&writers).await;
    assert!(!house.workspace.has("direct.txt"));
}

#[tokio::test]
async fn a_rejected_plan_lets_its_program_only_look_in_any_mode() {
    for mode in [PlanMode::Off, PlanMode::Soft] {
        let mark = Mark::fresh();
        let turns = json!([
            [{ "plan": [["write it [write_file made.txt]", "pending"]] }, { "say": "shall I?" }],
            [{ "direct": "direct.txt" }, { "write": ["made.txt", "x"] }],
        ]);
        let house = house(&mark, &[], turns.clone()).await;
        house.mode(PlanMode::Strict).await;
        house.say("go").await;
        house.wait("approval", |event| matches!(event, Event::ApprovalRequested)).await;
        house.mode(mode).await;
        let again = json!([turns[1].clone(), turns[1].clone()]);
        house.workspace.write("agent.json", &again.to_string());
        house.person(Command::Reject { reason: "no".into() }).await.unwrap();
        house.wait_idle().await;
        house.say("and now?").await;
        house.wait_idle().await;
        let said = said(&house);
        assert!(said.contains("direct failed") && !said.contains("direct ok"), "{said}");
        assert!(said.contains("refused: "), "{said}");
        assert_eq!(house.plan().state, "draft");
        assert!(!house.workspace.has("direct.txt") && !house.workspace.has("made.txt"));
    }
}
