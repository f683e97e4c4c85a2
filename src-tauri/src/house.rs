//! What lives as long as the app: the engine, and what the surfaces share.

use crate::api::ApiDoor;
use crate::feeds::Feeds;
use crate::glance::{self, Glance};
use crate::links::Links;
use crate::log::Log;
use crate::secrets::Secrets;
use engine::config::{ConfigPlace, ConfigStore};
use engine::journal::{FolderLock, JournalError};
use engine::{Engine, Options};
use plan::{Actor, Command, RoomId, Surface};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// How long a saved setting may take to be carried out before it is shown as it is.
const PATIENCE: Duration = Duration::from_secs(1);

/// The app's own things.
pub struct House {
    /// Runs rooms.
    pub engine: Engine,
    /// The folder that holds the log, the token and the app's own log file.
    pub data: PathBuf,
    /// Keeps keys.
    pub secrets: Arc<Secrets>,
    /// What the window follows.
    pub feeds: Feeds,
    /// Everything at a glance.
    pub glance: Glance,
    /// Links on their way to the window.
    pub links: Links,
    /// The local API.
    pub api: ApiDoor,
    /// Set when the window has been shown.
    pub shown: CancellationToken,
    /// Set when the app is about to end.
    pub leaving: CancellationToken,
    /// The configuration that the API goes by.
    pub api_settled: watch::Sender<u64>,
    /// The configuration that the shortcut goes by.
    pub shortcut_settled: watch::Sender<u64>,
    shortcut_trouble: Mutex<Option<String>>,
    in_front: Mutex<Option<RoomId>>,
}

/// A house, and what a person should know of how it was found.
pub struct Opened {
    /// The house.
    pub house: House,
    /// In plain words.
    pub news: Option<String>,
}

/// Why a house could not be opened.
pub enum NotOpened {
    /// Somebody else has the data folder.
    Held {
        /// In plain words.
        why: String,
    },
    /// The window that has the data folder was told to come forward.
    TakenOver,
    /// Anything else.
    Failed {
        /// In plain words.
        why: String,
    },
}

impl<T: Into<String>> From<T> for NotOpened {
    fn from(why: T) -> Self {
        Self::Failed { why: why.into() }
    }
}

/// Where the app keeps its data.
pub fn data_folder() -> Option<PathBuf> {
    engine::data_folder(|name| std::env::var_os(name))
}

impl House {
    /// Opens the data folder and starts the engine. Must be called in a tokio runtime.
    pub fn open(log: &Log) -> Result<Opened, NotOpened> {
        let Some(place) = ConfigPlace::from_env(|name| std::env::var_os(name)) else {
            return Err("There is no home folder for the configuration.".into());
        };
        let Some(data) = data_folder() else {
            return Err("There is no home folder for the data.".into());
        };
        let lock = FolderLock::take(&data).map_err(|error| {
            if matches!(error, JournalError::Locked { .. }) {
                let then = "Stop that one first, such as a `plancard serve`.";
                return NotOpened::Held { why: format!("{error}. {then}") };
            }
            format!("{error}. The data folder is {}.", data.display()).into()
        })?;
        if let Err(error) = log.open(&data) {
            tracing::warn!(%error, "the log file can't be written");
        }
        let secrets = Arc::new(Secrets::default());
        let mut options = Options::new(lock, ConfigStore::open(place));
        options.keys = Arc::clone(&secrets) as Arc<dyn engine::Keys>;
        let started = Engine::start(options).map_err(|error| error.to_string())?;
        log.redact_with(&started.engine);
        tracing::info!(version = env!("CARGO_PKG_VERSION"), "started");
        if let Some(place) = &started.backup {
            tracing::info!(backup = %place.display(), "the log was brought to a new format");
        }
        let news = started.set_aside.map(|place| {
            let place = place.display();
            format!("The log was damaged. It was kept as {place}, and a new one was begun.")
        });
        let glance = Glance::begin(&started.engine).map_err(|error| error.to_string())?;
        let house = Self {
            engine: started.engine,
            data,
            secrets,
            feeds: Feeds::default(),
            glance,
            links: Links::default(),
            api: ApiDoor::default(),
            shown: CancellationToken::new(),
            leaving: CancellationToken::new(),
            api_settled: watch::Sender::new(0),
            shortcut_settled: watch::Sender::new(0),
            shortcut_trouble: Mutex::new(None),
            in_front: Mutex::new(None),
        };
        Ok(Opened { house, news })
    }

    /// Pauses every plan and council that runs, and stops what goes on without one.
    pub async fn pause_all(&self, actor: &Actor) {
        let Ok(overview) = self.engine.overview() else { return };
        for room in &overview.rooms {
            // One that can't is left as it is.
            if room.active_plan.is_some() || glance::holds_council(room) {
                let _ = self.engine.submit(room.id, actor, Command::Pause);
            }
            if glance::works_alone(room, &overview) || glance::writes_plan(room) {
                let _ = self.engine.stop_turn(room.id, actor).await;
            }
        }
    }

    /// Lets every paused plan and council go on that can, but for those in rooms that were put away.
    pub fn resume_all(&self, actor: &Actor) {
        let Ok(overview) = self.engine.overview() else { return };
        for room in overview.rooms.iter().filter(|room| glance::can_resume(room)) {
            let _ = self.engine.submit(room.id, actor, Command::Resume);
        }
    }

    /// The room that is open in the window.
    pub fn in_front(&self) -> Option<RoomId> {
        *self.in_front.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Another room is open in the window, or none.
    pub fn set_in_front(&self, room: Option<RoomId>) {
        *self.in_front.lock().unwrap_or_else(PoisonError::into_inner) = room;
    }

    /// Why the shortcut does not work.
    pub fn shortcut_trouble(&self) -> Option<String> {
        self.shortcut_trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The shortcut works, or why it does not.
    pub fn set_shortcut_trouble(&self, trouble: Option<String>) {
        *self.shortcut_trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }

    /// Returns when what depends on the configuration goes by the current one.
    pub async fn applied(&self) {
        let current = *self.engine.config().changes().borrow();
        let (mut api, mut shortcut) =
            (self.api_settled.subscribe(), self.shortcut_settled.subscribe());
        let settled = async {
            let _ = api.wait_for(|count| *count >= current).await;
            let _ = shortcut.wait_for(|count| *count >= current).await;
        };
        let _ = tokio::time::timeout(PATIENCE, settled).await;
    }
}

/// The person at the window.
pub fn me() -> Actor {
    Actor::person("me", Surface::Window)
}
