//! `plancard serve`: the engine and its API without a window.

use crate::words::ServeOptions;
use engine::config::ConfigStore;
use engine::journal::FolderLock;
use engine::rest::{self, Clients, Tokens, token};
use engine::{Engine, Lines, Options};
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Serves until it is told to stop.
pub fn run(options: ServeOptions) -> ExitCode {
    let lines = Lines::default();
    let errors = lines.clone();
    tracing_subscriber::fmt()
        .with_writer(move || errors.clone())
        .with_ansi(false)
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .init();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&format!("the program could not start: {error}")),
    };
    let served = runtime.block_on(serve(options, &lines));
    // All is on disk; who is still reading a file is not waited for.
    runtime.shutdown_background();
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => fail(&why),
    }
}

fn fail(why: &str) -> ExitCode {
    crate::fail("serve", why)
}

async fn serve(options: ServeOptions, lines: &Lines) -> Result<(), String> {
    let (data, config) = options.folders.found(|name| std::env::var_os(name))?;
    let config = ConfigStore::open(config);
    for warning in &config.current().warnings {
        eprintln!("warning: {warning}");
    }
    if let Some(errors) = config.errors() {
        return Err(format!("the configuration has errors:\n{errors}"));
    }
    let (given, rights) = (token::given()?, token::rights_given()?);
    // First the folder: a port is most often taken by another engine on the same data.
    let lock = FolderLock::take(&data).map_err(|error| error.to_string())?;
    let listener = TcpListener::bind(options.listen)
        .await
        .map_err(|error| format!("can't listen on {}: {error}", options.listen))?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let token = match given {
        Some(token) => token,
        None => token::kept(&data)?,
    };
    let mut start = Options::new(lock, config);
    start.secrets.push(token.secret.clone());
    // From here on there is something to pause before leaving.
    let stopped = wait_for_stop()?;
    let started = Engine::start(start).map_err(|error| error.to_string())?;
    lines.redact_with(&started.engine);
    if let Some(place) = &started.set_aside {
        eprintln!("warning: the log was damaged; it was kept as {}", place.display());
    }
    if let Some(place) = &started.backup {
        eprintln!("the log was brought to a new format; the old one is {}", place.display());
    }
    let stop = CancellationToken::new();
    match rest::socket::listen(&data) {
        Ok(socket) => {
            tokio::spawn(rest::serve_socket(started.engine.clone(), socket, stop.clone()));
        }
        Err(error) => eprintln!("warning: other commands can't reach this one: {error}"),
    }
    announce(address, token.file.as_deref());
    let tokens = Tokens(vec![token.owner(rights)]);
    let engine = started.engine.clone();
    let served = rest::serve(engine, tokens, listener, Clients::default(), stop);
    tokio::select! {
        served = served => served.map_err(|error| error.to_string())?,
        () = stopped => {}
    }
    // Streams stay open for as long as their clients like, so the server is
    // not waited for; what matters is that every room is on disk.
    started.engine.stop().await;
    Ok(())
}

fn announce(address: SocketAddr, token: Option<&Path>) {
    let mut out = std::io::stdout().lock();
    // Whoever started us may have closed the pipe; that is no reason to stop.
    let _ = writeln!(out, "listening on http://{address}");
    if let Some(file) = token {
        let _ = writeln!(out, "token in {}", file.display());
    }
    let _ = out.flush();
}

fn wait_for_stop() -> Result<impl Future<Output = ()>, String> {
    let mut term = signal(SignalKind::terminate()).map_err(|error| error.to_string())?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(|error| error.to_string())?;
    Ok(async move {
        tokio::select! {
            _ = term.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
