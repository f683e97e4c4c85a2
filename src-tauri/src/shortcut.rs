//! The key combination that pauses everything, wherever the person is.

use crate::house::{House, me};
use crate::tray;
use engine::config::Shortcut;
use std::sync::Arc;
use tauri::{AppHandle, Manager};
use tauri_plugin_global_shortcut::{Builder, GlobalShortcutExt, ShortcutState};

const ELSE: &str = "the tray menu has Pause all";

/// Registers the shortcut, and another one when the settings change. A desktop
/// that gives no shortcuts is no reason to fail.
pub async fn run(app: AppHandle) {
    let house = Arc::clone(&app.state::<Arc<House>>());
    if let Err(error) = app.plugin(Builder::new().build()) {
        let trouble = format!("no shortcut can be used here ({error}); {ELSE}");
        tracing::warn!(trouble);
        house.set_shortcut_trouble(Some(trouble));
        house.shortcut_settled.send_replace(u64::MAX);
        return;
    }
    let mut settings = house.engine.config().changes();
    let mut held: Option<Shortcut> = None;
    loop {
        let wanted = house.engine.config().current().config.ui.pause_shortcut.clone();
        if wanted != held {
            if let Some(old) = held.take() {
                let _ = app.global_shortcut().unregister(old.as_str());
            }
            let trouble = wanted.as_ref().and_then(|wanted| register(&app, wanted).err());
            if let Some(trouble) = &trouble {
                tracing::warn!(trouble);
            }
            house.set_shortcut_trouble(trouble);
            held = wanted;
        }
        house.shortcut_settled.send_replace(*settings.borrow_and_update());
        tokio::select! {
            Ok(()) = settings.changed() => {}
            else => return,
        }
    }
}

fn register(app: &AppHandle, keys: &Shortcut) -> Result<(), String> {
    if std::env::var_os("DISPLAY").is_none_or(|display| display.is_empty()) {
        return Err(format!("{keys} can't be used on this desktop (Wayland); {ELSE}"));
    }
    app.global_shortcut()
        .on_shortcut(keys.as_str(), |app, _, event| {
            if event.state() == ShortcutState::Pressed {
                tray::pause_all(app, me());
            }
        })
        .map_err(|error| {
            tracing::debug!(%error, "a shortcut can't be registered");
            format!("{keys} can't be used; another program may have it; {ELSE}")
        })?;
    if std::env::var_os("WAYLAND_DISPLAY").is_some() {
        return Err(format!("this desktop (Wayland) may keep {keys} to itself; {ELSE}"));
    }
    Ok(())
}
