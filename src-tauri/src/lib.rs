//! The desktop app: a window, a tray, links and keys around the engine. No rules live here.

mod feeds;
mod house;
mod ipc;
mod links;
mod problem;
mod renderer;
mod secrets;
mod settings;
mod tray;

use house::House;
use std::process::ExitCode;
use std::sync::Arc;
use tauri::{Manager, WindowEvent};

/// Opens the window and stays until the person quits.
pub fn run() -> ExitCode {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .init();
    let app = tauri::Builder::default()
        .plugin(tauri_plugin_single_instance::init(|app, _args, _folder| tray::show(app)))
        .plugin(tauri_plugin_deep_link::init())
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_opener::init())
        .plugin(tauri_plugin_window_state::Builder::default().build())
        .invoke_handler(ipc::handler())
        .setup(|app| {
            let house = tauri::async_runtime::block_on(async { House::open() })?;
            app.manage(Arc::new(house));
            links::listen(app.handle());
            tray::build(app.handle())?;
            if let Some(window) = app.get_webview_window("main") {
                renderer::watch(&window);
            }
            Ok(())
        })
        .on_window_event(|window, event| {
            // Closing keeps plans running; the tray brings the window back.
            if let WindowEvent::CloseRequested { api, .. } = event {
                api.prevent_close();
                let _ = window.hide();
            }
        })
        .build(tauri::generate_context!());
    match app {
        Ok(app) => {
            app.run(|app, event| {
                if let tauri::RunEvent::Exit = event {
                    let house = Arc::clone(&app.state::<Arc<House>>());
                    tauri::async_runtime::block_on(house.engine.stop());
                }
            });
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("plancard: {error}");
            ExitCode::FAILURE
        }
    }
}
