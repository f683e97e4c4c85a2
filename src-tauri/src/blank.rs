//! `plancard-window blank`: a window with nothing in it, so that a benchmark can say what the
//! rest costs.
//!
//! It is the same program with the same window and the same walls. An empty page stands in for
//! the app, and there is no engine, no tray and no plugin. The page can call one command,
//! `ui_ready`, and the window is shown then, as the app's is.

use std::borrow::Cow;
use std::process::ExitCode;
use tauri::utils::assets::{AssetKey, AssetsIter, CspHash};
use tauri::{Assets, Wry};

const PAGE: &str = "<!doctype html><title>Plancard</title><script src=\"/ready.js\"></script>";
const SCRIPT: &str = "window.__TAURI_INTERNALS__.invoke('ui_ready')";

/// Opens the empty window and stays until it is closed.
pub fn blank() -> ExitCode {
    let mut context = crate::context();
    context.set_assets(Box::new(Empty));
    let app = tauri::Builder::default()
        .invoke_handler(|invoke| {
            let known = invoke.message.command() == "ui_ready";
            if known {
                let _ = invoke.message.webview().window().show();
                invoke.resolver.resolve(());
            }
            known
        })
        .setup(|app| Ok(crate::windows(app).map(drop)?))
        .build(context);
    match app {
        Ok(app) => {
            app.run(|_, _| {});
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("plancard: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A page that says it is there.
struct Empty;

impl Assets<Wry> for Empty {
    fn get(&self, key: &AssetKey) -> Option<Cow<'_, [u8]>> {
        match key.as_ref() {
            "/index.html" => Some(Cow::Borrowed(PAGE.as_bytes())),
            "/ready.js" => Some(Cow::Borrowed(SCRIPT.as_bytes())),
            _ => None,
        }
    }

    fn iter(&self) -> Box<AssetsIter<'_>> {
        Box::new(std::iter::empty())
    }

    fn csp_hashes(&self, _page: &AssetKey) -> Box<dyn Iterator<Item = CspHash<'_>> + '_> {
        Box::new(std::iter::empty())
    }
}
