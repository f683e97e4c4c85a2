//! A plan from the message to its end.

use flow::House;
use plan::{AskKind, Command, Event, PauseReason, PlanMode};
use serde_json::json;
use support::{Reply, Script, plan_write, plan_write_with, step_done, wait_for};

fn steps(count: usize) -> Vec<String> {
    (1..=count).map(|n| format!("step {n}")).collect()
}

fn write_steps(count: usize) -> Reply {
    let steps = steps(count);
    plan_write("the goal", &steps.iter().map(String::as_str).collect::<Vec<_>>())
}

/// A plan of `count` steps, each a read and a report, then a last word.
fn run_through(count: usize) -> Vec<Reply> {
    let mut replies = vec![write_steps(count)];
    for n in 1..=count {
        replies.push(Reply::call("read_file", json!({ "path": "note.txt" })));
        replies.push(step_done(&format!("s{n}"), &format!("result {n}")));
    }
    replies.push(Reply::text("All done."));
    replies
}

#[tokio::test]
async fn twelve_steps_pause_once_for_a_check_in_and_finish_after_one_message() {
    let house = House::configured(run_through(12), "", &[("note.txt", "hello")]).await;
    house.say("do it").await;
    house.wait_paused().await;
    house.wait_idle().await;
    let plan = house.plan();
    assert_eq!((plan.state.as_str(), plan.pause_reason), ("paused", Some(PauseReason::AutoBudget)));
    let done = plan.steps.iter().filter(|step| step.status == "done").count();
    assert_eq!((done, plan.budget_left), (8, Some(0)));
    let requests = house.model.requests().len();

    house.say("go on").await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    house.wait_idle().await;
    let plan = house.plan();
    assert_eq!(plan.state, "done");
    assert!(plan.steps.iter().all(|step| step.status == "done"));
    assert_eq!(plan.steps[11].result.as_deref(), Some("result 12"));
    assert_eq!(house.count("paused"), 1, "one pause, one event");
    assert!(house.model.requests().len() > requests);
    let last = house.model.requests().pop().unwrap();
    assert_eq!(last.texts("user"), ["do it", "go on"]);
}

#[tokio::test]
async fn every_request_carries_the_ledger_and_it_is_not_part_of_the_history() {
    let house = House::configured(run_through(2), "", &[("note.txt", "hello")]).await;
    house.say("do it").await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    house.wait_idle().await;
    let requests = house.model.requests();
    let ledgers = |n: usize| -> Vec<String> {
        let system = requests[n].texts("system");
        system.into_iter().filter(|text| text.starts_with("Plan (revision")).collect()
    };
    assert_eq!(ledgers(0), Vec::<String>::new());
    assert_eq!(
        ledgers(2),
        ["Plan (revision 1): the goal\n\
          State: running. Work on step 1 now; when it is done, report step_done.\n\
          ▶ 1. [s1] step 1\n○ 2. [s2] step 2\n"]
    );
    assert!(ledgers(3)[0].contains("✓ 1. [s1] step 1 — result 1\n▶ 2. [s2] step 2"));
}

#[tokio::test]
async fn a_failing_tool_is_nudged_twice_then_paused_and_resume_tells_the_third() {
    let fail = || Reply::call("shell", json!({ "command": "cat missing-file" }));
    let script = vec![write_steps(2), fail(), fail(), fail(), step_done("s1", "at last")];
    let house = House::with(script).await;
    house.say("do it").await;
    house.wait_paused().await;
    house.wait_idle().await;
    let plan = house.plan();
    assert_eq!(plan.pause_reason, Some(PauseReason::Attempts));
    assert_eq!(plan.steps[0].attempts, 3);
    let words = |attempt| {
        format!(
            "Plan harness: this is step 1/2, attempt {attempt}/3. If the error suggests \
             fallbacks, try the one that fits the user's intent."
        )
    };
    let requests = house.model.requests();
    assert_eq!(requests.len(), 4, "no request follows the third failure");
    for attempt in 1..=2 {
        let result = requests[attempt + 1].tool_results().pop().unwrap();
        assert!(result.contains("missing-file"), "{result}");
        assert!(result.ends_with(&words(attempt)), "{result}");
    }
    let stored = house.log().into_iter().rev().find_map(|(_, event)| {
        if let Event::CallEnded { nudge, .. } = event { nudge } else { None }
    });
    assert_eq!(stored, Some(words(3)));

    house.person(Command::Resume).await.unwrap();
    let first = house.model.request(4).await;
    assert!(first.tool_results().pop().unwrap().ends_with(&words(3)));
    house.wait("step", |event| matches!(event, Event::StepDone { .. })).await;
    assert_eq!(house.plan().steps[0].attempts, 0, "fresh attempts");
}

#[tokio::test]
async fn bad_plans_are_refused_with_their_own_code_and_nothing_is_stored() {
    let cycle = json!([{ "id": "a", "text": "a", "needs": ["b"] }, { "id": "b", "text": "b", "needs": ["a"] }]);
    let script = vec![
        write_steps(21),
        plan_write_with("goal", cycle, json!({})),
        plan_write("goal", &["one", " ", "three"]),
        plan_write("goal", &["one", "two"]),
        plan_write("another", &["three"]),
        Reply::text("ok"),
    ];
    let house = House::with(script).await;
    house.say("do it").await;
    let codes: Vec<String> = house
        .model
        .request(5)
        .await
        .tool_results()
        .iter()
        .map(|result| {
            let result: serde_json::Value = serde_json::from_str(result).unwrap();
            assert!(result["code"].is_null() || result["message"].is_string());
            result["code"].as_str().unwrap_or("accepted").to_owned()
        })
        .collect();
    assert_eq!(codes, ["TOO_MANY_STEPS", "CYCLE", "EMPTY_STEP", "accepted", "PLAN_ACTIVE"]);
    house.wait_paused().await;
    assert_eq!(house.count("plan_written"), 1);
    assert_eq!(house.engine().journal().plans(house.room.0, None, 10).unwrap().len(), 1);
}

#[tokio::test]
async fn twenty_steps_are_accepted() {
    let house = House::with(vec![write_steps(20), Reply::text("hm")]).await;
    house.say("do it").await;
    house.wait("plan", |event| matches!(event, Event::PlanWritten { .. })).await;
}

#[tokio::test]
async fn pause_lets_a_command_end_and_starts_nothing_else() {
    let script = vec![
        write_steps(2),
        Reply::calls([
            (
                "shell",
                json!({ "command": "touch begun; while [ ! -e go ]; do sleep 0.02; done; touch ended" }),
            ),
            ("write_file", json!({ "path": "second", "content": "x" })),
        ]),
        Reply::text("never asked"),
    ];
    let house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || house.workspace.has("begun"), "the command to begin").await;
    house.person(Command::Pause).await.unwrap();
    house.workspace.write("go", "");
    house
        .wait("end of the command", |event| {
            matches!(event, Event::CallEnded { outcome: plan::Outcome::Ok, ms, .. } if *ms > 0)
        })
        .await;
    house.wait_idle().await;
    assert!(house.workspace.has("ended"), "the call under way finishes");
    assert!(!house.workspace.has("second"), "no other begins");
    let results: Vec<String> = house
        .log()
        .iter()
        .filter_map(|(_, event)| {
            let Event::CallEnded { outcome, result, .. } = event else { return None };
            (*outcome == plan::Outcome::NotRun).then(|| result.head().to_owned())
        })
        .collect();
    assert_eq!(results, ["not_run: paused"]);
    assert_eq!(house.model.requests().len(), 2, "and the model is not asked");
    assert_eq!(house.plan().pause_reason, Some(PauseReason::Supervisor));
}

#[tokio::test]
async fn cancel_ends_a_command_with_everything_it_started() {
    let marker = format!("plancard-test-{}", engine::fresh_id().simple());
    let command = format!(
        "touch begun; (setsid bash -c 'exec -a {marker} sleep 300' &); \
         bash -c 'exec -a {marker} sleep 300'"
    );
    let script = vec![write_steps(2), Reply::call("shell", json!({ "command": command }))];
    let house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || flow::is_running(&marker), "the command to run").await;
    let before = std::time::Instant::now();
    house.person(Command::Cancel { reason: "enough".into(), call: None }).await.unwrap();
    wait_for(async || !flow::is_running(&marker), "the process tree to be gone").await;
    assert!(before.elapsed().as_secs() < 10);
    house
        .wait("receipt", |event| {
            matches!(event, Event::CallEnded { outcome: plan::Outcome::Cancelled, .. })
        })
        .await;
    let plan = house.plan();
    assert_eq!(plan.state, "cancelled");
    assert!(plan.steps.iter().all(|step| step.status == "skipped"));
    house.wait_idle().await;
    assert_eq!(house.model.requests().len(), 2, "the model is not asked again");
}

#[tokio::test]
async fn pause_drops_the_model_stream() {
    let house = House::with(vec![write_steps(1), Reply::text("a long answer").hold_after(1)]).await;
    house.say("do it").await;
    let asked = house.model.request(1).await;
    house.wait("step", |event| matches!(event, Event::StepStarted { .. })).await;
    house.person(Command::Pause).await.unwrap();
    assert_eq!(asked.ended().await, support::Ending::Dropped);
    house.model.release();
    house.wait_idle().await;
    assert_eq!(house.count("replied"), 1, "what was dropped is not in the log");
}

#[tokio::test]
async fn a_message_sent_while_it_works_reaches_the_model_at_the_next_boundary() {
    let script = vec![
        write_steps(1),
        Reply::call(
            "shell",
            json!({ "command": "touch begun; while [ ! -e go ]; do sleep 0.02; done" }),
        ),
        step_done("s1", "ok"),
        Reply::text("done"),
    ];
    let house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || house.workspace.has("begun"), "the command to begin").await;
    house.say("use tabs").await;
    house.workspace.write("go", "");
    let next = house.model.request(2).await;
    let roles: Vec<&str> =
        next.messages().iter().filter_map(|message| message["role"].as_str()).collect();
    assert_eq!(
        roles,
        ["system", "user", "assistant", "tool", "assistant", "tool", "user", "system"],
        "results stand right below their calls"
    );
    assert_eq!(next.texts("user"), ["do it", "use tabs"]);
}

#[tokio::test]
async fn words_while_steps_remain_are_nudged_on() {
    let script =
        vec![write_steps(1), Reply::text("I think"), Reply::text("hm"), Reply::text("well")];
    let house = House::with(script).await;
    house.say("do it").await;
    house.wait_paused().await;
    house.wait_idle().await;
    assert_eq!(house.plan().pause_reason, Some(PauseReason::Attempts));
    assert_eq!(house.model.requests().len(), 4);
    let nudge = house.model.request(2).await.texts("system").join("\n");
    assert!(nudge.contains("Plan harness: step 1/1 is still open: step 1."), "{nudge}");
}

#[tokio::test]
async fn a_step_with_a_check_is_done_only_when_the_harness_saw_it_pass() {
    let steps = json!([{ "text": "write it", "verify": { "file": "out.txt", "contains": "42" } },
                       { "text": "run it", "verify": "test -e out.txt" }]);
    let script = vec![
        plan_write_with("goal", steps, json!({})),
        step_done("s1", "I am sure"),
        Reply::call("write_file", json!({ "path": "out.txt", "content": "42\n" })),
        step_done("s1", "written"),
        step_done("s2", "checked"),
        Reply::text("done"),
    ];
    let house = House::with(script).await;
    house.say("do it").await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    let refused = house.model.request(2).await.tool_results().pop().unwrap();
    assert!(refused.contains("CHECK_FAILED"), "{refused}");
    assert!(refused.contains("attempt 1/3"), "a failed check is a failed attempt: {refused}");
    assert_eq!(house.plan().steps[0].attempts, 0, "the good turn after it took it back");
}

#[tokio::test]
async fn reads_run_in_parallel_and_results_keep_their_calls() {
    let script = vec![
        Reply::calls([
            ("read_file", json!({ "path": "a.txt" })),
            ("read_file", json!({ "path": "b.txt" })),
            ("write_file", json!({ "path": "c.txt", "content": "c" })),
            ("read_file", json!({ "path": "c.txt" })),
        ]),
        Reply::text("done"),
    ];
    let house = House::configured(script, "", &[("a.txt", "AAA"), ("b.txt", "BBB")]).await;
    house.say("read").await;
    let next = house.model.request(1).await;
    let result = |n: usize| {
        let call = next.messages()[2]["tool_calls"][n]["id"].clone();
        let message = next.messages().iter().find(|message| message["tool_call_id"] == call);
        message.unwrap()["content"].as_str().unwrap().to_owned()
    };
    assert!(result(0).contains("AAA"));
    assert!(result(1).contains("BBB"));
    assert!(result(3).contains('c'), "in order behind the write");
}

#[tokio::test]
async fn strict_blocks_until_a_person_approves_what_is_shown() {
    let script = vec![
        Reply::call("write_file", json!({ "path": "early.txt", "content": "x" })),
        Reply::call("shell", json!({ "command": "echo x > early.txt" })),
        Reply::call("shell", json!({ "command": "ls" })),
        plan_write_with(
            "goal",
            json!([{ "text": "write", "tool": "write_file", "target": "out.txt" }]),
            json!({}),
        ),
        Reply::call("write_file", json!({ "path": "out.txt", "content": "x" })),
        Reply::call("write_file", json!({ "path": "other.txt", "content": "x" })),
    ];
    let house = House::with(script).await;
    house.mode(PlanMode::Strict).await;
    house.say("do it").await;
    house.wait("question", |event| matches!(event, Event::AskRaised { .. })).await;
    house.wait_idle().await;
    assert_eq!(house.workspace.files(), []);
    let results = house.model.request(3).await.tool_results();
    assert!(results[0].contains("NOT_APPROVED") && results[1].contains("NOT_APPROVED"));
    assert!(!results[2].contains("NOT_APPROVED"), "looking is free: {}", results[2]);
    let plan = house.plan();
    assert_eq!(plan.state, "awaiting_approval");
    let approve = |revision| Command::Approve {
        revision,
        hash: plan.hash.clone(),
        model: None,
        fresh_context: false,
    };
    assert_eq!(house.person(approve(2)).await, Err("PLAN_CONFLICT"));
    house.person(approve(1)).await.unwrap();
    house
        .wait(
            "drift",
            |event| matches!(event, Event::AskRaised { ask } if ask.kind == AskKind::Drift),
        )
        .await;
    assert!(house.workspace.has("out.txt"), "in scope");
    assert!(!house.workspace.has("other.txt"), "out of scope waits");
    let asks = house.view().asks;
    assert_eq!(asks[0].detail[1].value, "other.txt");
}

#[tokio::test]
async fn an_ask_outlives_a_restart_and_answering_it_goes_on() {
    let script = vec![
        Reply::call("write_file", json!({ "path": "ask-first/a.txt", "content": "x" })),
        Reply::text("done"),
    ];
    let mut house = House::with(script).await;
    house.say("write").await;
    house.wait("question", |event| matches!(event, Event::AskRaised { .. })).await;
    let asked = house.view().asks;
    assert_eq!(asked[0].kind, AskKind::Permission);

    house.restart().await;
    assert_eq!(house.view().asks, asked, "the same question is there");
    assert!(!house.workspace.has("ask-first/a.txt"));
    house
        .person(Command::Answer {
            ask: asked[0].id,
            answer: "allow".into(),
            note: None,
            revision: None,
            hash: None,
        })
        .await
        .unwrap();
    house.model.request(1).await;
    assert_eq!(house.workspace.read("ask-first/a.txt"), "x");
    house.wait_idle().await;
    assert_eq!(house.model.requests().len(), 2, "nothing was asked or run twice");
}

#[tokio::test]
async fn quitting_during_a_run_pauses_it_and_resume_finishes_it() {
    let script = vec![
        write_steps(2),
        Reply::call(
            "shell",
            json!({ "command": "echo run >> runs; while true; do sleep 0.05; done" }),
        ),
        step_done("s1", "a"),
        step_done("s2", "b"),
        Reply::text("done"),
    ];
    let mut house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || house.workspace.has("runs"), "the command to begin").await;
    house.restart().await;
    let plan = house.plan();
    assert_eq!(
        (plan.state.as_str(), plan.pause_reason),
        ("paused", Some(PauseReason::Interrupted))
    );
    let cut = "it was cut off: shell echo run >> runs; while true; do sleep 0.05; done. ";
    let why = plan.pause_detail.unwrap();
    assert!(why.contains(cut), "{why}");
    assert_eq!(house.model.requests().len(), 2, "nothing goes on by itself");
    house.person(Command::Resume).await.unwrap();
    let told = house.model.request(2).await.tool_results().pop().unwrap();
    assert!(told.contains("The app was closed, which cut it off"), "{told}");
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    house.wait_idle().await;
    assert_eq!(house.workspace.read("runs"), "run\n", "the command ran once");
    assert_eq!(house.plan().state, "done");
}

#[tokio::test]
async fn near_the_window_the_conversation_is_compacted_and_the_plan_kept() {
    let big = "word ".repeat(4_000);
    let script = Script::from_fn(move |request| {
        let asked_to_summarise =
            request.texts("system").iter().any(|text| text.contains("replaced by your summary"));
        match request.number() {
            _ if asked_to_summarise => Reply::text("SUMMARY OF ALL"),
            0 => write_steps(3),
            1 => Reply::call("read_file", json!({ "path": "big.txt" })),
            _ => step_done("s1", "read"),
        }
    });
    let more = "models:\n  test/scripted: { context_window: 5000 }\n";
    let house = House::configured(script, more, &[("big.txt", &big)]).await;
    house.say("read the big file").await;
    house.wait("compaction", |event| matches!(event, Event::Compacted { .. })).await;
    house.wait("step", |event| matches!(event, Event::StepDone { .. })).await;
    let after = house.model.request(3).await;
    let said = after.texts("user").join("\n");
    assert!(said.contains("SUMMARY OF ALL"), "{said}");
    assert!(said.contains("read the big file"), "the person's own words stay");
    let system = after.texts("system").join("\n");
    assert!(system.contains("▶ 1. [s1] step 1"), "the ledger is put back in full");
    assert!(after.body().len() < 15_000, "{}", after.body().len());
}

#[tokio::test]
async fn a_made_up_model_or_tool_in_a_step_is_told_of_and_stops_nothing() {
    let steps = json!([
        { "text": "a", "model": "gpt-4-made-up", "tool": "functions.read_file", "target": "a.txt" },
        { "text": "b", "tool": "bash", "target": "ls" },
        { "text": "c", "tool": "None" },
    ]);
    let script = vec![
        plan_write_with("goal", steps, json!({})),
        step_done("s1", "done"),
        step_done("s2", "done"),
        step_done("s3", "done"),
        Reply::text("Done."),
    ];
    let house = House::with(script).await;
    house.say("do it").await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    let told = house.model.request(1).await.tool_results().pop().unwrap();
    assert!(told.contains("step 1: there is no model called gpt-4-made-up"), "{told}");
    assert!(told.contains("step 2: `tool` allows nothing") && told.contains("shell"), "{told}");
    assert!(!told.contains("step 3"), "none is no tool: {told}");
    assert_eq!(house.count("warned"), 1, "a person is told, too");
}
