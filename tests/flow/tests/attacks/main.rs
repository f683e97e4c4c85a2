//! Attacks through the whole engine: what an agent tries with its tools.

mod limits;
mod secrets;
mod words;

use flow::{Client, House, Served, is_running};
use plan::{AskKind, Command, Event, PlanMode};
use serde_json::json;
use std::sync::{Arc, OnceLock};
use support::{Reply, Script, plan_write, step_done, wait_for};

/// The token, the log, the socket and the rules are not there for a command, and neither is the
/// API.
#[tokio::test]
async fn the_supervisor_is_out_of_reach() {
    // Where things are is known only when the house stands.
    let places: Arc<OnceLock<[String; 3]>> = Arc::default();
    let known = Arc::clone(&places);
    let script = Script::from_fn(move |request| {
        let [data, config, port] = known.get().expect("the house stands");
        let api = format!("http://127.0.0.1:{port}/v1/rooms");
        let shell = |command: String| Reply::call("shell", json!({ "command": command }));
        match request.tool_results().len() {
            0 => shell(format!("x=1; cat {data}/* {config}/*")),
            1 => shell(format!("x=1; exec 3<>/dev/tcp/127.0.0.1/{port}")),
            2 => shell(format!("x=1; curl -sS {api}")),
            3 => Reply::call("read_file", json!({ "path": format!("{config}/plancard.yaml") })),
            4 => shell(format!("x=1; {}", connecting(data))),
            5 => Reply::call("fetch", json!({ "url": api })),
            _ => Reply::text("done"),
        }
    });
    let house = House::with(script).await;
    let served = Served::new(house.engine()).await;
    Client::of_person(house.engine(), &house.data()).get("/v1/rooms").await.ok();
    let outside = std::process::Command::new("bash")
        .args(["-c", &connecting(&house.data().display().to_string())])
        .output();
    assert!(outside.unwrap().status.success(), "whoever is not confined gets there");
    std::fs::write(house.data().join("token"), "TOKEN-IN-A-FILE").unwrap();
    let real = |path: std::path::PathBuf| path.canonicalize().unwrap().display().to_string();
    let port = served.client.address.port().to_string();
    places.set([real(house.data()), real(house.config()), port]).unwrap();
    house.say("look around").await;
    // Fetching is asked about first; a yes does not open this computer.
    house.wait("question", |event| matches!(event, Event::AskRaised { .. })).await;
    let ask = house.view().asks[0].clone();
    assert_eq!(ask.kind, AskKind::Permission);
    house
        .person(Command::Answer {
            ask: ask.id,
            answer: "allow".into(),
            note: None,
            revision: None,
            hash: None,
        })
        .await
        .unwrap();
    wait_for(async || house.model.requests().len() == 7, "the last request").await;
    let results = house.model.request(6).await.tool_results();
    let all = ["No such file", "refused", "Couldn't connect", "OUTSIDE", "No such file", "OWN_API"];
    for (result, words) in results.iter().zip(all) {
        assert!(
            result.contains(words) || result.contains("Failed to connect"),
            "{words}: {result}"
        );
        assert!(!result.contains("TOKEN-IN-A-FILE") && !result.contains("permissions"), "{result}");
    }
}

/// A command that connects to the socket of a data folder.
fn connecting(data: &str) -> String {
    let connect = format!("socket.socket(socket.AF_UNIX).connect('{data}/plancard.sock')");
    format!("python3 -c \"import socket; {connect}\"")
}

#[tokio::test]
async fn what_runs_in_the_background_ends_with_the_plan_that_started_it() {
    for (marker, command) in [
        ("cancelled-job-marker", Command::Cancel { reason: "enough".into(), call: None }),
        ("stopped-job-marker", Command::Stop { so_far: None }),
    ] {
        let start = json!({
            "command": format!("exec -a {marker} sleep 1000"), "background": true
        });
        let script = vec![
            plan_write("serve", &["start it", "use it"]),
            Reply::call("shell", start),
            step_done("s1", "started"),
            Reply::text("it runs").hold_after(1),
        ];
        let house = House::with(script).await;
        house.say("go").await;
        wait_for(async || is_running(marker), "the job").await;
        house.wait("step", |event| matches!(event, Event::StepDone { .. })).await;
        assert!(is_running(marker), "it outlives the step");
        house.person(command).await.unwrap();
        wait_for(async || !is_running(marker), "the job to be gone").await;
    }
}

/// A rule that forbids a command holds wherever the shell stands.
#[tokio::test]
async fn what_is_forbidden_is_forbidden_in_every_folder() {
    let script = vec![
        Reply::call("shell", json!({ "command": "rm -rf *", "folder": "sub" })),
        Reply::call("shell", json!({ "command": "cd sub" })),
        Reply::call("shell", json!({ "command": "ls; rm -rf kept" })),
        Reply::call("shell", json!({ "command": "true && rm -rf $X" })),
        Reply::text("I may not"),
    ];
    let house = forbidding("shell(rm *)", script, &[("sub/kept", "here")]).await;
    house.say("go").await;
    // What can't be read for certain is asked about, and does not run meanwhile.
    house.wait("the question", |event| matches!(event, Event::AskRaised { .. })).await;
    let results = house.model.requests().pop().expect("it was asked").tool_results();
    for at in [0, 2] {
        assert!(results[at].contains("DENIED"), "{results:?}");
    }
    assert_eq!(house.count("ask_raised"), 1);
    assert!(house.workspace.has("sub/kept"));
}

/// A house in which a rule forbids something.
async fn forbidding(rule: &str, script: impl Into<Script>, files: &[(&str, &str)]) -> House {
    let mut house = House::configured(script, "", files).await;
    let file = house.config().join("plancard.yaml");
    let config = std::fs::read_to_string(&file).expect("it can be read");
    let deny = format!("permissions: {{ deny: [\"{rule}\"],");
    std::fs::write(&file, config.replace("permissions: {", &deny)).expect("it can be written");
    house.restart().await;
    house
}

#[tokio::test]
async fn a_rule_may_name_the_whole_path() {
    let write = Reply::call("write_file", json!({ "path": "secret/a", "content": "x" }));
    let mut house = House::configured(vec![write, Reply::text("done")], "", &[]).await;
    let file = house.config().join("plancard.yaml");
    let config = std::fs::read_to_string(&file).expect("it can be read");
    let folder = house.workspace.path();
    let folder = folder.display();
    let deny = format!("permissions: {{ deny: [\"write_file({folder}/secret/**)\"],");
    std::fs::write(&file, config.replace("permissions: {", &deny)).expect("it can be written");
    house.restart().await;
    house.say("go").await;
    house.wait_idle().await;
    assert!(!house.workspace.has("secret/a"));
}

/// A command whose words are not certain may come to a forbidden one. So it waits for a person in
/// every mode, also in an approved plan that may change the whole workspace.
#[tokio::test]
async fn what_may_come_to_a_forbidden_command_waits_for_a_person_in_every_mode() {
    let rule = "shell(touch * --force)";
    let call = || Reply::call("shell", json!({ "command": "B=made; touch $B" }));
    for mode in [PlanMode::Off, PlanMode::Soft, PlanMode::Strict] {
        for answer in ["refuse", "allow"] {
            let script = match mode {
                PlanMode::Off | PlanMode::Soft => vec![call(), Reply::text("Well.")],
                PlanMode::Strict => vec![
                    plan_write("tidy", &["tidy up"]),
                    Reply::text("Well.").hold_after(1).and(call()),
                    step_done("s1", "tidied"),
                    Reply::text("Done."),
                ],
            };
            let house = forbidding(rule, script, &[]).await;
            house.mode(mode).await;
            house.say("go").await;
            if mode == PlanMode::Strict {
                house.wait("approval", |event| matches!(event, Event::ApprovalRequested)).await;
                let (revision, hash) = (house.plan().revision, house.plan().hash);
                let yes = Command::Approve { revision, hash, model: None, fresh_context: false };
                house.person(yes).await.unwrap();
                house.model.request(1).await;
                let step = plan::StepRef::Number(1);
                let switch = Command::LetChange { step, on: true, seen: Some(1) };
                house.person(switch).await.unwrap();
                house.model.release();
            }
            let about = |ask: &plan::Ask| ask.kind == AskKind::Permission;
            house
                .wait("question", |event| matches!(event, Event::AskRaised { ask } if about(ask)))
                .await;
            assert!(!house.workspace.has("made"), "{mode:?}");
            let asked = house.log().into_iter().find_map(|(_, event)| {
                let Event::AskRaised { ask } = event else { return None };
                about(&ask).then_some(ask.id)
            });
            let (ask, answer) = (asked.expect("a question"), answer.to_owned());
            let allowed = answer == "allow";
            let answer = Command::Answer { ask, answer, note: None, revision: None, hash: None };
            house.person(answer).await.unwrap();
            house.wait_idle().await;
            assert_eq!(house.workspace.has("made"), allowed, "{mode:?}");
        }
    }
}

/// A command that is forbidden under one name does not run under another: it is seen, or a person
/// is asked.
#[tokio::test]
async fn a_forbidden_command_does_not_run_under_another_name() {
    for command in [
        "x86_64 touch made",
        "choom -n 0 -- touch made",
        "hash -p /usr/bin/touch t; t made",
        "ln -s /usr/bin/touch t && ./t made",
        "printf -v PATH '%s' x; t made",
        "script -qc 'touch made' /dev/null",
        "unknown-wrapper --cpu 3 touch made",
        "/usr/lib/git-core/git-push origin main",
        "git pp origin main",
    ] {
        let script = vec![Reply::call("shell", json!({ "command": command })), Reply::text("No.")];
        let house = forbidding("shell(touch *)\", \"shell(git push *)", script, &[]).await;
        house.say("go").await;
        let is_judged =
            |event: &Event| matches!(event, Event::AskRaised { .. } | Event::CallEnded { .. });
        house.wait(command, is_judged).await;
        assert!(!house.workspace.has("made") && house.count("call_began") == 0, "{command}");
    }
}

/// Stopping a job needs nobody's approval, and still waits for what was called before it.
#[tokio::test]
async fn a_job_is_stopped_after_what_was_called_before_that() {
    let start = json!({ "command": "sleep 1000", "background": true });
    let look = json!({ "job": 1, "wait_seconds": 0.5 });
    let script = vec![
        Reply::call("shell", start),
        Reply::calls([("job_output", look.clone()), ("job_stop", json!({ "job": 1 }))])
            .and_call("job_output", look),
        Reply::text("done"),
    ];
    let house = House::with(script).await;
    house.say("go").await;
    house.wait_idle().await;
    let results = house.model.requests().pop().expect("it was asked").tool_results();
    let [_, before, stopped, after] = &results[..] else { panic!("{results:?}") };
    assert!(before.contains("still running: sleep 1000"), "{results:?}");
    assert!(stopped.contains("job 1 has ended"), "{results:?}");
    assert!(!after.contains("still running"), "{results:?}");
}

#[tokio::test]
async fn quitting_ends_what_runs_in_the_background() {
    let start = json!({ "command": "exec -a quit-job-marker sleep 1000", "background": true });
    let script = vec![Reply::call("shell", start), Reply::text("it runs")];
    let house = House::with(script).await;
    house.say("go").await;
    wait_for(async || is_running("quit-job-marker"), "the job").await;
    house.wait_idle().await;
    assert!(is_running("quit-job-marker"), "it outlives the turn");
    house.engine().stop().await;
    assert!(!is_running("quit-job-marker"));
}

/// A check belongs to the workspace, wherever the agent's shell stands.
#[tokio::test]
async fn a_check_runs_in_the_workspace_itself() {
    let steps = json!([{ "text": "make it", "verify": "test -f top && cd sub" }]);
    let script = vec![
        support::plan_write_with("make", steps, json!({})),
        Reply::call("shell", json!({ "command": "cd sub && touch made" })),
        step_done("s1", "made"),
        Reply::call("shell", json!({ "command": "x=1; pwd" })),
        Reply::text("done"),
    ];
    let house = House::configured(script, "", &[("top", ""), ("sub/a", "")]).await;
    house.say("go").await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    house.wait_idle().await;
    let told = house.model.requests().pop().unwrap().tool_results().pop().unwrap();
    assert!(told.starts_with(&format!("{}/sub", house.workspace.path().display())), "{told}");
}

/// Says that this test program was started where programs can't be confined.
const UNCONFINED: &str = "PLANCARD_TEST_UNCONFINED";

/// Without a sandbox no command runs in any mode, and nobody is asked for a yes that would mean
/// nothing; files can still be worked on.
#[tokio::test]
async fn without_a_sandbox_no_command_runs_whatever_the_mode() {
    if std::env::var_os(UNCONFINED).is_none() {
        let again = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "without_a_sandbox_no_command_runs_whatever_the_mode"])
            .env(UNCONFINED, "1")
            // Where bubblewrap is not found.
            .env("PATH", "/nonexistent")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&again.stdout);
        assert!(again.status.success() && said.contains("1 passed"), "{again:?}");
        return;
    }
    let why = engine::no_sandbox().expect("there is none here");
    assert!(why.contains("bubblewrap"), "{why}");
    for mode in [PlanMode::Off, PlanMode::Soft, PlanMode::Strict] {
        let script = vec![
            Reply::call("shell", json!({ "command": "touch made" })),
            Reply::call("shell", json!({ "command": "ls" })),
            Reply::call("read_file", json!({ "path": "a" })),
            Reply::text("done"),
        ];
        let house = House::configured(script, "", &[("a", "text")]).await;
        house.person(Command::SetMode { mode }).await.unwrap();
        house.say("go").await;
        house.wait_idle().await;
        let results = house.model.requests().pop().unwrap().tool_results();
        assert!(results[0].contains("NO_SANDBOX") || mode == PlanMode::Strict, "{results:?}");
        assert!(results[1].contains("NO_SANDBOX"), "{mode:?}: {results:?}");
        assert_eq!(results[2], "text", "{mode:?}");
        assert!(!house.workspace.path().join("made").exists(), "{mode:?}");
        assert_eq!(house.count("ask_raised"), 0, "{mode:?}: a yes would change nothing");
    }
}

/// A job changes where a link leads, as fast as it can, while calls by that link are judged and
/// carried out.
#[tokio::test]
async fn a_link_that_is_changed_meanwhile_leads_past_no_rule() {
    const ROUNDS: usize = 20;
    let swap = "exec perl -e 'while (! -e \"stop\") { for my $to (\"open\", \"secret\") { \
                symlink($to, \"new\"); rename(\"new\", \"link\"); } } open(my $f, \">\", \"done\")'";
    let calls = (0..10).flat_map(|_| {
        let write = json!({ "path": "link/own", "content": "changed" });
        [("read_file", json!({ "path": "link/text" })), ("write_file", write)]
    });
    let calls: Vec<_> = calls.collect();
    let script = Script::from_fn(move |request| match request.texts("assistant").len() {
        0 => Reply::call("shell", json!({ "command": swap, "background": true })),
        turn if turn <= ROUNDS => Reply::calls(calls.clone()),
        _ => Reply::text("done"),
    });
    let files =
        [("open/text", "for all\n"), ("secret/text", "for nobody"), ("secret/own", "whole")];
    let rules = "read_file(secret/**)\", \"write_file(secret/**)";
    let house = forbidding(rules, script, &files).await;
    house.say("go").await;
    house.wait_idle().await;
    house.workspace.write("stop", "");
    wait_for(async || house.workspace.has("done"), "the job to end").await;
    let results = house.model.requests().pop().unwrap().tool_results();
    let count = |word: &str| results.iter().filter(|result| result.contains(word)).count();
    assert_eq!(count("for nobody"), 0, "{results:?}");
    assert_eq!(house.workspace.read("secret/own"), "whole");
    assert!(count("for all") > 0, "{results:?}");
}
