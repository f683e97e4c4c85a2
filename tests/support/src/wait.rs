//! Waiting for what happens elsewhere: in a process, on a socket, on the disk.

use std::future::Future;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

/// Generous, because a loaded machine is slow and only a failing test waits this long.
const LIMIT: Duration = Duration::from_secs(60);

/// Polls until the condition holds; fails the test, naming what was awaited, if it never does.
pub async fn wait_for(mut condition: impl AsyncFnMut() -> bool, what: &str) {
    wait_for_some(async || condition().await.then_some(()), what).await;
}

/// Polls until there is a value; fails the test, naming what was awaited, if there never is.
pub async fn wait_for_some<T>(mut probe: impl AsyncFnMut() -> Option<T>, what: &str) -> T {
    let begun = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        // The probe itself may hang, on a server that does not answer for instance.
        let left = LIMIT.saturating_sub(begun.elapsed());
        match timeout(left, probe()).await {
            Ok(Some(value)) => return value,
            Ok(None) if begun.elapsed() < LIMIT => {}
            Ok(None) | Err(_) => give_up(what),
        }
        sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

/// Waits for a future; fails the test, naming what was awaited, if it takes too long.
pub(crate) async fn in_time<T>(future: impl Future<Output = T>, what: &str) -> T {
    match timeout(LIMIT, future).await {
        Ok(value) => value,
        Err(_) => give_up(what),
    }
}

fn give_up(what: &str) -> ! {
    panic!("waited {} s for {what}", LIMIT.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_value_is_handed_over_once_it_is_there() {
        let mut polls = 0;
        let value = wait_for_some(
            async || {
                polls += 1;
                (polls == 3).then_some("here")
            },
            "the third poll",
        )
        .await;
        assert_eq!(value, "here");
    }

    #[tokio::test]
    async fn a_condition_that_holds_is_not_waited_for() {
        wait_for(async || true, "nothing").await;
    }
}
