//! Rooms and what is said in them.

use super::auth::{Caller, Right};
use super::body::{Json, Path, Query};
use super::page::{Page, PageQuery};
use super::{Api, ApiError};
use crate::error::EngineError;
use crate::history::whole;
use crate::live::{JournalBlobs, decode};
use crate::overview::RoomSummary;
use crate::usage::RoomUsage;
use crate::workspace::Opener;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use plan::{
    Actor, CallRequest, Command, Event, MessageId, PlanMode, RoomId, RoomView, Text, Usage,
};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use uuid::Uuid;

/// What a new room is.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewRoom {
    /// Its name; the folder's when absent.
    pub(crate) title: Option<String>,
    /// The folder it works in; a new sample folder in your home when absent.
    #[schema(value_type = Option<String>)]
    pub(crate) workspace: Option<PathBuf>,
    /// Its plan mode; the agent's when absent.
    pub(crate) plan_mode: Option<PlanMode>,
}

/// Make a room.
#[utoipa::path(post, path = "/v1/rooms", request_body = NewRoom,
    responses((status = 201, body = RoomView), (status = 403, body = super::error::ErrorBody),
              (status = 422, body = super::error::ErrorBody)))]
pub(crate) async fn create(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Json(new): Json<NewRoom>,
) -> Result<(StatusCode, axum::Json<RoomView>), ApiError> {
    let actor = caller.may(Right::Run)?;
    // Asking for less care than the agent is configured for is a matter of approval.
    let configured = api.engine.config().current().config.default_agent().plan_mode;
    if new.plan_mode.is_some_and(|mode| mode < configured) {
        caller.may(Right::Approve)?;
    }
    let (folder, opener) = folder_of(new.workspace, &caller)?;
    let made = api.engine.create_room_as(opener, actor, new.title, &folder, new.plan_mode);
    Ok((StatusCode::CREATED, axum::Json(made.await?)))
}

/// The folder a caller means and who opens it; without one a new sample, which holds nothing of
/// the person's and so is opened for whoever asks.
pub(super) fn folder_of(
    named: Option<PathBuf>,
    caller: &Caller,
) -> Result<(PathBuf, Opener), ApiError> {
    Ok(match named {
        Some(folder) => (folder, caller.opener()),
        None => (crate::workspace::make_sample()?, Opener::CommandLine),
    })
}

/// All rooms, newest first.
#[utoipa::path(get, path = "/v1/rooms", operation_id = "list_rooms", params(PageQuery),
    responses((status = 200, body = Page<RoomSummary>)))]
pub(crate) async fn list(
    State(api): State<Api>,
    Query(page): Query<PageQuery>,
) -> Result<axum::Json<Page<RoomSummary>>, ApiError> {
    let before = number(&page)?;
    let limit = page.limit();
    let rooms = api.engine.journal().rooms(before, limit + 1).map_err(EngineError::from)?;
    let rooms: Result<Vec<RoomSummary>, EngineError> =
        rooms.into_iter().map(|room| api.engine.summary(room)).collect();
    Ok(axum::Json(Page::of(rooms?, limit, |room| room.number.to_string())))
}

/// One room, as it is now.
#[utoipa::path(get, path = "/v1/rooms/{room}", operation_id = "read_room", params(("room" = Uuid, Path)),
    responses((status = 200, body = RoomView), (status = 404, body = super::error::ErrorBody)))]
pub(crate) async fn read(
    State(api): State<Api>,
    Path(room): Path<Uuid>,
) -> Result<axum::Json<RoomView>, ApiError> {
    Ok(axum::Json(api.engine.stored_view(RoomId(room)).await?))
}

/// What can be changed about a room.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RoomChange {
    /// Another name.
    pub(crate) title: Option<String>,
    /// Put it away, or take it out again.
    pub(crate) archived: Option<bool>,
    /// Let it work in another folder, as when its own was moved.
    #[schema(value_type = Option<String>)]
    pub(crate) workspace: Option<PathBuf>,
}

/// Rename, archive or move a room.
#[utoipa::path(patch, path = "/v1/rooms/{room}", params(("room" = Uuid, Path)),
    request_body = RoomChange, responses((status = 200, body = RoomView)))]
pub(crate) async fn change(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path(room): Path<Uuid>,
    Json(change): Json<RoomChange>,
) -> Result<axum::Json<RoomView>, ApiError> {
    let actor = caller.may(Right::Run)?;
    if let Some(folder) = &change.workspace {
        let (actor, opener) = (caller.may(Right::Approve)?, caller.opener());
        api.engine.move_room_as(opener, RoomId(room), actor, folder).await?;
    }
    let title = change.title.map(|title| Command::Rename { title });
    if let Some(command) = title {
        api.engine.submit(RoomId(room), actor, command)?.stored().await?;
    }
    if let Some(archived) = change.archived {
        api.engine.archive_room(RoomId(room), actor, archived).await?;
    }
    Ok(axum::Json(api.engine.stored_view(RoomId(room)).await?))
}

/// A plan mode.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModeBody {
    /// off, soft or strict.
    pub(crate) mode: PlanMode,
}

/// Change the plan mode. A plan that waits or runs is not moved by it.
#[utoipa::path(put, path = "/v1/rooms/{room}/plan-mode", params(("room" = Uuid, Path)),
    request_body = ModeBody, responses((status = 200, body = RoomView)))]
pub(crate) async fn set_mode(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path(room): Path<Uuid>,
    Json(body): Json<ModeBody>,
) -> Result<axum::Json<RoomView>, ApiError> {
    // Loosening the mode would let pass what only an approval lets pass.
    let actor = caller.may(Right::Approve)?;
    let command = Command::SetMode { mode: body.mode };
    api.engine.submit(RoomId(room), actor, command)?.stored().await?;
    Ok(axum::Json(api.engine.stored_view(RoomId(room)).await?))
}

/// Something to say.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewMessage {
    /// The words.
    pub(crate) text: String,
}

/// A message that was taken in.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct Taken {
    /// Its id.
    pub(crate) message_id: Uuid,
    /// The event that holds it.
    pub(crate) seq: u64,
}

/// Say something. The answer comes over the stream.
#[utoipa::path(post, path = "/v1/rooms/{room}/messages", params(("room" = Uuid, Path)),
    request_body = NewMessage,
    responses((status = 202, body = Taken), (status = 422, body = super::error::ErrorBody)))]
pub(crate) async fn say(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path(room): Path<Uuid>,
    Json(new): Json<NewMessage>,
) -> Result<(StatusCode, axum::Json<Taken>), ApiError> {
    let actor = caller.may(Right::Run)?;
    Ok((StatusCode::ACCEPTED, axum::Json(say_in(&api, RoomId(room), actor, new).await?)))
}

pub(super) async fn say_in(
    api: &Api,
    room: RoomId,
    actor: &Actor,
    new: NewMessage,
) -> Result<Taken, ApiError> {
    let message_id = crate::fresh_id();
    let (text, blob) = Text::split(new.text);
    let command = Command::Say { message: MessageId(message_id), text };
    let blobs = blob.into_iter().collect();
    let said = api.engine.submit_with(room, actor, command, blobs)?;
    let (last, events) = said.stored().await?;
    let after = events.iter().rev().take_while(|event| !matches!(event, Event::Said { .. }));
    let seq = last - after.count() as u64;
    Ok(Taken { message_id, seq })
}

/// Stop the turn under way; a running plan is paused.
#[utoipa::path(post, path = "/v1/rooms/{room}/stop", params(("room" = Uuid, Path)),
    responses((status = 200, body = RoomView), (status = 404, body = super::error::ErrorBody)))]
pub(crate) async fn stop(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    Path(room): Path<Uuid>,
) -> Result<axum::Json<RoomView>, ApiError> {
    let actor = caller.may(Right::Supervise)?;
    api.engine.stop_turn(RoomId(room), actor).await?;
    Ok(axum::Json(api.engine.stored_view(RoomId(room)).await?))
}

/// A message in a list.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct Message {
    /// The event that holds it.
    pub(crate) seq: u64,
    /// Who spoke: person, agent or harness.
    pub(crate) role: &'static str,
    /// The words.
    pub(crate) text: String,
    /// Tools the agent called.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) calls: Vec<String>,
    /// Those of the calls that were put right, as the model sent them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) sent: Vec<SentCall>,
    /// The model that spoke.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<String>,
    /// What it cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) usage: Option<Usage>,
    /// The last event the model had been shown: what came after that, this does not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) seen: Option<u64>,
    /// When, in milliseconds since 1970.
    pub(crate) at: i64,
}

/// A call as the model sent it, where it was read as something else.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct SentCall {
    /// Which of the calls it is, from 0.
    pub(crate) call: usize,
    /// The name it called.
    pub(crate) tool: String,
    /// The arguments it wrote.
    pub(crate) args: String,
}

fn sent(calls: &[CallRequest], blobs: &JournalBlobs<'_>) -> Vec<SentCall> {
    let sent = calls.iter().enumerate().filter_map(|(call, request)| {
        let sent = request.sent.as_ref()?;
        Some(SentCall { call, tool: sent.tool.clone(), args: whole(&sent.args, blobs) })
    });
    sent.collect()
}

/// What was said in a room, newest first.
#[utoipa::path(get, path = "/v1/rooms/{room}/messages",
    params(("room" = Uuid, Path), PageQuery), responses((status = 200, body = Page<Message>)))]
pub(crate) async fn messages(
    State(api): State<Api>,
    Path(room): Path<Uuid>,
    Query(page): Query<PageQuery>,
) -> Result<axum::Json<Page<Message>>, ApiError> {
    api.engine.with_room(RoomId(room), |_| ())?;
    let (before, limit) = (number(&page)?, page.limit());
    let kinds = ["said", "briefed", "council_started", "replied", "nudged", "trouble", "warned"];
    let journal = api.engine.journal();
    let stored = journal.read_kinds(room, &kinds, before, limit + 1).map_err(EngineError::from)?;
    let mut messages = Vec::with_capacity(stored.len());
    for stored in &stored {
        let blobs = JournalBlobs(journal);
        let plain = |role, text| Message {
            seq: stored.seq,
            role,
            text,
            calls: Vec::new(),
            sent: Vec::new(),
            model: None,
            usage: None,
            seen: None,
            at: stored.at,
        };
        let event = decode(stored)?;
        // What an agent calls a council for is in its call.
        if let Event::CouncilStarted { task, by, .. } = &event
            && by.is_person()
        {
            messages.push(plain("person", whole(task, &blobs)));
        }
        if let Event::Said { text, by, .. } | Event::Briefed { task: text, by, .. } = &event {
            let role = if by.is_person() { "person" } else { "agent" };
            messages.push(plain(role, whole(text, &blobs)));
        }
        if let Event::Nudged { text, .. }
        | Event::Trouble { text, .. }
        | Event::Warned { text, .. } = &event
        {
            messages.push(plain("harness", text.clone()));
        }
        if let Event::Replied { text, calls, model, usage, seen, .. } = event {
            messages.push(Message {
                sent: sent(&calls, &blobs),
                calls: calls.into_iter().map(|call| call.tool).collect(),
                model: Some(model),
                usage: Some(usage),
                seen: Some(seen),
                ..plain("agent", whole(&text, &blobs))
            });
        }
    }
    Ok(axum::Json(Page::of(messages, limit, |message| message.seq.to_string())))
}

/// What a room used, model by model.
#[utoipa::path(get, path = "/v1/rooms/{room}/usage", operation_id = "room_usage",
    params(("room" = Uuid, Path)),
    responses((status = 200, body = RoomUsage), (status = 404, body = super::error::ErrorBody)))]
pub(crate) async fn usage(
    State(api): State<Api>,
    Path(room): Path<Uuid>,
) -> Result<axum::Json<RoomUsage>, ApiError> {
    Ok(axum::Json(api.engine.usage(RoomId(room)).await?))
}

/// A long text by the hash that an event names.
#[utoipa::path(get, path = "/v1/blobs/{hash}", params(("hash" = String, Path)),
    responses((status = 200, body = String, content_type = "text/plain"),
              (status = 404, body = super::error::ErrorBody)))]
pub(crate) async fn blob(
    State(api): State<Api>,
    Path(hash): Path<String>,
) -> Result<String, ApiError> {
    let found = api.engine.journal().blob(&hash).map_err(EngineError::from)?;
    match found {
        Some(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        None => {
            let words = "there is no such text";
            Err(ApiError::new(StatusCode::NOT_FOUND, "BLOB_NOT_FOUND", words))
        }
    }
}

fn number(page: &PageQuery) -> Result<Option<u64>, ApiError> {
    let parse = |before: &String| {
        before.parse::<u64>().map_err(|_| {
            let words = "`before` must be the `next` of another page";
            ApiError::new(StatusCode::BAD_REQUEST, "BAD_QUERY", words)
        })
    };
    page.before.as_ref().map(parse).transpose()
}
