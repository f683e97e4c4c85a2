//! Sandboxes that are made before their command is known.
//!
//! Bubblewrap needs some milliseconds. So the next sandbox of a room is made while the model thinks:
//! its shell stands behind all walls, with its filter and in its control group, and waits for one
//! word on its input. It holds nothing that a command would not be given, and without a word it ends.
//!
//! Whether it still is what would be made now is asked when the command comes (see `ingredients`).
//! If not, it is thrown away. Each is used once, so nothing of one command is left for the next.

use super::{Guard, Profile};
use crate::process::Running;
use crate::read_only::ReadOnly;
use crate::sandbox::Ingredients;
use std::io::{PipeWriter, Write};
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// As many wait in the whole app.
pub(crate) const MOST: usize = 2;
/// How long one waits.
pub(crate) const UNUSED: Duration = Duration::from_secs(60);
/// What the kernel writes to a pipe as one piece. Longer commands start cold.
const LONGEST: usize = 4096;

/// What its shell does until there is a command. It is on the second line and begins the command
/// there, so that lines are counted as in a cold one.
pub(crate) const WAITS: &str =
    "IFS= read -r -d '' REPLY || exit 126; exec </dev/null; eval \"unset REPLY; $REPLY\"";

/// The sandboxes of one room that wait. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Warm(Arc<Mutex<Vec<Entry>>>);

/// One that is being made, or waits.
struct Entry {
    number: u64,
    profile: Profile,
    since: Instant,
    waiting: Option<(Waiting, Arc<OwnedSemaphorePermit>)>,
}

/// A place for one that will be made.
pub(crate) struct Place {
    room: Weak<Mutex<Vec<Entry>>>,
    number: u64,
    /// One of those in the whole app.
    permit: Arc<OwnedSemaphorePermit>,
}

/// One that waits for its command.
pub(crate) struct Waiting {
    pub(crate) ingredients: Ingredients,
    /// Holds what its mounts lie over.
    pub(crate) guard: Guard,
    pub(crate) running: Running,
    pub(crate) read_only: Arc<ReadOnly>,
    /// The descriptor on which the command says where it ended.
    pub(crate) tell: RawFd,
    pub(crate) go: PipeWriter,
}

impl Waiting {
    /// Gives it its command; `None` when it is gone, and so nothing ran.
    pub(crate) fn begin(mut self, script: &str) -> Option<(Running, Guard)> {
        let word = [script.as_bytes(), b"\0"].concat();
        let is_told =
            word.len() <= LONGEST && !self.running.has_ended() && self.go.write_all(&word).is_ok();
        is_told.then_some((self.running, self.guard))
    }
}

impl Warm {
    /// A place for one more of this profile, unless the room has one or the app has too many.
    pub(crate) fn place(&self, all: &Arc<Semaphore>, profile: Profile) -> Option<Place> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let mut entries = self.entries();
        if entries.iter().any(|entry| entry.profile == profile) {
            return None;
        }
        let permit = Arc::new(Arc::clone(all).try_acquire_owned().ok()?);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let since = Instant::now();
        entries.push(Entry { number, profile, since, waiting: None });
        Some(Place { room: Arc::downgrade(&self.0), number, permit })
    }

    /// One that is what would be made now. Those that are not are thrown away.
    pub(crate) fn take(&self, profile: Profile, now: &Ingredients) -> Option<Waiting> {
        let mut entries = self.entries();
        let is_there = |entry: &Entry| entry.profile == profile && entry.waiting.is_some();
        let at = entries.iter().position(is_there)?;
        let waiting = entries.remove(at).waiting.map(|(waiting, _)| waiting);
        drop(entries);
        waiting.filter(|waiting| waiting.ingredients == *now)
    }

    /// Whether one of this profile waits.
    pub(crate) fn has(&self, profile: Profile) -> bool {
        self.entries().iter().any(|entry| entry.profile == profile && entry.waiting.is_some())
    }

    /// How many wait.
    pub(crate) fn count(&self) -> usize {
        self.entries().iter().filter(|entry| entry.waiting.is_some()).count()
    }

    /// Throws away those that nobody used for too long.
    pub(crate) fn expire(&self, now: Instant) {
        self.entries().retain(|entry| now.duration_since(entry.since) < UNUSED);
    }

    /// Throws all away, also those that are just being made.
    pub(crate) fn clear(&self) {
        self.entries().clear();
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Puts one in its place, unless that was given up meanwhile.
    pub(crate) fn fill(self, waiting: Waiting) {
        let Some(room) = self.room.upgrade().map(Warm) else { return };
        let mut entries = room.entries();
        let Some(entry) = entries.iter_mut().find(|entry| entry.number == self.number) else {
            return;
        };
        let permit = Arc::clone(&self.permit);
        (entry.waiting, entry.since) = (Some((waiting, permit)), Instant::now());
        drop(entries);
        let room = Arc::downgrade(&room.0);
        tokio::spawn(async move {
            tokio::time::sleep(UNUSED).await;
            if let Some(room) = room.upgrade() {
                Warm(room).expire(Instant::now());
            }
        });
    }
}

impl Drop for Place {
    /// Nothing came of it.
    fn drop(&mut self) {
        if let Some(room) = self.room.upgrade().map(Warm) {
            let unfilled = |entry: &Entry| entry.number == self.number && entry.waiting.is_none();
            room.entries().retain(|entry| !unfilled(entry));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_are_made_at_most_in_all_rooms_and_one_for_each_profile_of_one() {
        let all = Arc::new(Semaphore::new(MOST));
        let (one, other) = (Warm::default(), Warm::default());
        let work = one.place(&all, Profile::Work);
        assert!(work.is_some() && one.place(&all, Profile::Work).is_none());
        let look = one.place(&all, Profile::Look);
        assert!(look.is_some() && other.place(&all, Profile::Look).is_none());
        // Nothing came of one.
        drop(work);
        assert!(other.place(&all, Profile::Look).is_some());
    }

    #[test]
    fn one_that_nobody_used_for_a_minute_is_thrown_away() {
        let all = Arc::new(Semaphore::new(MOST));
        let warm = Warm::default();
        let place = warm.place(&all, Profile::Work);
        let began = warm.entries()[0].since;
        warm.expire(began + UNUSED - Duration::from_millis(1));
        assert_eq!(warm.entries().len(), 1);
        warm.expire(began + UNUSED);
        assert!(warm.entries().is_empty());
        drop(place);
        assert_eq!(all.available_permits(), MOST);
    }
}
