//! Holds the configuration in use. A file that turns bad changes nothing: the
//! last good configuration stays, and the errors are there to show. While they
//! are, the files are read again as soon as they are others.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
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
    /// The two files as they were last read.
    read: [Option<Stamp>; 2],
}

/// What tells a file from the same one changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    bytes: u64,
    written: (i64, i64),
    changed: (i64, i64),
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
        let read = stamps(&place);
        let (good, errors) = match Config::load_place(&place) {
            Ok(loaded) => (loaded, None),
            Err(errors) => (Loaded::closed(&errors), Some(errors)),
        };
        good.config.limits.apply();
        let state = State { good: Arc::new(good), errors, read };
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
        self.heal();
        Arc::clone(&self.state().good)
    }

    /// What is wrong with the files.
    pub fn errors(&self) -> Option<ConfigErrors> {
        self.heal();
        self.state().errors.clone()
    }

    /// Changes whenever another configuration comes into use.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.shared.changes.subscribe()
    }

    /// Reads the files again where they are others than those last read.
    pub fn look_again(&self) {
        let read = self.state().read;
        if read != stamps(&self.shared.place) {
            self.reload();
        }
    }

    /// Nothing is refused for an error that is no longer in the files.
    fn heal(&self) {
        let bad = self.state().errors.is_some();
        if bad {
            self.look_again();
        }
    }

    /// Reads the files again.
    pub fn reload(&self) -> Reloaded {
        // Taken first: what is written while they are read is looked at once more.
        let stamps = stamps(&self.shared.place);
        let read = Config::load_place(&self.shared.place);
        let mut state = self.state();
        state.read = stamps;
        match read {
            Ok(loaded) => {
                state.errors = None;
                if loaded == *state.good {
                    return Reloaded::Same;
                }
                loaded.config.limits.apply();
                state.good = Arc::new(loaded);
                drop(state);
                self.shared.changes.send_modify(|count| *count += 1);
                Reloaded::Changed
            }
            Err(errors) => {
                if state.good.config.closed.is_some() {
                    state.good = Arc::new(Loaded::closed(&errors));
                }
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

fn stamps(place: &ConfigPlace) -> [Option<Stamp>; 2] {
    [stamp(&place.person_file()), stamp(&place.settings_file())]
}

fn stamp(file: &Path) -> Option<Stamp> {
    let found = fs::metadata(file).ok()?;
    Some(Stamp {
        inode: found.ino(),
        bytes: found.len(),
        written: (found.mtime(), found.mtime_nsec()),
        changed: (found.ctime(), found.ctime_nsec()),
    })
}
