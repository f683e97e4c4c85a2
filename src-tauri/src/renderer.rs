//! The process that draws the page may die; the page is then loaded anew and finds everything in
//! the engine again. Where it dies again and again that waits: for a while, or for a person who
//! opens the window.

use crate::house::House;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tauri::{Manager, WebviewWindow};
use webkit2gtk::WebViewExt;

/// More deaths than this within `SPELL` are not worth another try at once.
const TRIES: usize = 5;
const SPELL: Duration = Duration::from_secs(60);

/// Whether the process is dead and the page not loaded anew.
#[derive(Default)]
pub struct Renderer {
    dead: AtomicBool,
}

/// Brings the page back whenever the process behind it ends.
pub fn watch(window: &WebviewWindow) {
    let here = window.clone();
    let watched = window.with_webview(move |webview| {
        let deaths = RefCell::new(Deaths::default());
        webview.inner().connect_web_process_terminated(move |_, reason| {
            let wait = deaths.borrow_mut().one_more(Instant::now());
            tracing::warn!(?reason, ?wait, "the page's process ended");
            here.state::<Renderer>().dead.store(true, Ordering::Relaxed);
            // A link that comes now waits for the next page.
            here.state::<Arc<House>>().links.page_gone();
            if wait.is_zero() {
                return revive(&here);
            }
            let later = here.clone();
            tauri::async_runtime::spawn(async move {
                tokio::time::sleep(wait).await;
                revive(&later);
            });
        });
    });
    if let Err(error) = watched {
        tracing::warn!(%error, "the page's process can't be watched");
    }
}

/// Loads the page anew if its process is dead.
pub fn revive(window: &WebviewWindow) {
    if !window.state::<Renderer>().dead.swap(false, Ordering::Relaxed) {
        return;
    }
    if let Err(error) = window.with_webview(|webview| webview.inner().reload()) {
        tracing::warn!(%error, "the page can't be loaded anew");
    }
}

/// When the process ended lately.
#[derive(Default)]
struct Deaths(Vec<Instant>);

impl Deaths {
    /// It ended again; how long until the page is loaded anew without anybody asking.
    fn one_more(&mut self, now: Instant) -> Duration {
        self.0.retain(|death| now.duration_since(*death) < SPELL);
        self.0.push(now);
        if self.0.len() <= TRIES { Duration::ZERO } else { SPELL }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_dies_again_and_again_is_tried_again_when_the_spell_is_over() {
        let (mut deaths, mut now) = (Deaths::default(), Instant::now());
        for _ in 0..TRIES {
            assert_eq!(deaths.one_more(now), Duration::ZERO);
            now += Duration::from_secs(1);
        }
        let wait = deaths.one_more(now);
        assert_eq!(wait, SPELL);
        assert_eq!(deaths.one_more(now + wait), Duration::ZERO, "all of that is long ago");
    }
}
