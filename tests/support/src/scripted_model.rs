//! A model server on loopback that says what its script says, in the protocol it is asked in.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::{get, post};
use bytes::Bytes;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::hold::Hold;
use crate::protocols::{self, Wire};
use crate::reply::Refusal;
use crate::script::Playing;
use crate::stream::{self, Answering};
use crate::wait::in_time;
use crate::{Ending, Recorded, Script};

/// A running model server; it stops when dropped.
pub struct ScriptedModel {
    address: SocketAddr,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

struct Shared {
    playing: Playing,
    hold: Hold,
    requests: Mutex<Vec<Recorded>>,
    arrived: watch::Sender<usize>,
    /// Its list of models.
    list: Mutex<String>,
}

impl ScriptedModel {
    /// Starts a server on a free port of loopback.
    pub async fn start(script: impl Into<Script>) -> Self {
        let shared = Arc::new(Shared {
            playing: Playing::new(script.into()),
            hold: Hold::new(),
            requests: Mutex::default(),
            arrived: watch::Sender::new(0),
            list: Mutex::new(USUAL_LIST.to_owned()),
        });
        let router = Router::new()
            .route("/v1/chat/completions", post(complete))
            .route("/v1/messages", post(complete_messages))
            .route("/v1/responses", post(complete_responses))
            .route("/v1/models/{call}", post(complete_gemini))
            .route("/v1/models", get(models))
            .layer(DefaultBodyLimit::disable())
            .with_state(shared.clone());
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("loopback has a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let server = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("axum goes on serving after errors");
        });
        Self { address, shared, server }
    }

    /// The address to configure as that of a provider of any protocol.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Every request so far, in order of arrival.
    pub fn requests(&self) -> Vec<Recorded> {
        self.shared.requests().clone()
    }

    /// The request of this number, from 0; waits until it has arrived.
    pub async fn request(&self, number: usize) -> Recorded {
        let mut arrived = self.shared.arrived.subscribe();
        let what = format!("request {number} to the model");
        in_time(arrived.wait_for(|count| *count > number), &what)
            .await
            .expect("the sender lives as long as the model");
        self.shared.requests()[number].clone()
    }

    /// Makes replies wait after their first event, until released.
    pub fn hold(&self) {
        self.shared.hold.hold();
    }

    /// Lets waiting replies go on.
    pub fn release(&self) {
        self.shared.hold.release();
    }

    /// Gives another list of models from now on.
    pub fn lists(&self, list: &serde_json::Value) {
        *self.shared.list.lock().unwrap_or_else(PoisonError::into_inner) = list.to_string();
    }

    /// How many replies the client hung up on before their end.
    pub fn disconnects(&self) -> usize {
        let requests = self.shared.requests();
        requests.iter().filter(|request| request.dropped()).count()
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Shared {
    fn requests(&self) -> MutexGuard<'_, Vec<Recorded>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self, headers: HeaderMap, body: Bytes, model: Option<String>) -> Recorded {
        let mut requests = self.requests();
        let request = Recorded::new(requests.len(), headers, body).asking(model);
        requests.push(request.clone());
        self.arrived.send_replace(requests.len());
        request
    }
}

async fn complete(shared: State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response {
    reply_to(shared, Wire::Chat, headers, body, None).await
}

async fn complete_messages(
    shared: State<Arc<Shared>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    reply_to(shared, Wire::Messages, headers, body, None).await
}

async fn complete_responses(
    shared: State<Arc<Shared>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    reply_to(shared, Wire::Responses, headers, body, None).await
}

async fn complete_gemini(
    shared: State<Arc<Shared>>,
    Path(call): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let model = call.split(':').next().map(str::to_owned);
    reply_to(shared, Wire::Gemini, headers, body, model).await
}

async fn reply_to(
    State(shared): State<Arc<Shared>>,
    wire: Wire,
    headers: HeaderMap,
    body: Bytes,
    model: Option<String>,
) -> Response {
    // Before the request can be seen: whoever sees it and then releases means this reply, too.
    let waiting = shared.hold.waiting();
    let request = shared.record(headers, body, model);
    // From here to the end of the body, going away means that the client hung up.
    let answering = Answering::new(request.clone());
    let reply = shared.playing.reply(&request);
    if !reply.travel.delay.is_zero() {
        tokio::time::sleep(reply.travel.delay).await;
    }
    if let Some(refusal) = &reply.refusal {
        answering.end(Ending::Whole);
        return refused(refusal);
    }
    let events = protocols::body(wire, &reply, request.number());
    let body = stream::send(events, reply.travel, waiting, answering);
    Response::builder()
        .header("content-type", "text/event-stream")
        .header("cache-control", "no-cache")
        .body(Body::from_stream(body))
        .expect("the headers are valid")
}

fn refused(refusal: &Refusal) -> Response {
    let mut response = Response::builder().status(refusal.status);
    let names_type = |(name, _): &(String, String)| name.eq_ignore_ascii_case("content-type");
    if !refusal.headers.iter().any(names_type) {
        response = response.header("content-type", "application/json");
    }
    for (name, value) in &refusal.headers {
        response = response.header(name, value);
    }
    response
        .body(Body::from(refusal.body.clone()))
        .expect("the script gives a valid status and headers")
}

const USUAL_LIST: &str = r#"{"object":"list","data":[{"id":"scripted","object":"model"}]}"#;

async fn models(State(shared): State<Arc<Shared>>) -> String {
    shared.list.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
