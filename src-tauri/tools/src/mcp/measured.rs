//! A server behind an address that sends an answer too long to be read: only that call ends, and it
//! hears why.
//!
//! The library would read a whole body before anybody looks at its length, so requests are sent and
//! answers read here, by the same rules.

use super::bounded::LONGEST_LINE;
use crate::cut::first_words;
use futures::StreamExt;
use futures::stream::BoxStream;
use reqwest::header::{
    ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE,
};
use reqwest::{Response, StatusCode};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError, StreamableHttpClient,
    StreamableHttpError, StreamableHttpPostResponse,
};
use serde_json::{Value, json};
use sse_stream::{Sse, SseStream};
use std::collections::HashMap;
use std::sync::Arc;

/// The two ways to answer, and the header that names a conversation.
const STREAM: &str = "text/event-stream";
const JSON: &str = "application/json";
const SESSION: &str = "mcp-session-id";
/// Headers that a person can't set.
const OURS: [&str; 3] = ["accept", SESSION, "last-event-id"];
/// The most of a body that is told.
const SHOWN: usize = 256;

/// The code of the error that stands for an answer which was not read.
pub(super) const TOO_LONG: i32 = -32_099;

type Headers = HashMap<HeaderName, HeaderValue>;
type Stream = BoxStream<'static, Result<Sse, SseError>>;
type Failed = StreamableHttpError<reqwest::Error>;

/// The client that the engine hands in, with an answer to every request that it does not read.
#[derive(Clone)]
pub(super) struct Measured(pub(super) reqwest::Client);

impl StreamableHttpClient for Measured {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let most = LONGEST_LINE;
        self.post_message_with_max_sse_event_size(uri, message, session, token, headers, most).await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
        most: usize,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let mut request = self.0.post(uri.as_ref()).header(ACCEPT, [STREAM, JSON].join(", "));
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        for (name, value) in headers {
            if OURS.contains(&name.as_str()) {
                return Err(StreamableHttpError::ReservedHeaderConflict(name.to_string()));
            }
            request = request.header(name, value);
        }
        if let Some(session) = &session {
            request = request.header(SESSION, session.as_ref());
        }
        let response = request.json(&message).send().await?;
        let asked = match &message {
            ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
            ClientJsonRpcMessage::Response(_)
            | ClientJsonRpcMessage::Notification(_)
            | ClientJsonRpcMessage::Error(_) => None,
        };
        // The library sees by this error that a server is of the older kind.
        let discovers = matches!(&message, ClientJsonRpcMessage::Request(request)
            if matches!(request.request, ClientRequest::DiscoverRequest(_)));
        let answer = Answer { asked, discovers, had_session: session.is_some(), most };
        answer.read(response).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<(), Failed> {
        self.0.delete_session(uri, session, token, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<Stream, Failed> {
        let most = LONGEST_LINE;
        self.get_stream_with_max_sse_event_size(uri, session, last, token, headers, most).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        token: Option<String>,
        headers: Headers,
        most: usize,
    ) -> Result<Stream, Failed> {
        let client = &self.0;
        client.get_stream_with_max_sse_event_size(uri, session, last, token, headers, most).await
    }
}

/// What is known of the request that an answer is to.
struct Answer {
    asked: Option<RequestId>,
    discovers: bool,
    had_session: bool,
    most: usize,
}

impl Answer {
    async fn read(self, response: Response) -> Result<StreamableHttpPostResponse, Failed> {
        let status = response.status();
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        let header = |name| header(name).map(str::to_owned);
        let is_client_error = status.is_client_error();
        match (status, header(WWW_AUTHENTICATE.as_str())) {
            // Some do not say in which way they want it.
            (StatusCode::UNAUTHORIZED, challenge) => {
                let wanted = AuthRequiredError::new(challenge.unwrap_or_default());
                return Err(StreamableHttpError::AuthRequired(wanted));
            }
            (StatusCode::FORBIDDEN, Some(challenge)) => {
                let scope = scope_in(&challenge);
                let wanted = InsufficientScopeError::new(challenge, scope);
                return Err(StreamableHttpError::InsufficientScope(wanted));
            }
            (StatusCode::ACCEPTED | StatusCode::NO_CONTENT, _) => {
                return Ok(StreamableHttpPostResponse::Accepted);
            }
            (StatusCode::NOT_FOUND, _) if self.had_session => {
                return Err(StreamableHttpError::SessionExpired);
            }
            (_, _) if status.is_redirection() => {
                return Err(unexpected(leads(&response, header(LOCATION.as_str()))));
            }
            (_, _) => {}
        }
        let (kind, session) = (header(CONTENT_TYPE.as_str()), header(SESSION));
        let is = |wanted: &str| kind.as_deref().is_some_and(|kind| kind.starts_with(wanted));
        let retry_after = header(RETRY_AFTER.as_str());
        if status.is_success() && is(STREAM) {
            let stream = SseStream::from_bytes_stream(bounded(response, self.most)).boxed();
            let stream = match self.asked {
                Some(id) => answered(stream, id),
                None => stream,
            };
            return Ok(StreamableHttpPostResponse::Sse(stream, session));
        }
        if status == StatusCode::TOO_MANY_REQUESTS || (status.is_server_error() && !is(JSON)) {
            return Err(HttpStatusError::new(status.as_u16(), retry_after).into());
        }
        if status.is_success() && !is(JSON) {
            let nothing = self.asked.is_none() && response.content_length() == Some(0);
            return match nothing {
                true => Ok(StreamableHttpPostResponse::Accepted),
                false => Err(unexpected(no_message(kind.as_deref()))),
            };
        }
        let Some(body) = whole(response, self.most).await? else {
            return Ok(match self.asked {
                Some(id) => StreamableHttpPostResponse::Json(too_long(&id)?, session),
                None => StreamableHttpPostResponse::Accepted,
            });
        };
        let said = serde_json::from_slice::<ServerJsonRpcMessage>(&body);
        if status.is_success() {
            return match (said, self.asked) {
                (Ok(said), _) => Ok(StreamableHttpPostResponse::Json(said, session)),
                (Err(_), None) => Ok(StreamableHttpPostResponse::Accepted),
                (Err(error), Some(_)) => Err(unexpected(format!("{error}: {}", start(&body)))),
            };
        }
        let words = match is("text/html") {
            true => format!("it answers {status} with a web page: check the address"),
            false => match start(&body) {
                said if said.is_empty() => format!("it answers {status} and nothing else"),
                said => format!("it answers {status}: {said}"),
            },
        };
        let no_login = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        match (said, self.asked) {
            (said, Some(id))
                if self.discovers && !self.had_session && is_client_error && !no_login =>
            {
                let error = match said {
                    Ok(ServerJsonRpcMessage::Error(said)) => said.error,
                    _ => ErrorData::invalid_request(words, None),
                };
                let said = ServerJsonRpcMessage::error(error, Some(id));
                Ok(StreamableHttpPostResponse::Json(said, None))
            }
            (Ok(said @ ServerJsonRpcMessage::Error(_)), _) if is(JSON) && !no_login => {
                Ok(StreamableHttpPostResponse::Json(said, session))
            }
            (_, _) if status.is_server_error() => {
                Err(HttpStatusError::new(status.as_u16(), retry_after).into())
            }
            (_, _) => Err(unexpected(words)),
        }
    }
}

/// All of a body, or nothing when that is too much.
async fn whole(mut response: Response, most: usize) -> Result<Option<Vec<u8>>, Failed> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await? {
        if body.len() + piece.len() > most {
            return Ok(None);
        }
        body.extend_from_slice(&piece);
    }
    Ok(Some(body))
}

/// The bytes of a body, up to an event that is too long.
fn bounded(
    response: Response,
    most: usize,
) -> impl futures::Stream<Item = Result<bytes::Bytes, Unread>> {
    let mut event = Event::default();
    response.bytes_stream().map(move |piece| {
        let piece = piece.map_err(Unread::Failed)?;
        match event.goes_on(&piece) > most {
            true => Err(Unread::TooLong),
            false => Ok(piece),
        }
    })
}

#[derive(Debug, thiserror::Error)]
enum Unread {
    #[error("an event is too long")]
    TooLong,
    #[error(transparent)]
    Failed(reqwest::Error),
}

/// How much of an event was read: it ends with an empty line.
#[derive(Default)]
struct Event {
    length: usize,
    at_line_start: bool,
    after_return: bool,
}

impl Event {
    /// Takes the next bytes in, and gives the length of the longest event in them so far.
    fn goes_on(&mut self, bytes: &[u8]) -> usize {
        let mut longest = 0;
        for byte in bytes {
            self.length += 1;
            longest = longest.max(self.length);
            match byte {
                b'\n' if self.after_return => {}
                b'\n' | b'\r' => {
                    if self.at_line_start {
                        self.length = 0;
                    }
                    self.at_line_start = true;
                }
                _ => self.at_line_start = false,
            }
            self.after_return = *byte == b'\r';
        }
        longest
    }
}

/// The stream, with an error for whoever asked in the place of an event that is too long: without
/// it they would wait until their time is over.
fn answered(stream: Stream, id: RequestId) -> Stream {
    let told = move |event: Result<Sse, SseError>| match event {
        Err(SseError::Body(error)) if matches!(error.downcast_ref(), Some(Unread::TooLong)) => {
            let answer = error_for(&id).to_string();
            Ok(Sse { data: Some(answer), ..Sse::default() })
        }
        event => event,
    };
    stream.map(told).boxed()
}

fn error_for(id: &RequestId) -> Value {
    let error = json!({ "code": TOO_LONG, "message": "too long" });
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

fn too_long(id: &RequestId) -> Result<ServerJsonRpcMessage, Failed> {
    Ok(serde_json::from_value(error_for(id))?)
}

fn unexpected(words: String) -> Failed {
    StreamableHttpError::UnexpectedServerResponse(words.into())
}

/// What is said of an answer of a kind that is none of the two.
fn no_message(kind: Option<&str>) -> String {
    match kind {
        Some(kind) if kind.starts_with("text/html") => {
            "it answers with a web page: check the address".to_owned()
        }
        Some(kind) => {
            let kind = start(kind.as_bytes());
            format!("it answers with {kind}, which is no message of MCP: check the address")
        }
        None => "its answer does not say of what kind it is: check the address".to_owned(),
    }
}

/// What is said of a redirect, which is not followed: keys are for the address that a person gave.
/// Names, passwords and questions in the other address are not shown.
fn leads(response: &Response, location: Option<String>) -> String {
    match location.and_then(|location| response.url().join(&location).ok()) {
        Some(mut there) => {
            // Both fail only for addresses that can't hold either.
            let _ = there.set_username("");
            let _ = there.set_password(None);
            there.set_query(None);
            there.set_fragment(None);
            format!(
                "it leads to {there}, and nothing is sent there: if you trust that address, set it \
                 in its place"
            )
        }
        None => "it leads elsewhere and does not say where: check the address".to_owned(),
    }
}

/// The beginning of a body, for a sentence: on one line, and with nothing that steers a terminal.
fn start(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let blank = |letter: char| letter.is_whitespace() || letter.is_control();
    let words = text.split(blank).filter(|word| !word.is_empty());
    first_words(&words.take(SHOWN).collect::<Vec<_>>().join(" "), SHOWN).to_owned()
}

/// The rights that a challenge asks for.
fn scope_in(challenge: &str) -> Option<String> {
    let at = challenge.to_ascii_lowercase().find("scope=")? + "scope=".len();
    let rest = &challenge[at..];
    let scope = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split([',', ';', ' ']).next(),
    };
    scope.filter(|scope| !scope.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_ends_with_an_empty_line_however_lines_end() {
        for ends in ["\n", "\r\n", "\r"] {
            let events = format!("data: 1234{ends}data: 5{ends}{ends}data: 1{ends}{ends}");
            for size in 1..events.len() {
                let mut event = Event::default();
                let longest = events.as_bytes().chunks(size).map(|piece| event.goes_on(piece));
                let whole = "data: 1234data: 5".len() + 3 * ends.len();
                let longest = longest.max().unwrap_or(0);
                assert!((whole - 1..=whole).contains(&longest), "{ends:?} {size}: {longest}");
            }
        }
    }

    #[test]
    fn the_scope_of_a_challenge_is_found() {
        assert_eq!(scope_in("Bearer realm=x, scope=\"a b\"").as_deref(), Some("a b"));
        assert_eq!(scope_in("Bearer scope=a, realm=x").as_deref(), Some("a"));
        assert_eq!(scope_in("Bearer realm=x"), None);
    }
}
