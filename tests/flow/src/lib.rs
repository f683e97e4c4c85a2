//! A house for flow tests: an engine on a real data folder, a workspace, a scripted model.
//! Beside it, ways in from outside: a client of the API, its streams, the real program.

mod client;
mod feed;
mod serve;

pub use client::{Answer, Client, OWNER, Served, secret};
pub use feed::{Feed, Heard};
pub use serve::{Place, Serve};

use engine::config::{ConfigPlace, ConfigStore};
use engine::journal::StoredEvent;
use engine::{Engine, HandClock, Options};
use plan::{
    Actor, Command, Event, MessageId, PlanMode, PlanView, RoomId, RoomView, Surface, Text, Time,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use support::{Script, ScriptedModel, TempWorkspace};
use tempfile::TempDir;

/// How long a test waits for what it needs before it says what was missing.
const PATIENCE: Duration = Duration::from_secs(60);

/// Everything one test needs. The model is scripted; all else is real.
pub struct House {
    /// The engine under test; `None` between two lives of it.
    engine: Option<Engine>,
    /// The scripted model.
    pub model: ScriptedModel,
    /// The room's folder.
    pub workspace: TempWorkspace,
    /// Moved by hand.
    pub clock: Arc<HandClock>,
    /// The room the test plays in.
    pub room: RoomId,
    secrets: Vec<String>,
    patience: models::Patience,
    home: TempDir,
}

impl House {
    /// An engine with one room and the usual configuration: writing in `ask-first/` is asked about.
    pub async fn with(script: impl Into<Script>) -> Self {
        Self::configured(script, "", &[]).await
    }

    /// The same, with more configuration and files in the workspace. What is indented by two is
    /// another provider.
    pub async fn configured(script: impl Into<Script>, more: &str, files: &[(&str, &str)]) -> Self {
        Self::made("test/scripted", script.into(), more, files).await
    }

    /// The same, with an agent of one's own: its model, then more of its keys, each on a line
    /// indented by four.
    pub async fn of_agent(
        agent: &str,
        script: impl Into<Script>,
        more: &str,
        files: &[(&str, &str)],
    ) -> Self {
        Self::made(agent, script.into(), more, files).await
    }

    /// A house in which the built-in rehearsal answers.
    pub async fn rehearsing() -> Self {
        Self::made("rehearsal/demo", Script::from(Vec::new()), "", &[]).await
    }

    /// A house with one more provider, written below `providers:`, and a model of it.
    pub async fn with_provider(provider: &str, model: &str, files: &[(&str, &str)]) -> Self {
        Self::made(model, Script::from(Vec::new()), provider, files).await
    }

    async fn made(agent: &str, script: Script, more: &str, files: &[(&str, &str)]) -> Self {
        let model = ScriptedModel::start(script).await;
        let home = TempDir::new().expect("a temporary folder can be made");
        let config = format!(
            "agents:\n  default:\n    model: {agent}\n    \
             permissions: {{ ask: [\"write_file(ask-first/**)\"] }}\n\
             providers:\n  test: {{ type: openai, base_url: \"{}\" }}\n{more}\n",
            model.base_url()
        );
        std::fs::create_dir(home.path().join("config")).expect("a folder can be made");
        std::fs::write(home.path().join("config/plancard.yaml"), config)
            .expect("the configuration can be written");
        let mut house = Self {
            engine: None,
            model,
            workspace: TempWorkspace::new(files),
            clock: Arc::new(HandClock::at(Time(1_800_000_000_000))),
            room: RoomId(uuid::Uuid::nil()),
            secrets: Vec::new(),
            patience: models::Patience::default(),
            home,
        };
        house.start();
        let errors = house.engine().config().errors();
        assert!(errors.is_none(), "{errors:?}");
        let folder = house.workspace.path();
        let room = house.engine().create_room(&me(), None, &folder, None).await;
        house.room = room.expect("a room can be made").id;
        house
    }

    /// The usual house, with a secret that must never be shown.
    pub async fn knowing(script: impl Into<Script>, secret: &str) -> Self {
        let mut house = Self::with(script).await;
        house.secrets.push(secret.to_owned());
        house.restart().await;
        house
    }

    /// From the next start on, a provider is given up sooner.
    pub async fn impatient(mut self, patience: models::Patience) -> Self {
        self.patience = patience;
        self.restart().await;
        self
    }

    /// The data folder.
    pub fn data(&self) -> PathBuf {
        self.home.path().join("data")
    }

    /// The configuration folder.
    pub fn config(&self) -> PathBuf {
        self.home.path().join("config")
    }

    fn start(&mut self) {
        let config = ConfigStore::open(ConfigPlace::Folder(self.config()));
        let lock = engine::journal::FolderLock::take(&self.data()).expect("the folder is free");
        let mut options = Options::new(lock, config);
        options.pace = models::Pace::Instant;
        options.secrets.clone_from(&self.secrets);
        options.patience = self.patience;
        options.clock = Arc::clone(&self.clock) as Arc<dyn engine::Clock>;
        let started = Engine::start(options).expect("the engine starts");
        self.engine = Some(started.engine);
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        self.engine.as_ref().expect("the engine is running")
    }

    /// Stops the engine as quitting does, and starts it again on the same folder.
    pub async fn restart(&mut self) {
        let engine = self.engine.take().expect("the engine is running");
        engine.stop().await;
        drop(engine);
        self.start_when_free().await;
    }

    /// The log is free once the last task of the old engine has let go of it.
    async fn start_when_free(&mut self) {
        let data = self.data();
        support::wait_for(
            async || engine::journal::FolderLock::take(&data).is_ok(),
            "the old engine to let go of its folder",
        )
        .await;
        self.start();
    }

    /// A person says something.
    pub async fn say(&self, text: &str) -> u64 {
        let message = MessageId(engine::fresh_id());
        let (text, blob) = Text::split(String::from(text));
        let command = Command::Say { message, text };
        let blobs = blob.into_iter().collect();
        let said = self.engine().submit_with(self.room, &me(), command, blobs);
        said.expect("the message is taken").stored().await.expect("it is stored").0
    }

    /// A person does something; what happened, or the code of the refusal.
    pub async fn person(&self, command: Command) -> Result<Vec<Event>, &'static str> {
        match self.engine().submit(self.room, &me(), command) {
            Ok(done) => Ok(done.stored().await.expect("it is stored").1),
            Err(error) => Err(error.code()),
        }
    }

    /// The room as anyone sees it.
    pub fn view(&self) -> RoomView {
        self.engine().view(self.room).expect("the room is there")
    }

    /// The room's plan as anyone sees it.
    pub fn plan(&self) -> PlanView {
        self.view().plan.expect("there is a plan")
    }

    /// Every stored event so far.
    pub fn log(&self) -> Vec<(StoredEvent, Event)> {
        let rows = self.engine().journal().read(self.room.0, 0, usize::MAX / 2);
        rows.expect("the log can be read")
            .into_iter()
            .map(|stored| {
                let event = serde_json::from_slice(&stored.body).expect("an event reads back");
                (stored, event)
            })
            .collect()
    }

    /// How many events of a kind are stored.
    pub fn count(&self, kind: &str) -> usize {
        self.log().iter().filter(|(stored, _)| stored.kind == kind).count()
    }

    /// Waits for the first stored event, from the beginning, that fits.
    pub async fn wait(&self, what: &str, fits: impl Fn(&Event) -> bool) -> u64 {
        self.wait_after(0, what, fits).await
    }

    /// Waits for the first stored event after `seq` that fits.
    pub async fn wait_after(&self, seq: u64, what: &str, fits: impl Fn(&Event) -> bool) -> u64 {
        let mut watch = self.engine().watch(self.room, seq).expect("the room is there");
        let found = async {
            loop {
                for (stored, event) in watch.next().await.expect("the log can be read") {
                    if fits(&event) {
                        return stored.seq;
                    }
                }
            }
        };
        match tokio::time::timeout(PATIENCE, found).await {
            Ok(seq) => seq,
            Err(_) => panic!("no {what} within {PATIENCE:?}; the log: {:#?}", self.kinds()),
        }
    }

    /// Waits until a room's model is heard to say these words, in the turn under way.
    pub async fn hear(&self, room: RoomId, words: &str) {
        let watch = self.engine().watch(room, 0).expect("the room is there");
        let (mut listener, mut said) = (watch.chatter(), String::new());
        let heard = async {
            while !said.contains(words) {
                let piece = listener.next().await.expect("the room is there");
                if let engine::Chatter::Text { delta } = piece {
                    said.push_str(&delta);
                }
            }
        };
        let heard = tokio::time::timeout(PATIENCE, heard).await;
        assert!(heard.is_ok(), "{words:?} was not heard within {PATIENCE:?}");
    }

    /// Waits until the plan is paused.
    pub async fn wait_paused(&self) -> u64 {
        self.wait("pause", |event| matches!(event, Event::Paused { .. })).await
    }

    /// Waits until the agent has nothing to do and everything is stored.
    pub async fn wait_idle(&self) {
        support::wait_for(
            async || {
                let view = self.view();
                let stored = self.engine().journal().room(self.room.0);
                let stored = stored.expect("the log can be read").map_or(0, |room| room.last);
                !view.busy && stored == view.seq
            },
            "the room to be idle",
        )
        .await;
    }

    /// The kinds of all stored events, for a failing test to show.
    pub fn kinds(&self) -> Vec<String> {
        self.log().into_iter().map(|(stored, _)| stored.kind).collect()
    }

    /// Sets the plan mode.
    pub async fn mode(&self, mode: PlanMode) {
        self.person(Command::SetMode { mode }).await.expect("the mode can be set");
    }
}

/// A person at the window.
pub fn me() -> Actor {
    Actor::person("me", Surface::Window)
}

/// Whether a process with this text in its command line is alive.
pub fn is_running(marker: &str) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else { return false };
    processes.flatten().any(|process| {
        let line = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(marker) && !is_zombie(&process.path())
    })
}

fn is_zombie(process: &Path) -> bool {
    let status = std::fs::read_to_string(process.join("stat")).unwrap_or_default();
    status.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'))
}

/// A word in the command line of a test's own program, to find its processes by.
pub struct Mark(pub String);

impl Mark {
    /// One that no other test has.
    pub fn fresh() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(format!("--flow-mark-{}-{next}", std::process::id()))
    }

    /// Whether a process with it runs.
    pub fn is_running(&self) -> bool {
        is_running(&self.0)
    }

    /// The processes with it that run now.
    pub fn processes(&self) -> Vec<Process> {
        let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let marked = all.map(|process| process.path()).filter(|folder| {
            let line = std::fs::read(folder.join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(&self.0)
        });
        let alive =
            marked.filter_map(|folder| Some(Process { started: started(&folder)?, folder }));
        alive.collect()
    }
}

/// One process, and no other that is given its number later.
#[derive(Debug)]
pub struct Process {
    folder: PathBuf,
    started: String,
}

impl Process {
    /// Whether it still runs.
    pub fn is_running(&self) -> bool {
        started(&self.folder).is_some_and(|started| started == self.started)
    }
}

/// When a process was started, if it runs.
fn started(process: &Path) -> Option<String> {
    let status = std::fs::read_to_string(process.join("stat")).ok()?;
    // The name before may hold anything.
    let words: Vec<&str> = status.rsplit(')').next()?.split_whitespace().collect();
    (*words.first()? != "Z").then(|| words.get(19).map(ToString::to_string))?
}
