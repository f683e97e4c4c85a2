//! Reading what a request says, with our errors instead of the framework's.

use super::{ApiError, BODY_BYTES, field_error};
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::path::ErrorKind;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use serde::de::DeserializeOwned;

/// A JSON body.
pub(crate) struct Json<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        if !calls_itself_json(&parts.headers) {
            let words = "the body must be JSON, with the header `content-type: application/json`";
            return Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "NOT_JSON", words));
        }
        let body = read(body, BODY_BYTES).await?;
        if body.is_empty() {
            let words = "the body is empty; it must be JSON";
            return Err(ApiError::new(StatusCode::BAD_REQUEST, "BAD_JSON", words));
        }
        let mut json = serde_json::Deserializer::from_slice(&body);
        let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
            let path = error.path().to_string();
            json_error(&path, error.inner())
        })?;
        json.end().map_err(|error| json_error(".", &error))?;
        Ok(Self(value))
    }
}

fn calls_itself_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"))
}

/// A JSON body that may be left out.
pub(crate) struct MaybeJson<T>(pub(crate) T);

impl<S: Send + Sync, T: Default + DeserializeOwned> FromRequest<S> for MaybeJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        let body = read(body, BODY_BYTES).await?;
        if body.is_empty() {
            return Ok(Self(T::default()));
        }
        let request = Request::from_parts(parts, Body::from(body));
        let Json(value) = Json::<Option<T>>::from_request(request, state).await?;
        Ok(Self(value.unwrap_or_default()))
    }
}

/// All bytes of a body, if they are not too many.
pub(super) async fn read(body: Body, most: usize) -> Result<Bytes, ApiError> {
    to_bytes(body, most).await.map_err(|_| {
        ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "BODY_TOO_LARGE", "the body is too large")
    })
}

fn json_error(path: &str, error: &serde_json::Error) -> ApiError {
    if error.is_data() {
        let words = field_error::in_body(path, &error.to_string());
        return ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "BAD_BODY", words);
    }
    let (line, column) = (error.line(), error.column());
    let words = format!("the body is no JSON: it can't be read from line {line}, column {column}");
    ApiError::new(StatusCode::BAD_REQUEST, "BAD_JSON", words)
}

/// Parts of the path.
pub(crate) struct Path<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match axum::extract::Path::<T>::from_request_parts(parts, state).await {
            Ok(axum::extract::Path(value)) => Ok(Self(value)),
            Err(rejection) => Err(path_error(&rejection)),
        }
    }
}

fn path_error(rejection: &PathRejection) -> ApiError {
    let mut words = "there is nothing at this address".to_owned();
    if let PathRejection::FailedToDeserializePathParams(error) = rejection
        && let ErrorKind::ParseErrorAtKey { value, .. }
        | ErrorKind::ParseErrorAtIndex { value, .. }
        | ErrorKind::DeserializeError { value, .. }
        | ErrorKind::ParseError { value, .. } = error.kind()
    {
        words = format!("`{value}` is not an id");
    }
    ApiError::new(StatusCode::NOT_FOUND, "BAD_ID", words)
}

/// What stands behind the question mark.
pub(crate) struct Query<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match axum::extract::Query::<T>::from_request_parts(parts, state).await {
            Ok(axum::extract::Query(value)) => Ok(Self(value)),
            Err(rejection) => Err(query_error(&rejection)),
        }
    }
}

fn query_error(rejection: &QueryRejection) -> ApiError {
    let words = field_error::in_query(&rejection.body_text());
    ApiError::new(StatusCode::BAD_REQUEST, "BAD_QUERY", words)
}
