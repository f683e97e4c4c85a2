//! Whether a model can be used, and what it can do.

use super::auth::{Caller, Right};
use super::body::MaybeJson;
use super::{Api, ApiError};
use crate::doctor::Tested;
use crate::profiles::{CheckedModel, ModelProfile};
use axum::extract::State;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};

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
) -> Result<Json<Tested>, ApiError> {
    caller.may(Right::Supervise)?;
    Ok(Json(api.engine.test_model(body.model.as_deref()).await?))
}

/// What is known of models.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ModelProfiles {
    /// Every model that an agent uses, in the order of the agents.
    pub(crate) items: Vec<ModelProfile>,
}

/// What the agents' models can do, as far as is known. Nothing is asked.
#[utoipa::path(get, path = "/v1/models/profiles", operation_id = "list_model_profiles",
    responses((status = 200, body = ModelProfiles)))]
pub(crate) async fn profiles(State(api): State<Api>) -> Json<ModelProfiles> {
    Json(ModelProfiles { items: api.engine.model_profiles() })
}

/// Check what a model can do, by a few short requests to it, and keep that. It takes up to some
/// minutes where the model is slow.
#[utoipa::path(post, path = "/v1/models/profile", operation_id = "check_model",
    request_body = Option<TestBody>,
    responses((status = 200, body = CheckedModel), (status = 422, body = super::error::ErrorBody)))]
pub(crate) async fn check(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    MaybeJson(body): MaybeJson<TestBody>,
) -> Result<Json<CheckedModel>, ApiError> {
    caller.may(Right::Supervise)?;
    Ok(Json(api.engine.check_profile(body.model.as_deref()).await?))
}
