//! The engine: one door in (`submit`), one door out (`watch`).

use crate::clock::{Clock, SystemClock};
use crate::config::{ConfigPlace, ConfigStore};
use crate::error::EngineError;
use crate::history::{Blobs, History, whole};
use crate::journal::{
    Append, Commit, FolderLock, Journal, JournalError, NewEvent, RowChange, SqliteJournal,
    StoredEvent, Ticket,
};
use crate::live::{Inner, JournalBlobs, LiveRoom, SNAPSHOT_EVERY, decode, write_snapshot};
use crate::providers::Providers;
use crate::redact::Redactor;
use crate::rows::{Shown, UNSETTLED, ask_row, state_rows, usage_row};
use crate::turn::ToolSets;
use plan::{Actor, Command, Event, Room, RoomId, RoomView, Text, Time, Work, decide, view, work};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tools::Toolbox;

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
    pub(crate) toolbox: Toolbox,
    pub(crate) tool_sets: ToolSets,
    pub(crate) redactor: Redactor,
    /// Folders that no tool and no workspace may touch.
    pub(crate) own_folders: Arc<[PathBuf]>,
    pub(crate) tasks: TaskTracker,
    pub(crate) stopping: CancellationToken,
}

/// The rooms in use, and where news of commits goes.
#[derive(Default)]
struct Rooms {
    live: Mutex<HashMap<RoomId, Arc<LiveRoom>>>,
}

impl Rooms {
    fn lock(&self) -> MutexGuard<'_, HashMap<RoomId, Arc<LiveRoom>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn heard(&self, commit: &Commit) {
        let mut live = self.lock();
        // Memory is ahead of the log in these: they are read anew when next used.
        for room in &commit.failed {
            if let Some(room) = live.remove(&RoomId(*room)) {
                tracing::error!(room = %room.id, "the log could not be written");
                room.break_off();
            }
        }
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

/// What came of a command.
pub struct Submitted {
    /// The room's last event.
    pub seq: u64,
    /// What happened; empty when it was so already.
    pub events: Vec<Event>,
    ticket: Option<Ticket>,
}

impl Submitted {
    /// Returns when what happened is on disk.
    pub async fn stored(self) -> Result<(u64, Vec<Event>), EngineError> {
        if let Some(ticket) = self.ticket {
            ticket.await?;
        }
        Ok((self.seq, self.events))
    }
}

impl Engine {
    /// Opens the log and picks up what was under way. Must be called in a tokio runtime.
    pub fn start(options: Options) -> Result<Started, EngineError> {
        let own_folders = own_folders(&options);
        let opened = SqliteJournal::open_in(options.lock)?;
        let rooms = Arc::new(Rooms::default());
        let listener: Weak<Rooms> = Arc::downgrade(&rooms);
        opened.journal.on_commit(Box::new(move |commit| {
            if let Some(rooms) = listener.upgrade() {
                rooms.heard(commit);
            }
        }));
        let redactor = Redactor::new(options.secrets, &options.config.current().config);
        let engine = Self {
            shared: Arc::new(Shared {
                journal: Arc::new(opened.journal),
                rooms,
                clock: options.clock,
                config: options.config,
                providers: Providers::new(options.pace),
                toolbox: Toolbox::builtin(),
                tool_sets: ToolSets::default(),
                redactor,
                own_folders,
                tasks: TaskTracker::new(),
                stopping: CancellationToken::new(),
            }),
        };
        engine.pick_up()?;
        Ok(Started { engine, set_aside: opened.set_aside, backup: opened.backup })
    }

    /// The door in: decides a command and stores what follows from it.
    pub fn submit(
        &self,
        room: RoomId,
        actor: &Actor,
        command: Command,
    ) -> Result<Submitted, EngineError> {
        self.submit_with(room, actor, command, Vec::new())
    }

    /// The same, with long texts that the command names by hash.
    pub fn submit_with(
        &self,
        room: RoomId,
        actor: &Actor,
        command: Command,
        blobs: Vec<(String, Vec<u8>)>,
    ) -> Result<Submitted, EngineError> {
        let live = self.live(room)?;
        self.submit_live(&live, actor, command, blobs)
    }

    pub(crate) fn submit_live(
        &self,
        live: &Arc<LiveRoom>,
        actor: &Actor,
        command: Command,
        blobs: Vec<(String, Vec<u8>)>,
    ) -> Result<Submitted, EngineError> {
        let now = self.shared.clock.now();
        let mut inner = live.lock();
        if inner.broken {
            return Err(EngineError::Journal(JournalError::Closed));
        }
        let events = decide(&inner.room, command, actor, now)?;
        if events.is_empty() {
            return Ok(Submitted { seq: inner.room.seq, events, ticket: None });
        }
        let append = self.take_in(live.id, &mut inner, &events, now, blobs);
        let seq = inner.room.seq;
        let wanted = work::next(&inner.room) != Work::None;
        // Queued under the lock, so that the log has the order of the decisions.
        let ticket = self.shared.journal.append(append);
        drop(inner);
        live.changed.send_replace(seq);
        if wanted {
            self.drive(live);
        }
        Ok(Submitted { seq, events, ticket: Some(ticket) })
    }

    /// Applies events in memory and says what the log must hold.
    fn take_in(
        &self,
        id: RoomId,
        inner: &mut Inner,
        events: &[Event],
        now: Time,
        blobs: Vec<(String, Vec<u8>)>,
    ) -> Append {
        let expected = inner.room.seq;
        let before = Shown::of(&inner.room);
        let mut rows: Vec<RowChange> = Vec::new();
        let texts = Fresh { blobs: &blobs, journal: &*self.shared.journal };
        for event in events {
            if let Event::AskRaised { ask } = event {
                rows.push(ask_row(id, ask, true));
            }
            if let Event::AskAnswered { ask, .. } | Event::AskWithdrawn { ask, .. } = event {
                rows.extend(inner.room.asks.get(ask).map(|ask| ask_row(id, ask, false)));
            }
            if let Event::Compacted { .. } = event {
                inner.history = None;
            }
            if let Event::CallEnded { call, .. } = event {
                inner.long_args.remove(call);
            }
            rows.extend(usage_row(event, now));
            if let Event::Replied { calls, .. } = event {
                let long = calls.iter().filter(|call| matches!(call.args, Text::Blob { .. }));
                inner.long_args = long.map(|call| (call.id, whole(&call.args, &texts))).collect();
            }
            inner.room.apply(event, now);
            if let Some(history) = &mut inner.history {
                history.push(event, &texts);
            }
        }
        rows.extend(state_rows(&before, &inner.room));
        if inner.room.seq >= inner.snapshot_seq + SNAPSHOT_EVERY
            && let Some(state) = write_snapshot(&inner.room)
        {
            inner.snapshot_seq = inner.room.seq;
            rows.push(RowChange::Snapshot { seq: inner.room.seq, state });
        }
        let events = events.iter().map(|event| NewEvent {
            kind: event.kind(),
            at: now.0,
            body: serde_json::to_vec(event).unwrap_or_default(),
        });
        Append { room: id.0, expected, events: events.collect(), rows, blobs }
    }

    /// Makes a room. The folder must exist and be nobody's business but the person's.
    pub async fn create_room(
        &self,
        actor: &Actor,
        title: Option<String>,
        workspace: &Path,
        mode: Option<plan::PlanMode>,
    ) -> Result<RoomView, EngineError> {
        let folder = crate::workspace::check(workspace, &self.shared.own_folders)?;
        let loaded = self.shared.config.current();
        let agent = loaded.config.default_agent();
        let id = RoomId(crate::fresh_id());
        let live = Arc::new(LiveRoom::fresh(id));
        if let Ok(model) = self.shared.providers.model(&loaded.config, &agent.model) {
            live.lock().history = Some(History::new(model.protocol()));
        }
        let title = title.unwrap_or_else(|| crate::workspace::name(&folder));
        let command = Command::CreateRoom {
            room: id,
            title,
            workspace: folder.display().to_string(),
            kind: plan::RoomKind::Chat,
            mode: mode.unwrap_or(agent.plan_mode),
            agent: agent.name,
        };
        self.shared.rooms.lock().insert(id, Arc::clone(&live));
        self.submit_live(&live, actor, command, Vec::new())?.stored().await?;
        let inner = live.lock();
        view(&inner.room).ok_or(EngineError::NoRoom)
    }

    /// What anyone sees of a room now.
    pub fn view(&self, room: RoomId) -> Result<RoomView, EngineError> {
        let live = self.live(room)?;
        let inner = live.lock();
        view(&inner.room).ok_or(EngineError::NoRoom)
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

    /// The log behind this engine.
    pub fn journal(&self) -> &dyn Journal {
        &*self.shared.journal
    }

    /// The configuration in force.
    pub fn config(&self) -> &ConfigStore {
        &self.shared.config
    }

    pub(crate) fn live(&self, id: RoomId) -> Result<Arc<LiveRoom>, EngineError> {
        if let Some(live) = self.shared.rooms.lock().get(&id) {
            return Ok(Arc::clone(live));
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
        self.settle(&loaded)?;
        Ok(loaded)
    }

    /// A room that comes from disk is at work nowhere: what was running is
    /// paused, and what has no receipt is asked about.
    fn settle(&self, live: &Arc<LiveRoom>) -> Result<(), EngineError> {
        self.submit_live(live, &Actor::harness(), Command::Interrupt, Vec::new())?;
        // What a person said before the app stopped still wants its answer.
        self.drive(live);
        crate::turn::wake_later(self, live);
        Ok(())
    }

    /// Forgets a room whose log could not be written: it is read anew when next used.
    pub(crate) fn evict(&self, live: &LiveRoom) {
        live.break_off();
        let mut rooms = self.shared.rooms.lock();
        if rooms.get(&live.id).is_some_and(|known| std::ptr::eq(&**known, live)) {
            rooms.remove(&live.id);
        }
    }

    /// Starts a task for the room unless one is at work.
    pub(crate) fn drive(&self, live: &Arc<LiveRoom>) {
        if self.shared.stopping.is_cancelled() || live.driving.swap(true, Ordering::AcqRel) {
            return;
        }
        let (engine, live) = (self.clone(), Arc::clone(live));
        self.shared.tasks.spawn(async move { crate::turn::drive(engine, live).await });
    }

    /// After a start: picks up every room that was at work.
    fn pick_up(&self) -> Result<(), EngineError> {
        for stored in self.shared.journal.live_rooms(&UNSETTLED)? {
            self.live(RoomId(stored.row.id))?;
        }
        Ok(())
    }

    /// Pauses everything cleanly and returns when it is on disk.
    pub async fn stop(&self) {
        self.shared.stopping.cancel();
        self.shared.tasks.close();
        let patience = std::time::Duration::from_secs(5);
        let _ = tokio::time::timeout(patience, self.shared.tasks.wait()).await;
        let rooms: Vec<Arc<LiveRoom>> = self.shared.rooms.lock().values().cloned().collect();
        for live in rooms {
            let stopped =
                self.submit_live(&live, &Actor::harness(), Command::Interrupt, Vec::new());
            if let Ok(stopped) = stopped {
                let _ = stopped.stored().await;
            }
        }
    }
}

/// Follows a room's log. Nothing is left out and nothing comes twice.
pub struct Watch {
    engine: Engine,
    live: Arc<LiveRoom>,
    after: u64,
}

impl Watch {
    /// The next events, in order; waits until there are some.
    pub async fn next(&mut self) -> Result<Vec<(StoredEvent, Event)>, EngineError> {
        loop {
            let engine = self.engine.clone();
            let (room, after) = (self.live.id, self.after);
            let read = move || engine.shared.journal.read(room.0, after, 256);
            let page = tokio::task::spawn_blocking(read).await.unwrap_or(Ok(Vec::new()))?;
            if let Some(last) = page.last() {
                self.after = last.seq;
                return page
                    .into_iter()
                    .map(|stored| decode(&stored).map(|event| (stored, event)))
                    .collect();
            }
            if !self.live.stored_beyond(self.after).await {
                return Err(EngineError::Stopping);
            }
        }
    }

    /// Live news of the same room.
    pub fn chatter(&self) -> tokio::sync::broadcast::Receiver<crate::Chatter> {
        self.live.chatter.listen()
    }
}

/// Texts of this command, then those kept from before.
struct Fresh<'a> {
    blobs: &'a [(String, Vec<u8>)],
    journal: &'a dyn Journal,
}

impl Blobs for Fresh<'_> {
    fn text(&self, hash: &str) -> Option<String> {
        match self.blobs.iter().find(|(known, _)| known == hash) {
            Some((_, bytes)) => String::from_utf8(bytes.clone()).ok(),
            None => JournalBlobs(self.journal).text(hash),
        }
    }
}

/// The data folder, and the configuration: its folder where that is the app's
/// own, else only the files themselves.
fn own_folders(options: &Options) -> Arc<[PathBuf]> {
    let place = options.config.place();
    let mut own = vec![options.lock.dir().to_path_buf()];
    match place {
        ConfigPlace::Folder(folder) => own.push(folder.clone()),
        ConfigPlace::File(_) => own.extend([place.person_file(), place.settings_file()]),
    }
    let real = |path: PathBuf| {
        let absolute = std::path::absolute(&path).unwrap_or(path);
        absolute.canonicalize().unwrap_or(absolute)
    };
    own.into_iter().map(real).collect()
}
