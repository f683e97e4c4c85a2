//! `plancard serve`: the engine and its API without a window.

use crate::words::ServeOptions;
use crate::{engine_command, say};
use engine::config::ConfigStore;
use engine::journal::FolderLock;
use engine::rest::{self, Clients, Tokens, token};
use engine::{Engine, Lines, Options};
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Serves until it is told to stop.
pub async fn run(options: ServeOptions, lines: &Lines) -> Result<ExitCode, String> {
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
    engine_command::tell_found(&started);
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
    Ok(ExitCode::SUCCESS)
}

fn announce(address: SocketAddr, token: Option<&Path>) {
    let token = token.map_or(String::new(), |file| format!("token in {}\n", file.display()));
    say(&format!("listening on http://{address}\n{token}"));
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
