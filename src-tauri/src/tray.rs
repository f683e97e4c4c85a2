//! The tray: what runs, and what to do about all of it.

use crate::house::{House, me};
use engine::{Overview, RoomSummary};
use plan::{Command, RoomId};
use std::sync::Arc;
use tauri::menu::{Menu, MenuItem, PredefinedMenuItem};
use tauri::tray::{TrayIcon, TrayIconBuilder};
use tauri::{AppHandle, Emitter, Manager, Wry};

/// Active plans shown in the menu.
const MOST_PLANS: usize = 8;

/// Builds the tray and keeps it up to date.
pub fn build(app: &AppHandle) -> tauri::Result<()> {
    let overview = app.state::<Arc<House>>().engine.overview().ok();
    let mut tray = TrayIconBuilder::with_id("main")
        .tooltip("Plancard")
        .menu(&menu(app, overview.as_ref())?)
        .on_menu_event(|app, event| chosen(app, event.id().as_ref()));
    if let Some(icon) = app.default_window_icon() {
        tray = tray.icon(icon.clone());
    }
    let tray = tray.build(app)?;
    let handle = app.clone();
    tauri::async_runtime::spawn(async move { follow(handle, tray).await });
    Ok(())
}

/// Brings the window to the front.
pub fn show(app: &AppHandle) {
    if let Some(window) = app.get_webview_window("main") {
        let _ = window.show();
        let _ = window.unminimize();
        let _ = window.set_focus();
    }
}

async fn follow(app: AppHandle, tray: TrayIcon) {
    let engine = app.state::<Arc<House>>().engine.clone();
    let mut changes = engine.changes();
    let mut shown = Vec::new();
    while changes.changed().await.is_ok() {
        let Ok(overview) = engine.overview() else { continue };
        let now = lines(&overview);
        if now == shown {
            continue;
        }
        shown = now;
        let (app, tray) = (app.clone(), tray.clone());
        let handle = app.clone();
        let _ = handle.run_on_main_thread(move || {
            if let Ok(menu) = menu(&app, Some(&overview)) {
                let _ = tray.set_menu(Some(menu));
            }
            let _ = tray.set_tooltip(Some(state_words(&overview)));
        });
    }
}

fn active(overview: &Overview) -> impl Iterator<Item = &RoomSummary> {
    let open = ["draft", "awaiting_approval", "running", "paused"];
    overview.rooms.iter().filter(move |room| {
        room.plan.as_ref().is_some_and(|plan| open.contains(&plan.state.as_str()))
    })
}

/// One line for each active plan, with the id of its room.
fn lines(overview: &Overview) -> Vec<(String, String)> {
    let line = |room: &RoomSummary| {
        let plan = room.plan.as_ref()?;
        let state = plan.state.replace('_', " ");
        let goal: String = plan.goal.chars().take(48).collect();
        let words = format!("{goal} — {state} {}/{}", plan.ended, plan.steps);
        Some((format!("room:{}", room.id), words))
    };
    active(overview).filter_map(line).take(MOST_PLANS).collect()
}

fn state_words(overview: &Overview) -> &'static str {
    let waits =
        active(overview).any(|room| room.plan.as_ref().is_some_and(|plan| plan.state != "running"));
    if waits || !overview.asks.is_empty() {
        "Plancard needs you"
    } else if active(overview).next().is_some() {
        "Plancard is running a plan"
    } else {
        "Plancard"
    }
}

fn menu(app: &AppHandle, overview: Option<&Overview>) -> tauri::Result<Menu<Wry>> {
    let menu = Menu::new(app)?;
    let lines = overview.map(lines).unwrap_or_default();
    for (id, words) in &lines {
        menu.append(&MenuItem::with_id(app, id, words, true, None::<&str>)?)?;
    }
    if !lines.is_empty() {
        menu.append(&PredefinedMenuItem::separator(app)?)?;
    }
    for (id, words) in
        [("pause", "Pause all"), ("resume", "Resume all"), ("open", "Open"), ("quit", "Quit")]
    {
        menu.append(&MenuItem::with_id(app, id, words, true, None::<&str>)?)?;
    }
    Ok(menu)
}

fn chosen(app: &AppHandle, id: &str) {
    match id {
        "pause" => all(app, &Command::Pause),
        "resume" => all(app, &Command::Resume),
        "open" => show(app),
        "quit" => app.exit(0),
        _ => {
            let Some(room) = id.strip_prefix("room:").and_then(|id| id.parse().ok()) else {
                return;
            };
            let _ = app.emit("link", crate::links::Link::Room { room: RoomId(room) });
            show(app);
        }
    }
}

/// Does the same to every active plan; one that can't is left as it is.
fn all(app: &AppHandle, command: &Command) {
    let engine = &app.state::<Arc<House>>().engine;
    let Ok(overview) = engine.overview() else { return };
    for room in active(&overview) {
        let _ = engine.submit(room.id, &me(), command.clone());
    }
}
