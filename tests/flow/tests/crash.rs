//! The program is killed again and again: nothing acknowledged is lost, nothing runs twice.
//!
//! Every moment of death is one that was seen: the n-th event on the stream, the
//! n-th request to the model, or a command that has begun and cannot end.

use flow::{Client, Feed, Heard, House, Place, Serve};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use support::{
    Recorded, Reply, Script, ScriptedModel, TempWorkspace, plan_write, step_done, wait_for,
};

const STEPS: usize = 30;

/// When the program is killed.
#[derive(Debug, Clone, Copy)]
enum Moment {
    /// After so many events of this life.
    Event(usize),
    /// When so many more requests have reached the model.
    Request(usize),
    /// While a command runs that has done its work and waits.
    Command,
}

/// The agent: each step is a command and a file, each with words of its own; then a report.
fn agent() -> Script {
    Script::from_fn(|request| {
        let Some(step) = step_under_way(request) else {
            if wrote(request) {
                return Reply::text("All done.");
            }
            let steps: Vec<String> = (1..=STEPS).map(|n| format!("step {n}")).collect();
            let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
            return plan_write("lines", &steps);
        };
        if worked_well(request) {
            return step_done(&step, "appended");
        }
        let line = format!("{step}-{}", request.number());
        let hold = "while [ -e hold ]; do touch held; sleep 0.01; done";
        let append = format!("echo {line} >> lines; {hold}");
        Reply::calls([
            ("shell", json!({ "command": append })),
            ("write_file", json!({ "path": format!("files/{line}"), "content": line })),
        ])
    })
}

/// The step that the ledger says is under way.
fn step_under_way(request: &Recorded) -> Option<String> {
    let ledger = request.texts("system").into_iter().find(|text| text.starts_with("Plan (rev"))?;
    let line = ledger.lines().find(|line| line.starts_with('▶'))?;
    let (_, rest) = line.split_once('[')?;
    rest.split_once(']').map(|(id, _)| id.to_owned())
}

/// Whether a plan was written in this conversation, and not only asked for before a kill.
fn wrote(request: &Recorded) -> bool {
    request.messages().windows(2).any(|pair| {
        pair[0]["tool_calls"][0]["function"]["name"] == "plan"
            && !pair[1]["content"].to_string().contains("not_run")
    })
}

/// Whether the last turn was work, and all of it went well.
fn worked_well(request: &Recorded) -> bool {
    let messages = request.messages();
    let Some(last) = messages.iter().rposition(|message| message["tool_calls"].is_array()) else {
        return false;
    };
    let calls = messages[last]["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_work = calls.iter().any(|call| call["function"]["name"] == "shell");
    let results = messages[last + 1..].iter().filter(|message| message["role"] == "tool");
    let bad = ["not_run", "The app stopped", "\"code\""];
    is_work
        && results
            .map(|message| message["content"].to_string())
            .all(|text| !bad.iter().any(|word| text.contains(word)))
}

/// The log as the program tells it, checked against all that was told before.
struct Told {
    known: BTreeMap<u64, Heard>,
    /// Events that a request of ours was answered with.
    acknowledged: Vec<(u64, String)>,
}

impl Told {
    fn hear(&mut self, heard: Heard) {
        let seq = heard.seq();
        match self.known.get(&seq) {
            Some(before) => assert_eq!(*before, heard, "event {seq} is what it was"),
            None => {
                self.known.insert(seq, heard);
            }
        }
    }

    fn last(&self) -> u64 {
        self.known.last_key_value().map_or(0, |(seq, _)| *seq)
    }

    fn is_over(&self) -> bool {
        self.known.values().any(|heard| heard.name == "plan_done")
    }

    /// Reads the log from its beginning, as far as it was ever told.
    async fn check(&mut self, client: &Client, stream: &str, last: u64) {
        assert!(self.last() <= last, "{} was told and the log ends at {last}", self.last());
        let mut feed = client.follow(stream, None).await;
        let all = feed.until("the last event", |heard| heard.seq() == last).await;
        let sequences: Vec<u64> = all.iter().map(Heard::seq).collect();
        assert_eq!(sequences, (1..=last).collect::<Vec<u64>>(), "no gap and no double");
        all.into_iter().for_each(|heard| self.hear(heard));
        for (seq, kind) in &self.acknowledged {
            assert_eq!(&self.known[seq].name, kind, "event {seq} was acknowledged");
        }
    }
}

/// Goes on after a start: answers what is asked, resumes what is paused; the plan's state.
async fn take_up(client: &Client, room: &str, asked: &mut BTreeSet<String>) -> String {
    for ask in client.get("/v1/asks").await.ok()["items"].as_array().expect("a list") {
        assert_eq!(ask["kind"], "outcome", "{ask}");
        let id = ask["id"].as_str().expect("a question has an id");
        asked.insert(id.to_owned());
        client.post(&format!("/v1/asks/{id}/answer"), json!({ "answer": "look" })).await.ok();
    }
    let plan = client.get(&format!("{room}/plan")).await.ok();
    let state = plan["state"].as_str().unwrap_or("none").to_owned();
    if state == "paused" {
        assert_eq!(plan["pause_reason"], "interrupted");
        client.press(&format!("{room}/plan/resume")).await.ok();
    }
    state
}

/// Starts the program; a command of the last life may hold the folder for a moment.
async fn start(place: &Place) -> Serve {
    let lock = place.data();
    wait_for(
        async || engine::journal::FolderLock::take(&lock).is_ok(),
        "the killed program to let go of its folder",
    )
    .await;
    place.start().await
}

/// Lets the program live until its moment has come.
async fn live_until(
    moment: Moment,
    feed: &mut Feed,
    told: &mut Told,
    model: &ScriptedModel,
    workspace: &TempWorkspace,
) {
    match moment {
        Moment::Event(count) => {
            for _ in 0..count {
                if told.is_over() {
                    return;
                }
                told.hear(feed.next_stored().await.expect("the stream is open"));
            }
        }
        Moment::Request(more) => {
            model.request(model.requests().len() + more - 1).await;
        }
        Moment::Command => {
            wait_for(async || workspace.has("held"), "a command to begin").await;
        }
    }
}

fn lines(workspace: &TempWorkspace) -> Vec<String> {
    match workspace.has("lines") {
        true => workspace.read("lines").lines().map(str::to_owned).collect(),
        false => Vec::new(),
    }
}

#[tokio::test]
async fn killed_at_any_moment_it_loses_nothing_and_runs_nothing_twice() {
    let model = ScriptedModel::start(agent()).await;
    let caps = "caps: { steps: 30, auto_steps: 100 }\n";
    let place = Place::with_model(&model, caps);
    let workspace = TempWorkspace::new(&[]);
    let mut serve = place.start().await;
    let body = json!({ "workspace": workspace.path() });
    let room = serve.client.post("/v1/rooms", body).await.ok();
    let room = format!("/v1/rooms/{}", room["id"].as_str().expect("a room has an id"));
    let stream = format!("{room}/stream");
    let messages = format!("{room}/messages");
    let mut told = Told { known: BTreeMap::new(), acknowledged: Vec::new() };
    let mut asked = BTreeSet::new();

    let moments = [
        Moment::Event(1),
        Moment::Request(1),
        Moment::Event(3),
        Moment::Command,
        Moment::Event(4),
        Moment::Event(5),
        Moment::Request(2),
        Moment::Event(7),
        Moment::Command,
        Moment::Event(9),
        Moment::Request(1),
        Moment::Event(6),
        Moment::Event(8),
        Moment::Command,
        Moment::Request(3),
        Moment::Event(10),
        Moment::Event(2),
        Moment::Event(11),
        Moment::Request(2),
        Moment::Event(12),
    ];
    let mut kills = 0;
    for (life, moment) in moments.into_iter().enumerate() {
        let mut feed = serve.client.follow(&stream, Some(&told.last().to_string())).await;
        if matches!(moment, Moment::Command) {
            let _ = std::fs::remove_file(workspace.path().join("held"));
            workspace.write("hold", "");
        }
        take_up(&serve.client, &room, &mut asked).await;
        // A message in every life, acknowledged before the program may die.
        let said = json!({ "text": format!("message {life}") });
        let taken = serve.client.post(&messages, said).await.ok();
        told.acknowledged.push((taken["seq"].as_u64().expect("a sequence"), "said".to_owned()));
        live_until(moment, &mut feed, &mut told, &model, &workspace).await;
        serve.kill().await;
        // What was sent before the end counts as told, too.
        while let Some(heard) = feed.next_stored().await {
            told.hear(heard);
        }
        kills += 1;
        if matches!(moment, Moment::Command) {
            std::fs::remove_file(workspace.path().join("hold")).expect("it is there");
        }
        serve = start(&place).await;
        let last = serve.client.get(&room).await.ok()["seq"].as_u64().expect("a sequence");
        told.check(&serve.client, &stream, last).await;
        assert!(!told.is_over(), "the plan ended after {kills} kills: it has too few steps");
    }
    assert!(kills >= 15);

    let mut feed = serve.client.follow(&stream, Some(&told.last().to_string())).await;
    take_up(&serve.client, &room, &mut asked).await;
    for heard in feed.until("the end of the plan", |heard| heard.name == "plan_done").await {
        told.hear(heard);
    }
    let last = told.last();
    told.check(&serve.client, &stream, last).await;
    check_calls(&told, &asked);
    check_lines(&told, &workspace);
}

/// Each call began once and ended once; one that has no receipt of its own was asked about.
fn check_calls(told: &Told, asked: &BTreeSet<String>) {
    let mut begun: BTreeMap<String, u64> = BTreeMap::new();
    let mut ended: BTreeSet<String> = BTreeSet::new();
    let mut interrupted = 0;
    let text = |value: &Value| value.as_str().expect("an id is a text").to_owned();
    for (seq, heard) in &told.known {
        match heard.name.as_str() {
            "call_began" => {
                let call = text(&heard.data["call"]);
                assert_eq!(begun.insert(call.clone(), *seq), None, "{call} began once");
                assert!(!ended.contains(&call), "{call} did not begin after its end");
            }
            "call_ended" => {
                let call = text(&heard.data["call"]);
                assert!(ended.insert(call.clone()), "{call} ended once");
            }
            "ask_raised" => {
                let ask = &heard.data["ask"];
                assert_eq!(ask["kind"], "outcome");
                let call = text(&ask["call_id"]);
                assert!(begun.contains_key(&call) && !ended.contains(&call), "{call} is open");
                assert!(asked.contains(&text(&ask["id"])), "and it was in the inbox");
                interrupted += 1;
            }
            _ => {}
        }
    }
    let open: Vec<&String> = begun.keys().filter(|call| !ended.contains(*call)).collect();
    assert_eq!(open, Vec::<&String>::new(), "every call has a receipt or an answer");
    assert!(interrupted >= 3, "three were killed in the middle of a command, {interrupted} seen");
}

/// Each line stands in the file once, and every command that went well left its line.
fn check_lines(told: &Told, workspace: &TempWorkspace) {
    let lines = lines(workspace);
    let unique: BTreeSet<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(unique.len(), lines.len(), "no command ran twice: {lines:?}");
    let replies = told.known.values().filter_map(|heard| heard.data["calls"].as_array());
    let commands: BTreeMap<&str, &str> = replies.flatten().filter_map(line_of).collect();
    let of = |heard: &Heard| commands.get(heard.data["call"].as_str().unwrap_or("")).copied();
    let all = |name: &'static str| told.known.values().filter(move |heard| heard.name == name);

    let well = all("call_ended").filter(|heard| heard.data["outcome"] == "ok");
    let well: BTreeSet<&str> = well.filter_map(of).collect();
    assert!(well.is_subset(&unique), "what was acknowledged is in the file");
    assert!(well.len() >= STEPS, "every step did its work: {well:?}");
    let begun: BTreeSet<&str> = all("call_began").filter_map(of).collect();
    assert!(unique.is_subset(&begun), "nothing ran whose intent is not in the log");
}

/// The call and the line it appends, if it is a command.
fn line_of(call: &Value) -> Option<(&str, &str)> {
    let args = call["args"].as_str().filter(|_| call["tool"] == "shell")?;
    let (_, command) = args.split_once("echo ")?;
    Some((call["id"].as_str()?, command.split(' ').next()?))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_intent_is_on_disk_before_the_effect_can_be_seen() {
    let count = 20;
    let write = |n: usize| {
        let path = format!("file-{n}");
        Reply::call("write_file", json!({ "path": path, "content": "x" }))
    };
    let house = House::with((1..=count).map(write).collect::<Vec<Reply>>()).await;
    let (engine, room, folder) = (house.engine().clone(), house.room.0, house.workspace.path());
    // A thread that looks without a pause: the file is there, so its intent must be.
    let looking = tokio::task::spawn_blocking(move || {
        let begun = |event: &engine::journal::StoredEvent| event.kind == "call_began";
        (1..=count)
            .map(|n| {
                while !folder.join(format!("file-{n}")).exists() {
                    std::thread::yield_now();
                }
                let log = engine.journal().read(room, 0, 1_000).expect("the log can be read");
                log.into_iter().filter(begun).count()
            })
            .collect::<Vec<usize>>()
    });
    house.say("write").await;
    let intents = tokio::time::timeout(std::time::Duration::from_secs(60), looking).await;
    let intents = intents.expect("every file is written").expect("the thread looks");
    for (index, seen) in intents.into_iter().enumerate() {
        assert!(seen > index, "file {} was there and {seen} intents were on disk", index + 1);
    }
}

#[tokio::test]
async fn nothing_of_ours_stays_in_git_s_folder_after_a_kill() {
    let hold = json!({ "command": "touch held; while :; do sleep 0.01; done" });
    let model = ScriptedModel::start(vec![Reply::call("shell", hold)]).await;
    let place = Place::with_model(&model, "");
    let workspace = TempWorkspace::new(&[]);
    let git = |words: &[&str]| {
        let mut git = std::process::Command::new("git");
        let status = git.args(words).current_dir(workspace.path()).status();
        assert!(status.is_ok_and(|status| status.success()), "git {words:?}");
    };
    git(&["init", "-q"]);
    let git_folder = workspace.path().join(".git");
    for name in ["hooks", "info"] {
        std::fs::remove_dir_all(git_folder.join(name)).expect("git made it");
    }
    let names = || {
        let names = std::fs::read_dir(&git_folder).expect("a folder").flatten();
        // An empty one that git may have made itself is left.
        let names = names.map(|entry| entry.file_name()).filter(|name| name != "branches");
        names.collect::<BTreeSet<_>>()
    };
    let before = names();
    let serve = place.start().await;
    let body = json!({ "workspace": workspace.path() });
    let room = serve.client.post("/v1/rooms", body).await.ok();
    let room = format!("/v1/rooms/{}", room["id"].as_str().expect("a room has an id"));
    serve.client.post(&format!("{room}/messages"), json!({ "text": "Wait" })).await.ok();
    wait_for(async || workspace.path().join("held").exists(), "the command").await;
    assert_ne!(names(), before, "hooks are kept from being planted");
    serve.kill().await;
    let _serve = start(&place).await;
    wait_for(async || names() == before, "git's folder to be as it was").await;
}

#[tokio::test]
async fn a_client_sees_that_its_answer_was_cut_off_and_goes_on() {
    let write = json!({ "path": "late.txt", "content": "x" });
    let held = Reply::text("hm").hold_after(1);
    let model =
        ScriptedModel::start(vec![held, Reply::call("write_file", write), Reply::text("ok")]).await;
    let place = Place::with_model(&model, "");
    let workspace = TempWorkspace::new(&[]);
    let serve = place.start().await;
    let body = json!({ "workspace": workspace.path() });
    let room = serve.client.post("/v1/rooms", body).await.ok();
    let room = format!("/v1/rooms/{}", room["id"].as_str().expect("a room has an id"));
    let messages = format!("{room}/messages");
    serve.client.post(&messages, json!({ "text": "write" })).await.ok();
    model.request(0).await;
    serve.kill().await;
    let serve = start(&place).await;
    assert_eq!(serve.client.get(&room).await.ok()["busy"], false);
    let last = serve.client.get(&messages).await.ok()["items"][0].clone();
    assert_eq!(last["role"], "harness");
    assert_eq!(
        last["text"],
        "The app stopped before the answer was there. Say something to go on."
    );
    assert_eq!((model.requests().len(), workspace.has("late.txt")), (1, false));
    serve.client.post(&messages, json!({ "text": "go on" })).await.ok();
    model.request(2).await;
    assert!(workspace.has("late.txt"));
}
