//! Ends a command that makes too many processes.
//!
//! A limit of the system's own does nothing for root, so they are counted while the command runs.
//! A thousand processes that all want to run leave little for anybody else. So the counting has a
//! thread of its own, which goes first wherever the system lets it, and it ends the command itself
//! rather than asking the runtime to.

use super::census;
use rustix::process::{Signal, pidfd_send_signal, setpriority_process};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// How many processes a command or program may have at once: more than any
/// build wants, and far fewer than a computer dies of.
pub(super) const PROCESSES: usize = 512;
/// The most urgent there is.
const FIRST: i32 = -20;

/// A command whose processes are counted for as long as this is kept.
pub(super) struct Watched(Arc<Command>);

impl Watched {
    /// Whether it was ended for having too many.
    pub(super) fn had_too_many(&self) -> bool {
        self.0.too_many.load(Ordering::Acquire)
    }
}

struct Command {
    pid: i32,
    first: Arc<OwnedFd>,
    every: Duration,
    too_many: AtomicBool,
}

impl Command {
    fn count(&self) {
        if census::more_than(self.pid, PROCESSES) {
            self.too_many.store(true, Ordering::Release);
            // An error means that it is gone.
            let _ = pidfd_send_signal(&self.first, Signal::KILL);
        }
    }
}

/// Counts the processes below `pid`, which `first` stands for, again and again.
pub(super) fn watch(pid: i32, first: Arc<OwnedFd>, every: Duration) -> std::io::Result<Watched> {
    let command = Arc::new(Command { pid, first, every, too_many: AtomicBool::new(false) });
    let mut list = list();
    if !list.started {
        std::thread::Builder::new().name("watcher".into()).spawn(run)?;
        list.started = true;
    }
    list.rounds.push(Round { command: Arc::downgrade(&command), due: Instant::now() + every });
    CHANGED.notify_one();
    Ok(Watched(command))
}

struct List {
    started: bool,
    rounds: Vec<Round>,
}

/// When a command is counted next.
struct Round {
    command: Weak<Command>,
    due: Instant,
}

static LIST: Mutex<List> = Mutex::new(List { started: false, rounds: Vec::new() });
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
        let due = list.rounds.iter_mut().filter(|round| round.due <= now);
        let due: Vec<Arc<Command>> = due
            .filter_map(|round| {
                let command = round.command.upgrade()?;
                round.due = now + command.every;
                Some(command)
            })
            .collect();
        if !due.is_empty() {
            drop(list);
            due.iter().for_each(|command| command.count());
            list = self::list();
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
