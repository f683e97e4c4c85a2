//! One place for a server's process: whether it is up, and when to try again.
//!
//! ```text
//! resting → starting → running → (gone) → resting
//! ```

use super::connection::Connection;
use super::error::McpError;
use super::server::Reach;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// One that ran this long is in health: its end is no failure of its start.
const HEALTHY: Duration = Duration::from_secs(60);
/// The longest rest after failures.
const LONGEST_REST: Duration = Duration::from_secs(300);

/// What came of a start; `None` while it is under way.
pub(super) type Started = Option<Result<Arc<Connection>, McpError>>;

/// How one process stands.
pub(super) enum Phase {
    Resting,
    Starting(watch::Receiver<Started>),
    Running(Arc<Connection>),
}

pub(super) struct Slot {
    pub(super) reach: Reach,
    pub(super) phase: Phase,
    /// Stops a start that is under way.
    pub(super) stop: CancellationToken,
    /// Failures in a row, and the last.
    pub(super) failures: u32,
    pub(super) problem: Option<McpError>,
    pub(super) not_before: Option<Instant>,
    /// When it was last wanted.
    pub(super) used: Instant,
}

impl Slot {
    pub(super) fn new(reach: Reach) -> Self {
        Self {
            reach,
            phase: Phase::Resting,
            stop: CancellationToken::new(),
            failures: 0,
            problem: None,
            not_before: None,
            used: Instant::now(),
        }
    }

    /// It failed: the next start waits, longer each time.
    pub(super) fn failed(&mut self, problem: McpError) {
        self.failures += 1;
        self.not_before = Some(Instant::now() + rest_after(self.failures));
        self.problem = Some(problem);
        self.phase = Phase::Resting;
    }

    /// It was up and is gone.
    pub(super) fn died(&mut self, since: Instant, problem: McpError) {
        if since.elapsed() >= HEALTHY {
            self.failures = 0;
        }
        self.failed(problem);
    }
}

/// How long to wait after so many failures in a row. The first is forgiven.
fn rest_after(failures: u32) -> Duration {
    match failures {
        0 | 1 => Duration::ZERO,
        more => Duration::from_secs(1 << (more - 2).min(16)).min(LONGEST_REST),
    }
}

/// How a server stands, for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// The server.
    pub server: String,
    /// The folder it serves; `None` when it serves all.
    pub workspace: Option<PathBuf>,
    /// Whether it may write there.
    pub may_write: bool,
    /// How it stands.
    pub state: State,
    /// What went wrong last, if it did.
    pub problem: Option<String>,
    /// Whether it wants a person to log in.
    pub needs_login: bool,
    /// Failures in a row.
    pub failures: u32,
}

/// How one process of a server stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is not needed, or waits for its next try.
    Resting,
    /// It is being started.
    Starting,
    /// It is up.
    Running,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rests_grow_and_have_an_end() {
        let seconds: Vec<u64> = (1..=6).map(|n| rest_after(n).as_secs()).collect();
        assert_eq!(seconds, [0, 1, 2, 4, 8, 16]);
        assert_eq!(rest_after(40), LONGEST_REST);
    }
}
