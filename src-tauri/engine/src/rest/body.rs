//! Reading what a request says, with our errors instead of the framework's.

use super::{ApiError, BODY_BYTES};
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

/// A JSON body.
pub(crate) struct Json<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        match axum::Json::<T>::from_request(request, state).await {
            Ok(axum::Json(value)) => Ok(Self(value)),
            Err(rejection) => Err(json_error(&rejection)),
        }
    }
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

fn json_error(rejection: &JsonRejection) -> ApiError {
    let code = match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => "BODY_TOO_LARGE",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "NOT_JSON",
        StatusCode::UNPROCESSABLE_ENTITY => "BAD_BODY",
        _ => "BAD_JSON",
    };
    ApiError::new(rejection.status(), code, rejection.body_text())
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
    ApiError::new(StatusCode::NOT_FOUND, "BAD_ID", rejection.body_text())
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
    ApiError::new(StatusCode::BAD_REQUEST, "BAD_QUERY", rejection.body_text())
}
