//! How long a task may take: by the clock on the wall, or by what the model read and wrote.

use crate::proxy::Proxy;
use crate::wire::Answer;
use std::time::{Duration, Instant};

/// How much longer than its limit a task may take on the wall where time is counted by tokens.
const SLOWEST: u32 = 8;
const LOOK: Duration = Duration::from_millis(400);

/// Tokens a second of a model on a machine that does nothing else.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    pub read: f64,
    pub written: f64,
}

impl Pace {
    /// How long an answer takes at this pace.
    pub fn of(self, answer: &Answer) -> Duration {
        let read = answer.input.saturating_sub(answer.cached) as f64;
        Duration::from_secs_f64(read / self.read) + self.writing(answer.output)
    }

    /// How long so many tokens take to be written.
    pub fn writing(self, tokens: u64) -> Duration {
        Duration::from_secs_f64(tokens as f64 / self.written)
    }
}

/// The clock of one task.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    begun: Instant,
    limit: Duration,
    turns: u64,
    pace: Option<Pace>,
}

impl Clock {
    /// Starts it.
    pub fn start(limit: Duration, turns: u64, pace: Option<Pace>) -> Self {
        Self { begun: Instant::now(), limit, turns, pace }
    }

    /// What has passed of the limit.
    pub fn passed(&self, proxy: &Proxy) -> Duration {
        match self.pace {
            Some(pace) => proxy.worked(pace),
            None => self.begun.elapsed(),
        }
    }

    /// What has passed on the wall.
    pub fn on_the_wall(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Which limit is reached, in words.
    pub fn is_up(&self, proxy: &Proxy) -> Option<String> {
        if proxy.exchanges().len() as u64 >= self.turns {
            return Some(format!("{} turns were used up", self.turns));
        }
        let over = self.passed(proxy) > self.limit || self.begun.elapsed() > self.longest();
        over.then(|| "the time for this task was up".to_owned())
    }

    /// The most it may take on the wall.
    pub fn longest(&self) -> Duration {
        longest(self.limit, self.pace)
    }

    /// Returns when a limit is reached, and says which.
    pub async fn up(&self, proxy: &Proxy) -> String {
        loop {
            if let Some(words) = self.is_up(proxy) {
                return words;
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

/// The most a task may take on the wall.
pub fn longest(limit: Duration, pace: Option<Pace>) -> Duration {
    if pace.is_some() { limit * SLOWEST } else { limit }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_server_still_knew_takes_no_time() {
        let pace = Pace { read: 50.0, written: 10.0 };
        let answer = Answer { input: 300, cached: 200, output: 5, ..Answer::default() };
        assert_eq!(pace.of(&answer), Duration::from_millis(2_500));
    }
}
