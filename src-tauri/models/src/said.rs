//! What a server says about its error, in the several forms servers use.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::plain::one_line;
use crate::retry_header::{LONG_WAIT, sensible};

/// The words of an error.
#[derive(Debug, Default)]
pub(crate) struct Said {
    /// Code, type, status and reasons, in lower case.
    labels: String,
    message: String,
    status: Option<u16>,
    /// How long the body, rather than a header, asks to wait.
    retry_after: Option<Duration>,
    /// The limits that were hit, in lower case, where they are named.
    limits: String,
    /// A call that the model made and the server could not read.
    written: String,
}

impl Said {
    /// Reads a whole error body: `{"error": …}`, a list with one, `{"message"}` or `{"detail"}`.
    pub(crate) fn in_body(body: &Value) -> Option<Self> {
        let body = body.get(0).unwrap_or(body);
        if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
            return Some(Self::in_error(error));
        }
        let mut fields = ["message", "detail"].iter().filter_map(|field| body.get(field));
        fields.find(|said| !said.is_null()).map(Self::in_error)
    }

    /// Reads the error itself: words, or an object with code, type and message.
    pub(crate) fn in_error(error: &Value) -> Self {
        if let Some(text) = error.as_str() {
            return Self { message: text.to_owned(), ..Self::default() };
        }
        let text = |field: &str| error.get(field).and_then(Value::as_str).unwrap_or_default();
        let code = error.get("code").and_then(Value::as_u64);
        let details: &[Value] =
            error.get("details").and_then(Value::as_array).map_or(&[], Vec::as_slice);
        let mut labels = format!("{} {} {}", text("code"), text("type"), text("status"));
        for reason in details.iter().filter_map(|detail| detail.get("reason")?.as_str()) {
            labels.push(' ');
            labels.push_str(reason);
        }
        Self {
            labels: labels.to_ascii_lowercase(),
            message: faults(error.get("message").unwrap_or(error)),
            status: code.and_then(|code| u16::try_from(code).ok()).filter(|c| *c >= 400),
            retry_after: details.iter().find_map(|detail| seconds(detail.get("retryDelay")?)),
            limits: details.iter().map(limits).collect::<String>().to_ascii_lowercase(),
            written: text("failed_generation").to_owned(),
        }
    }

    /// The status this error would have had, had it come before the answer began.
    pub(crate) fn status(&self) -> u16 {
        let has = |word: &str| self.labels.contains(word);
        match self.status {
            Some(status) => status,
            None if has("quota") || has("rate_limit") || has("resource_exhausted") => 429,
            None if has("overloaded") || has("unavailable") => 503,
            None if has("authentication") || has("invalid_api_key") => 401,
            None if has("billing") => 402,
            None if has("permission") => 403,
            None if has("not_found") => 404,
            None if has("too_large") => 413,
            None if has("timeout") => 504,
            None if has("invalid_request") || has("invalid_prompt") => 400,
            None if self.is_too_long() || self.is_unknown_model() => 400,
            None => 500,
        }
    }

    /// The status that the body itself names.
    pub(crate) fn told_status(&self) -> Option<u16> {
        self.status
    }

    /// Whether there are no words in it.
    pub(crate) fn is_silent(&self) -> bool {
        one_line(&self.message).is_empty()
    }

    /// How long the body asks to wait.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Whether nothing is left, rather than "not so fast".
    pub(crate) fn is_quota(&self, retry_after: Option<Duration>) -> bool {
        let empty = self.labels.contains("insufficient_quota")
            || self.labels.contains("billing")
            || self.says("credit balance")
            || self.says("available credits")
            || self.says("any credits")
            || self.says("spending limit")
            || self.says("api usage limits");
        if empty || self.limits.contains("perday") || self.is_without_allowance() {
            return true;
        }
        match retry_after {
            // Nobody waits this long inside a turn: it is a quota that is renewed, where it is
            // called so.
            Some(wait) => {
                let quota = ["quota", "usage limit"].iter().any(|word| self.says(word));
                wait > LONG_WAIT && (quota || self.labels.contains("quota"))
            }
            None => self.says("exceeded your current quota"),
        }
    }

    /// When a quota is renewed, if the words, the kind of limit or a header tell. A short wait in
    /// the body is none: it comes with every limit, also with those that never end.
    pub(crate) fn renewal(&self, header: Option<Duration>) -> Option<Duration> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        if self.is_without_allowance() {
            return None;
        }
        if let Some(date) = self.message.split("regain access on ").nth(1) {
            // A day that has begun says nothing.
            return start_of_day(date.get(..10)?)?.checked_sub(now);
        }
        // Google's days end at midnight in California: at 8 o'clock UTC, or an hour before.
        if self.limits.contains("perday") {
            let day = 24 * 3600;
            let since = (now.as_secs() + day - 8 * 3600) % day;
            return Some(Duration::from_secs(day - since));
        }
        header.or(self.retry_after.filter(|wait| *wait > LONG_WAIT))
    }

    /// Whether the plan of the account has none of this at all.
    fn is_without_allowance(&self) -> bool {
        self.says("limit: 0,") || self.message.trim_end().ends_with("limit: 0")
    }

    /// Whether the conversation did not fit.
    pub(crate) fn is_too_long(&self) -> bool {
        self.labels.contains("context_length")
            || self.labels.contains("context_size")
            || self.says("context length")
            || self.says("context window")
            || self.says("context size")
            || self.says("context limit")
            || self.says("context shift is disabled")
            || self.says("prompt is too long")
            || self.says("input token count")
            || self.says("maximum prompt length")
    }

    /// Whether there is no such model.
    pub(crate) fn is_unknown_model(&self) -> bool {
        self.labels.contains("model_not_found")
            || self.says("not a valid model")
            || (self.labels.contains("not_found") && self.says("model:"))
            || (self.says("model")
                && (self.says("not found")
                    || self.says("does not exist")
                    || self.says("not exist")
                    || self.says("unknown model")))
    }

    /// Whether the key is refused, by servers that call this a bad request.
    pub(crate) fn is_bad_key(&self) -> bool {
        self.labels.contains("api_key_invalid")
            || self.labels.contains("invalid_api_key")
            || self.says("unregistered callers")
            || (self.says("api key")
                && (self.says("incorrect") || self.says("invalid") || self.says("not valid")))
    }

    /// Whether the server could not read a call that the model made. Servers that call this a bad
    /// request have a name for it; others fail in words that speak of parsing.
    pub(crate) fn is_unread_call(&self, status: u16) -> bool {
        if self.labels.contains("tool_use_failed") || self.says("failed_generation") {
            return true;
        }
        let parses = ["parse", "parsing"].iter().any(|word| self.says(word));
        let of = ["tool call", "tool_call", "function call", "failed to parse input"];
        status >= 500 && parses && of.iter().any(|what| self.says(what))
    }

    /// What the model wrote, where the server tells it.
    pub(crate) fn written(&self) -> &str {
        &self.written
    }

    /// The server's words.
    pub(crate) fn message(&self, status: u16) -> String {
        match self.is_silent() {
            true => format!("it gives no reason (status {status})"),
            false => self.message.clone(),
        }
    }

    fn says(&self, words: &str) -> bool {
        self.message.to_ascii_lowercase().contains(words)
    }
}

/// An error's words, or the faults in a request as FastAPI lists them: where, and what.
fn faults(said: &Value) -> String {
    let said = said.get("detail").unwrap_or(said);
    let all = said.as_array().map_or(std::slice::from_ref(said), Vec::as_slice);
    all.iter().filter_map(fault).collect::<Vec<_>>().join("; ")
}

fn fault(fault: &Value) -> Option<String> {
    let what = fault.as_str().or_else(|| fault.get("msg")?.as_str())?;
    let steps = fault.get("loc").and_then(Value::as_array).into_iter().flatten();
    let step = |step: &Value| step.as_str().map_or_else(|| step.to_string(), str::to_owned);
    // That it is in the body goes without saying.
    let place: Vec<String> = steps.map(step).skip_while(|step| step == "body").collect();
    Some(if place.is_empty() { what.to_owned() } else { format!("{}: {what}", place.join(".")) })
}

/// Whether a body is a web page, whatever it calls itself.
pub(crate) fn is_page(body: &[u8]) -> bool {
    body.trim_ascii_start().starts_with(b"<")
}

/// A duration as Google writes it: `37s` or `0.5s`.
fn seconds(value: &Value) -> Option<Duration> {
    let number: f64 = value.as_str()?.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(number).ok().and_then(sensible)
}

/// The names of the limits in one detail of an error.
fn limits(detail: &Value) -> String {
    let violations = detail.get("violations").and_then(Value::as_array);
    let names = violations.into_iter().flatten().filter_map(|one| one.get("quotaId")?.as_str());
    names.map(|name| format!("{name} ")).collect()
}

/// The time since 1970 at which a day such as `2026-12-01` begins.
fn start_of_day(date: &str) -> Option<Duration> {
    let mut parts = date.split('-').map(|part| part.parse::<u64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years that begin in March have their odd day at the end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    Some(Duration::from_secs((days - 719_468) * 24 * 3600))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn days_are_counted_right() {
        let days = |date| start_of_day(date).map(|time| time.as_secs() / (24 * 3600));
        assert_eq!(days("1970-01-01"), Some(0));
        assert_eq!(days("2000-03-01"), Some(11_017));
        assert_eq!(days("2026-12-01"), Some(20_788));
        assert_eq!((days("2026-13-01"), days("soon")), (None, None));
    }

    #[test]
    fn a_limit_per_day_ends_within_a_day_and_one_per_minute_is_no_quota() {
        let said = |id: &str| {
            Said::in_error(&json!({
                "code": 429, "status": "RESOURCE_EXHAUSTED",
                "message": "You exceeded your current quota",
                "details": [
                    { "violations": [{ "quotaId": id }] },
                    { "retryDelay": "37.5s" },
                ],
            }))
        };
        let wait = Some(Duration::from_millis(37_500));
        let minute = said("GenerateRequestsPerMinutePerProjectPerModel-FreeTier");
        assert_eq!((minute.retry_after(), minute.is_quota(wait)), (wait, false));
        let day = said("GenerateRequestsPerDayPerProjectPerModel-FreeTier");
        assert!(day.is_quota(wait));
        let renewal = day.renewal(None).unwrap();
        assert_eq!(minute.renewal(None), None);
        assert!(renewal > Duration::ZERO && renewal <= Duration::from_secs(24 * 3600));
    }

    #[test]
    fn a_call_that_a_server_could_not_read_is_told_from_its_other_troubles() {
        let is_one = |status, error| Said::in_error(&error).is_unread_call(status);
        for (status, error) in [
            (
                500,
                json!({ "code": 500, "message": "Failed to parse input at pos 31: <tool_call>" }),
            ),
            (
                500,
                json!({ "message": "error parsing tool call: raw='{\"path\": \"x', err=unexpected end" }),
            ),
            (
                400,
                json!({ "code": "tool_use_failed", "message": "Failed to call a function.",
                "failed_generation": "<function=write_file>{}</function>" }),
            ),
        ] {
            assert!(is_one(status, error.clone()), "{error}");
        }
        for (status, error) in [
            (500, json!({ "message": "internal error" })),
            (500, json!({ "message": "cannot parse the model's file" })),
            (400, json!({ "message": "could not parse the tool call arguments of message 3" })),
        ] {
            assert!(!is_one(status, error.clone()), "{error}");
        }
    }

    #[test]
    fn faults_in_a_request_are_told_with_their_place() {
        let one = json!({ "type": "missing", "loc": ["body", "messages", 0, "role"], "msg": "Field required" });
        let two = json!({ "loc": ["body"], "msg": "Not JSON" });
        let told = "messages.0.role: Field required; Not JSON";
        for (body, message) in [
            (json!({ "detail": [one, two] }), told),
            (json!({ "message": { "detail": [one, two] }, "code": null }), told),
            (json!({ "error": { "message": [one, two] } }), told),
            (json!({ "message": null, "detail": one }), "messages.0.role: Field required"),
            (json!({ "message": { "detail": "Not so" } }), "Not so"),
            (json!({ "detail": "Not so" }), "Not so"),
            (json!({ "detail": { "message": "Not so" } }), "Not so"),
            (json!({ "detail": [{ "loc": 4 }, 7] }), "it gives no reason (status 422)"),
        ] {
            assert_eq!(Said::in_body(&body).unwrap().message(422), message, "{body}");
        }
    }
}
