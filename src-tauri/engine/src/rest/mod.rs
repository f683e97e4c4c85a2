//! The local API: the same two doors, over HTTP on loopback and on a socket in the data folder.

mod asks;
mod auth;
mod body;
mod checkup;
mod connections;
mod council;
mod council_events;
mod error;
pub(crate) mod field_error;
mod goals;
mod graph;
mod idempotency;
mod models;
mod openapi;
mod page;
mod plans;
mod rooms;
mod serving;
mod sidekicks;
pub mod socket;
mod stream;
pub mod token;
mod token_environment;

pub use auth::{Token, Tokens};
pub use error::ApiError;
pub use openapi::document as openapi;
pub use serving::{Clients, serve};
pub use socket::serve_socket;

use crate::engine::Engine;
use auth::Callers;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post, put};
use std::net::SocketAddr;
use std::sync::Arc;

/// The largest request body.
const BODY_BYTES: usize = 1024 * 1024;

/// What every handler can reach.
#[derive(Clone)]
pub struct Api {
    pub(crate) engine: Engine,
    pub(crate) callers: Arc<Callers>,
    pub(crate) busy_keys: Arc<idempotency::BusyKeys>,
}

/// The routes, guarded by token, Host and Origin.
pub fn router(engine: Engine, tokens: Tokens, listen: SocketAddr) -> Router {
    routes(engine, Callers::WithToken(tokens))
        .layer(from_fn(move |request, next| auth::local_only(listen, request, next)))
}

/// The same routes for programs of the person's own, which may do everything. Whoever serves them
/// makes sure that nobody else gets there.
pub fn own_router(engine: Engine) -> Router {
    routes(engine, Callers::Person).layer(from_fn(auth::no_web_page))
}

fn routes(engine: Engine, callers: Callers) -> Router {
    let api = Api { engine, callers: Arc::new(callers), busy_keys: Arc::default() };
    let guarded = Router::new()
        .route("/v1/rooms", get(rooms::list).post(rooms::create))
        .route("/v1/rooms/{room}", get(rooms::read).patch(rooms::change))
        .route("/v1/rooms/{room}/messages", get(rooms::messages).post(rooms::say))
        .route("/v1/rooms/{room}/plan-mode", put(rooms::set_mode))
        .route("/v1/rooms/{room}/stop", post(rooms::stop))
        .route("/v1/rooms/{room}/stream", get(stream::room))
        .route("/v1/rooms/{room}/usage", get(rooms::usage))
        .route("/v1/rooms/{room}/plan", get(plans::read).patch(plans::edit))
        .route("/v1/rooms/{room}/plans", get(plans::list))
        .route("/v1/rooms/{room}/plans/{plan}", get(plans::by_id))
        .route("/v1/rooms/{room}/plan/estimate", get(plans::estimate))
        .route("/v1/rooms/{room}/plan/pause", post(plans::pause))
        .route("/v1/rooms/{room}/plan/pause-after-step", post(plans::pause_after_step))
        .route("/v1/rooms/{room}/plan/stop-step", post(plans::stop_step))
        .route("/v1/rooms/{room}/plan/resume", post(plans::resume))
        .route("/v1/rooms/{room}/plan/cancel", post(plans::cancel))
        .route("/v1/rooms/{room}/plan/approve", post(plans::approve))
        .route("/v1/rooms/{room}/plan/reject", post(plans::reject))
        .route("/v1/rooms/{room}/plan/comment", post(plans::comment))
        .route("/v1/rooms/{room}/plan/steps/{step}/may-change", post(plans::may_change))
        .route("/v1/rooms/{room}/plan/steps/{step}/skip", post(plans::skip))
        .route("/v1/rooms/{room}/plan/steps/{step}/retry", post(plans::retry))
        .route("/v1/rooms/{room}/plan/steps/{step}/override", post(plans::override_check))
        .route("/v1/rooms/{room}/sidekicks", get(sidekicks::list).post(sidekicks::create))
        .route("/v1/rooms/{room}/sidekicks/{name}", get(sidekicks::read))
        .route("/v1/rooms/{room}/sidekicks/{name}/steer", post(sidekicks::steer))
        .route("/v1/rooms/{room}/sidekicks/{name}/cancel", post(sidekicks::cancel))
        .route("/v1/rooms/{room}/council", get(council::read).post(council::start))
        .route("/v1/rooms/{room}/councils", get(council::list))
        .route("/v1/council/preview", get(council::preview_new))
        .route("/v1/rooms/{room}/council/preview", get(council::preview))
        .route("/v1/rooms/{room}/council/answer-now", post(council::answer_now))
        .route("/v1/rooms/{room}/council/pause", post(council::pause))
        .route("/v1/rooms/{room}/council/resume", post(council::resume))
        .route("/v1/rooms/{room}/council/cancel", post(council::cancel))
        .route("/v1/rooms/{room}/council/vote", post(council::vote))
        .route("/v1/rooms/{room}/council/pick", post(council::pick))
        .route("/v1/rooms/{room}/council/members/{member}/retry", post(council::retry))
        .route("/v1/blobs/{hash}", get(rooms::blob))
        .route("/v1/asks", get(asks::list))
        .route("/v1/asks/{ask}/answer", post(asks::answer))
        .route("/v1/checkup", get(checkup::read))
        .route("/v1/models/test", post(models::test))
        .route("/v1/models/profiles", get(models::profiles))
        .route("/v1/models/profile", post(models::check))
        .route("/agents/plan", post(goals::create))
        .route("/plans/{plan}", get(graph::read))
        .route("/plans/{plan}/stream", get(stream::plan))
        .route_layer(from_fn_with_state(api.clone(), idempotency::layer))
        .route_layer(from_fn_with_state(api.clone(), auth::layer));
    Router::new()
        .merge(guarded)
        .route("/openapi.json", get(openapi::serve))
        .fallback(error::not_found)
        .method_not_allowed_fallback(error::wrong_method)
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .with_state(api)
}
