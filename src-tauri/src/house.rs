//! What lives as long as the app: the engine and the place keys are kept.

use crate::feeds::Feeds;
use crate::links::Link;
use crate::secrets::Secrets;
use engine::config::{ConfigPlace, ConfigStore};
use engine::journal::FolderLock;
use engine::{Engine, Options};
use plan::{Actor, Surface};
use std::sync::{Arc, Mutex};

/// The app's own things.
pub struct House {
    /// Runs rooms.
    pub engine: Engine,
    /// Keeps keys.
    pub secrets: Arc<Secrets>,
    /// What the window follows.
    pub feeds: Feeds,
    /// The link the app was started with, until the window asks for it.
    pub first_link: Mutex<Option<Link>>,
}

impl House {
    /// Opens the data folder and starts the engine. Must be called in a tokio runtime.
    pub fn open() -> Result<Self, String> {
        let Some(place) = ConfigPlace::from_env(|name| std::env::var_os(name)) else {
            return Err("there is no home folder for the configuration".to_owned());
        };
        let Some(data) = engine::data_folder(|name| std::env::var_os(name)) else {
            return Err("there is no home folder for the data".to_owned());
        };
        let lock = FolderLock::take(&data).map_err(|error| error.to_string())?;
        let secrets = Arc::new(Secrets::default());
        let mut options = Options::new(lock, ConfigStore::open(place));
        options.keys = Arc::clone(&secrets) as Arc<dyn engine::Keys>;
        let started = Engine::start(options).map_err(|error| error.to_string())?;
        Ok(Self {
            engine: started.engine,
            secrets,
            feeds: Feeds::default(),
            first_link: Mutex::new(None),
        })
    }
}

/// The person at the window.
pub fn me() -> Actor {
    Actor::person("me", Surface::Window)
}
