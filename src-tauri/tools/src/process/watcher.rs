//! Ends a command that makes too many processes or threads.
//!
//! The kernel holds a command with a group of its own to a limit (see `group`). That refuses it
//! more, but does not say so, and a group can't be made everywhere; another limit of the system's
//! does nothing for root. So they are counted while the command runs. A thousand processes that all want to run leave little for anybody else. So the counting has
//! threads of its own, which go first wherever the system lets them, and they end the command
//! themselves rather than asking the runtime to.

use super::census::{self, Count, Crowd, PROCESSES};
use super::group::{Group, WALL};
use rustix::process::{Pid, Signal, pidfd_send_signal, setpriority_process};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

/// The most urgent there is.
const FIRST: i32 = -20;
/// A program that runs on is counted often at first: most that goes wrong does so then.
const AT_FIRST: Duration = Duration::from_secs(60);
const OFTEN: Duration = Duration::from_millis(50);
/// How many threads count, so that a command which takes long to count keeps no other from it.
const COUNTING: usize = 2;

/// A command whose processes are counted for as long as this is kept.
pub(super) struct Watched(Arc<Command>);

impl Watched {
    /// Of what it had too many, if it was ended for that.
    pub(super) fn crowd(&self) -> Option<Crowd> {
        self.0.crowd.get().copied()
    }
}

struct Command {
    pid: i32,
    first: Arc<OwnedFd>,
    group: Option<Arc<Group>>,
    every: Duration,
    since: Instant,
    crowd: OnceLock<Crowd>,
}

impl Command {
    /// When it is counted next.
    fn due(&self) -> Instant {
        let every = if self.since.elapsed() < AT_FIRST { OFTEN } else { self.every };
        Instant::now() + every.min(self.every)
    }

    fn count(&self) {
        let group = self.group.as_ref();
        // The kernel counts them all as one, and most commands have few.
        if group.and_then(|group| group.tasks()).is_some_and(|tasks| tasks <= PROCESSES) {
            return;
        }
        match census::count(self.pid) {
            Count::Crowd(crowd) => {
                self.crowd.get_or_init(|| crowd);
                // All end with it, but among a thousand that want to run it would wait for its
                // turn to end, while they go on.
                let _ = setpriority_process(Pid::from_raw(self.pid), FIRST);
                // An error means that it is gone.
                let _ = pidfd_send_signal(&self.first, Signal::KILL);
            }
            // It may have more threads than processes.
            Count::Threads(threads) => {
                let _ = group.map(|group| group.allow(WALL + threads));
            }
        }
    }
}

/// Counts the processes below `pid`, which `first` stands for, again and again.
pub(super) fn watch(
    pid: i32,
    first: Arc<OwnedFd>,
    group: Option<Arc<Group>>,
    every: Duration,
) -> std::io::Result<Watched> {
    let since = Instant::now();
    let command = Arc::new(Command { pid, first, group, every, since, crowd: OnceLock::new() });
    let mut list = list();
    while list.started < COUNTING {
        std::thread::Builder::new().name("watcher".into()).spawn(run)?;
        list.started += 1;
    }
    list.rounds.push(Round { command: Arc::downgrade(&command), due: command.due() });
    CHANGED.notify_one();
    Ok(Watched(command))
}

struct List {
    started: usize,
    rounds: Vec<Round>,
}

/// When a command is counted next.
struct Round {
    command: Weak<Command>,
    due: Instant,
}

static LIST: Mutex<List> = Mutex::new(List { started: 0, rounds: Vec::new() });
static CHANGED: Condvar = Condvar::new();

fn list() -> MutexGuard<'static, List> {
    LIST.lock().unwrap_or_else(PoisonError::into_inner)
}

fn run() {
    // Only root may; for all others the sandbox has a limit of the system's.
    let _ = setpriority_process(None, FIRST);
    let mut list = list();
    loop {
        list.rounds.retain(|round| round.command.strong_count() > 0);
        let now = Instant::now();
        let due = list.rounds.iter().enumerate().filter(|(_, round)| round.due <= now);
        if let Some((at, _)) = due.min_by_key(|(_, round)| round.due) {
            // Out of the list meanwhile, so that it is counted once at a time.
            let mut round = list.rounds.swap_remove(at);
            let Some(command) = round.command.upgrade() else { continue };
            drop(list);
            command.count();
            round.due = command.due();
            drop(command);
            list = self::list();
            list.rounds.push(round);
            continue;
        }
        let next = list.rounds.iter().map(|round| round.due).min();
        list = match next {
            Some(next) => {
                let waited = CHANGED.wait_timeout(list, next - now);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
            None => CHANGED.wait(list).unwrap_or_else(PoisonError::into_inner),
        };
    }
}
