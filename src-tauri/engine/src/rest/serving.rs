//! Answers requests until it is told to stop; then streams end, too.

use super::connections::{Connection, Guarded, Limits};
use super::{Tokens, error::ApiError, router};
use crate::engine::Engine;
use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::serve::Listener;
use futures::StreamExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// How many requests and streams are under way.
#[derive(Clone, Default)]
pub struct Clients(Arc<AtomicU32>);

impl Clients {
    /// How many now.
    pub fn count(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    fn enter(&self) -> Inside {
        self.0.fetch_add(1, Ordering::Relaxed);
        Inside(self.clone())
    }
}

struct Inside(Clients);

impl Drop for Inside {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Serves the API until `stop`.
pub async fn serve(
    engine: Engine,
    tokens: Tokens,
    listener: TcpListener,
    clients: Clients,
    stop: CancellationToken,
) -> std::io::Result<()> {
    let address = listener.local_addr()?;
    let _held = tools::off_limits(address.port());
    let listener = Guarded::new(listener, Limits::usual());
    until_known(listener, router(engine, tokens, address), clients, stop).await
}

/// Serves routes until `stop` to whoever comes, within limits.
pub(super) async fn until_known<L: Listener>(
    listener: Guarded<L>,
    routes: Router,
    clients: Clients,
    stop: CancellationToken,
) -> std::io::Result<()>
where
    L::Addr: std::fmt::Debug,
{
    let app = counted(routes, clients, stop.clone());
    let app = app.into_make_service_with_connect_info::<Connection>();
    axum::serve(listener, app).with_graceful_shutdown(stop.cancelled_owned()).await
}

/// Serves routes until `stop` to the person's own programs.
pub(super) async fn until<L: Listener>(
    listener: L,
    routes: Router,
    clients: Clients,
    stop: CancellationToken,
) -> std::io::Result<()>
where
    L::Addr: std::fmt::Debug,
{
    let app = counted(routes, clients, stop.clone());
    axum::serve(listener, app).with_graceful_shutdown(stop.cancelled_owned()).await
}

fn counted(routes: Router, clients: Clients, stop: CancellationToken) -> Router {
    routes.layer(from_fn(move |request, next| one(clients.clone(), stop.clone(), request, next)))
}

/// One request and its answer, which may be a stream without end.
async fn one(
    clients: Clients,
    stop: CancellationToken,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let connection = request.extensions().get::<ConnectInfo<Connection>>();
    let inside = (clients.enter(), connection.map(|ConnectInfo(from)| from.begin()));
    let answer = tokio::select! {
        answer = next.run(request) => answer,
        () = stop.cancelled() => {
            let words = "the app stops serving the API";
            return Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "STOPPING", words));
        }
    };
    if answer.status() == StatusCode::UNAUTHORIZED {
        let mut answer = answer;
        answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        return Ok(answer);
    }
    let kind = answer.headers().get(header::CONTENT_TYPE);
    if kind.is_none_or(|kind| !kind.as_bytes().starts_with(b"text/event-stream")) {
        return Ok(answer);
    }
    Ok(answer.map(|body| {
        let bytes = body.into_data_stream().take_until(stop.cancelled_owned());
        Body::from_stream(bytes.map(move |bytes| {
            let _held = &inside;
            bytes
        }))
    }))
}
