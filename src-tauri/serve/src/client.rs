//! Requests to the engine of a data folder: the one that runs, else one in this process. Both
//! answer by the same routes.

use crate::engine_command::tell_found;
use crate::events::Events;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, Response, header};
use engine::config::{ConfigPlace, ConfigStore};
use engine::journal::{FolderLock, JournalError};
use engine::{Engine, Lines, Options, rest};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::net::UnixStream;
use tower::ServiceExt;

/// How long one that has the data folder may take to listen or to leave, and how often is looked.
const PATIENCE: Duration = Duration::from_secs(5);
const AGAIN: Duration = Duration::from_millis(50);
/// The longest answer.
const MOST: usize = 64 * 1024 * 1024;

/// The engine of a data folder.
pub enum Client {
    /// Another process has it.
    Running {
        /// The folder.
        data: PathBuf,
    },
    /// This process has it.
    Own {
        /// It.
        engine: Engine,
        /// What it answers.
        routes: Router,
    },
}

/// What came back.
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The body; null without one.
    pub body: Value,
}

impl Client {
    /// Finds the engine that has the folder, else starts one with this configuration.
    pub async fn reach(data: &Path, config: ConfigPlace, lines: &Lines) -> Result<Self, String> {
        let begun = Instant::now();
        loop {
            if rest::socket::connect(data).is_ok() {
                return Ok(Self::Running { data: data.to_owned() });
            }
            match FolderLock::take(data) {
                Ok(lock) => return Self::start(lock, config, lines),
                Err(JournalError::Locked { .. }) if begun.elapsed() < PATIENCE => {
                    tokio::time::sleep(AGAIN).await;
                }
                Err(error @ JournalError::Locked { .. }) => {
                    return Err(format!(
                        "{error}, which takes no requests: it is starting or ending, or it is a \
                         command at work, such as `plancard council`. Quit it or wait for it, then \
                         try again. Commands work side by side while `plancard serve` runs."
                    ));
                }
                Err(error) => return Err(error.to_string()),
            }
        }
    }

    fn start(lock: FolderLock, config: ConfigPlace, lines: &Lines) -> Result<Self, String> {
        let options = Options::new(lock, ConfigStore::open(config));
        let started = Engine::start(options).map_err(|error| error.to_string())?;
        lines.redact_with(&started.engine);
        tell_found(&started);
        let routes = rest::own_router(started.engine.clone());
        Ok(Self::Own { engine: started.engine, routes })
    }

    /// Asks for something.
    pub async fn get(&self, path: &str) -> Result<Answer, String> {
        self.send(Request::get(path).body(Body::empty())).await
    }

    /// Sends something.
    pub async fn post(&self, path: &str, body: &Value) -> Result<Answer, String> {
        let request = Request::post(path).header(header::CONTENT_TYPE, "application/json");
        self.send(request.body(Body::from(body.to_string()))).await
    }

    /// Follows a stream of events, after the one with this number.
    pub async fn follow(&self, path: &str, after: u64) -> Result<Events, String> {
        let request = Request::get(path).header("last-event-id", after.to_string());
        let response = self.open(request.body(Body::empty())).await?;
        match response.status().as_u16() {
            200 => Ok(Events::of(response.into_body())),
            _ => Err(read(response).await?.ok().err().unwrap_or_default()),
        }
    }

    async fn send(
        &self,
        request: Result<Request<Body>, axum::http::Error>,
    ) -> Result<Answer, String> {
        read(self.open(request).await?).await
    }

    async fn open(
        &self,
        request: Result<Request<Body>, axum::http::Error>,
    ) -> Result<Response<Body>, String> {
        let request = request.map_err(|error| format!("a request makes no sense: {error}"))?;
        match self {
            Self::Running { data } => over_socket(data, request)
                .await
                .map_err(|error| format!("the running Plancard does not answer: {error}")),
            Self::Own { routes, .. } => match routes.clone().oneshot(request).await {
                Ok(response) => Ok(response),
                Err(never) => match never {},
            },
        }
    }

    /// Lets go of the engine; one of our own stops.
    pub async fn end(self) {
        match self {
            Self::Running { .. } => {}
            Self::Own { engine, .. } => engine.stop().await,
        }
    }
}

impl Answer {
    /// The body of a good answer, else what the engine says.
    pub fn ok(self) -> Result<Value, String> {
        match self.status {
            200..300 => Ok(self.body),
            status => Err(match self.body["error"]["message"].as_str() {
                Some(words) => words.to_owned(),
                None => format!("Plancard answered with {status}"),
            }),
        }
    }
}

async fn read(response: Response<Body>) -> Result<Answer, String> {
    let status = response.status().as_u16();
    let body = to_bytes(response.into_body(), MOST).await;
    let body = body.map_err(|error| format!("an answer was cut off: {error}"))?;
    let body = match body.is_empty() {
        true => Value::Null,
        false => serde_json::from_slice(&body)
            .map_err(|error| format!("an answer can't be read: {error}"))?,
    };
    Ok(Answer { status, body })
}

async fn over_socket(
    data: &Path,
    mut request: Request<Body>,
) -> Result<Response<Body>, Box<dyn std::error::Error + Send + Sync>> {
    let socket = rest::socket::connect(data)?;
    socket.set_nonblocking(true)?;
    let socket = TokioIo::new(UnixStream::from_std(socket)?);
    let (mut sender, connection) = hyper::client::conn::http1::handshake(socket).await?;
    tokio::spawn(connection);
    // HTTP wants one, and on a socket nobody reads it.
    request.headers_mut().insert(header::HOST, header::HeaderValue::from_static("plancard"));
    Ok(sender.send_request(request).await?.map(Body::new))
}
