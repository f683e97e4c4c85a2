//! Anthropic's Messages.

mod assemble;
mod encode;
mod going_on;
mod thinking;
mod wire;

use async_trait::async_trait;
use reqwest::Client;
use reqwest::header::HeaderName;

use crate::post::Post;
use crate::{Endpoint, Model, ModelError, ModelStream, Protocol, Request};
use assemble::Answer;
pub(crate) use encode::{encode_message, encode_tool, mark_last};
use going_on::Whole;

/// The version of the protocol.
const VERSION: &str = "2023-06-01";

/// A provider that speaks Anthropic's Messages.
#[derive(Debug, Clone)]
pub struct Anthropic {
    endpoint: Endpoint,
    http: Client,
}

impl Anthropic {
    /// A provider reached with the shared client (see [`crate::http_client`]).
    pub fn new(endpoint: Endpoint, http: Client) -> Self {
        Self { endpoint, http }
    }
}

#[async_trait]
impl Model for Anthropic {
    fn protocol(&self) -> Protocol {
        Protocol::Anthropic
    }

    async fn stream(&self, request: Request) -> Result<ModelStream, ModelError> {
        let part = self.ask(&request).await?;
        Ok(Whole::new(self.clone(), request, part).into_stream())
    }
}

impl Anthropic {
    /// One request, whose answer may be a part of the turn.
    async fn ask(&self, request: &Request) -> Result<ModelStream, ModelError> {
        // Others that speak this protocol name their address without its version.
        let path = if self.endpoint.is_versioned() { "messages" } else { "v1/messages" };
        let mut headers = vec![(HeaderName::from_static("anthropic-version"), VERSION)];
        if let Some(beta) = thinking::beta(&request.model) {
            headers.push((HeaderName::from_static("anthropic-beta"), beta));
        }
        let post = Post {
            endpoint: &self.endpoint,
            http: &self.http,
            url: self.endpoint.url(path)?,
            model: &request.model,
            key: (HeaderName::from_static("x-api-key"), ""),
            headers,
            body: encode::body(request)?,
        };
        post.send::<Answer>().await
    }
}
