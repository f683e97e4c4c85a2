//! Goals: handed in, and carried out in a room of their own.

use super::auth::{Caller, Right};
use super::body::Json;
use super::{Api, ApiError, rooms};
use crate::goals::NewGoal;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use plan::{PlanId, PlanMode, RoomId};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A goal.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GoalBody {
    /// What is to be reached.
    pub(crate) goal: String,
    /// What it is about.
    #[serde(default)]
    pub(crate) context: GoalContext,
    /// What is asked for it beyond the configuration.
    #[serde(default)]
    pub(crate) options: GoalOptions,
}

/// What a goal is about.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct GoalContext {
    /// The folder; a new sample folder in your home when absent.
    #[schema(value_type = Option<String>)]
    pub(crate) repo_path: Option<PathBuf>,
}

/// What is asked for one goal.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct GoalOptions {
    /// How many of its nodes may run at once.
    pub(crate) parallelism: Option<u32>,
    /// Milliseconds it may take.
    pub(crate) timeout_ms: Option<u64>,
}

/// A goal that was taken.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GoalTaken {
    pub(crate) plan_id: PlanId,
    pub(crate) room_id: RoomId,
    /// Always running.
    pub(crate) status: &'static str,
    /// 0 until it was split.
    pub(crate) node_count: usize,
    pub(crate) created_at: String,
}

/// Hand in a goal. It is split into nodes, carried out and brought together in a room of its own.
#[utoipa::path(post, path = "/agents/plan", operation_id = "set_goal", request_body = GoalBody,
    responses((status = 202, body = GoalTaken), (status = 403, body = super::error::ErrorBody),
              (status = 409, body = super::error::ErrorBody), (status = 422, body = super::error::ErrorBody)))]
pub(crate) async fn create(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Json(body): Json<GoalBody>,
) -> Result<(StatusCode, axum::Json<GoalTaken>), ApiError> {
    let actor = caller.may(Right::Run)?;
    plan::check_goal(&body.goal).map_err(crate::EngineError::from)?;
    let (folder, opener) = rooms::folder_of(body.context.repo_path, &caller)?;
    let GoalOptions { parallelism, timeout_ms } = body.options;
    let mode = PlanMode::Off;
    let new = NewGoal { goal: body.goal, folder, opener, parallelism, timeout_ms, mode };
    let set = api.engine.set_goal(actor, new).await?;
    let taken = GoalTaken {
        plan_id: set.plan,
        room_id: set.room,
        status: "running",
        node_count: 0,
        created_at: super::graph::moment(set.at),
    };
    Ok((StatusCode::ACCEPTED, axum::Json(taken)))
}
