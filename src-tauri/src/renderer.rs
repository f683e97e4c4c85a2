//! The process that draws the page may die; the page is then loaded anew and finds everything in
//! the engine again.

use std::time::{Duration, Instant};
use tauri::WebviewWindow;

/// More deaths than this within `SPELL` are not worth another try at once.
const TRIES: usize = 5;
const SPELL: Duration = Duration::from_secs(60);

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
