//! The shell of a room: what it remembers from one command to the next.

use super::jobs::Jobs;
use super::repositories::Repositories;
use crate::network::proxy::Share;
use crate::sandbox::warm::Warm;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The folder a room's shell stands in, and what it runs in the background.
/// Clones are the same shell; its jobs end with the last of them.
#[derive(Clone, Default)]
pub struct Shell {
    standing: Arc<Mutex<Standing>>,
    pub(crate) jobs: Arc<Jobs>,
    /// The repositories in a workspace as they were last told of.
    known: Arc<Mutex<Option<(PathBuf, Repositories)>>>,
    /// Of the ways out to granted hosts.
    pub(crate) share: Share,
    /// Sandboxes that wait for its next command.
    pub(crate) warm: Warm,
}

#[derive(Default)]
struct Standing {
    /// Below the workspace; empty for the workspace itself.
    folder: PathBuf,
    /// The command that moved last.
    moved: u64,
    begun: u64,
}

/// One command's place in the order they were called.
#[derive(Clone, Copy)]
pub(crate) struct Turn(u64);

impl Shell {
    /// Ends everything that runs in the background, and what was prepared for the next command.
    pub fn stop(&self) {
        self.warm.clear();
        self.jobs.stop();
    }

    /// Ends everything that runs in the background, and waits until it is gone.
    pub async fn stopped(&self) {
        self.warm.clear();
        self.jobs.stopped().await;
    }

    /// The commands that run in the background now.
    pub fn running(&self) -> Vec<String> {
        self.jobs.running()
    }

    /// How many sandboxes wait for its next command.
    pub fn prepared(&self) -> usize {
        self.warm.count()
    }

    /// The folder it stands in, below the workspace; empty for the workspace itself.
    pub fn folder(&self) -> PathBuf {
        self.standing().folder.clone()
    }

    /// The folder to begin in, and this command's place in the order.
    pub(crate) fn begin(&self) -> (PathBuf, Turn) {
        let mut standing = self.standing();
        standing.begun += 1;
        (standing.folder.clone(), Turn(standing.begun))
    }

    /// The next command begins in `folder`, unless one called later has moved.
    pub(crate) fn moved(&self, turn: Turn, folder: &Path) {
        let mut standing = self.standing();
        if turn.0 >= standing.moved {
            standing.moved = turn.0;
            standing.folder = folder.to_owned();
        }
    }

    /// Takes note of the repositories in a workspace before anything changes them there, if they
    /// can be told now.
    pub(crate) fn note(&self, workspace: &Path, now: impl FnOnce() -> Option<Repositories>) {
        let mut known = self.known();
        if known.as_ref().is_none_or(|(known, _)| known != workspace)
            && let Some(now) = now()
        {
            *known = Some((workspace.to_owned(), now));
        }
    }

    /// What is to be said of repositories that are not as they were last told of, whoever changed
    /// them.
    pub(crate) fn told_of(&self, workspace: &Path, now: Repositories) -> Vec<String> {
        let mut known = self.known();
        let last = known.take().filter(|(known, _)| known == workspace);
        let news = last.map(|(_, last)| last.until(&now, workspace));
        *known = Some((workspace.to_owned(), now));
        news.unwrap_or_default()
    }

    fn known(&self) -> MutexGuard<'_, Option<(PathBuf, Repositories)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Shell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shell").field("folder", &self.standing().folder).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::Shell;
    use std::path::Path;

    #[test]
    fn of_two_at_once_the_one_called_later_decides() {
        let shell = Shell::default();
        let ((_, first), (_, second)) = (shell.begin(), shell.begin());
        shell.moved(second, Path::new("b"));
        shell.moved(first, Path::new("a"));
        assert_eq!(shell.begin().0, Path::new("b"));
    }
}
