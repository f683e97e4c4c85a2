//! How long a server asks to wait.

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};

/// A wait longer than this is a quota being renewed, not a request to slow down.
pub(crate) const LONG_WAIT: Duration = Duration::from_secs(300);

/// Reads `retry-after-ms`, else `Retry-After` in seconds or as a date.
pub(crate) fn read(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(milliseconds) = text("retry-after-ms").and_then(|text| text.parse::<f64>().ok()) {
        return Duration::try_from_secs_f64(milliseconds / 1000.0).ok();
    }
    let value = text(RETRY_AFTER.as_str())?;
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(value).ok()?;
    // A date that has passed means: now.
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
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
        assert_eq!(header("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::ZERO));
        assert_eq!(header("retry-after", "soon"), None);
        assert_eq!(header("retry-after", "-1"), None);
        let later = SystemTime::now() + Duration::from_secs(3600);
        let wait = header("retry-after", &httpdate::fmt_http_date(later)).unwrap();
        assert!(wait > Duration::from_secs(3500) && wait <= Duration::from_secs(3600));
    }
}
