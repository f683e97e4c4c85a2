//! Where the window is and how large: kept soon after it changed, so that an app that was killed
//! comes back as it was.

use std::time::Duration;
use tauri::{AppHandle, Manager, Window, WindowEvent};
use tauri_plugin_window_state::{AppHandleExt, StateFlags};
use tokio::sync::Notify;

/// How long it has to stay as it is: while an edge is dragged, every step of it is a change.
const STILL: Duration = Duration::from_millis(500);

/// Told of every change.
#[derive(Default)]
pub struct Placement(Notify);

/// What is kept. A window is shown when it is painted, however it was left.
pub fn kept() -> StateFlags {
    StateFlags::all() & !StateFlags::VISIBLE
}

/// Hears of what happens to the window.
pub fn hear(window: &Window, event: &WindowEvent) {
    if matches!(event, WindowEvent::Resized(_) | WindowEvent::Moved(_))
        && let Some(placement) = window.try_state::<Placement>()
    {
        placement.0.notify_one();
    }
}

/// Writes it down whenever it has come to rest.
pub async fn run(app: AppHandle) {
    let placement = app.state::<Placement>();
    loop {
        placement.0.notified().await;
        while tokio::time::timeout(STILL, placement.0.notified()).await.is_ok() {}
        // On the window's own thread: it is asked, and may not be waiting for the same lock.
        let asked = app.clone();
        let _ = app.run_on_main_thread(move || {
            if let Err(error) = asked.save_window_state(kept()) {
                tracing::warn!(%error, "where the window is can't be kept");
            }
        });
    }
}
