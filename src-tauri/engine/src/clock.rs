//! Time as the engine knows it. Tests move it by hand.

use async_trait::async_trait;
use plan::Time;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;

/// Tells the time and waits for it.
#[async_trait]
pub trait Clock: Send + Sync {
    /// The time now.
    fn now(&self) -> Time;
    /// Returns when `time` has come.
    async fn until(&self, time: Time);
}

/// The computer's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> Time {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Time(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    async fn until(&self, time: Time) {
        let wait = time.since(self.now());
        tokio::time::sleep(Duration::from_millis(wait)).await;
    }
}

/// A clock that stands still until it is moved.
#[derive(Debug)]
pub struct HandClock {
    now: watch::Sender<i64>,
}

impl HandClock {
    /// A clock that shows `now`.
    pub fn at(now: Time) -> Self {
        Self { now: watch::Sender::new(now.0) }
    }

    /// Moves it on; everything that waits for a time until then wakes up.
    pub fn advance(&self, by: Duration) {
        let ms = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        self.now.send_modify(|now| *now = now.saturating_add(ms));
    }
}

#[async_trait]
impl Clock for HandClock {
    fn now(&self) -> Time {
        Time(*self.now.borrow())
    }

    async fn until(&self, time: Time) {
        let mut now = self.now.subscribe();
        // The sender lives as long as this clock, so the wait can't fail.
        let _ = now.wait_for(|now| *now >= time.0).await;
    }
}
