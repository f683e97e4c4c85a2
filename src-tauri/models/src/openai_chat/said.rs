//! What a server says about its error, in the several forms servers use.

use std::time::Duration;

use serde_json::Value;

use crate::retry_header::LONG_WAIT;

/// The words of an error.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// Code and type, in lower case.
    labels: String,
    message: String,
    status: Option<u16>,
}

impl Said {
    /// Reads a whole error body: `{"error": …}`, a list with one, `{"message"}` or `{"detail"}`.
    pub(super) fn in_body(body: &Value) -> Option<Self> {
        let body = body.get(0).unwrap_or(body);
        if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
            return Some(Self::in_error(error));
        }
        ["message", "detail"].iter().find_map(|field| body.get(field)).map(Self::in_error)
    }

    /// Reads the error itself: words, or an object with code, type and message.
    pub(super) fn in_error(error: &Value) -> Self {
        if let Some(text) = error.as_str() {
            return Self { message: text.to_owned(), ..Self::default() };
        }
        let text = |field: &str| error.get(field).and_then(Value::as_str).unwrap_or_default();
        let code = error.get("code").and_then(Value::as_u64);
        Self {
            labels: format!("{} {}", text("code"), text("type")).to_ascii_lowercase(),
            message: text("message").to_owned(),
            status: code.and_then(|code| u16::try_from(code).ok()).filter(|c| *c >= 400),
        }
    }

    /// The status this error would have had, had it come before the answer began.
    pub(super) fn status(&self) -> u16 {
        let has = |word: &str| self.labels.contains(word);
        match self.status {
            Some(status) => status,
            None if has("quota") || has("rate_limit") => 429,
            None if has("overloaded") => 503,
            None if has("invalid_request") || self.is_too_long() || self.is_unknown_model() => 400,
            None if has("authentication") || has("invalid_api_key") => 401,
            None => 500,
        }
    }

    /// Whether a 429 means that nothing is left, rather than "not so fast".
    pub(super) fn is_quota(&self, retry_after: Option<Duration>) -> bool {
        if self.labels.contains("insufficient_quota") || self.labels.contains("billing") {
            return true;
        }
        match retry_after {
            // Nobody waits this long inside a turn: it is a quota that is renewed.
            Some(wait) => wait > LONG_WAIT,
            None => self.says("exceeded your current quota"),
        }
    }

    /// Whether the conversation did not fit.
    pub(super) fn is_too_long(&self) -> bool {
        self.labels.contains("context_length")
            || self.labels.contains("context_size")
            || self.says("context length")
            || self.says("context window")
            || self.says("context size")
            || self.says("prompt is too long")
    }

    /// Whether there is no such model.
    pub(super) fn is_unknown_model(&self) -> bool {
        self.labels.contains("model_not_found")
            || self.says("not a valid model")
            || (self.says("model")
                && (self.says("not found")
                    || self.says("does not exist")
                    || self.says("not exist")
                    || self.says("unknown model")))
    }

    /// The server's words, short enough for one line.
    pub(super) fn message(&self, status: u16) -> String {
        let words = self.message.split_whitespace().collect::<Vec<_>>().join(" ");
        if words.is_empty() {
            return format!("it gives no reason (status {status})");
        }
        words.chars().take(300).collect()
    }

    fn says(&self, words: &str) -> bool {
        self.message.to_ascii_lowercase().contains(words)
    }
}

/// Whether a body is a web page, whatever it calls itself.
pub(super) fn is_page(body: &[u8]) -> bool {
    body.trim_ascii_start().starts_with(b"<")
}
