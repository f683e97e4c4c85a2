//! How long a server asks to wait.

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};

/// A wait longer than this is a quota being renewed, not a request to slow down.
pub(crate) const LONG_WAIT: Duration = Duration::from_secs(300);

/// Nobody's quota is renewed later than this: such a wait is a mistake.
const LONGEST_WAIT: Duration = Duration::from_secs(366 * 24 * 3600);

/// A wait that can be meant. None at all, and one that nobody lives to see, say nothing.
pub(crate) fn sensible(wait: Duration) -> Option<Duration> {
    (!wait.is_zero() && wait <= LONGEST_WAIT).then_some(wait)
}

/// Reads `retry-after-ms`, else `Retry-After` in seconds or as a date. What makes no sense is
/// left out, as if nothing had been asked for.
pub(crate) fn read(headers: &HeaderMap) -> Option<Duration> {
    asked(headers).and_then(sensible)
}

fn asked(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let milliseconds = text("retry-after-ms").and_then(|text| text.parse::<f64>().ok());
    let precise = milliseconds.and_then(|ms| Duration::try_from_secs_f64(ms / 1000.0).ok());
    if let Some(wait) = precise.and_then(sensible) {
        return Some(wait);
    }
    let value = text(RETRY_AFTER.as_str())?;
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(value).ok()?;
    date.duration_since(SystemTime::now()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &'static str, value: &str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        read(&headers)
    }

    #[test]
    fn seconds_milliseconds_and_dates_are_read() {
        assert_eq!(header("retry-after", "3"), Some(Duration::from_secs(3)));
        assert_eq!(header("retry-after", "1.5"), Some(Duration::from_millis(1500)));
        assert_eq!(header("retry-after-ms", "250"), Some(Duration::from_millis(250)));
        let later = SystemTime::now() + Duration::from_secs(3600);
        let wait = header("retry-after", &httpdate::fmt_http_date(later)).unwrap();
        assert!(wait > Duration::from_secs(3500) && wait <= Duration::from_secs(3600));
        let days = Duration::from_secs(40 * 24 * 3600);
        let wait = header("retry-after", &httpdate::fmt_http_date(SystemTime::now() + days));
        assert!(wait.is_some_and(|wait| wait > days / 2 && wait <= days), "{wait:?}");
    }

    #[test]
    fn what_makes_no_sense_is_left_out() {
        for nonsense in [
            "soon",
            "",
            "-1",
            "-5.5",
            "0",
            "NaN",
            "inf",
            "1e300",
            "99999999999999999999",
            "1000000000000",
            "1000000000000000",
            "40000000",
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Fri, 31 Dec 9999 23:59:59 GMT",
        ] {
            assert_eq!(header("retry-after", nonsense), None, "{nonsense}");
            assert_eq!(
                header("retry-after-ms", nonsense).map(|_| ()),
                match nonsense {
                    "40000000" => Some(()),
                    _ => None,
                }
            );
        }
        let mut both = HeaderMap::new();
        both.insert("retry-after-ms", "-3".parse().unwrap());
        both.insert("retry-after", "3".parse().unwrap());
        assert_eq!(read(&both), Some(Duration::from_secs(3)));
        assert_eq!(header("retry-after", "604800"), Some(Duration::from_secs(604_800)));
        let past = httpdate::fmt_http_date(SystemTime::now() - Duration::from_secs(60));
        assert_eq!(header("retry-after", &past), None, "a minute ago");
    }
}
