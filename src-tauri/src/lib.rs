//! The desktop app: a window, a tray, links and keys around the engine. No rules live here.

mod api;
mod awake;
mod blank;
mod council;
mod daemon;
mod diagnostics;
mod feeds;
mod glance;
mod house;
mod instance;
mod ipc;
mod keys;
mod links;
mod log;
mod looking;
mod notices;
mod notify;
mod placement;
mod problem;
mod renderer;
mod secrets;
mod settings;
mod shortcut;
mod start;
mod tray;
mod trying;
mod visible;
pub mod wire;

pub use blank::blank;
use house::{House, NotOpened, Opened, data_folder};
use log::Log;
use std::panic::resume_unwind;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tauri::async_runtime::{JoinHandle, block_on, spawn};
use tauri::webview::PageLoadEvent;
use tauri::{
    App, AppHandle, Manager, RunEvent, WebviewWindow, WebviewWindowBuilder, Window, WindowEvent,
};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

/// How long everything else waits for the window at the start.
const FIRST: Duration = Duration::from_secs(3);
/// How long another that has the data folder may take to listen or to leave, and how often is looked.
const LEAVING: Duration = Duration::from_secs(5);
const AGAIN: Duration = Duration::from_millis(50);
/// How long notifications may take to go away at the end.
const FAREWELL: Duration = Duration::from_secs(1);

/// What goes on beside the window.
struct Beside {
    /// Hears of every closing of the window.
    closings: mpsc::Sender<Closed>,
    notifier: Mutex<Option<JoinHandle<()>>>,
}

/// Opens the window and stays until the person quits.
pub fn run() -> ExitCode {
    engine::leave_no_dumps();
    if let Err(why) = engine::rest::token::take_token() {
        return fail(&why);
    }
    let log = Log::begin();
    engine::hand_none_on();
    engine::open_many();
    if let Err(why) = start::display() {
        return fail(why);
    }
    match data_folder().is_some_and(|data| instance::took_over(&data, &links::own_args())) {
        true => ExitCode::SUCCESS,
        false => open(log),
    }
}

fn fail(why: &str) -> ExitCode {
    eprintln!("plancard: {why}");
    ExitCode::FAILURE
}

type Opening = std::thread::JoinHandle<Result<Opened, NotOpened>>;

/// Opens the house. Whoever holds its folder may be about to listen, and then takes this start
/// over, or about to leave.
async fn open_house(log: &Log) -> Result<Opened, NotOpened> {
    let begun = Instant::now();
    loop {
        let opened = House::open(log);
        let held = matches!(opened, Err(NotOpened::Held { .. }));
        if !held || begun.elapsed() > LEAVING {
            return opened;
        }
        if data_folder().is_some_and(|data| instance::took_over(&data, &links::own_args())) {
            return Err(NotOpened::TakenOver);
        }
        tokio::time::sleep(AGAIN).await;
    }
}

fn open(log: Log) -> ExitCode {
    // Begun first, for the toolkit takes as long and uses one processor.
    let opening: Opening = std::thread::spawn(move || block_on(open_house(&log)));
    let builder = tauri::Builder::default()
        .plugin(tauri_plugin_deep_link::init())
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_opener::init())
        .plugin(
            tauri_plugin_window_state::Builder::default()
                .with_state_flags(placement::kept())
                .build(),
        )
        .manage(placement::Placement::default())
        .manage(renderer::Renderer::default())
        .invoke_handler(ipc::handler())
        .on_page_load(|webview, page| {
            if page.event() == PageLoadEvent::Started
                && let Some(house) = webview.try_state::<Arc<House>>()
            {
                house.links.page_gone();
            }
        })
        .on_window_event(|window, event| {
            placement::hear(window, event);
            if let WindowEvent::CloseRequested { api, .. } = event {
                api.prevent_close();
                let window = window.clone();
                spawn(async move { put_away(&window).await });
            }
        })
        .setup(move |app| Ok(set_up(app, opening)?));
    match start::build(builder, context()) {
        Ok(app) => {
            app.run(|app, event| {
                if let RunEvent::ExitRequested { api, code, .. } = event
                    && let Some(house) = app.try_state::<Arc<House>>()
                    && !house.leaving.is_cancelled()
                {
                    // What is at work may still need this thread, so it is not held up.
                    api.prevent_exit();
                    house.leaving.cancel();
                    spawn(leave(app.clone(), Arc::clone(&house), code.unwrap_or(0)));
                }
            });
            ExitCode::SUCCESS
        }
        Err(why) => fail(&why),
    }
}

fn set_up(app: &App, opening: Opening) -> tauri::Result<()> {
    let handle = app.handle();
    // The page can't ask for anything before this function ends.
    let windows = windows(app)?;
    let Opened { house, news } = match opening.join() {
        Ok(Ok(opened)) => opened,
        Ok(Err(NotOpened::TakenOver)) => {
            handle.exit(0);
            return Ok(());
        }
        Ok(Err(NotOpened::Held { why } | NotOpened::Failed { why })) => {
            start::give_up(handle, &why);
            return Ok(());
        }
        Err(panic) => resume_unwind(panic),
    };
    let house = Arc::new(house);
    app.manage(Arc::clone(&house));
    links::listen(handle);
    instance::listen(handle, &house);
    for window in windows {
        renderer::watch(&window);
        start::when_shown(&window, house.shown.clone());
    }
    let (closings, closed) = mpsc::channel(1);
    let notifier = beside(&house, notify::run(handle.clone(), closed));
    app.manage(Beside { closings, notifier: Mutex::new(Some(notifier)) });
    beside(&house, placement::run(handle.clone()));
    beside(&house, tray::run(handle.clone()));
    beside(&house, api::run(Arc::clone(&house)));
    beside(&house, api::run_socket(Arc::clone(&house)));
    beside(&house, awake::run(Arc::clone(&house)));
    beside(&house, shortcut::run(handle.clone()));
    spawn(quit_on_signal(handle.clone()));
    if let Some(news) = news {
        start::tell(handle, &news);
    }
    Ok(())
}

/// Does something beside the window, which comes first: both would want the same processors.
fn beside(house: &Arc<House>, work: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    let shown = house.shown.clone();
    spawn(async move {
        // A page that never gets ready must not keep the rest from working.
        let _ = tokio::time::timeout(FIRST, shown.cancelled()).await;
        work.await;
    })
}

/// Makes the windows that `tauri.conf.json` describes.
fn windows(app: &App) -> tauri::Result<Vec<WebviewWindow>> {
    let described = &app.config().app.windows;
    let make = |window| WebviewWindowBuilder::from_config(app.handle(), window)?.build();
    described.iter().map(make).collect()
}

/// Where a window is that was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Closed {
    /// The tray brings it back.
    InTray,
    /// There is no tray, so it stays in reach.
    Minimized,
}

/// Closing keeps plans running, and never leaves an app that nobody can see.
async fn put_away(window: &Window) {
    let closed = match tray::exists(window.app_handle()).await {
        true => Closed::InTray,
        false => Closed::Minimized,
    };
    let _ = match closed {
        Closed::InTray => window.hide(),
        Closed::Minimized => window.minimize(),
    };
    if let Some(beside) = window.try_state::<Beside>() {
        let _ = beside.closings.try_send(closed);
    }
}

/// A signal does the same as Quit.
async fn quit_on_signal(app: AppHandle) {
    let signals = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
    let (Ok(mut term), Ok(mut interrupt)) = signals else { return };
    tokio::select! {
        _ = term.recv() => {}
        _ = interrupt.recv() => {}
    }
    app.exit(0);
}

/// Pauses everything, and ends the app when that is on disk.
async fn leave(app: AppHandle, house: Arc<House>, code: i32) {
    house.engine.stop().await;
    let notifier = app
        .try_state::<Beside>()
        .and_then(|beside| beside.notifier.lock().unwrap_or_else(PoisonError::into_inner).take());
    if let Some(notifier) = notifier {
        let _ = tokio::time::timeout(FAREWELL, notifier).await;
    }
    app.exit(code);
}

/// What `tauri.conf.json` says, with the files of the window.
fn context() -> tauri::Context {
    tauri::generate_context!()
}
