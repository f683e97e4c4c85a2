//! The councils of a room: starting, reading and steering them.

use super::auth::{Caller, Right};
use super::body::{Json, MaybeJson, Path, Query};
use super::page::{Page, PageQuery};
use super::plans::Reason;
use super::{Api, ApiError};
use crate::council::{CouncilPreview, StartCouncil};
use crate::error::EngineError;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use plan::{Actor, Command, CouncilId, CouncilRules, CouncilView, Evidence, RoomId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

type CouncilAnswer = Result<axum::Json<CouncilView>, ApiError>;

/// A council to be held.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewCouncil {
    /// What it is about.
    pub(crate) task: String,
    /// The agents that sit in it; all that can, at most five, when absent.
    #[serde(default)]
    pub(crate) members: Vec<String>,
    /// What voters see of an answer beside its words.
    pub(crate) evidence: Option<Evidence>,
    /// Rules that are not as configured.
    #[serde(default)]
    #[schema(value_type = CouncilRules)]
    pub(crate) options: Map<String, Value>,
}

/// A council that began.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct Begun {
    /// Its id.
    pub(crate) council_id: CouncilId,
}

/// Start a council. Answers and votes come over the room's stream.
#[utoipa::path(post, path = "/v1/rooms/{room}/council", operation_id = "start_council",
    params(("room" = Uuid, Path)), request_body = NewCouncil,
    responses((status = 202, body = Begun), (status = 409, body = super::error::ErrorBody),
              (status = 422, body = super::error::ErrorBody)))]
pub(crate) async fn start(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path(room): Path<Uuid>,
    Json(new): Json<NewCouncil>,
) -> Result<(StatusCode, axum::Json<Begun>), ApiError> {
    let actor = caller.may(Right::Run)?;
    let NewCouncil { task, members, evidence, mut options } = new;
    if let Some(evidence) = evidence {
        options.insert("evidence".to_owned(), serde_json::json!(evidence));
    }
    let start = StartCouncil { task, members, options };
    let council_id = api.engine.start_council(RoomId(room), actor, start).await?;
    Ok((StatusCode::ACCEPTED, axum::Json(Begun { council_id })))
}

/// The newest council of a room.
#[utoipa::path(get, path = "/v1/rooms/{room}/council", operation_id = "read_council",
    params(("room" = Uuid, Path)),
    responses((status = 200, body = CouncilView), (status = 404, body = super::error::ErrorBody)))]
pub(crate) async fn read(State(api): State<Api>, Path(room): Path<Uuid>) -> CouncilAnswer {
    newest(&api, room).await
}

async fn newest(api: &Api, room: Uuid) -> CouncilAnswer {
    match api.engine.stored_councils(RoomId(room)).await?.into_iter().next() {
        Some(council) => Ok(axum::Json(api.engine.council_in_full(council))),
        None => Err(none()),
    }
}

fn none() -> ApiError {
    let words = "this room has had no council";
    ApiError::new(StatusCode::NOT_FOUND, "COUNCIL_NOT_FOUND", words)
}

/// All councils of a room, newest first.
#[utoipa::path(get, path = "/v1/rooms/{room}/councils", operation_id = "list_councils",
    params(("room" = Uuid, Path), PageQuery),
    responses((status = 200, body = Page<CouncilView>), (status = 404, body = super::error::ErrorBody)))]
pub(crate) async fn list(
    State(api): State<Api>,
    Path(room): Path<Uuid>,
    Query(page): Query<PageQuery>,
) -> Result<axum::Json<Page<CouncilView>>, ApiError> {
    let mut councils = api.engine.stored_councils(RoomId(room)).await?;
    if let Some(before) = &page.before {
        let last = councils.iter().position(|council| council.id.to_string() == *before);
        let last = last.ok_or_else(|| {
            let words = "`before` must be the `next` of another page";
            ApiError::new(StatusCode::BAD_REQUEST, "BAD_QUERY", words)
        })?;
        councils.drain(..=last);
    }
    let limit = page.limit();
    councils.truncate(limit + 1);
    let councils = councils.into_iter().map(|one| api.engine.council_in_full(one)).collect();
    Ok(axum::Json(Page::of(councils, limit, |council| council.id.to_string())))
}

/// Who would sit in a council.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct PreviewQuery {
    /// Agents by their names, with commas between them; all that can, at most five, when absent.
    pub(crate) members: Option<String>,
}

impl PreviewQuery {
    fn named(self) -> Vec<String> {
        let named = self.members.unwrap_or_default();
        let named = named.split(',').map(str::trim).filter(|name| !name.is_empty());
        named.map(str::to_owned).collect()
    }
}

/// Who could sit in a council here, and what it may cost.
#[utoipa::path(get, path = "/v1/rooms/{room}/council/preview", operation_id = "preview_council",
    params(("room" = Uuid, Path), PreviewQuery),
    responses((status = 200, body = CouncilPreview), (status = 404, body = super::error::ErrorBody),
              (status = 422, body = super::error::ErrorBody)))]
pub(crate) async fn preview(
    State(api): State<Api>,
    Path(room): Path<Uuid>,
    Query(query): Query<PreviewQuery>,
) -> Result<axum::Json<CouncilPreview>, ApiError> {
    Ok(axum::Json(api.engine.preview_council(Some(RoomId(room)), &query.named())?))
}

/// Who could sit in a council in a new room, and what it may cost.
#[utoipa::path(get, path = "/v1/council/preview", operation_id = "preview_new_council",
    params(PreviewQuery),
    responses((status = 200, body = CouncilPreview), (status = 422, body = super::error::ErrorBody)))]
pub(crate) async fn preview_new(
    State(api): State<Api>,
    Query(query): Query<PreviewQuery>,
) -> Result<axum::Json<CouncilPreview>, ApiError> {
    Ok(axum::Json(api.engine.preview_council(None, &query.named())?))
}

/// Does something to the council that has not ended, and gives it back as it is then. From the
/// decision on its plan is meant, too.
async fn act(api: &Api, room: Uuid, actor: &Actor, command: Command) -> CouncilAnswer {
    if !is_active(api, room)? {
        return Err(none());
    }
    api.engine.submit(RoomId(room), actor, command)?.stored().await?;
    newest(api, room).await
}

fn is_active(api: &Api, room: Uuid) -> Result<bool, EngineError> {
    api.engine.with_room(RoomId(room), |room| room.active_council().is_some())
}

/// Let the votes so far decide; without votes, the latest answer wins.
#[utoipa::path(post, path = "/v1/rooms/{room}/council/answer-now", operation_id = "council_answer_now",
    params(("room" = Uuid, Path)),
    responses((status = 200, body = CouncilView), (status = 404, body = super::error::ErrorBody),
              (status = 409, body = super::error::ErrorBody)))]
pub(crate) async fn answer_now(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path(room): Path<Uuid>,
) -> CouncilAnswer {
    act(&api, room, caller.may(Right::Supervise)?, Command::AnswerNow).await
}

/// Pause the council; from the decision on, its plan.
#[utoipa::path(post, path = "/v1/rooms/{room}/council/pause", operation_id = "pause_council",
    params(("room" = Uuid, Path)),
    responses((status = 200, body = CouncilView), (status = 404, body = super::error::ErrorBody),
              (status = 409, body = super::error::ErrorBody)))]
pub(crate) async fn pause(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path(room): Path<Uuid>,
) -> CouncilAnswer {
    act(&api, room, caller.may(Right::Supervise)?, Command::Pause).await
}

/// Resume the council; from the decision on, its plan.
#[utoipa::path(post, path = "/v1/rooms/{room}/council/resume", operation_id = "resume_council",
    params(("room" = Uuid, Path)),
    responses((status = 200, body = CouncilView), (status = 404, body = super::error::ErrorBody),
              (status = 409, body = super::error::ErrorBody)))]
pub(crate) async fn resume(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path(room): Path<Uuid>,
) -> CouncilAnswer {
    act(&api, room, caller.may(Right::Supervise)?, Command::Resume).await
}

/// End the council, and its plan. Answers the last council when it has ended already.
#[utoipa::path(post, path = "/v1/rooms/{room}/council/cancel", operation_id = "cancel_council",
    params(("room" = Uuid, Path)), request_body = Option<Reason>,
    responses((status = 200, body = CouncilView), (status = 404, body = super::error::ErrorBody)))]
pub(crate) async fn cancel(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path(room): Path<Uuid>,
    MaybeJson(body): MaybeJson<Reason>,
) -> CouncilAnswer {
    let actor = caller.may(Right::Supervise)?;
    if !is_active(&api, room)? {
        return newest(&api, room).await;
    }
    act(&api, room, actor, Command::Cancel { reason: body.reason, call: None }).await
}

/// A person's vote.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewVote {
    /// The member it is for, such as `agent1`.
    pub(crate) member: String,
    /// Why.
    #[serde(default)]
    pub(crate) reason: String,
}

/// Vote. It counts beside the members' votes, and another one replaces it.
#[utoipa::path(post, path = "/v1/rooms/{room}/council/vote", operation_id = "council_vote",
    params(("room" = Uuid, Path)), request_body = NewVote,
    responses((status = 200, body = CouncilView), (status = 404, body = super::error::ErrorBody)))]
pub(crate) async fn vote(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path(room): Path<Uuid>,
    Json(body): Json<NewVote>,
) -> CouncilAnswer {
    let actor = caller.may(Right::Supervise)?;
    let NewVote { member, reason } = body;
    api.engine.vote_council(RoomId(room), actor, &member, &reason)?.stored().await?;
    newest(&api, room).await
}

/// A winner.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pick {
    /// The member, such as `agent1`.
    pub(crate) member: String,
}

/// Pick the winner: its answer becomes the room's plan.
#[utoipa::path(post, path = "/v1/rooms/{room}/council/pick", operation_id = "council_pick",
    params(("room" = Uuid, Path)), request_body = Pick,
    responses((status = 200, body = CouncilView), (status = 403, body = super::error::ErrorBody),
              (status = 404, body = super::error::ErrorBody)))]
pub(crate) async fn pick(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path(room): Path<Uuid>,
    Json(body): Json<Pick>,
) -> CouncilAnswer {
    let actor = caller.may(Right::Approve)?;
    api.engine.pick_winner(RoomId(room), actor, &body.member)?.stored().await?;
    newest(&api, room).await
}

/// Give a member that failed another chance.
#[utoipa::path(post, path = "/v1/rooms/{room}/council/members/{member}/retry",
    operation_id = "council_retry_member",
    params(("room" = Uuid, Path), ("member" = String, Path)),
    responses((status = 200, body = CouncilView), (status = 404, body = super::error::ErrorBody),
              (status = 409, body = super::error::ErrorBody)))]
pub(crate) async fn retry(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path((room, member)): Path<(Uuid, String)>,
) -> CouncilAnswer {
    let actor = caller.may(Right::Supervise)?;
    api.engine.retry_member(RoomId(room), actor, &member)?.stored().await?;
    newest(&api, room).await
}
