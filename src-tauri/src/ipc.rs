//! The commands of the window: each hands a wish to the engine and nothing more.

use crate::house::{House, me};
use crate::problem::{Problem, off_the_loop};
use crate::{council, diagnostics, feeds, keys, settings, trying};
use engine::{
    EngineError, Estimate, McpServerView, NewGoal, NewSidekick, Opener, PlanSummary, RoomSize,
    RoomUsage, ToolEntry, export,
};
use plan::{
    AskId, Command, Edit, Hash, MessageId, PlanMode, PlanView, Refusal, RoomId, RoomView,
    SidekickView, StepComment, StepId, StepRef, Text,
};
use serde::Deserialize;
use std::path::PathBuf;
use std::sync::Arc;
use tauri::ipc::Invoke;
use tauri::{AppHandle, Manager, State};
use tauri_plugin_dialog::DialogExt;
use tauri_plugin_opener::OpenerExt;
use uuid::Uuid;

pub(crate) type Done = Result<(), Problem>;
pub(crate) type Here<'a> = State<'a, Arc<House>>;

/// Every command, as `build.rs` lists them for the window's permissions.
pub fn handler() -> impl Fn(Invoke) -> bool {
    tauri::generate_handler![
        feeds::overview,
        feeds::open_room,
        feeds::links,
        feeds::unsubscribe,
        feeds::history,
        create_room,
        rename_room,
        archive_room,
        delete_room,
        room_size,
        move_room,
        folder_problem,
        set_mode,
        forget_rule,
        say,
        stop,
        pause,
        pause_after_step,
        stop_step,
        resume,
        cancel,
        approve,
        reject,
        edit,
        skip,
        retry,
        override_check,
        let_change,
        comment,
        answer,
        set_goal,
        sidekicks,
        spawn_sidekick,
        stop_sidekick,
        council::start_council,
        council::council_preview,
        council::council_answer_now,
        council::council_vote,
        council::council_pick,
        council::council_retry,
        council::councils,
        plans,
        plan,
        estimate,
        usage,
        export_plan,
        blob,
        files,
        pick_folder,
        save_export,
        settings::settings,
        settings::sandbox,
        settings::save_setting,
        keys::set_key,
        keys::try_key,
        keys::key_state,
        keys::open_keyring,
        trying::test_model,
        trying::local_servers,
        trying::model_profiles,
        trying::check_profile,
        catalogue,
        mcp_servers,
        mcp_said,
        mcp_login,
        mcp_logout,
        diagnostics::diagnostics,
        in_front,
        open_external,
        ui_ready,
        quit,
    ]
}

async fn submit(house: &House, room: RoomId, command: Command) -> Done {
    house.engine.submit(room, &me(), command)?.stored().await?;
    Ok(())
}

/// What a new room is.
#[derive(Deserialize)]
struct NewRoom {
    title: Option<String>,
    workspace: Option<PathBuf>,
    plan_mode: Option<PlanMode>,
}

#[tauri::command]
async fn create_room(house: Here<'_>, room: NewRoom) -> Result<RoomView, Problem> {
    let workspace = match room.workspace {
        Some(workspace) => workspace,
        None => engine::make_sample()?,
    };
    Ok(house.engine.create_room(&me(), room.title, &workspace, room.plan_mode).await?)
}

#[tauri::command]
async fn rename_room(house: Here<'_>, room: RoomId, title: String) -> Done {
    submit(&house, room, Command::Rename { title }).await
}

#[tauri::command]
async fn archive_room(house: Here<'_>, room: RoomId, archived: bool) -> Done {
    Ok(house.engine.archive_room(room, &me(), archived).await?)
}

#[tauri::command]
async fn delete_room(house: Here<'_>, room: RoomId) -> Done {
    Ok(house.engine.delete_room(room, &me()).await?)
}

/// What deleting a room frees.
#[tauri::command]
async fn room_size(house: Here<'_>, room: RoomId) -> Result<RoomSize, Problem> {
    let engine = house.engine.clone();
    Ok(off_the_loop("SIZE_FAILED", move || engine.room_size(room)).await??)
}

#[tauri::command]
async fn move_room(house: Here<'_>, room: RoomId, path: PathBuf) -> Done {
    Ok(house.engine.move_room(room, &me(), &path).await?)
}

/// Why a room's folder can't be used; nothing when it can.
#[tauri::command]
async fn folder_problem(house: Here<'_>, room: RoomId) -> Result<Option<String>, Problem> {
    let engine = house.engine.clone();
    Ok(off_the_loop("FOLDER_FAILED", move || engine.folder_trouble(room)).await??)
}

#[tauri::command]
async fn set_mode(house: Here<'_>, room: RoomId, mode: PlanMode) -> Done {
    submit(&house, room, Command::SetMode { mode }).await
}

#[tauri::command]
async fn forget_rule(house: Here<'_>, room: RoomId, rule: String) -> Done {
    submit(&house, room, Command::ForgetRule { rule }).await
}

#[tauri::command]
async fn say(house: Here<'_>, room: RoomId, text: String) -> Done {
    let (text, blob) = Text::split(text);
    let command = Command::Say { message: MessageId(engine::fresh_id()), text };
    let blobs = blob.into_iter().collect();
    house.engine.submit_with(room, &me(), command, blobs)?.stored().await?;
    Ok(())
}

#[tauri::command]
async fn stop(house: Here<'_>, room: RoomId) -> Done {
    Ok(house.engine.stop_turn(room, &me()).await?)
}

#[tauri::command]
async fn pause(house: Here<'_>, room: RoomId) -> Done {
    submit(&house, room, Command::Pause).await
}

#[tauri::command]
async fn resume(house: Here<'_>, room: RoomId) -> Done {
    submit(&house, room, Command::Resume).await
}

#[tauri::command]
async fn cancel(house: Here<'_>, room: RoomId, reason: String) -> Done {
    submit(&house, room, Command::Cancel { reason, call: None }).await
}

#[tauri::command]
async fn approve(
    house: Here<'_>,
    room: RoomId,
    revision: u32,
    hash: Hash,
    model: Option<String>,
    fresh_context: bool,
) -> Done {
    submit(&house, room, Command::Approve { revision, hash, model, fresh_context }).await
}

#[tauri::command]
async fn reject(house: Here<'_>, room: RoomId, reason: String) -> Done {
    submit(&house, room, Command::Reject { reason }).await
}

#[tauri::command]
async fn edit(
    house: Here<'_>,
    room: RoomId,
    revision: u32,
    edits: Vec<Edit>,
    reason: Option<String>,
) -> Done {
    let ask = AskId(engine::fresh_id());
    let command = Command::Revise { edits, reason, seen: Some(revision), ask, call: None };
    submit(&house, room, command).await
}

#[tauri::command]
async fn skip(house: Here<'_>, room: RoomId, step: StepId) -> Done {
    submit(&house, room, Command::Skip { step: StepRef::Id(step.0) }).await
}

#[tauri::command]
async fn retry(house: Here<'_>, room: RoomId, step: StepId) -> Done {
    submit(&house, room, Command::Retry { step: StepRef::Id(step.0) }).await
}

#[tauri::command]
async fn override_check(house: Here<'_>, room: RoomId, step: StepId) -> Done {
    submit(&house, room, Command::Override { step: StepRef::Id(step.0) }).await
}

#[tauri::command]
async fn pause_after_step(house: Here<'_>, room: RoomId, on: bool) -> Done {
    submit(&house, room, Command::PauseAfterStep { on }).await
}

#[tauri::command]
async fn stop_step(house: Here<'_>, room: RoomId) -> Done {
    submit(&house, room, Command::StopStep).await
}

#[tauri::command]
async fn let_change(
    house: Here<'_>,
    room: RoomId,
    step: StepId,
    on: bool,
    seen: Option<u32>,
) -> Done {
    submit(&house, room, Command::LetChange { step: StepRef::Id(step.0), on, seen }).await
}

#[tauri::command]
async fn comment(
    house: Here<'_>,
    room: RoomId,
    seen: u32,
    on: Vec<StepComment>,
    text: String,
) -> Done {
    let message = MessageId(engine::fresh_id());
    submit(&house, room, Command::Comment { message, seen, on, text }).await
}

#[tauri::command]
async fn answer(
    house: Here<'_>,
    ask: AskId,
    answer: String,
    note: Option<String>,
    revision: Option<u32>,
    hash: Option<Hash>,
) -> Done {
    let Some(row) = house.engine.journal().ask(ask.0)? else {
        return Err(EngineError::from(Refusal::NoSuchAsk).into());
    };
    submit(&house, RoomId(row.room), Command::Answer { ask, answer, note, revision, hash }).await
}

/// Hands a goal to agents, in a room of its own on the same folder; gives that room.
#[tauri::command]
async fn set_goal(house: Here<'_>, room: RoomId, goal: String) -> Result<RoomId, Problem> {
    let (folder, mode) =
        house.engine.with_room(room, |room| (room.workspace.clone().into(), room.mode))?;
    let opener = Opener::Window;
    let new = NewGoal { goal, folder, opener, parallelism: None, timeout_ms: None, mode };
    Ok(house.engine.set_goal(&me(), new).await?.room)
}

/// The sidekicks of a room, newest first.
#[tauri::command]
async fn sidekicks(house: Here<'_>, room: RoomId) -> Result<Vec<SidekickView>, Problem> {
    let engine = house.engine.clone();
    Ok(off_the_loop("SIDEKICKS_FAILED", move || engine.sidekicks(room)).await??)
}

#[tauri::command]
async fn spawn_sidekick(
    house: Here<'_>,
    room: RoomId,
    task: String,
) -> Result<SidekickView, Problem> {
    let new = NewSidekick { task, ..NewSidekick::default() };
    Ok(house.engine.spawn_sidekick(room, &me(), new).await?)
}

#[tauri::command]
async fn stop_sidekick(house: Here<'_>, room: RoomId) -> Done {
    Ok(house.engine.stop_sidekick(room, &me()).await?)
}

#[tauri::command]
fn plans(
    house: Here<'_>,
    room: RoomId,
    query: Option<String>,
) -> Result<Vec<PlanSummary>, Problem> {
    let query = query.unwrap_or_default().to_lowercase();
    let rows = house.engine.journal().plans(room.0, None, 500)?;
    let fits = |row: &engine::journal::PlanRow| {
        let body = row.body.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
        row.goal.to_lowercase().contains(&query) || body.to_lowercase().contains(&query)
    };
    Ok(rows.into_iter().filter(fits).map(PlanSummary::from).collect())
}

#[tauri::command]
fn plan(house: Here<'_>, id: Uuid) -> Result<PlanView, Problem> {
    house.engine.plan(id)?.ok_or_else(|| EngineError::from(Refusal::NoPlan).into())
}

/// What the rest of a room's plan may take.
#[tauri::command]
async fn estimate(
    house: Here<'_>,
    room: RoomId,
    model: Option<String>,
) -> Result<Estimate, Problem> {
    Ok(house.engine.estimate(room, model).await?)
}

/// What a room used, model by model.
#[tauri::command]
async fn usage(house: Here<'_>, room: RoomId) -> Result<RoomUsage, Problem> {
    Ok(house.engine.usage(room).await?)
}

/// How a plan is written down.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Format {
    Markdown,
    Json,
}

#[tauri::command]
fn export_plan(house: Here<'_>, id: Uuid, format: Format) -> Result<String, Problem> {
    written(&house, id, format).map(|(_, text)| text)
}

/// Asks where to, and writes the plan there; the path, or nothing when the person thought better.
#[tauri::command]
async fn save_export(
    app: AppHandle,
    house: Here<'_>,
    id: Uuid,
    format: Format,
) -> Result<Option<String>, Problem> {
    let (name, text) = written(&house, id, format)?;
    let (tell, told) = tokio::sync::oneshot::channel();
    app.dialog().file().set_title("Save the plan").set_file_name(name).save_file(move |file| {
        let _ = tell.send(file);
    });
    let Some(file) = told.await.ok().flatten() else { return Ok(None) };
    let failed = |why: String| Problem::new("EXPORT_FAILED", why);
    let path = file.into_path().map_err(|error| failed(error.to_string()))?;
    tokio::fs::write(&path, text)
        .await
        .map_err(|error| failed(format!("{} can't be written: {error}", path.display())))?;
    Ok(Some(path.display().to_string()))
}

/// A plan as a text, and a name for its file; for a room, its council that came to no plan.
fn written(house: &House, id: Uuid, format: Format) -> Result<(String, String), Problem> {
    let failed = |error: serde_json::Error| Problem::new("EXPORT_FAILED", error.to_string());
    let Some(plan) = export::plan(&house.engine, id)? else {
        let Some(council) = export::council_without_plan(&house.engine, RoomId(id))? else {
            return Err(EngineError::from(Refusal::NoPlan).into());
        };
        return match format {
            Format::Markdown => Ok(("council.md".into(), export::council_markdown(&council))),
            Format::Json => serde_json::to_string_pretty(&council)
                .map(|text| ("council.json".into(), text))
                .map_err(failed),
        };
    };
    let name = export::file_name(&plan);
    let council = export::council(&house.engine, &plan)?;
    match format {
        Format::Markdown => {
            Ok((format!("{name}.md"), export::with_council(&plan, council.as_ref())))
        }
        Format::Json => export::json(&plan, council.as_ref())
            .map(|text| (format!("{name}.json"), text))
            .map_err(failed),
    }
}

#[tauri::command]
fn blob(house: Here<'_>, hash: String) -> Result<String, Problem> {
    match house.engine.journal().blob(&hash)? {
        Some(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        None => Err(Problem::new("BLOB_NOT_FOUND", "this text is no longer kept")),
    }
}

#[tauri::command]
async fn files(house: Here<'_>, room: RoomId, prefix: String) -> Result<Vec<String>, Problem> {
    if let Some(why) = folder_problem(house.clone(), room).await? {
        return Err(Problem::new("BAD_WORKSPACE", why));
    }
    Ok(house.engine.files(room, &prefix).await?)
}

#[tauri::command]
async fn pick_folder(app: AppHandle) -> Option<String> {
    let (tell, told) = tokio::sync::oneshot::channel();
    app.dialog().file().pick_folder(move |folder| {
        let _ = tell.send(folder);
    });
    told.await.ok().flatten().map(|folder| folder.to_string())
}

/// Every tool there is.
#[tauri::command]
async fn catalogue(house: Here<'_>) -> Result<Vec<ToolEntry>, Problem> {
    Ok(house.engine.catalogue())
}

/// Every MCP server and how it stands.
#[tauri::command]
async fn mcp_servers(house: Here<'_>) -> Result<Vec<McpServerView>, Problem> {
    Ok(house.engine.mcp_servers())
}

/// A server's last words on its error output.
#[tauri::command]
async fn mcp_said(house: Here<'_>, server: String) -> Result<String, Problem> {
    Ok(house.engine.mcp_said(&server))
}

/// Opens the page where the person logs in to a server.
#[tauri::command]
async fn mcp_login(app: AppHandle, house: Here<'_>, server: String) -> Done {
    let page = house.engine.mcp_login(&server).await;
    let page = page.map_err(|error| Problem::new(error.code(), error.to_string()))?;
    app.opener()
        .open_url(page, None::<&str>)
        .map_err(|error| Problem::new("NO_BROWSER", error.to_string()))
}

#[tauri::command]
async fn mcp_logout(house: Here<'_>, server: String) -> Done {
    house.engine.mcp_logout(&server).await;
    Ok(())
}

/// The room that is open in the window, or none.
#[tauri::command]
fn in_front(house: Here<'_>, room: Option<RoomId>) {
    house.set_in_front(room);
}

#[tauri::command]
fn open_external(app: AppHandle, url: String) -> Done {
    if !url.starts_with("https://") {
        return Err(Problem::new("BAD_LINK", "only https addresses are opened"));
    }
    app.opener()
        .open_url(url, None::<&str>)
        .map_err(|error| Problem::new("BAD_LINK", error.to_string()))
}

/// The page can be used. Only the first one shows the window: a page that was loaded anew
/// leaves a window in the tray where it is.
#[tauri::command]
fn ui_ready(house: Here<'_>, app: AppHandle) {
    if house.shown.is_cancelled() {
        return;
    }
    if let Some(window) = app.get_webview_window("main") {
        let _ = window.show();
    }
}

/// The same as Quit in the tray, for a desktop without one: everything is paused first.
#[tauri::command]
fn quit(app: AppHandle) {
    app.exit(0);
}
