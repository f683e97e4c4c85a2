//! A server on loopback that passes everything on to the model's address and keeps what it saw.

use crate::clock::Pace;
use crate::http;
use crate::recording::Exchange;
use crate::wire;
use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::Response;
use bytes::Bytes;
use futures::StreamExt;
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Headers that are about one connection, or that would change the bytes.
const NOT_PASSED_ON: [&str; 6] =
    ["host", "content-length", "connection", "accept-encoding", "transfer-encoding", "keep-alive"];

/// Headers of an answer that change what it means.
const KEPT: [&str; 3] = ["content-type", "retry-after", "retry-after-ms"];

/// A running proxy; it stops when dropped.
pub struct Proxy {
    address: String,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

struct Shared {
    /// Scheme, host and port of the models, by their number in the path.
    origins: Vec<String>,
    state: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    folder: Option<PathBuf>,
    exchanges: Vec<Exchange>,
    begun: usize,
    open: usize,
    /// Events of answers that are on their way.
    live: u64,
    problem: Option<String>,
}

impl Proxy {
    /// Starts one for these origins, such as `http://127.0.0.1:8080`.
    pub async fn start(origins: Vec<String>) -> Result<Self, String> {
        let shared = Arc::new(Shared { origins, state: Mutex::default() });
        let router = Router::new()
            .fallback(pass)
            .layer(DefaultBodyLimit::disable())
            .with_state(shared.clone());
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .map_err(|error| format!("no port for the proxy: {error}"))?;
        let address = listener.local_addr().map_err(|error| error.to_string())?;
        let server = tokio::spawn(async move {
            // It goes on serving after errors; when it ends, the process does.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self { address: format!("http://{address}"), shared, server })
    }

    /// Where the origin of this number is reached.
    pub fn origin(&self, number: usize) -> String {
        format!("{}/{number}", self.address)
    }

    /// From here on a new task is recorded into this folder.
    pub fn begin(&self, folder: PathBuf) {
        *self.shared.state() = Kept { folder: Some(folder), ..Kept::default() };
    }

    /// What was exchanged since then.
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.shared.state().exchanges.clone()
    }

    /// The time the model would have taken for everything so far at this pace.
    pub fn worked(&self, pace: Pace) -> Duration {
        let state = self.shared.state();
        let over = state.exchanges.iter().map(|exchange| pace.of(&wire::answer(&exchange.body)));
        over.sum::<Duration>() + pace.writing(state.live)
    }

    /// Whether an answer is on its way.
    pub fn is_busy(&self) -> bool {
        self.shared.state().open > 0
    }

    /// What kept a recording from being written.
    pub fn problem(&self) -> Option<String> {
        self.shared.state().problem.clone()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, Kept> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, exchange: Exchange, folder: Option<PathBuf>) {
        let written = folder.as_ref().map(|folder| exchange.write(folder));
        let mut state = self.state();
        // An answer that outlives its task belongs to that one.
        if state.folder != folder {
            return;
        }
        state.open = state.open.saturating_sub(1);
        state.live = state.live.saturating_sub(events(&exchange.body));
        if let Some(Err(problem)) = written {
            state.problem = Some(problem);
        }
        state.exchanges.push(exchange);
    }
}

async fn pass(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let path = uri.path_and_query().map(ToString::to_string).unwrap_or_default();
    let Some((origin, path)) = split(&shared.origins, &path) else {
        return plain(StatusCode::NOT_FOUND, "there is no such model behind the proxy");
    };
    // Lists of models are no turns.
    let counts = method == Method::POST;
    let (folder, number) = {
        let mut state = shared.state();
        if counts {
            state.begun += 1;
            state.open += 1;
        }
        (state.folder.clone(), state.begun)
    };
    let exchange = Exchange {
        number,
        path: path.clone(),
        request: body.to_vec(),
        keys: keys(&headers, &path),
        ..Exchange::default()
    };
    let mut kept =
        Keeper { shared: counts.then_some(shared), folder, exchange, begun: Instant::now() };
    let mut request = http::client().request(method, format!("{origin}{path}")).body(body);
    for (name, value) in &headers {
        if !NOT_PASSED_ON.contains(&name.as_str()) {
            request = request.header(name, value);
        }
    }
    let answer = match request.send().await {
        Ok(answer) => answer,
        Err(error) => {
            return plain(StatusCode::BAD_GATEWAY, &format!("the model was not reached: {error}"));
        }
    };
    kept.exchange.status = answer.status().as_u16();
    let mut response = Response::builder().status(answer.status());
    for (name, value) in answer.headers() {
        if KEPT.contains(&name.as_str()) {
            response = response.header(name, value);
            let value = value.to_str().unwrap_or_default().to_owned();
            kept.exchange.headers.push((name.to_string(), value));
        }
    }
    let (send, receive) = mpsc::channel::<Bytes>(64);
    tokio::spawn(relay(answer, send, kept));
    let stream = futures::stream::unfold(receive, |mut receive| async move {
        let piece = receive.recv().await?;
        Some((Ok::<_, Infallible>(piece), receive))
    });
    response
        .body(Body::from_stream(stream))
        .unwrap_or_else(|_| plain(StatusCode::BAD_GATEWAY, "the model's answer has bad headers"))
}

/// Passes an answer on; who hangs up here also hangs up on the model.
async fn relay(answer: reqwest::Response, send: mpsc::Sender<Bytes>, mut kept: Keeper) {
    let mut pieces = answer.bytes_stream();
    loop {
        let piece = tokio::select! {
            piece = pieces.next() => piece,
            () = send.closed() => return,
        };
        match piece {
            Some(Ok(piece)) => {
                kept.exchange.body.extend_from_slice(&piece);
                if let Some(shared) = &kept.shared {
                    shared.state().live += events(&piece);
                }
                if send.send(piece).await.is_err() {
                    return;
                }
            }
            Some(Err(_)) => return,
            None => {
                kept.exchange.whole = true;
                return;
            }
        }
    }
}

/// Keeps an exchange however it ends.
struct Keeper {
    shared: Option<Arc<Shared>>,
    folder: Option<PathBuf>,
    exchange: Exchange,
    begun: Instant,
}

impl Drop for Keeper {
    fn drop(&mut self) {
        let Some(shared) = self.shared.take() else { return };
        let mut exchange = std::mem::take(&mut self.exchange);
        exchange.ms = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        shared.keep(exchange, self.folder.take());
    }
}

/// How many events are in these bytes, as near as that can be told from pieces.
fn events(bytes: &[u8]) -> u64 {
    bytes.windows(2).filter(|pair| pair == b"\n\n").count() as u64
}

/// The origin that a path begins with, and the rest.
fn split(origins: &[String], path: &str) -> Option<(String, String)> {
    let (number, rest) = path.strip_prefix('/')?.split_once('/')?;
    let origin = origins.get(number.parse::<usize>().ok()?)?;
    Some((origin.clone(), format!("/{rest}")))
}

/// Every key that a request carries.
fn keys(headers: &HeaderMap, path: &str) -> Vec<String> {
    let named = ["authorization", "x-api-key", "x-goog-api-key", "api-key"];
    let values = named.iter().filter_map(|name| headers.get(*name)?.to_str().ok());
    let mut keys: Vec<String> = values
        .map(|value| value.strip_prefix("Bearer ").unwrap_or(value).trim().to_owned())
        .collect();
    let query = path.split_once('?').map(|(_, query)| query).unwrap_or_default();
    let in_query = query.split('&').filter_map(|pair| pair.split_once('='));
    keys.extend(
        in_query.filter(|(name, _)| name.contains("key")).map(|(_, value)| value.to_owned()),
    );
    keys.retain(|key| !key.is_empty());
    keys
}

fn plain(status: StatusCode, words: &str) -> Response {
    let mut response = Response::new(Body::from(words.to_owned()));
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_to_its_origin() {
        let origins = ["http://a:1".to_owned(), "http://b:2".to_owned()];
        let expected = Some(("http://b:2".to_owned(), "/v1/messages?x=1".to_owned()));
        assert_eq!(split(&origins, "/1/v1/messages?x=1"), expected);
        assert_eq!(split(&origins, "/2/v1"), None);
        assert_eq!(split(&origins, "/v1/messages"), None);
    }

    #[test]
    fn keys_are_found_in_headers_and_addresses() {
        let mut headers = HeaderMap::new();
        headers.insert("authorization", "Bearer one".parse().expect("a header"));
        headers.insert("x-api-key", "two".parse().expect("a header"));
        assert_eq!(keys(&headers, "/v1?alt=sse&key=three"), ["one", "two", "three"]);
    }
}
