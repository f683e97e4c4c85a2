//! All servers: started when they are needed, started again when they died,
//! ended without leaving a process behind.

use super::calls::Limits;
use super::connection::Connection;
use super::error::McpError;
use super::login::{Login, Logins};
use super::package_settings::PackageSettings;
use super::said::Said;
use super::server::{Place, Reach, Server};
use super::slot::{Health, Phase, Slot, Started, State};
use super::start::start;
use super::tool::McpTool;
use crate::sandbox::Sandbox;
use crate::secrets::Secrets;
use crate::workspaces::Workspaces;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// A rest that a call waits out rather than fail.
const SHORT_REST: Duration = Duration::from_secs(2);
/// How long a server may take to list its tools.
pub(super) const LISTING: Duration = Duration::from_secs(10);

/// What servers run in and over.
#[derive(Clone)]
pub struct Surroundings {
    /// What confines programs; `None` for this computer's own.
    pub sandbox: Option<Arc<dyn Sandbox>>,
    /// Folders no program may see, such as the app's own data.
    pub hidden: Arc<[PathBuf]>,
    /// Where agents write: no link that lies there is followed to what a program may read.
    pub workspaces: Workspaces,
    /// An empty folder for servers that touch no files; made when needed.
    pub scratch: PathBuf,
    /// Where packages of servers are kept.
    pub packages: PathBuf,
    /// Where package managers find the person's settings.
    pub package_settings: PackageSettings,
    /// What answers must not show.
    pub secrets: Arc<dyn Secrets>,
    /// Where logins to servers are kept.
    pub logins: Arc<dyn Logins>,
    /// The client that reaches addresses.
    pub http: Arc<dyn Fn() -> reqwest::Client + Send + Sync>,
}

/// All servers in use. Cheap to clone; clones share the processes.
#[derive(Clone)]
pub struct Servers {
    shared: Arc<Shared>,
}

struct Shared {
    around: Surroundings,
    slots: Mutex<HashMap<Key, Slot>>,
    said: Mutex<HashMap<String, Said>>,
    /// Set when everything was ended for good.
    closed: AtomicBool,
}

/// One process: a server for a workspace under a profile.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) server: String,
    pub(super) workspace: Option<PathBuf>,
    pub(super) may_write: bool,
}

impl Key {
    pub(super) fn of(server: &Server, place: &Place) -> Self {
        let shared = server.is_shared();
        Self {
            server: server.name.clone(),
            workspace: (!shared).then(|| place.workspace.root().to_owned()),
            may_write: !shared && place.profile.may_write(),
        }
    }
}

/// What to do about a server that is wanted.
enum Step {
    Use(Arc<Connection>),
    Wait(watch::Receiver<Started>),
    Rest(Duration, McpError),
}

impl Servers {
    /// No server yet.
    pub fn new(around: Surroundings) -> Self {
        let (slots, said) = (Mutex::default(), Mutex::default());
        let closed = AtomicBool::new(false);
        Self { shared: Arc::new(Shared { around, slots, said, closed }) }
    }

    /// The server, started if need be. One that failed lately is left alone.
    pub async fn connect(
        &self,
        server: &Server,
        place: &Place,
    ) -> Result<Arc<Connection>, McpError> {
        let key = Key::of(server, place);
        let server = &self.fetched(server)?;
        loop {
            match self.step(&key, server, place) {
                Step::Use(connection) => return Ok(connection),
                Step::Rest(wait, _) if wait <= SHORT_REST => tokio::time::sleep(wait).await,
                Step::Rest(_, error) => return Err(error),
                Step::Wait(mut starting) => {
                    let started = starting.wait_for(Option::is_some).await;
                    // Gone without a word: it was ended before it was up.
                    return started
                        .ok()
                        .and_then(|done| done.clone())
                        .unwrap_or_else(|| Err(McpError::Cancelled));
                }
            }
        }
    }

    /// Begins a login to a server.
    pub async fn begin_login(&self, server: &Server) -> Result<Login, McpError> {
        Login::begin(server, &self.shared.around).await
    }

    /// A login has ended: the server is tried again, or what went wrong is kept for all to see.
    pub async fn logged_in(&self, server: &Server, problem: Option<McpError>) {
        self.end(|key, _| key.server == server.name).await;
        if let Some(problem) = problem {
            self.said_of(&server.name).note(&problem.to_string());
        }
    }

    /// Whether a login to a server is kept.
    pub fn has_login(&self, server: &Server) -> bool {
        match &server.reach {
            Reach::Address { url, .. } => {
                self.shared.around.logins.load(&server.name, url).is_some()
            }
            Reach::Program { .. } => false,
        }
    }

    /// Forgets the login to a server.
    pub async fn log_out(&self, server: &Server) {
        if let Reach::Address { url, .. } = &server.reach {
            self.shared.around.logins.keep(&server.name, url, None);
        }
        self.end(|key, _| key.server == server.name).await;
    }

    /// The tools of a server as they are now.
    pub async fn list(&self, server: &Server, place: &Place) -> Result<Vec<McpTool>, McpError> {
        let connection = self.connect(server, place).await?;
        let limits = Limits { timeout: LISTING, cancel: Default::default() };
        let listed = connection.list(&limits).await;
        if let Err(error) = &listed {
            self.retire(&Key::of(server, place), &connection, error).await;
        }
        listed
    }

    /// Whether a server that is up said that its tools changed; asking clears it.
    pub fn is_stale(&self, server: &Server, place: &Place) -> bool {
        match self.lock().get(&Key::of(server, place)).map(|slot| &slot.phase) {
            Some(Phase::Running(connection)) => connection.is_closed() || connection.is_stale(),
            Some(Phase::Resting | Phase::Starting(_)) | None => false,
        }
    }

    /// How every server stands that was ever wanted.
    pub fn health(&self) -> Vec<Health> {
        let slots = self.lock();
        let mut health: Vec<Health> = slots
            .iter()
            .map(|(key, slot)| Health {
                server: key.server.clone(),
                workspace: key.workspace.clone(),
                may_write: key.may_write,
                state: match &slot.phase {
                    Phase::Resting => State::Resting,
                    Phase::Starting(_) => State::Starting,
                    Phase::Running(connection) if connection.is_closed() => State::Resting,
                    Phase::Running(_) => State::Running,
                },
                problem: slot.problem.as_ref().map(ToString::to_string),
                needs_login: matches!(slot.problem, Some(McpError::NeedsLogin { .. })),
                failures: slot.failures,
            })
            .collect();
        drop(slots);
        health.sort_by(|one, other| {
            let by = |health: &Health| {
                (health.server.clone(), health.workspace.clone(), health.may_write)
            };
            by(one).cmp(&by(other))
        });
        health
    }

    /// The last words of a server on its error output.
    pub fn said(&self, server: &str) -> String {
        let said = self.shared.said.lock().unwrap_or_else(PoisonError::into_inner);
        said.get(server).map(Said::text).unwrap_or_default()
    }

    /// Adds a line of ours to the words of a server.
    pub fn note(&self, server: &str, line: &str) {
        self.said_of(server).note(line);
    }

    /// Ends what serves a folder and has nothing to do.
    pub async fn end_at(&self, workspace: &Path) {
        self.end(|key, _| key.workspace.as_deref() == Some(workspace)).await;
    }

    /// Ends what may write in a folder and has nothing to do.
    pub async fn end_writing_at(&self, workspace: &Path) {
        self.end(|key, _| key.may_write && key.workspace.as_deref() == Some(workspace)).await;
    }

    /// Ends what has had nothing to do for a while.
    pub async fn end_idle(&self, idle: Duration) {
        self.end(|_, slot| slot.used.elapsed() >= idle).await;
    }

    /// Ends everything for good; returns when no process is left.
    pub async fn end_all(&self) {
        self.shared.closed.store(true, Ordering::Release);
        let slots: Vec<Slot> = self.lock().drain().map(|(_, slot)| slot).collect();
        end_slots(slots).await;
    }

    /// Forgets servers that are configured no longer, or otherwise, and lets
    /// one that failed try again at once.
    pub async fn keep_only(&self, servers: &[Server]) {
        let servers: Vec<Server> =
            servers.iter().filter_map(|server| self.fetched(server).ok()).collect();
        let stays = |key: &Key, slot: &Slot| {
            servers.iter().any(|server| server.name == key.server && server.reach == slot.reach)
        };
        self.end(|key, slot| !stays(key, slot)).await;
    }

    async fn end(&self, which: impl Fn(&Key, &Slot) -> bool) {
        let slots: Vec<Slot> = {
            let mut slots = self.lock();
            let idle = |slot: &Slot| match &slot.phase {
                Phase::Running(connection) => connection.is_idle(),
                Phase::Resting | Phase::Starting(_) => true,
            };
            let wanted = slots.iter().filter(|(key, slot)| which(key, slot) && idle(slot));
            let keys: Vec<Key> = wanted.map(|(key, _)| key.clone()).collect();
            keys.iter().filter_map(|key| slots.remove(key)).collect()
        };
        end_slots(slots).await;
    }

    /// Uses a connection no more, and ends it unless somebody else is using it.
    pub(super) async fn retire(&self, key: &Key, connection: &Arc<Connection>, why: &McpError) {
        {
            let mut slots = self.lock();
            if let Some(slot) = slots.get_mut(key)
                && matches!(&slot.phase, Phase::Running(known) if Arc::ptr_eq(known, connection))
            {
                // That was our wish, not its failure.
                if let McpError::Cancelled = why {
                    slot.phase = Phase::Resting;
                } else {
                    slot.died(connection.since, why.clone());
                }
            }
        }
        if connection.is_idle() {
            connection.end().await;
        }
    }

    fn step(&self, key: &Key, server: &Server, place: &Place) -> Step {
        let mut slots = self.lock();
        if self.shared.closed.load(Ordering::Acquire) {
            return Step::Rest(Duration::MAX, McpError::Cancelled);
        }
        let slot = slots.entry(key.clone()).or_insert_with(|| Slot::new(server.reach.clone()));
        if slot.reach != server.reach {
            // What ran under the old settings ends when its last call does.
            *slot = Slot::new(server.reach.clone());
        }
        slot.used = Instant::now();
        match &slot.phase {
            Phase::Running(connection) if !connection.is_closed() => {
                return Step::Use(Arc::clone(connection));
            }
            Phase::Running(connection) => {
                let (server, why) = (key.server.clone(), connection.last_words());
                let since = connection.since;
                slot.died(since, McpError::Gone { server, why });
            }
            Phase::Starting(starting) => return Step::Wait(starting.clone()),
            Phase::Resting => {}
        }
        if let Some(until) = slot.not_before
            && let wait = until.saturating_duration_since(Instant::now())
            && !wait.is_zero()
        {
            let server = key.server.clone();
            let why = slot.problem.as_ref().map(ToString::to_string).unwrap_or_default();
            return Step::Rest(wait, McpError::Resting { server, why, wait });
        }
        let (tell, starting) = watch::channel(None);
        slot.phase = Phase::Starting(starting.clone());
        let stop = slot.stop.clone();
        let (all, key, server, place) = (self.clone(), key.clone(), server.clone(), place.clone());
        let said = self.said_of(&key.server);
        tokio::spawn(async move {
            let started = start(&server, &place, &all.shared.around, said, &stop).await;
            let started = started.map(Arc::new);
            if !all.take(&key, &tell, &started)
                && let Ok(connection) = &started
            {
                // It was ended while it started.
                connection.end().await;
            }
            tell.send_replace(Some(started));
        });
        Step::Wait(starting)
    }

    /// Puts what was started into its place, if that still waits for it.
    fn take(
        &self,
        key: &Key,
        tell: &watch::Sender<Started>,
        started: &Result<Arc<Connection>, McpError>,
    ) -> bool {
        let mut slots = self.lock();
        let Some(slot) = slots.get_mut(key) else { return false };
        let ours =
            matches!(&slot.phase, Phase::Starting(known) if known.same_channel(&tell.subscribe()));
        if !ours {
            return false;
        }
        match started {
            Ok(connection) => {
                slot.problem = None;
                slot.phase = Phase::Running(Arc::clone(connection));
            }
            Err(error) => slot.failed(error.clone()),
        }
        true
    }

    pub(super) fn around(&self) -> &Surroundings {
        &self.shared.around
    }

    fn said_of(&self, server: &str) -> Said {
        let mut said = self.shared.said.lock().unwrap_or_else(PoisonError::into_inner);
        said.entry(server.to_owned()).or_default().clone()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Slot>> {
        self.shared.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn end_slots(slots: Vec<Slot>) {
    for slot in slots {
        slot.stop.cancel();
        match slot.phase {
            Phase::Running(connection) => connection.end().await,
            Phase::Starting(mut starting) => {
                // Its task sees that it is no longer wanted and ends it.
                let _ = starting.wait_for(Option::is_some).await;
            }
            Phase::Resting => {}
        }
    }
}
