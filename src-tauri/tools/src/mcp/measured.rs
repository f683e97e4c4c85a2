//! A server behind an address that streams an answer too long to be read: only that call ends, and
//! it hears why.

use super::bounded::LONGEST_LINE;
use futures::StreamExt;
use futures::stream::BoxStream;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::{ClientJsonRpcMessage, RequestId};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use serde_json::json;
use sse_stream::Sse;
use std::collections::HashMap;
use std::sync::Arc;

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
        let asked = match &message {
            ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
            ClientJsonRpcMessage::Response(_)
            | ClientJsonRpcMessage::Notification(_)
            | ClientJsonRpcMessage::Error(_) => None,
        };
        let client = &self.0;
        let response = client
            .post_message_with_max_sse_event_size(uri, message, session, token, headers, most)
            .await?;
        Ok(match (response, asked) {
            (StreamableHttpPostResponse::Sse(stream, session), Some(id)) => {
                StreamableHttpPostResponse::Sse(answered(stream, id, most), session)
            }
            (response, _) => response,
        })
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

/// The stream, with an error for whoever asked in the place of an event that is too long: without
/// it they would wait until their time is over.
fn answered(stream: Stream, id: RequestId, most: usize) -> Stream {
    // The library's own error has no public type; these are its fixed words.
    let words = format!("maximum size of {most} bytes");
    let told = move |event: Result<Sse, SseError>| match event {
        Err(error) if error.to_string().contains(&words) => {
            let error = json!({ "code": TOO_LONG, "message": "too long" });
            let answer = json!({ "jsonrpc": "2.0", "id": id, "error": error });
            Ok(Sse { data: Some(answer.to_string()), ..Sse::default() })
        }
        event => event,
    };
    stream.map(told).boxed()
}
