//! `Idempotency-Key`: the same POST sent twice is done once.

use super::auth::Caller;
use super::{Api, ApiError};
use crate::journal::{ANSWER_LIFE_MS, Answer};
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

const HEADER: &str = "idempotency-key";
/// The longest key.
const KEY_CHARS: usize = 200;

/// Keys whose first request is still being answered.
#[derive(Default)]
pub(crate) struct BusyKeys(Mutex<HashSet<String>>);

impl BusyKeys {
    fn take(&self, key: &str) -> Option<Busy<'_>> {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.insert(key.to_owned()).then(|| Busy { keys: self, key: key.to_owned() })
    }
}

struct Busy<'a> {
    keys: &'a BusyKeys,
    key: String,
}

impl Drop for Busy<'_> {
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

    let Some(_busy) = api.busy_keys.take(&key) else {
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
    let response = next.run(Request::from_parts(parts, Body::from(body))).await;
    let (parts, body) = response.into_parts();
    let body = read(body, usize::MAX).await?;
    // A failure of ours may be tried again with the same key.
    if !parts.status.is_server_error() {
        let mut stored = parts.status.as_u16().to_be_bytes().to_vec();
        stored.extend_from_slice(&body);
        let answer = Answer { key, request_hash, response: stored, at: now };
        api.engine.journal().remember(answer).await.map_err(crate::EngineError::from)?;
    }
    Ok(Response::from_parts(parts, Body::from(body)))
}

async fn read(body: Body, most: usize) -> Result<Bytes, ApiError> {
    to_bytes(body, most).await.map_err(|_| {
        ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "BODY_TOO_LARGE", "the body is too large")
    })
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
