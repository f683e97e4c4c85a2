//! The process that draws the page: how it draws, and what happens when it dies. The page is then
//! loaded anew and finds everything in the engine again.

use std::path::Path;
use std::time::{Duration, Instant};
use tauri::WebviewWindow;

/// More deaths than this within `SPELL` are not worth another try at once.
const TRIES: usize = 5;
const SPELL: Duration = Duration::from_secs(60);

/// Where graphics cards are.
const CARDS: &str = "/dev/dri";

/// Has the page drawn without OpenGL where there is no graphics card: in software that is slower
/// than drawing as such, and takes tens of megabytes.
pub fn suit(window: &WebviewWindow) {
    if Path::new(CARDS).exists() {
        return;
    }
    let suited = window.with_webview(|webview| {
        use webkit2gtk::{HardwareAccelerationPolicy, SettingsExt, WebViewExt};
        if let Some(settings) = webview.inner().settings() {
            settings.set_hardware_acceleration_policy(HardwareAccelerationPolicy::Never);
        }
    });
    if let Err(error) = suited {
        tracing::warn!(%error, "the page is drawn as it comes");
    }
}

/// Brings the page back whenever the process behind it ends.
pub fn watch(window: &WebviewWindow) {
    let watched = window.with_webview(|webview| {
        use webkit2gtk::WebViewExt;
        let deaths = std::cell::RefCell::new(Vec::<Instant>::new());
        webview.inner().connect_web_process_terminated(move |view, reason| {
            let now = Instant::now();
            let mut deaths = deaths.borrow_mut();
            deaths.retain(|death| now.duration_since(*death) < SPELL);
            deaths.push(now);
            tracing::warn!(?reason, times = deaths.len(), "the page's process ended");
            if deaths.len() <= TRIES {
                view.reload();
            }
        });
    });
    if let Err(error) = watched {
        tracing::warn!(%error, "the page's process can't be watched");
    }
}
