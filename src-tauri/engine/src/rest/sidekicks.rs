//! The sidekicks of a room.

use super::auth::{Caller, Right};
use super::body::{Json, Path};
use super::page::Page;
use super::rooms::{NewMessage, Taken, say_in};
use super::{Api, ApiError};
use crate::sidekicks::NewSidekick;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use plan::{RoomId, SidekickView};
use uuid::Uuid;

/// All sidekicks of a room, newest first.
#[utoipa::path(get, path = "/v1/rooms/{room}/sidekicks", operation_id = "list_sidekicks",
    params(("room" = Uuid, Path)), responses((status = 200, body = Page<SidekickView>)))]
pub(crate) async fn list(
    State(api): State<Api>,
    Path(room): Path<Uuid>,
) -> Result<axum::Json<Page<SidekickView>>, ApiError> {
    let all = api.engine.sidekicks(RoomId(room))?.into_iter();
    let items = all.map(|one| api.engine.as_heard(one)).collect();
    Ok(axum::Json(Page { items, next: None }))
}

/// Hand a task to a sidekick, who works in the background.
#[utoipa::path(post, path = "/v1/rooms/{room}/sidekicks", operation_id = "spawn_sidekick",
    params(("room" = Uuid, Path)), request_body = NewSidekick,
    responses((status = 201, body = SidekickView), (status = 422, body = super::error::ErrorBody)))]
pub(crate) async fn create(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path(room): Path<Uuid>,
    Json(new): Json<NewSidekick>,
) -> Result<(StatusCode, axum::Json<SidekickView>), ApiError> {
    let actor = caller.may(Right::Run)?;
    let sidekick = api.engine.spawn_sidekick(RoomId(room), actor, new).await?;
    Ok((StatusCode::CREATED, axum::Json(sidekick)))
}

/// One sidekick, by its codename or id.
#[utoipa::path(get, path = "/v1/rooms/{room}/sidekicks/{name}", operation_id = "read_sidekick",
    params(("room" = Uuid, Path), ("name" = String, Path)),
    responses((status = 200, body = SidekickView), (status = 404, body = super::error::ErrorBody)))]
pub(crate) async fn read(
    State(api): State<Api>,
    Path((room, name)): Path<(Uuid, String)>,
) -> Result<axum::Json<SidekickView>, ApiError> {
    let sidekick = api.engine.sidekick(RoomId(room), &name)?;
    Ok(axum::Json(api.engine.as_heard(sidekick)))
}

/// Say something to a sidekick; one that has ended goes on.
#[utoipa::path(post, path = "/v1/rooms/{room}/sidekicks/{name}/steer", operation_id = "steer_sidekick",
    params(("room" = Uuid, Path), ("name" = String, Path)), request_body = NewMessage,
    responses((status = 202, body = Taken), (status = 404, body = super::error::ErrorBody)))]
pub(crate) async fn steer(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path((room, name)): Path<(Uuid, String)>,
    Json(new): Json<NewMessage>,
) -> Result<(StatusCode, axum::Json<Taken>), ApiError> {
    let actor = caller.may(Right::Run)?;
    let sidekick = api.engine.sidekick(RoomId(room), &name)?;
    Ok((StatusCode::ACCEPTED, axum::Json(say_in(&api, sidekick.id, actor, new).await?)))
}

/// Stop a sidekick with everything that runs there.
#[utoipa::path(post, path = "/v1/rooms/{room}/sidekicks/{name}/cancel", operation_id = "cancel_sidekick",
    params(("room" = Uuid, Path), ("name" = String, Path)),
    responses((status = 200, body = SidekickView), (status = 404, body = super::error::ErrorBody)))]
pub(crate) async fn cancel(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path((room, name)): Path<(Uuid, String)>,
) -> Result<axum::Json<SidekickView>, ApiError> {
    let actor = caller.may(Right::Supervise)?;
    let sidekick = api.engine.sidekick(RoomId(room), &name)?;
    api.engine.stop_sidekick(sidekick.id, actor).await?;
    Ok(axum::Json(api.engine.sidekick(RoomId(room), &sidekick.id.to_string())?))
}
