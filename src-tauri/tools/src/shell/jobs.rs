//! Commands that go on in the background, by number.

use crate::error::ToolError;
use crate::process::{End, Said};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// How many may run at once in a room.
pub(crate) const MOST: usize = 8;
/// Ended ones are kept until there are this many.
const KEPT: usize = 32;

/// One command in the background.
#[derive(Clone)]
pub(crate) struct Job {
    pub(crate) command: String,
    pub(crate) said: Said,
    pub(crate) cancel: CancellationToken,
    pub(crate) ended: watch::Receiver<Option<Ending>>,
}

/// How a job ended.
#[derive(Clone, Debug)]
pub(crate) struct Ending {
    pub(crate) end: End,
    /// What has to be said of it.
    pub(crate) notes: Vec<String>,
}

impl Job {
    /// How it ended, if it has or does within this time.
    pub(crate) async fn ending(&self, patience: Duration) -> Option<Ending> {
        let mut ended = self.ended.clone();
        let wait = async { ended.wait_for(Option::is_some).await.ok().and_then(|end| end.clone()) };
        tokio::time::timeout(patience, wait).await.ok().flatten()
    }

    fn runs(&self) -> bool {
        // The sender is gone only when the task that runs it is.
        self.ended.borrow().is_none() && self.ended.has_changed().is_ok()
    }
}

/// The jobs of one room.
#[derive(Default)]
pub(crate) struct Jobs {
    list: Mutex<List>,
}

#[derive(Default)]
struct List {
    last: u32,
    jobs: BTreeMap<u32, Job>,
}

impl Jobs {
    /// Whether there is room for one more.
    pub(crate) fn has_room(&self) -> bool {
        self.lock().jobs.values().filter(|job| job.runs()).count() < MOST
    }

    /// Adds one and gives it a number.
    pub(crate) fn add(&self, job: Job) -> u32 {
        let mut list = self.lock();
        let over = list.jobs.len().saturating_sub(KEPT - 1);
        let old: Vec<u32> = list
            .jobs
            .iter()
            .filter(|(_, job)| !job.runs())
            .map(|(number, _)| *number)
            .take(over)
            .collect();
        for number in old {
            list.jobs.remove(&number);
        }
        list.last += 1;
        let number = list.last;
        list.jobs.insert(number, job);
        number
    }

    /// A job by its number.
    pub(crate) fn get(&self, number: u32) -> Result<Job, ToolError> {
        let list = self.lock();
        let numbers = || {
            let known: Vec<String> = list.jobs.keys().map(u32::to_string).collect();
            match known.is_empty() {
                true => "nothing runs in the background now. Jobs end with the app: what ran \
                         before it was started anew was cut off, so look what it did before you \
                         do it again"
                    .to_owned(),
                false => format!("the jobs are {}", known.join(", ")),
            }
        };
        let found = list.jobs.get(&number).cloned();
        found.ok_or_else(|| ToolError::NoJob { job: number, known: numbers() })
    }

    /// The commands of those that run now, the oldest first.
    pub(crate) fn running(&self) -> Vec<String> {
        let list = self.lock();
        list.jobs.values().filter(|job| job.runs()).map(|job| job.command.clone()).collect()
    }

    /// Ends all of them.
    pub(crate) fn stop(&self) {
        self.lock().jobs.values().for_each(|job| job.cancel.cancel());
    }

    /// Ends all of them and waits until they are gone.
    pub(crate) async fn stopped(&self) {
        self.stop();
        let jobs: Vec<Job> = self.lock().jobs.values().cloned().collect();
        for job in jobs {
            job.ending(Duration::from_secs(10)).await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        self.stop();
    }
}
