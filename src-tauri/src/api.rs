//! The local API behind the window: with a token while the settings want it, and always for the
//! person's own programs.

use crate::house::House;
use crate::settings::ApiView;
use engine::rest::{self, Clients, Tokens, token};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The API, open or not.
#[derive(Default)]
pub struct ApiDoor {
    state: Mutex<State>,
    clients: Clients,
}

#[derive(Default)]
struct State {
    address: Option<String>,
    problem: Option<String>,
    token_file: Option<PathBuf>,
}

/// A server under way.
struct Open {
    wanted: SocketAddr,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl ApiDoor {
    /// How it stands.
    pub fn view(&self, enabled: bool) -> ApiView {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        ApiView {
            enabled,
            address: state.address.clone(),
            problem: state.problem.clone(),
            token_file: state.token_file.as_ref().map(|file| file.display().to_string()),
            clients: self.clients.count(),
        }
    }

    /// Says a new problem once.
    fn has_problem(&self, problem: Option<String>) {
        self.set(|state| {
            if let Some(problem) = problem.as_ref().filter(|_| state.problem != problem) {
                tracing::warn!(problem, "the API does not listen");
            }
            state.problem = problem;
        });
    }

    fn set(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Opens and closes the API as the settings change.
pub async fn run(house: Arc<House>) {
    let mut settings = house.engine.config().changes();
    let given = matches!(token::given(), Ok(Some(_)));
    let file = (!given).then(|| token::file_in(&house.data));
    house.api.set(|state| state.token_file = file);
    let mut open: Option<Open> = None;
    loop {
        let api = house.engine.config().current().config.api;
        // What the token may do is looked up request by request: streams stay open over a change.
        let at = |open: &Open| open.wanted == api.listen && !open.task.is_finished();
        let same = open.as_ref().is_some_and(at);
        if !(api.enabled && same) {
            if let Some(open) = open.take() {
                open.stop.cancel();
                let _ = open.task.await;
            }
            house.api.set(|state| state.address = None);
            let begun = if api.enabled { Some(start(&house, api.listen).await) } else { None };
            let problem = begun.as_ref().and_then(|begun| begun.as_ref().err()).cloned();
            house.api.has_problem(problem);
            open = begun.and_then(Result::ok);
        }
        house.api_settled.send_replace(*settings.borrow_and_update());
        tokio::select! {
            Ok(()) = settings.changed() => {}
            else => return,
        }
    }
}

/// Answers the person's own programs, whatever the settings say, until the app is about to end.
pub async fn run_socket(house: Arc<House>) {
    let served = match rest::socket::listen(&house.data) {
        Ok(socket) => rest::serve_socket(house.engine.clone(), socket, house.leaving.clone()).await,
        Err(error) => Err(error),
    };
    if let Err(error) = served {
        tracing::warn!(%error, "the command line can't reach this window");
    }
}

async fn start(house: &Arc<House>, wanted: SocketAddr) -> Result<Open, String> {
    let listener = TcpListener::bind(wanted)
        .await
        .map_err(|error| format!("can't listen on {wanted}: {error}"))?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let token = token::obtain(&house.data)?;
    house.engine.hide(&token.secret);
    let stop = CancellationToken::new();
    let serving = rest::serve(
        house.engine.clone(),
        Tokens(vec![token.owner(None)]),
        listener,
        house.api.clients.clone(),
        stop.clone(),
    );
    house.api.set(|state| state.address = Some(format!("http://{address}")));
    let task = tokio::spawn(async move {
        if let Err(error) = serving.await {
            tracing::warn!(%error, "the API stopped");
        }
    });
    Ok(Open { wanted, stop, task })
}
