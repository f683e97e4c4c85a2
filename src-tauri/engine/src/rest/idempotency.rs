//! `Idempotency-Key`: the same POST sent twice is done once.

use super::auth::Caller;
use super::body::read;
use super::{Api, ApiError};
use crate::journal::{ANSWER_LIFE_MS, Answer};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

const HEADER: &str = "idempotency-key";
/// The longest key.
const KEY_CHARS: usize = 200;

/// Keys whose first request is still being answered.
#[derive(Default)]
pub(crate) struct BusyKeys(Mutex<HashSet<String>>);

impl BusyKeys {
    fn take(self: &Arc<Self>, key: &str) -> Option<Busy> {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.insert(key.to_owned()).then(|| Busy { keys: Arc::clone(self), key: key.to_owned() })
    }
}

struct Busy {
    keys: Arc<BusyKeys>,
    key: String,
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.keys.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

pub(super) async fn layer(
    State(api): State<Api>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let Some(key) = request.headers().get(HEADER) else { return Ok(next.run(request).await) };
    if request.method() != Method::POST {
        return Ok(next.run(request).await);
    }
    let bad = |words: &str| ApiError::new(StatusCode::BAD_REQUEST, "BAD_IDEMPOTENCY_KEY", words);
    let key = key.to_str().map_err(|_| bad("the key must be plain text"))?;
    if key.is_empty() || key.len() > KEY_CHARS {
        return Err(bad("the key must have 1 to 200 characters"));
    }
    let caller = request.extensions().get::<Caller>().map_or("", |caller| &caller.name);
    let key = format!("{caller}/{key}");

    let (parts, body) = request.into_parts();
    let body = read(body, super::BODY_BYTES).await?;
    let what = format!("{} {}\n", parts.method, parts.uri);
    let mut hash = blake3::Hasher::new();
    hash.update(what.as_bytes()).update(&body);
    let request_hash = hash.finalize().to_hex().to_string();

    let Some(busy) = api.busy_keys.take(&key) else {
        let words = "the first request with this key is still being answered";
        return Err(ApiError::new(StatusCode::CONFLICT, "IN_PROGRESS", words));
    };
    let now = api.engine.shared.clock.now().0;
    let known = api.engine.journal().recall(&key).map_err(crate::EngineError::from)?;
    if let Some(known) = known.filter(|known| now - known.at < ANSWER_LIFE_MS) {
        if known.request_hash != request_hash {
            let words = "this key was used for another request";
            let code = "IDEMPOTENCY_MISMATCH";
            return Err(ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, code, words));
        }
        return Ok(stored_answer(known.response));
    }
    let request = Request::from_parts(parts, Body::from(body));
    let tasks = api.engine.shared.tasks.clone();
    // A client that hangs up drops its request, and it will ask again: the
    // answer is found and kept in a task of its own.
    let answering = tasks.spawn(async move {
        let _busy = busy;
        let response = next.run(request).await;
        keep(&api, response, Answer { key, request_hash, response: Vec::new(), at: now }).await
    });
    answering.await.unwrap_or_else(|error| {
        let words = format!("the answer could not be found: {error}");
        Err(ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL", words))
    })
}

/// Keeps an answer, unless the request may be sent again with the same key: after a failure of
/// ours, or when the token is given the right it lacked.
async fn keep(api: &Api, response: Response, mut answer: Answer) -> Result<Response, ApiError> {
    let (parts, body) = response.into_parts();
    let body = read(body, usize::MAX).await?;
    if !parts.status.is_server_error() && parts.status != StatusCode::FORBIDDEN {
        answer.response = parts.status.as_u16().to_be_bytes().to_vec();
        answer.response.extend_from_slice(&body);
        api.engine.journal().remember(answer).await.map_err(crate::EngineError::from)?;
    }
    Ok(Response::from_parts(parts, Body::from(body)))
}

fn stored_answer(stored: Vec<u8>) -> Response {
    let (status, body) = match stored.split_first_chunk::<2>() {
        Some((status, body)) => (u16::from_be_bytes(*status), body.to_vec()),
        None => (200, Vec::new()),
    };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let json = axum::http::HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}
