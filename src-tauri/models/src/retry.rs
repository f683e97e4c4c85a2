//! When to ask again after an error.

use std::time::Duration;

use crate::ModelError;

/// How often a turn is asked for again before the person is told.
pub const MAX_ATTEMPTS: u32 = 5;

/// An answer that can't be read was paid for, so it is asked for again only this often.
const MALFORMED_ATTEMPTS: u32 = 2;

/// Who was silent or brought nothing for minutes is asked again only this often.
const SILENT_ATTEMPTS: u32 = 1;

const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(60);

/// How long to wait before asking again, or `None` to give up: also where that is longer than
/// anyone waits inside a turn (see [`ModelError::renewal`]).
///
/// `attempt` counts the failures so far, from 1. `jitter` is between 0 and 1 and spreads callers
/// that failed together: it adds up to half of the wait, and never shortens what the provider
/// asked for.
pub fn retry_after(error: &ModelError, attempt: u32, jitter: f64) -> Option<Duration> {
    if !error.is_temporary() || error.renewal().is_some() || attempt > allowed(error) {
        return None;
    }
    let backoff = FIRST.saturating_mul(1 << attempt.saturating_sub(1).min(16)).min(LONGEST);
    let wait = asked(error).unwrap_or(backoff);
    // The spread is of our own making, so it follows the backoff and not a long wait asked for.
    let spread = if jitter.is_finite() { jitter.clamp(0.0, 1.0) } else { 0.0 };
    Some(wait.saturating_add(backoff.mul_f64(spread / 2.0)))
}

fn allowed(error: &ModelError) -> u32 {
    match error {
        ModelError::Malformed { .. } => MALFORMED_ATTEMPTS,
        ModelError::Silent { .. } | ModelError::Stalled { .. } => SILENT_ATTEMPTS,
        ModelError::RateLimited { .. }
        | ModelError::Overloaded { .. }
        | ModelError::Server { .. }
        | ModelError::Quota { .. }
        | ModelError::InvalidKey { .. }
        | ModelError::KeyUnread { .. }
        | ModelError::Forbidden { .. }
        | ModelError::UnknownModel { .. }
        | ModelError::BadRequest { .. }
        | ModelError::Unusable { .. }
        | ModelError::Unreachable { .. }
        | ModelError::NotJson { .. }
        | ModelError::UnreadCall { .. }
        | ModelError::Dropped
        | ModelError::ContextTooLong
        | ModelError::Declined { .. }
        | ModelError::Agent(_) => MAX_ATTEMPTS,
    }
}

/// What the provider asked for.
fn asked(error: &ModelError) -> Option<Duration> {
    match error {
        ModelError::RateLimited { retry_after }
        | ModelError::Overloaded { retry_after }
        | ModelError::Server { retry_after, .. } => *retry_after,
        ModelError::Quota { .. }
        | ModelError::InvalidKey { .. }
        | ModelError::KeyUnread { .. }
        | ModelError::Forbidden { .. }
        | ModelError::UnknownModel { .. }
        | ModelError::BadRequest { .. }
        | ModelError::Unusable { .. }
        | ModelError::Unreachable { .. }
        | ModelError::NotJson { .. }
        | ModelError::Malformed { .. }
        | ModelError::UnreadCall { .. }
        | ModelError::Dropped
        | ModelError::Silent { .. }
        | ModelError::Stalled { .. }
        | ModelError::ContextTooLong
        | ModelError::Declined { .. }
        | ModelError::Agent(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(status: u16, retry_after: Option<Duration>) -> ModelError {
        ModelError::Server { status: Some(status), retry_after, message: String::new() }
    }

    fn waits(error: &ModelError, jitter: f64) -> Vec<u64> {
        (1..)
            .map_while(|attempt| retry_after(error, attempt, jitter))
            .map(|w| w.as_secs())
            .collect()
    }

    #[test]
    fn waits_double_and_end_after_five() {
        assert_eq!(waits(&ModelError::Dropped, 0.0), [1, 2, 4, 8, 16]);
        assert_eq!(waits(&server(500, None), 1.0), [1, 3, 6, 12, 24]);
    }

    #[test]
    fn what_the_provider_asks_for_is_honoured() {
        let error = ModelError::RateLimited { retry_after: Some(Duration::from_secs(7)) };
        assert_eq!(waits(&error, 0.0), [7; 5]);
        assert!(retry_after(&error, 1, 1.0) >= Some(Duration::from_secs(7)));
        let error = server(502, Some(Duration::from_secs(9)));
        assert_eq!(waits(&error, 0.0), [9; 5]);
        assert!(error.to_string().ends_with("(status 502) and asks to wait for 9 seconds"));
    }

    #[test]
    fn nobody_waits_for_a_week() {
        let week = Some(Duration::from_secs(7 * 24 * 3600));
        for error in [
            ModelError::Overloaded { retry_after: week },
            ModelError::RateLimited { retry_after: week },
        ] {
            assert_eq!((retry_after(&error, 1, 0.5), error.renewal()), (None, week));
        }
        let short = ModelError::Overloaded { retry_after: Some(Duration::from_secs(300)) };
        assert_eq!((waits(&short, 0.0).len(), short.renewal()), (5, None));
    }

    #[test]
    fn lasting_errors_are_not_retried() {
        let unreadable = ModelError::Malformed { message: String::new() };
        assert_eq!(waits(&unreadable, f64::NAN), [1, 2]);
        assert_eq!(waits(&ModelError::Silent { seconds: 300 }, 0.0), [1], "that took minutes");
        assert_eq!(waits(&ModelError::Stalled { seconds: 600 }, 0.0), [1], "that as well");
        assert_eq!(retry_after(&ModelError::ContextTooLong, 1, 0.5), None);
        assert_eq!(retry_after(&ModelError::Quota { reset: None }, 1, 0.5), None);
    }
}
