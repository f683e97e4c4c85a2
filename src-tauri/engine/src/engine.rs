//! The engine: one door in (`submit`), one door out (`watch`).

use crate::agents::Agents;
use crate::clock::{Clock, SystemClock};
use crate::codename::Codenames;
use crate::config::ConfigStore;
use crate::copies::Copies;
use crate::council::Councils;
use crate::error::EngineError;
use crate::journal::{Commit, FolderLock, Journal, JournalError, SqliteJournal};
use crate::keys::{Keys, NoKeys};
use crate::live::LiveRoom;
use crate::mcp::Mcp;
use crate::overview::ShownRooms;
use crate::profiles::Profiles;
use crate::providers::Providers;
use crate::redact::Redactor;
use crate::rows::UNSETTLED;
use crate::slots::Slots;
use crate::turn::ToolSets;
use crate::watch::Watch;
use crate::worked::Worked;
use plan::{Actor, Command, Room, RoomId, RoomView, view};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tools::{Toolbox, sandbox};

/// How much is told of a command in the background that was cut off.
const JOB_CHARS: usize = 200;

/// Runs rooms. Cheap to clone; all clones are the same engine.
#[derive(Clone)]
pub struct Engine {
    pub(crate) shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub(crate) journal: Arc<dyn Journal>,
    rooms: Arc<Rooms>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) config: ConfigStore,
    pub(crate) providers: Providers,
    pub(crate) profiles: Profiles,
    pub(crate) toolbox: Toolbox,
    pub(crate) tool_sets: ToolSets,
    pub(crate) mcp: Mcp,
    pub(crate) agents: Agents,
    pub(crate) codenames: Codenames,
    /// The data folder.
    pub(crate) data: PathBuf,
    pub(crate) copies: Copies,
    pub(crate) worked: Worked,
    pub(crate) slots: Slots,
    pub(crate) councils: Councils,
    pub(crate) shown: ShownRooms,
    pub(crate) redactor: Redactor,
    /// Folders and files that no tool and no workspace may touch.
    pub(crate) own_folders: Arc<[PathBuf]>,
    pub(crate) tasks: TaskTracker,
    /// Where tasks run: a command may come from a thread that has no runtime of its own.
    pub(crate) runtime: Handle,
    pub(crate) stopping: CancellationToken,
}

/// The rooms in use, and where news of commits goes.
#[derive(Default)]
struct Rooms {
    live: Mutex<HashMap<RoomId, Arc<LiveRoom>>>,
    /// Which sidekicks each room has, of those in use.
    below: Mutex<HashMap<RoomId, BTreeSet<RoomId>>>,
    /// Counts commits of any room.
    commits: watch::Sender<u64>,
}

impl Rooms {
    fn lock(&self) -> MutexGuard<'_, HashMap<RoomId, Arc<LiveRoom>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn below(&self) -> MutexGuard<'_, HashMap<RoomId, BTreeSet<RoomId>>> {
        self.below.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn heard(&self, commit: &Commit) {
        let mut live = self.lock();
        // Memory is ahead of the log in these: they are read anew when next used.
        for room in &commit.failed {
            let id = RoomId(*room);
            // One that was read anew already is not what failed.
            let failed = live.get(&id).is_some_and(|room| room.chain.is_broken());
            if failed && let Some(room) = live.remove(&id) {
                tracing::error!(room = %room.id, "the log could not be written");
                room.break_off();
            }
        }
        self.commits.send_modify(|count| *count += 1);
        for (room, seq) in &commit.stored {
            if let Some(room) = live.get(&RoomId(*room)) {
                room.stored.send_if_modified(|stored| {
                    let newer = *seq > *stored;
                    if newer {
                        *stored = *seq;
                    }
                    newer
                });
            }
        }
    }
}

/// What an engine needs to start.
pub struct Options {
    /// The data folder, taken: one engine at a time works in it.
    pub lock: FolderLock,
    /// The configuration.
    pub config: ConfigStore,
    /// The clock; the computer's unless a test brings its own.
    pub clock: Arc<dyn Clock>,
    /// Texts that must never leave a tool: tokens and keys.
    pub secrets: Vec<String>,
    /// How fast the built-in model speaks.
    pub pace: models::Pace,
    /// When a provider is given up.
    pub patience: models::Patience,
    /// Where keys are kept.
    pub keys: Arc<dyn Keys>,
}

impl Options {
    /// The usual engine on a data folder.
    pub fn new(lock: FolderLock, config: ConfigStore) -> Self {
        Self {
            lock,
            config,
            clock: Arc::new(SystemClock),
            secrets: Vec::new(),
            pace: models::Pace::Real,
            patience: models::Patience::default(),
            keys: Arc::new(NoKeys),
        }
    }
}

/// A started engine, and what was found while it started.
pub struct Started {
    /// The engine.
    pub engine: Engine,
    /// Where a damaged log was put, if there was one.
    pub set_aside: Option<PathBuf>,
    /// Where the log was backed up before it was brought to the current format.
    pub backup: Option<PathBuf>,
}

impl Engine {
    /// Opens the log and picks up what was under way. Must be called in a tokio runtime.
    pub fn start(options: Options) -> Result<Started, EngineError> {
        let own_folders = own_folders(&options);
        let redactor = Redactor::new(options.secrets, &options.config.current().config)
            .with_patterns_of(options.config.clone());
        let worked = Worked::read(options.lock.dir());
        let mcp = Mcp::new(
            options.lock.dir(),
            Arc::clone(&own_folders),
            worked.workspaces(),
            Arc::clone(&options.keys),
            redactor.clone(),
        );
        let keys = Arc::clone(&options.keys);
        let agents = Agents::new(options.lock.dir());
        let data = options.lock.dir().to_owned();
        let copies = Copies::new(&data);
        let profiles = Profiles::read(options.lock.dir());
        let opened = SqliteJournal::open_in(options.lock)?;
        worked.add(copies.all().into_iter().chain(opened.journal.workspaces()?))?;
        let rooms = Arc::new(Rooms::default());
        let listener: Weak<Rooms> = Arc::downgrade(&rooms);
        opened.journal.on_commit(Box::new(move |commit| {
            if let Some(rooms) = listener.upgrade() {
                rooms.heard(commit);
            }
        }));
        let engine = Self {
            shared: Arc::new(Shared {
                journal: Arc::new(opened.journal),
                rooms,
                clock: options.clock,
                config: options.config,
                providers: Providers::new(
                    options.pace,
                    options.patience,
                    options.keys,
                    redactor.clone(),
                ),
                profiles,
                toolbox: Toolbox::builtin().with_http(models::http_builder).with_warm_sandboxes(),
                tool_sets: ToolSets::default(),
                mcp,
                agents,
                codenames: Codenames::default(),
                data,
                copies,
                worked,
                slots: Slots::default(),
                councils: Councils::default(),
                shown: ShownRooms::default(),
                redactor,
                own_folders,
                tasks: TaskTracker::new(),
                runtime: Handle::current(),
                stopping: CancellationToken::new(),
            }),
        };
        engine.hide_keys(keys);
        engine.pick_up()?;
        engine.sweep_copies(opened.set_aside.as_deref());
        Ok(Started { engine, set_aside: opened.set_aside, backup: opened.backup })
    }

    /// What anyone sees of a room now.
    pub fn view(&self, room: RoomId) -> Result<RoomView, EngineError> {
        let live = self.live(room)?;
        let seen = view(&live.lock().room).ok_or(EngineError::NoRoom)?;
        Ok(self.as_seen(&live, seen))
    }

    /// The same, once all of it is on disk: a kill can't take back what was shown.
    pub async fn stored_view(&self, room: RoomId) -> Result<RoomView, EngineError> {
        let live = self.live(room)?;
        let seen = view(&live.lock().room).ok_or(EngineError::NoRoom)?;
        if live.stored_beyond(seen.seq - 1).await {
            return Ok(self.as_seen(&live, seen));
        }
        Err(EngineError::Journal(JournalError::Closed))
    }

    /// A look at a room's state.
    pub fn with_room<T>(
        &self,
        room: RoomId,
        look: impl FnOnce(&Room) -> T,
    ) -> Result<T, EngineError> {
        let live = self.live(room)?;
        let inner = live.lock();
        Ok(look(&inner.room))
    }

    /// The last event of a room that is on disk.
    pub fn stored_seq(&self, room: RoomId) -> Result<u64, EngineError> {
        Ok(*self.live(room)?.stored.borrow())
    }

    /// The door out: everything that happens in a room after `after`, on disk.
    pub fn watch(&self, room: RoomId, after: u64) -> Result<Watch, EngineError> {
        let live = self.live(room)?;
        Ok(Watch { engine: self.clone(), live, after })
    }

    /// Changes whenever anything is stored in any room.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.shared.rooms.commits.subscribe()
    }

    /// The key of a provider is another one now.
    pub fn key_changed(&self, provider: &str) {
        self.shared.providers.forget(provider);
        self.keys_opened();
    }

    /// Keys may be read now that could not be.
    pub fn keys_opened(&self) {
        self.shared.providers.opened().notify_one();
    }

    /// Keeps a text out of everything that leaves the engine from now on.
    pub fn hide(&self, secret: &str) {
        self.shared.redactor.learn(secret);
    }

    /// A text without the secrets that are known.
    pub fn redact(&self, text: String) -> String {
        self.shared.redactor.clean(text)
    }

    /// Files of a room's folder that match what a person typed.
    pub async fn files(&self, room: RoomId, words: &str) -> Result<Vec<String>, EngineError> {
        let live = self.live(room)?;
        let workspace = crate::turn::workspace(&live)
            .map_err(|error| EngineError::BadWorkspace(error.to_string()))?;
        let words = words.to_owned();
        let find = move || workspace.find(&words, 20);
        Ok(tokio::task::spawn_blocking(find).await.unwrap_or_default())
    }

    /// The log behind this engine.
    pub fn journal(&self) -> &dyn Journal {
        &*self.shared.journal
    }

    /// The configuration in force.
    pub fn config(&self) -> &ConfigStore {
        &self.shared.config
    }

    /// Takes in a room that was not there before.
    pub(crate) fn add(&self, live: &Arc<LiveRoom>) {
        self.shared.rooms.lock().insert(live.id, Arc::clone(live));
    }

    /// Remembers whose sidekick a room is.
    pub(crate) fn know_parent(&self, parent: RoomId, child: RoomId) {
        self.shared.rooms.below().entry(parent).or_default().insert(child);
    }

    /// The sidekicks of a room that are in use.
    pub(crate) fn live_below(&self, parent: RoomId) -> Vec<Arc<LiveRoom>> {
        let ids = self.shared.rooms.below().get(&parent).cloned().unwrap_or_default();
        let live = self.shared.rooms.lock();
        ids.iter().filter_map(|id| live.get(id).cloned()).collect()
    }

    /// The rooms in use.
    fn live_rooms(&self) -> Vec<Arc<LiveRoom>> {
        self.shared.rooms.lock().values().cloned().collect()
    }

    /// A room, if it is in use.
    pub(crate) fn in_use(&self, id: RoomId) -> Option<Arc<LiveRoom>> {
        self.shared.rooms.lock().get(&id).cloned()
    }

    pub(crate) fn live(&self, id: RoomId) -> Result<Arc<LiveRoom>, EngineError> {
        if let Some(live) = self.in_use(id) {
            return Ok(live);
        }
        let Some(loaded) = LiveRoom::load(id, &*self.shared.journal)? else {
            return Err(EngineError::NoRoom);
        };
        let loaded = Arc::new(loaded);
        {
            // Someone else may have read it meanwhile: the first one in is the room.
            let mut rooms = self.shared.rooms.lock();
            let first = rooms.entry(id).or_insert_with(|| Arc::clone(&loaded));
            if !Arc::ptr_eq(first, &loaded) {
                return Ok(Arc::clone(first));
            }
        }
        if let Some(parent) = crate::sidekicks::parent_of(&loaded) {
            self.know_parent(parent, id);
        }
        self.settle(&loaded)?;
        Ok(loaded)
    }

    /// A room that comes from disk is at work nowhere: what was running is
    /// paused, what has no receipt is asked about, and no model is asked
    /// before a person says so.
    fn settle(&self, live: &Arc<LiveRoom>) -> Result<(), EngineError> {
        let interrupt = Command::Interrupt { cut: Vec::new() };
        self.submit_live(live, &Actor::harness(), interrupt, Vec::new())?;
        self.report(live)?;
        self.ask_if_interrupted(live)?;
        crate::turn::wake_later(self, live);
        crate::goals::watch(self, live);
        Ok(())
    }

    /// Forgets a room whose log could not be written: it is read anew when next used.
    pub(crate) fn evict(&self, live: &LiveRoom) {
        live.break_off();
        let mut rooms = self.shared.rooms.lock();
        if rooms.get(&live.id).is_some_and(|known| std::ptr::eq(&**known, live)) {
            rooms.remove(&live.id);
        }
        drop(rooms);
        self.free_slot(live);
    }

    /// Starts a task for the room unless one is at work.
    pub(crate) fn drive(&self, live: &Arc<LiveRoom>) {
        if self.shared.stopping.is_cancelled() || live.driving.swap(true, Ordering::AcqRel) {
            return;
        }
        let (engine, live) = (self.clone(), Arc::clone(live));
        let work = async move { crate::turn::drive(engine, live).await };
        self.shared.tasks.spawn_on(work, &self.shared.runtime);
    }

    /// Learns the keys of all providers beside the work, as long as the engine runs.
    fn hide_keys(&self, keys: Arc<dyn Keys>) {
        let Shared { config, redactor, stopping, .. } = &*self.shared;
        let opened = Arc::clone(self.shared.providers.opened());
        let hide = crate::keys::hide_all(keys, config.clone(), redactor.clone(), opened);
        let hide = stopping.clone().run_until_cancelled_owned(hide);
        self.shared.tasks.spawn_on(hide, &self.shared.runtime);
    }

    /// After a start: picks up every room that was at work.
    fn pick_up(&self) -> Result<(), EngineError> {
        let mut workspaces = Vec::new();
        for stored in self.shared.journal.live_rooms(&UNSETTLED)? {
            let live = self.live(RoomId(stored.row.id))?;
            workspaces.extend(crate::turn::workspace(&live));
        }
        let clear_up = move || workspaces.iter().for_each(|one| sandbox::clear_up(one.root()));
        self.shared.tasks.spawn_blocking_on(clear_up, &self.shared.runtime);
        // What sidekicks ask is shown in the rooms above them.
        for ask in self.shared.journal.open_asks()? {
            self.live(RoomId(ask.room))?;
        }
        Ok(())
    }

    /// Pauses everything cleanly and returns when it is on disk.
    pub async fn stop(&self) {
        self.shared.stopping.cancel();
        self.shared.tasks.close();
        let patience = std::time::Duration::from_secs(5);
        let _ = tokio::time::timeout(patience, self.shared.tasks.wait()).await;
        self.shared.mcp.end_all().await;
        self.shared.agents.end_all().await;
        // Of all rooms first: those above tell what is cut off below them.
        self.live_rooms().iter().for_each(|live| self.note_jobs(live));
        for live in self.live_rooms() {
            live.shell.stopped().await;
            let interrupt = Command::Interrupt { cut: self.cut_off(&live) };
            let stopped = self.submit_live(&live, &Actor::harness(), interrupt, Vec::new());
            if let Ok(stopped) = stopped {
                let _ = stopped.stored().await;
            }
        }
        for live in self.live_rooms() {
            if let Ok(Some(asked)) = self.ask_if_interrupted(&live) {
                let _ = asked.stored().await;
            }
        }
    }

    /// Takes note of what runs in the background of a room and is about to be cut off.
    fn note_jobs(&self, live: &LiveRoom) {
        let words = |command: String| {
            let line = plan::on_one_line(&self.redact(command));
            let line: String = line.chars().take(JOB_CHARS).collect();
            format!("shell {line} (in the background)")
        };
        let jobs: Vec<String> = live.shell.running().into_iter().map(words).collect();
        live.lock().cut.extend(jobs);
    }

    /// What the end of the app cut off in a room and below it.
    fn cut_off(&self, live: &LiveRoom) -> Vec<String> {
        let own = live.lock().cut.clone();
        let below = self.live_below(live.id).into_iter().flat_map(|child| self.cut_off(&child));
        own.into_iter().chain(below).collect()
    }
}

/// The data folder first, then the configuration: its folder where that is the app's
/// own, else only the files themselves.
fn own_folders(options: &Options) -> Arc<[PathBuf]> {
    let mut own = vec![options.lock.dir().to_path_buf()];
    own.extend(options.config.place().own_paths());
    own.into_iter().map(|path| real(&std::path::absolute(&path).unwrap_or(path))).collect()
}

/// Where a path leads, also one whose last parts are not there yet.
fn real(path: &Path) -> PathBuf {
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(real), _, _) => real,
        (Err(_), Some(above), Some(name)) => real(above).join(name),
        (Err(_), _, _) => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_leads_upwards_is_where_it_leads_also_if_nothing_is_there_yet() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path().canonicalize().unwrap();
        std::fs::create_dir(here.join("work")).unwrap();
        let missing = here.join("work/../conf/settings.yaml");
        assert!(!real(&missing).starts_with(here.join("work")), "{}", real(&missing).display());
        std::fs::create_dir(here.join("conf")).unwrap();
        assert_eq!(real(&missing), here.join("conf/settings.yaml"));
    }

    #[test]
    fn a_failed_append_takes_the_memory_it_came_from_and_no_other() {
        let rooms = Rooms::default();
        let id = RoomId(crate::fresh_id());
        let failure = Commit { stored: Vec::new(), failed: vec![id.0] };
        let [old, new] = [LiveRoom::fresh(id), LiveRoom::fresh(id)].map(Arc::new);
        old.chain.snap();
        rooms.lock().insert(id, Arc::clone(&old));
        rooms.heard(&failure);
        assert!(old.lock().broken);
        assert!(rooms.lock().is_empty());

        // What was queued before that fails late, when the room has been read anew.
        rooms.lock().insert(id, Arc::clone(&new));
        rooms.heard(&failure);
        assert!(!new.lock().broken);
        assert!(rooms.lock().contains_key(&id));
    }
}
