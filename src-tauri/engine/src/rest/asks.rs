//! The inbox: every open question of every room.

use super::auth::{Caller, Right};
use super::body::{Json, Path};
use super::page::Page;
use super::{Api, ApiError};
use crate::error::EngineError;
use axum::Extension;
use axum::extract::State;
use plan::{AskId, AskKind, AskView, Command, Hash, Refusal, RoomId, RoomView};
use serde::Deserialize;
use uuid::Uuid;

/// Every open question, newest first.
#[utoipa::path(get, path = "/v1/asks", operation_id = "list_asks", responses((status = 200, body = Page<AskView>)))]
pub(crate) async fn list(State(api): State<Api>) -> Result<axum::Json<Page<AskView>>, ApiError> {
    let items = api.engine.open_asks()?;
    Ok(axum::Json(Page { items, next: None }))
}

/// An answer.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AskAnswer {
    /// One of the question's `answers`, or words where it takes any.
    pub(crate) answer: String,
    /// Why.
    pub(crate) note: Option<String>,
    /// For an approval: the revision that was shown.
    pub(crate) revision: Option<u32>,
    /// For an approval: the hash of what was shown.
    pub(crate) hash: Option<Hash>,
}

/// Answer a question.
#[utoipa::path(post, path = "/v1/asks/{ask}/answer", params(("ask" = Uuid, Path)),
    request_body = AskAnswer,
    responses((status = 200, body = RoomView), (status = 403, body = super::error::ErrorBody),
              (status = 404, body = super::error::ErrorBody), (status = 409, body = super::error::ErrorBody),
              (status = 422, body = super::error::ErrorBody)))]
pub(crate) async fn answer(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path(ask): Path<Uuid>,
    Json(body): Json<AskAnswer>,
) -> Result<axum::Json<RoomView>, ApiError> {
    let row = api.engine.journal().ask(ask).map_err(EngineError::from)?;
    let Some(row) = row else { return Err(EngineError::from(Refusal::NoSuchAsk).into()) };
    let room = RoomId(row.room);
    let kind = api.engine.with_room(room, |room| room.asks.get(&AskId(ask)).map(|ask| ask.kind))?;
    // Widening what the agent may do is a matter of approval; the rest is supervision.
    let right = match kind {
        Some(AskKind::Approval | AskKind::Drift | AskKind::Permission) => Right::Approve,
        Some(AskKind::Question | AskKind::Conflict | AskKind::Outcome | AskKind::Elicitation)
        | None => Right::Supervise,
    };
    let actor = caller.may(right)?;
    let command = Command::Answer {
        ask: AskId(ask),
        answer: body.answer,
        note: body.note,
        revision: body.revision,
        hash: body.hash,
    };
    api.engine.submit(room, actor, command)?.stored().await?;
    Ok(axum::Json(api.engine.stored_view(room).await?))
}
