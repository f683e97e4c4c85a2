//! Holds the configuration in use. A file that turns bad changes nothing: the
//! last good configuration stays, and the errors are there to show.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::place::ConfigPlace;
use super::problem::ConfigErrors;
use super::{Config, Loaded};

/// A cheap handle on the configuration in use.
#[derive(Debug, Clone)]
pub struct ConfigStore {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    place: ConfigPlace,
    state: Mutex<State>,
    /// Counts the configurations that came into use.
    changes: watch::Sender<u64>,
}

#[derive(Debug)]
struct State {
    good: Arc<Loaded>,
    errors: Option<ConfigErrors>,
}

/// What a reload came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reloaded {
    /// The configuration in use is another one now.
    Changed,
    /// The files say what was in use already.
    Same,
    /// The files are bad, and the last good configuration is kept.
    Kept {
        /// What is wrong with them.
        errors: ConfigErrors,
    },
}

impl ConfigStore {
    /// Reads the configuration; where it is bad, nothing is run by it until it is mended, and
    /// [`errors`](Self::errors) says why.
    pub fn open(place: ConfigPlace) -> Self {
        let (good, errors) = match Config::load_place(&place) {
            Ok(loaded) => (loaded, None),
            Err(errors) => (Loaded::closed(&errors), Some(errors)),
        };
        let state = State { good: Arc::new(good), errors };
        Self {
            shared: Arc::new(Shared {
                place,
                state: Mutex::new(state),
                changes: watch::Sender::new(0),
            }),
        }
    }

    /// Where it is read from.
    pub fn place(&self) -> &ConfigPlace {
        &self.shared.place
    }

    /// The configuration in use, with its warnings.
    pub fn current(&self) -> Arc<Loaded> {
        Arc::clone(&self.state().good)
    }

    /// What is wrong with the files as they were last read.
    pub fn errors(&self) -> Option<ConfigErrors> {
        self.state().errors.clone()
    }

    /// Changes whenever another configuration comes into use.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.shared.changes.subscribe()
    }

    /// Reads the files again.
    pub fn reload(&self) -> Reloaded {
        let read = Config::load_place(&self.shared.place);
        let mut state = self.state();
        match read {
            Ok(loaded) => {
                state.errors = None;
                if loaded == *state.good {
                    return Reloaded::Same;
                }
                state.good = Arc::new(loaded);
                drop(state);
                self.shared.changes.send_modify(|count| *count += 1);
                Reloaded::Changed
            }
            Err(errors) => {
                state.errors = Some(errors.clone());
                Reloaded::Kept { errors }
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change of the state is one assignment, so it is whole even
        // when another thread panicked.
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
