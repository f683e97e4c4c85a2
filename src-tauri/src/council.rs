//! The window's commands for councils. Pause, resume and cancel are those of a room's plan.

use crate::house::me;
use crate::ipc::{Done, Here};
use crate::problem::Problem;
use engine::{CouncilPreview, StartCouncil};
use plan::{CouncilId, CouncilView, RoomId};
use serde_json::{Map, Value};

/// Starts a council; all agents that can sit in it when no members are named.
#[tauri::command]
pub(crate) async fn start_council(
    house: Here<'_>,
    room: RoomId,
    task: String,
    members: Option<Vec<String>>,
    options: Option<Map<String, Value>>,
) -> Result<CouncilId, Problem> {
    let (members, options) = (members.unwrap_or_default(), options.unwrap_or_default());
    Ok(house.engine.start_council(room, &me(), StartCouncil { task, members, options }).await?)
}

/// Who could sit in a council, and what it may cost.
#[tauri::command]
pub(crate) async fn council_preview(
    house: Here<'_>,
    room: RoomId,
    members: Option<Vec<String>>,
) -> Result<CouncilPreview, Problem> {
    Ok(house.engine.preview_council(Some(room), &members.unwrap_or_default())?)
}

/// Lets the votes so far decide.
#[tauri::command]
pub(crate) async fn council_answer_now(house: Here<'_>, room: RoomId) -> Done {
    house.engine.answer_now(room, &me())?.stored().await?;
    Ok(())
}

#[tauri::command]
pub(crate) async fn council_vote(
    house: Here<'_>,
    room: RoomId,
    member: String,
    reason: Option<String>,
) -> Done {
    let reason = reason.unwrap_or_default();
    house.engine.vote_council(room, &me(), &member, &reason)?.stored().await?;
    Ok(())
}

#[tauri::command]
pub(crate) async fn council_pick(house: Here<'_>, room: RoomId, member: String) -> Done {
    house.engine.pick_winner(room, &me(), &member)?.stored().await?;
    Ok(())
}

#[tauri::command]
pub(crate) async fn council_retry(house: Here<'_>, room: RoomId, member: String) -> Done {
    house.engine.retry_member(room, &me(), &member)?.stored().await?;
    Ok(())
}

/// The councils of a room, newest first, with every answer in full.
#[tauri::command]
pub(crate) async fn councils(house: Here<'_>, room: RoomId) -> Result<Vec<CouncilView>, Problem> {
    let councils = house.engine.councils(room)?.into_iter();
    Ok(councils.map(|council| house.engine.council_in_full(council)).collect())
}
