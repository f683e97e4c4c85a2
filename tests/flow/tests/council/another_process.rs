//! An engine in a process of its own, to be killed: this test program once more.

use super::{TASK, Voice, script};
use engine::config::{ConfigPlace, ConfigStore};
use engine::{Engine, Options, StartCouncil};
use flow::me;
use plan::{Command, CouncilView, PauseReason, PlanMode, RoomId};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use support::{Ending, Recorded, ScriptedModel, TempWorkspace, wait_for};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout};

/// Says to the process that is killed what to do.
const ORDERS: &str = "COUNCIL_TO_KILL";

fn engine(home: &Path) -> Engine {
    let config = ConfigStore::open(ConfigPlace::Folder(home.join("config")));
    let lock = engine::journal::FolderLock::take(&home.join("data")).expect("the folder is free");
    let mut options = Options::new(lock, config);
    options.pace = models::Pace::Instant;
    Engine::start(options).expect("the engine starts").engine
}

/// The process that the others kill; by itself it does nothing. It tells every stored event.
#[tokio::test]
async fn the_process_that_is_killed() {
    let Ok(orders) = std::env::var(ORDERS) else { return };
    let orders: Value = serde_json::from_str(&orders).expect("orders are JSON");
    let path = |name: &str| PathBuf::from(orders[name].as_str().expect("a path"));
    let engine = engine(&path("home"));
    let room = engine.create_room(&me(), None, &path("workspace"), None).await.expect("a room").id;
    println!("\nroom {room}");
    if orders["strict"] == true {
        let mode = Command::SetMode { mode: PlanMode::Strict };
        engine.submit(room, &me(), mode).expect("the mode is set");
    }
    let options = orders["options"].as_object().cloned().expect("options");
    let start = StartCouncil { task: TASK.to_owned(), members: Vec::new(), options };
    engine.start_council(room, &me(), start).await.expect("a council begins");
    let mut watch = engine.watch(room, 0).expect("the room is there");
    loop {
        for (stored, _) in watch.next().await.expect("the log can be read") {
            println!("\nevent {}", stored.kind);
        }
    }
}

/// A council in another process.
pub struct Other {
    home: TempDir,
    workspace: TempWorkspace,
    model: ScriptedModel,
    child: Child,
    told: Lines<BufReader<ChildStdout>>,
    pub room: RoomId,
}

impl Other {
    pub async fn begin(voices: [Voice; 3], options: Value, strict: bool) -> Self {
        let script = script(["a", "b", "c"].into_iter().zip(voices));
        let model = ScriptedModel::start(script).await;
        let home = TempDir::new().expect("a temporary folder can be made");
        let config = format!(
            "providers:\n  test: {{ type: openai, base_url: \"{}\" }}\nagents:\n  \
             default: {{ model: test/a }}\n  bob: {{ model: test/b }}\n  cid: {{ model: test/c }}\n",
            model.base_url()
        );
        std::fs::create_dir(home.path().join("config")).expect("a folder can be made");
        std::fs::write(home.path().join("config/plancard.yaml"), config).expect("it is written");
        let workspace = TempWorkspace::new(&[("keep.txt", "keep me")]);
        let orders = json!({
            "home": home.path(), "workspace": workspace.path(), "options": options, "strict": strict,
        });
        let program = std::env::current_exe().expect("this test has a program");
        let mut child = tokio::process::Command::new(program)
            .args(["--exact", "another_process::the_process_that_is_killed", "--nocapture"])
            .env(ORDERS, orders.to_string())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("it can be started");
        let mut told = BufReader::new(child.stdout.take().expect("its output is ours")).lines();
        let room = next(&mut told, "room ").await;
        let room = RoomId(room.parse().expect("a room's name"));
        Self { home, workspace, model, child, told, room }
    }

    /// Waits until so many events of a kind are stored.
    pub async fn stored(&mut self, kind: &str, count: usize) {
        for _ in 0..count {
            while next(&mut self.told, "event ").await != kind {}
        }
    }

    pub fn asked(&self, model: &str) -> Vec<Recorded> {
        self.model.requests().into_iter().filter(|one| one.model() == model).collect()
    }

    pub async fn wait_asked(&self, model: &str, count: usize) {
        let what = format!("{count} requests to {model}");
        wait_for(async || self.asked(model).len() >= count, &what).await;
    }

    /// Kills it and starts an engine on what it left.
    pub async fn kill(mut self) -> After {
        self.child.kill().await.expect("it can be killed");
        let data = self.home.path().join("data");
        let free = async || engine::journal::FolderLock::take(&data).is_ok();
        wait_for(free, "it to be gone").await;
        let before = self.model.requests().len();
        let engine = engine(self.home.path());
        After { engine, before, other: self }
    }
}

async fn next(told: &mut Lines<BufReader<ChildStdout>>, begins: &str) -> String {
    let found = async {
        loop {
            let line = told.next_line().await.expect("its output is text").expect("it goes on");
            if let Some(rest) = line.strip_prefix(begins) {
                return rest.to_owned();
            }
        }
    };
    let patience = std::time::Duration::from_secs(60);
    tokio::time::timeout(patience, found).await.expect("it tells what happens")
}

/// An engine after the kill.
pub struct After {
    pub engine: Engine,
    /// Requests that had reached the models.
    before: usize,
    pub other: Other,
}

impl After {
    pub fn council(&self) -> CouncilView {
        let view = self.engine.view(self.other.room).expect("the room is there");
        view.council.expect("there is a council")
    }

    /// It stands paused, and nothing goes on by itself.
    pub fn stands_paused(&self) -> CouncilView {
        let council = self.council();
        assert_eq!(council.state, "paused", "{council:?}");
        assert_eq!(council.pause_reason, Some(PauseReason::Interrupted));
        assert_eq!(self.other.model.requests().len(), self.before, "nothing goes on by itself");
        council
    }

    pub async fn resume(&self) {
        let done = self.engine.submit(self.other.room, &me(), Command::Resume);
        done.expect("a person may").stored().await.expect("it is stored");
    }

    pub async fn wait_state(&self, state: &str) -> CouncilView {
        let reached = async || self.council().state == state;
        let wait = wait_for(reached, state);
        let patience = std::time::Duration::from_secs(45);
        if tokio::time::timeout(patience, wait).await.is_err() {
            panic!("it is not {state}: {:#?}", self.council());
        }
        self.council()
    }

    /// How often each model was asked.
    pub fn paid(&self) -> [usize; 3] {
        ["a", "b", "c"].map(|model| self.other.asked(model).len())
    }

    /// Waits until nobody is asked any more. Nothing that was answered in full was asked again.
    pub async fn wait_idle(&self) {
        let idle = async || !self.engine.view(self.other.room).expect("it is there").busy;
        wait_for(idle, "the room to be idle").await;
        let whole = |one: &Recorded| one.ending() == Ending::Whole;
        let paid: Vec<Recorded> = self.other.model.requests().into_iter().filter(whole).collect();
        let once: BTreeSet<_> = paid.iter().map(|one| one.body().clone()).collect();
        assert_eq!(once.len(), paid.len(), "no stored answer is paid for twice");
    }

    pub fn files(&self) -> Vec<String> {
        self.other.workspace.files().into_iter().map(|(path, _)| path).collect()
    }
}
