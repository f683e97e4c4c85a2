//! The plan of a room: reading and supervising it.

use super::auth::{Caller, Right};
use super::body::{Json, MaybeJson, Path, Query};
use super::page::{Page, PageQuery};
use super::{Api, ApiError};
use crate::PlanSummary;
use crate::error::EngineError;
use crate::estimate::Estimate;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use plan::{
    Actor, AskId, Command, Edit, Hash, MessageId, PlanView, Refusal, RoomId, StepComment, StepRef,
};
use serde::Deserialize;
use uuid::Uuid;

type PlanAnswer = Result<axum::Json<PlanView>, ApiError>;

/// The active plan, or null.
#[utoipa::path(get, path = "/v1/rooms/{room}/plan", operation_id = "read_plan", params(("room" = Uuid, Path)),
    responses((status = 200, body = Option<PlanView>), (status = 404, body = super::error::ErrorBody)))]
pub(crate) async fn read(
    State(api): State<Api>,
    Path(room): Path<Uuid>,
) -> Result<axum::Json<Option<PlanView>>, ApiError> {
    // Only what is stored, so that every other address knows what is shown here.
    let plan = api.engine.stored_view(RoomId(room)).await?.plan;
    Ok(axum::Json(plan.filter(PlanView::is_active)))
}

/// All plans of a room, newest first.
#[utoipa::path(get, path = "/v1/rooms/{room}/plans", operation_id = "list_plans", params(("room" = Uuid, Path), PageQuery),
    responses((status = 200, body = Page<PlanSummary>)))]
pub(crate) async fn list(
    State(api): State<Api>,
    Path(room): Path<Uuid>,
    Query(page): Query<PageQuery>,
) -> Result<axum::Json<Page<PlanSummary>>, ApiError> {
    api.engine.with_room(RoomId(room), |_| ())?;
    let before = page.before.as_ref().map(|before| before.parse::<Uuid>()).transpose();
    let before = before.map_err(|_| {
        let words = "`before` must be the `next` of another page";
        ApiError::new(StatusCode::BAD_REQUEST, "BAD_QUERY", words)
    })?;
    let limit = page.limit();
    let rows = api.engine.journal().plans(room, before, limit + 1).map_err(EngineError::from)?;
    let plans: Vec<PlanSummary> = rows.into_iter().map(PlanSummary::from).collect();
    Ok(axum::Json(Page::of(plans, limit, |plan| plan.id.to_string())))
}

/// Any plan of a room, as it is or as it ended, with all that came of its steps.
#[utoipa::path(get, path = "/v1/rooms/{room}/plans/{plan}", operation_id = "read_any_plan",
    params(("room" = Uuid, Path), ("plan" = Uuid, Path)),
    responses((status = 200, body = PlanView), (status = 404, body = super::error::ErrorBody)))]
pub(crate) async fn by_id(
    State(api): State<Api>,
    Path((room, plan)): Path<(Uuid, Uuid)>,
) -> PlanAnswer {
    let current = api.engine.stored_view(RoomId(room)).await?.plan;
    if let Some(current) = current.filter(|current| current.id.0 == plan) {
        return Ok(axum::Json(api.engine.in_full(current)));
    }
    let row = super::graph::find(&api.engine, plan)?;
    if row.room != room {
        return Err(EngineError::from(Refusal::NoPlan).into());
    }
    Ok(axum::Json(api.engine.in_full(super::graph::view(&api.engine, &row)?)))
}

/// Who shall execute.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct EstimateQuery {
    /// The model; when absent, the one that will.
    pub(crate) model: Option<String>,
}

/// What the rest of the active plan may take.
#[utoipa::path(get, path = "/v1/rooms/{room}/plan/estimate", operation_id = "estimate_plan",
    params(("room" = Uuid, Path), EstimateQuery),
    responses((status = 200, body = Estimate), (status = 404, body = super::error::ErrorBody),
              (status = 422, body = super::error::ErrorBody)))]
pub(crate) async fn estimate(
    State(api): State<Api>,
    Path(room): Path<Uuid>,
    Query(query): Query<EstimateQuery>,
) -> Result<axum::Json<Estimate>, ApiError> {
    Ok(axum::Json(api.engine.estimate(RoomId(room), query.model).await?))
}

/// Does something to the plan and gives it back as it is then.
async fn act(api: &Api, room: Uuid, actor: &Actor, command: Command) -> PlanAnswer {
    let id = RoomId(room);
    api.engine.submit(id, actor, command)?.stored().await?;
    last_plan(api, id).await
}

/// The same for what is a council's, too: while one talks, there is no plan it could be done to.
async fn act_beside_council(api: &Api, room: Uuid, actor: &Actor, command: Command) -> PlanAnswer {
    if talks(api, room)? {
        return Err(EngineError::from(Refusal::NoPlan).into());
    }
    act(api, room, actor, command).await
}

fn talks(api: &Api, room: Uuid) -> Result<bool, EngineError> {
    api.engine.with_room(RoomId(room), |room| room.talking_council().is_some())
}

async fn last_plan(api: &Api, id: RoomId) -> PlanAnswer {
    match api.engine.stored_view(id).await?.plan {
        Some(plan) => Ok(axum::Json(plan)),
        None => Err(EngineError::from(Refusal::NoPlan).into()),
    }
}

/// Stop for now; the call under way finishes.
#[utoipa::path(post, path = "/v1/rooms/{room}/plan/pause", params(("room" = Uuid, Path)),
    responses((status = 200, body = PlanView), (status = 404, body = super::error::ErrorBody),
              (status = 409, body = super::error::ErrorBody)))]
pub(crate) async fn pause(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path(room): Path<Uuid>,
) -> PlanAnswer {
    act_beside_council(&api, room, caller.may(Right::Supervise)?, Command::Pause).await
}

/// Whether to stop.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AfterStep {
    /// False takes it back.
    pub(crate) on: bool,
}

impl Default for AfterStep {
    fn default() -> Self {
        Self { on: true }
    }
}

/// Stop for now when the steps under way have ended, or with `{"on": false}` no longer.
#[utoipa::path(post, path = "/v1/rooms/{room}/plan/pause-after-step",
    params(("room" = Uuid, Path)), request_body(content = AfterStep),
    responses((status = 200, body = PlanView), (status = 404, body = super::error::ErrorBody),
              (status = 409, body = super::error::ErrorBody)))]
pub(crate) async fn pause_after_step(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path(room): Path<Uuid>,
    MaybeJson(body): MaybeJson<AfterStep>,
) -> PlanAnswer {
    let command = Command::PauseAfterStep { on: body.on };
    act(&api, room, caller.may(Right::Supervise)?, command).await
}

/// Stop the step under way with its call, and pause.
#[utoipa::path(post, path = "/v1/rooms/{room}/plan/stop-step", params(("room" = Uuid, Path)),
    responses((status = 200, body = PlanView), (status = 404, body = super::error::ErrorBody),
              (status = 409, body = super::error::ErrorBody)))]
pub(crate) async fn stop_step(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path(room): Path<Uuid>,
) -> PlanAnswer {
    act(&api, room, caller.may(Right::Supervise)?, Command::StopStep).await
}

/// Go on.
#[utoipa::path(post, path = "/v1/rooms/{room}/plan/resume", params(("room" = Uuid, Path)),
    responses((status = 200, body = PlanView), (status = 404, body = super::error::ErrorBody),
              (status = 409, body = super::error::ErrorBody)))]
pub(crate) async fn resume(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path(room): Path<Uuid>,
) -> PlanAnswer {
    act_beside_council(&api, room, caller.may(Right::Supervise)?, Command::Resume).await
}

/// Why something is done; the body may be left out.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reason {
    /// In words.
    #[serde(default)]
    pub(crate) reason: String,
}

/// End the plan. Answers the last plan when it has ended already.
#[utoipa::path(post, path = "/v1/rooms/{room}/plan/cancel", params(("room" = Uuid, Path)),
    request_body = Option<Reason>,
    responses((status = 200, body = PlanView), (status = 404, body = super::error::ErrorBody)))]
pub(crate) async fn cancel(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path(room): Path<Uuid>,
    MaybeJson(body): MaybeJson<Reason>,
) -> PlanAnswer {
    let actor = caller.may(Right::Supervise)?;
    if talks(&api, room)? {
        return last_plan(&api, RoomId(room)).await;
    }
    act(&api, room, actor, Command::Cancel { reason: body.reason, call: None }).await
}

/// What is approved: exactly what was shown.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Approve {
    /// The revision that was shown.
    pub(crate) revision: u32,
    /// The hash of what was shown.
    pub(crate) hash: Hash,
    /// The model that shall execute it.
    pub(crate) model: Option<String>,
    /// Whether it starts with a context that holds only the plan.
    #[serde(default)]
    pub(crate) fresh_context: bool,
}

/// Say yes to the plan that was shown.
#[utoipa::path(post, path = "/v1/rooms/{room}/plan/approve", params(("room" = Uuid, Path)),
    request_body = Approve,
    responses((status = 200, body = PlanView), (status = 403, body = super::error::ErrorBody),
              (status = 404, body = super::error::ErrorBody), (status = 409, body = super::error::ErrorBody)))]
pub(crate) async fn approve(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path(room): Path<Uuid>,
    Json(body): Json<Approve>,
) -> PlanAnswer {
    let command = Command::Approve {
        revision: body.revision,
        hash: body.hash,
        model: body.model,
        fresh_context: body.fresh_context,
    };
    act(&api, room, caller.may(Right::Approve)?, command).await
}

/// Say no to the plan.
#[utoipa::path(post, path = "/v1/rooms/{room}/plan/reject", params(("room" = Uuid, Path)),
    request_body = Option<Reason>,
    responses((status = 200, body = PlanView), (status = 403, body = super::error::ErrorBody),
              (status = 404, body = super::error::ErrorBody), (status = 409, body = super::error::ErrorBody)))]
pub(crate) async fn reject(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path(room): Path<Uuid>,
    MaybeJson(body): MaybeJson<Reason>,
) -> PlanAnswer {
    let command = Command::Reject { reason: body.reason };
    act(&api, room, caller.may(Right::Approve)?, command).await
}

/// What should be different, in one round.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Comments {
    /// The revision that was shown.
    pub(crate) revision: u32,
    /// About single steps; with none but these, all others stay as they are.
    #[serde(default)]
    pub(crate) on: Vec<StepComment>,
    /// About the whole.
    #[serde(default)]
    pub(crate) text: String,
}

/// Send the plan back with comments.
#[utoipa::path(post, path = "/v1/rooms/{room}/plan/comment", params(("room" = Uuid, Path)),
    request_body = Comments,
    responses((status = 200, body = PlanView), (status = 403, body = super::error::ErrorBody),
              (status = 404, body = super::error::ErrorBody), (status = 409, body = super::error::ErrorBody)))]
pub(crate) async fn comment(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path(room): Path<Uuid>,
    Json(body): Json<Comments>,
) -> PlanAnswer {
    let Comments { revision, on, text } = body;
    let message = MessageId(crate::fresh_id());
    let command = Command::Comment { message, seen: revision, on, text };
    act(&api, room, caller.may(Right::Approve)?, command).await
}

/// The hand switch of a step.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MayChange {
    /// The revision that was shown.
    pub(crate) revision: u32,
    /// Whether it may change the workspace although it names nothing.
    pub(crate) on: bool,
}

/// Let a step change the workspace, or no longer.
#[utoipa::path(post, path = "/v1/rooms/{room}/plan/steps/{step}/may-change",
    params(("room" = Uuid, Path), ("step" = String, Path)), request_body = MayChange,
    responses((status = 200, body = PlanView), (status = 403, body = super::error::ErrorBody),
              (status = 404, body = super::error::ErrorBody), (status = 409, body = super::error::ErrorBody)))]
pub(crate) async fn may_change(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path((room, step)): Path<(Uuid, String)>,
    Json(body): Json<MayChange>,
) -> PlanAnswer {
    let (step, on, seen) = (StepRef::Id(step), body.on, Some(body.revision));
    act(&api, room, caller.may(Right::Approve)?, Command::LetChange { step, on, seen }).await
}

/// Changes to the steps.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Edits {
    /// The revision that was shown.
    pub(crate) revision: u32,
    /// What changes, in order.
    pub(crate) edits: Vec<Edit>,
    /// Why.
    pub(crate) reason: Option<String>,
}

/// Change steps that have not ended.
#[utoipa::path(patch, path = "/v1/rooms/{room}/plan", params(("room" = Uuid, Path)),
    request_body = Edits,
    responses((status = 200, body = PlanView), (status = 404, body = super::error::ErrorBody),
              (status = 409, body = super::error::ErrorBody), (status = 422, body = super::error::ErrorBody)))]
pub(crate) async fn edit(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path(room): Path<Uuid>,
    Json(body): Json<Edits>,
) -> PlanAnswer {
    let command = Command::Revise {
        edits: body.edits,
        reason: body.reason,
        seen: Some(body.revision),
        ask: AskId(crate::fresh_id()),
        call: None,
    };
    act(&api, room, caller.may(Right::Supervise)?, command).await
}

/// Leave a step out.
#[utoipa::path(post, path = "/v1/rooms/{room}/plan/steps/{step}/skip",
    params(("room" = Uuid, Path), ("step" = String, Path)),
    responses((status = 200, body = PlanView), (status = 404, body = super::error::ErrorBody),
              (status = 409, body = super::error::ErrorBody)))]
pub(crate) async fn skip(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path((room, step)): Path<(Uuid, String)>,
) -> PlanAnswer {
    let command = Command::Skip { step: StepRef::Id(step) };
    act(&api, room, caller.may(Right::Supervise)?, command).await
}

/// Do an ended step again.
#[utoipa::path(post, path = "/v1/rooms/{room}/plan/steps/{step}/retry",
    params(("room" = Uuid, Path), ("step" = String, Path)),
    responses((status = 200, body = PlanView), (status = 404, body = super::error::ErrorBody),
              (status = 409, body = super::error::ErrorBody)))]
pub(crate) async fn retry(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path((room, step)): Path<(Uuid, String)>,
) -> PlanAnswer {
    let command = Command::Retry { step: StepRef::Id(step) };
    act(&api, room, caller.may(Right::Supervise)?, command).await
}

/// Take the step under way as done, although its check did not pass.
#[utoipa::path(post, path = "/v1/rooms/{room}/plan/steps/{step}/override",
    params(("room" = Uuid, Path), ("step" = String, Path)),
    responses((status = 200, body = PlanView), (status = 404, body = super::error::ErrorBody),
              (status = 409, body = super::error::ErrorBody)))]
pub(crate) async fn override_check(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path((room, step)): Path<(Uuid, String)>,
) -> PlanAnswer {
    let command = Command::Override { step: StepRef::Id(step) };
    act(&api, room, caller.may(Right::Supervise)?, command).await
}
