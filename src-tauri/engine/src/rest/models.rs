//! Whether a model can be used.

use super::auth::{Caller, Right};
use super::body::MaybeJson;
use super::{Api, ApiError};
use crate::doctor::Tested;
use axum::Extension;
use axum::extract::State;
use serde::Deserialize;

/// Which model to try.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TestBody {
    /// A model as configurations name it; without one, the one that answers in a new room.
    pub(crate) model: Option<String>,
}

/// Ask a model for one word, and say in words what is wrong if it does not answer.
#[utoipa::path(post, path = "/v1/models/test", operation_id = "test_model",
    request_body = Option<TestBody>,
    responses((status = 200, body = Tested), (status = 422, body = super::error::ErrorBody)))]
pub(crate) async fn test(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    MaybeJson(body): MaybeJson<TestBody>,
) -> Result<axum::Json<Tested>, ApiError> {
    caller.may(Right::Supervise)?;
    Ok(axum::Json(api.engine.test_model(body.model.as_deref()).await?))
}
