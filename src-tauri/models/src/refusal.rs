//! Turns whatever went wrong into one kind of error with plain words.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use reqwest::{Response, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use tokio::time::Instant;

use crate::said::{Said, is_page};
use crate::{Endpoint, ModelError, Patience, Reach};
use crate::{plain, retry_header};

/// The soonest that a quota counts as renewed.
const SOONEST: Duration = Duration::from_secs(60);

/// As much of an error's body as is worth reading.
const LONGEST_BODY: usize = 64 * 1024;

/// The names that messages mention, and the key that none may mention.
#[derive(Debug)]
pub(crate) struct Refusals {
    provider: String,
    model: String,
    address: String,
    key: Option<SecretString>,
    patience: Patience,
}

impl Refusals {
    pub(crate) fn new(endpoint: &Endpoint, model: &str) -> Self {
        Self {
            provider: endpoint.name.clone(),
            model: model.to_owned(),
            address: endpoint.shown(),
            key: endpoint.key.clone(),
            patience: endpoint.patience,
        }
    }

    /// The request was not answered at all.
    pub(crate) fn unsent(&self, error: &reqwest::Error) -> ModelError {
        if is_gibberish(error) {
            return self.unreachable(Reach::NotPlain);
        }
        if !error.is_connect() {
            return self.cut(error);
        }
        let why = if error.is_timeout() { Reach::TooSlow } else { why_unreachable(error) };
        self.unreachable(why)
    }

    /// The connection broke after it was made.
    pub(crate) fn cut(&self, error: &reqwest::Error) -> ModelError {
        if error.is_timeout() {
            return self.silent();
        }
        ModelError::Dropped
    }

    /// Nothing was said for too long.
    pub(crate) fn silent(&self) -> ModelError {
        ModelError::Silent { seconds: self.patience.silence.as_secs() }
    }

    /// Whether an answer that says the same again and again since then is heard no longer.
    pub(crate) fn repeats_too_long(&self, since: Instant) -> bool {
        since.elapsed() >= self.patience.repetition
    }

    /// When nothing but signs of life has come for too long, if the answer last grew then.
    pub(crate) fn stalls_at(&self, grown: Instant) -> Instant {
        grown + self.patience.stall
    }

    /// Nothing but signs of life came for too long.
    pub(crate) fn stalled(&self) -> ModelError {
        ModelError::Stalled { seconds: self.patience.stall.as_secs() }
    }

    /// What is awaited, or that nothing was said for too long.
    pub(crate) async fn awaited<T>(&self, what: impl Future<Output = T>) -> Result<T, ModelError> {
        tokio::time::timeout(self.patience.silence, what).await.map_err(|_| self.silent())
    }

    /// Lets a stream of events through and explains everything else.
    pub(crate) async fn check(&self, response: Response) -> Result<Response, ModelError> {
        let status = response.status();
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.unwrap_or_default().to_ascii_lowercase();
        if status.is_success() && !kind.contains("html") && !kind.contains("application/json") {
            return Ok(response);
        }
        if status.is_redirection() {
            return Err(self.unreachable(Reach::NotThere));
        }
        let retry_after = retry_header::read(response.headers());
        let mut body = Vec::new();
        let read = self.awaited(read_some(response, &mut body)).await;
        // A status that says what is wrong needs no more words.
        if status.is_success() {
            read?;
        }
        if status == StatusCode::BAD_REQUEST && wants_security(&body) {
            return Err(self.unreachable(Reach::NotPlain));
        }
        let page = kind.contains("html") || is_page(&body);
        let said = serde_json::from_slice(&body).ok().and_then(|body| Said::in_body(&body));
        if !status.is_success() {
            let said = said.unwrap_or_default();
            return Err(self.sort(status.as_u16(), page, &said, retry_after));
        }
        Err(match said {
            Some(said) => self.sort_unnumbered(page, &said, retry_after),
            None if page => ModelError::NotJson { address: self.address.clone() },
            None => ModelError::Malformed { message: "it did not come as a stream".into() },
        })
    }

    /// The server gave up in the middle of an answer.
    pub(crate) fn in_stream(&self, error: &Value) -> ModelError {
        self.sort_unnumbered(false, &Said::in_error(error), None)
    }

    /// Sorts an error that came without a status of its own.
    fn sort_unnumbered(
        &self,
        page: bool,
        said: &Said,
        retry_after: Option<Duration>,
    ) -> ModelError {
        let mut error = self.sort(said.status(), page, said, retry_after);
        if let ModelError::Server { status, .. } = &mut error {
            *status = said.told_status();
        }
        error
    }

    fn sort(
        &self,
        status: u16,
        page: bool,
        said: &Said,
        retry_after: Option<Duration>,
    ) -> ModelError {
        let (header, retry_after) = (retry_after, retry_after.or(said.retry_after()));
        match status {
            400 | 402 | 403 | 429 if said.is_quota(retry_after) => {
                ModelError::Quota { reset: said.renewal(header).map(not_at_once) }
            }
            401 => ModelError::InvalidKey { provider: self.provider.clone() },
            402 => ModelError::Quota { reset: retry_after.map(not_at_once) },
            403 if !page && (said.is_silent() || said.is_bad_key()) => {
                ModelError::InvalidKey { provider: self.provider.clone() }
            }
            403 if !page => ModelError::Forbidden {
                provider: self.provider.clone(),
                message: said.message(status),
            },
            429 => ModelError::RateLimited { retry_after },
            400 | 422 | 500.. if !page && said.is_unread_call(status) => ModelError::UnreadCall {
                message: said.message(status),
                written: said.written().to_owned(),
            },
            413 => ModelError::ContextTooLong,
            _ if !page && said.is_too_long() => ModelError::ContextTooLong,
            408 | 503 | 529 => ModelError::Overloaded { retry_after },
            500.. => {
                let words = if said.is_silent() { String::new() } else { said.message(status) };
                ModelError::Server { status: Some(status), retry_after, message: words }
            }
            _ if page => ModelError::NotJson { address: self.address.clone() },
            _ if said.is_bad_key() => ModelError::InvalidKey { provider: self.provider.clone() },
            _ if said.is_unknown_model() => ModelError::UnknownModel {
                provider: self.provider.clone(),
                model: self.model.clone(),
            },
            404 | 405 => self.unreachable(Reach::NotThere),
            _ => ModelError::BadRequest { message: said.message(status) },
        }
    }

    fn unreachable(&self, why: Reach) -> ModelError {
        ModelError::Unreachable { why, address: self.address.clone() }
    }

    /// The error with words of others made fit to be shown: on one short line, and without the key,
    /// which some servers repeat. That is looked for in what is seen, and before anything is cut.
    pub(crate) fn plainly(&self, mut error: ModelError) -> ModelError {
        if let ModelError::UnreadCall { written, .. } = &mut error {
            *written = self.without_key(std::mem::take(written));
        }
        match &mut error {
            ModelError::UnreadCall { message: words, .. }
            | ModelError::Server { message: words, .. }
            | ModelError::Forbidden { message: words, .. }
            | ModelError::BadRequest { message: words }
            | ModelError::Malformed { message: words }
            | ModelError::Declined { reason: words } => {
                *words = plain::short(self.without_key(plain::one_line(words)));
            }
            ModelError::RateLimited { .. }
            | ModelError::Overloaded { .. }
            | ModelError::Quota { .. }
            | ModelError::InvalidKey { .. }
            | ModelError::KeyUnread { .. }
            | ModelError::UnknownModel { .. }
            | ModelError::Unusable { .. }
            | ModelError::Unreachable { .. }
            | ModelError::NotJson { .. }
            | ModelError::Dropped
            | ModelError::Silent { .. }
            | ModelError::Stalled { .. }
            | ModelError::ContextTooLong
            | ModelError::Agent(_) => {}
        }
        error
    }

    fn without_key(&self, message: String) -> String {
        match &self.key {
            Some(key) if !key.expose_secret().trim().is_empty() => {
                message.replace(key.expose_secret().trim(), "…")
            }
            Some(_) | None => message,
        }
    }
}

/// A quota that was used up is not asked for every second, whatever a server says.
fn not_at_once(reset: Duration) -> Duration {
    reset.max(SOONEST)
}

fn why_unreachable(error: &reqwest::Error) -> Reach {
    let mut cause: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(tls) = error.downcast_ref::<rustls::Error>() {
            // Not even the first bytes were those of a secure connection.
            let plain = matches!(tls, rustls::Error::InvalidMessage(_));
            return if plain { Reach::NotSecure } else { Reach::Tls };
        }
        // The resolver's error has no public type; this is its fixed text.
        if error.to_string() == "dns error" {
            return Reach::NoHost;
        }
        let io = error.downcast_ref::<io::Error>();
        if io.is_some_and(|io| io.kind() == io::ErrorKind::ConnectionRefused) {
            return Reach::Refused;
        }
        // An io error leaves what it wraps out of its sources.
        cause = match io.and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        };
    }
    Reach::Network
}

/// Whether what came back is not in the words of HTTP.
fn is_gibberish(error: &reqwest::Error) -> bool {
    let mut cause: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(error) = cause {
        if error.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_parse) {
            return true;
        }
        cause = error.source();
    }
    false
}

/// Whether a server says that it was spoken to without encryption.
fn wants_security(body: &[u8]) -> bool {
    let words = String::from_utf8_lossy(body).to_ascii_lowercase();
    let said = [
        "http request to an https server",
        "plain http request was sent to https port",
        "speaking plain http to an ssl-enabled server",
    ];
    said.iter().any(|said| words.contains(said))
}

async fn read_some(mut response: Response, body: &mut Vec<u8>) {
    while let Ok(Some(bytes)) = response.chunk().await {
        body.extend_from_slice(&bytes);
        if body.len() >= LONGEST_BODY {
            break;
        }
    }
}
