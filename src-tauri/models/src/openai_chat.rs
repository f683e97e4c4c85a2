//! OpenAI-compatible Chat Completions: what OpenAI, most hosted and all usual local servers speak.

mod assemble;
mod encode;
mod wire;

use async_trait::async_trait;
use reqwest::Client;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};

use crate::body::Pieces;
use crate::reading::Reading;
use crate::refusal::Refusals;
use crate::{Endpoint, Model, ModelError, ModelStream, Protocol, Request};
use assemble::Chat;
pub(crate) use encode::{encode_message, encode_tools};

/// A provider that speaks Chat Completions.
#[derive(Debug, Clone)]
pub struct OpenAiChat {
    endpoint: Endpoint,
    http: Client,
}

impl OpenAiChat {
    /// A provider reached with the shared client (see [`crate::http_client`]).
    pub fn new(endpoint: Endpoint, http: Client) -> Self {
        Self { endpoint, http }
    }
}

#[async_trait]
impl Model for OpenAiChat {
    fn protocol(&self) -> Protocol {
        Protocol::OpenAiChat
    }

    async fn stream(&self, request: Request) -> Result<ModelStream, ModelError> {
        let url = self.endpoint.url("chat/completions")?;
        let refusals = Refusals::new(&self.endpoint, &request.model);
        let pieces = encode::body(&request, encode::limit_field(&url))?;
        let mut call = self
            .http
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "text/event-stream")
            .body(reqwest::Body::wrap(Pieces::new(pieces)));
        if let Some(value) = self.endpoint.key_header("Bearer ")? {
            call = call.header(AUTHORIZATION, value);
        }
        let response = call.send().await.map_err(|error| refusals.unsent(&error))?;
        let response = refusals.check(response).await?;
        Ok(Reading::<Chat>::new(response, refusals).into_stream())
    }
}
