//! Anthropic's Messages.

mod assemble;
mod encode;
mod thinking;
mod wire;

use async_trait::async_trait;
use reqwest::Client;
use reqwest::header::{ACCEPT, CONTENT_TYPE};

use crate::body::Pieces;
use crate::reading::Reading;
use crate::refusal::Refusals;
use crate::{Endpoint, Model, ModelError, ModelStream, Protocol, Request};
use assemble::Answer;
pub(crate) use encode::{encode_message, encode_tools};

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
        // Others that speak this protocol name their address without its version.
        let path = if self.endpoint.is_versioned() { "messages" } else { "v1/messages" };
        let url = self.endpoint.url(path)?;
        let refusals = Refusals::new(&self.endpoint, &request.model);
        let pieces = encode::body(&request)?;
        let mut call = self
            .http
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "text/event-stream")
            .header("anthropic-version", VERSION)
            .body(reqwest::Body::wrap(Pieces::new(pieces)));
        if let Some(beta) = thinking::beta(&request.model) {
            call = call.header("anthropic-beta", beta);
        }
        if let Some(value) = self.endpoint.key_header("")? {
            call = call.header("x-api-key", value);
        }
        let response = call.send().await.map_err(|error| refusals.unsent(&error))?;
        let response = refusals.check(response).await?;
        Ok(Reading::<Answer>::new(response, refusals).into_stream())
    }
}
