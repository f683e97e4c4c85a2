//! Who calls: a bearer token with rights, from this machine, or the person; not a web page.

use super::connections::Connection;
use super::{Api, ApiError};
use crate::config::Rights;
use crate::workspace::Opener;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use plan::{Actor, Surface};
use std::net::SocketAddr;
use subtle::ConstantTimeEq;

/// A token and who it stands for.
#[derive(Clone)]
pub struct Token {
    /// What it is called in the log.
    pub name: String,
    /// The secret.
    pub secret: String,
    /// What it may do; without it, what the settings say at the time.
    pub rights: Option<Rights>,
}

/// The tokens that open this API.
#[derive(Clone, Default)]
pub struct Tokens(pub Vec<Token>);

impl Tokens {
    fn find(&self, headers: &HeaderMap) -> Option<&Token> {
        let secret = bearer(headers)?;
        // Every token is compared, each in constant time.
        let mut found = None;
        for token in &self.0 {
            if bool::from(token.secret.as_bytes().ct_eq(secret.as_bytes())) {
                found = Some(token);
            }
        }
        found
    }
}

/// The token that a request brings, right or wrong.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let given = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, secret) = given.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim()).filter(|token| !token.is_empty())
}

/// Who may call.
pub(crate) enum Callers {
    /// Whoever brings one of these tokens.
    WithToken(Tokens),
    /// The person, whose programs alone get this far.
    Person,
}

impl Callers {
    fn find(&self, headers: &HeaderMap, settings: impl FnOnce() -> Rights) -> Option<Caller> {
        match self {
            Self::WithToken(tokens) => tokens.find(headers).map(|token| Caller {
                actor: Actor::person(&token.name, Surface::Api),
                name: token.name.clone(),
                rights: token.rights.unwrap_or_else(settings),
            }),
            Self::Person => Some(Caller {
                actor: Actor::person("me", Surface::Cli),
                name: "me".to_owned(),
                rights: Rights::ALL,
            }),
        }
    }
}

/// The caller, as later handlers see it.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(crate) actor: Actor,
    pub(crate) name: String,
    rights: Rights,
}

/// A right that a request needs.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Right {
    Supervise,
    Run,
    Approve,
}

impl Caller {
    /// Who they are to a folder that a room is to work in.
    pub(crate) fn opener(&self) -> Opener {
        match (self.actor.surface, self.rights.approve) {
            (Surface::Api, true) => Opener::Approver,
            (Surface::Api, false) => Opener::Token,
            (
                Surface::Window
                | Surface::Tray
                | Surface::Notification
                | Surface::Cli
                | Surface::Turn
                | Surface::Engine,
                _,
            ) => Opener::of(&self.actor),
        }
    }

    /// The actor, if it has the right.
    pub(crate) fn may(&self, right: Right) -> Result<&Actor, ApiError> {
        let (has, word) = match right {
            Right::Supervise => (self.rights.supervise, "supervise"),
            Right::Run => (self.rights.run, "run"),
            Right::Approve => (self.rights.approve, "approve"),
        };
        if has {
            return Ok(&self.actor);
        }
        let words = format!(
            "this token does not have the right `{word}`; it is given in the window under \
             Settings, Local API, in plancard.yaml as `api.rights`, or to plancard serve as \
             PLANCARD_RIGHTS"
        );
        Err(ApiError::new(StatusCode::FORBIDDEN, "FORBIDDEN", words))
    }
}

/// Lets only requests of known callers pass.
pub(super) async fn layer(
    State(api): State<Api>,
    mut request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let settings = || api.engine.config().current().config.api.rights();
    let Some(caller) = api.callers.find(request.headers(), settings) else {
        let words = match bearer(request.headers()) {
            Some(_) => "this token is not the right one",
            None => "send the token as `Authorization: Bearer …`",
        };
        return Err(ApiError::new(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", words));
    };
    if let Some(ConnectInfo(connection)) = request.extensions().get::<ConnectInfo<Connection>>() {
        connection.is_known();
    }
    request.extensions_mut().insert(caller);
    Ok(next.run(request).await)
}

/// Refuses what a web page could send: a foreign Host (a rebound name) or Origin.
pub(super) async fn local_only(
    listen: SocketAddr,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let headers = request.headers();
    none_twice(headers)?;
    // A request may name its site in its first line, too.
    let named = request.uri().authority().map(|site| site.as_str());
    if named.is_some_and(|site| !is_local(site, listen)) {
        return Err(refused("BAD_HOST", NOT_HERE));
    }
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    if !host.is_some_and(|host| is_local(host, listen)) {
        return Err(refused("BAD_HOST", NOT_HERE));
    }
    let origin = headers.get(header::ORIGIN).map(|origin| origin.to_str().unwrap_or(""));
    let own =
        |origin: &str| origin.strip_prefix("http://").is_some_and(|host| is_local(host, listen));
    if origin.is_some_and(|origin| !own(origin)) {
        return Err(refused("BAD_ORIGIN", NO_PAGES));
    }
    if request.method() == Method::OPTIONS {
        return Err(refused("NO_CORS", NO_PAGES));
    }
    Ok(next.run(request).await)
}

/// Refuses what only a web page sends, where no Host has a meaning: any Origin.
pub(super) async fn no_web_page(request: Request, next: Next) -> Result<Response, ApiError> {
    none_twice(request.headers())?;
    if request.headers().contains_key(header::ORIGIN) {
        return Err(refused("BAD_ORIGIN", NO_PAGES));
    }
    if request.method() == Method::OPTIONS {
        return Err(refused("NO_CORS", NO_PAGES));
    }
    Ok(next.run(request).await)
}

/// Refuses a request that says twice where it is meant for, where it is from or who sends it: what
/// one reader takes from the first, another takes from the last.
fn none_twice(headers: &HeaderMap) -> Result<(), ApiError> {
    for name in [header::HOST, header::ORIGIN, header::AUTHORIZATION] {
        if headers.get_all(&name).iter().count() > 1 {
            let words = format!("the header {name} was sent more than once");
            return Err(ApiError::new(StatusCode::BAD_REQUEST, "HEADER_TWICE", words));
        }
    }
    Ok(())
}

const NOT_HERE: &str = "the Host must be this machine's loopback address";
const NO_PAGES: &str = "web pages may not call this API";

fn refused(code: &str, words: &str) -> ApiError {
    ApiError::new(StatusCode::FORBIDDEN, code, words)
}

fn is_local(host: &str, listen: SocketAddr) -> bool {
    let (name, given) = match host.rsplit_once(':') {
        Some((name, given)) if !given.ends_with(']') => (name, given.parse::<u16>().ok()),
        Some(_) | None => (host, Some(80)),
    };
    let own = listen.ip().to_string();
    let local = ["127.0.0.1", "localhost", "[::1]", &own];
    given == Some(listen.port()) && local.iter().any(|known| known.eq_ignore_ascii_case(name))
}
