//! OpenAI's Responses. Nothing is stored at the provider: reasoning comes sealed and goes back.

mod assemble;
mod encode;
mod wire;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use reqwest::Client;
use reqwest::header::AUTHORIZATION;

use crate::post::Post;
use crate::{Endpoint, Model, ModelError, ModelStream, Protocol, Request};
use assemble::Answer;
pub(crate) use encode::{encode_message, encode_tool};

/// A provider that speaks OpenAI's Responses.
#[derive(Debug, Clone)]
pub struct OpenAiResponses {
    endpoint: Endpoint,
    http: Client,
    /// Set when the account may not see summaries of reasoning, which only verified ones may.
    no_summaries: Arc<AtomicBool>,
}

impl OpenAiResponses {
    /// A provider reached with the shared client (see [`crate::http_client`]).
    pub fn new(endpoint: Endpoint, http: Client) -> Self {
        Self { endpoint, http, no_summaries: Arc::default() }
    }

    async fn ask(&self, request: &Request, summaries: bool) -> Result<ModelStream, ModelError> {
        let post = Post {
            endpoint: &self.endpoint,
            http: &self.http,
            url: self.endpoint.url("responses")?,
            model: &request.model,
            key: (AUTHORIZATION, "Bearer "),
            headers: Vec::new(),
            body: encode::body(request, summaries)?,
        };
        post.send::<Answer>().await
    }
}

#[async_trait]
impl Model for OpenAiResponses {
    fn protocol(&self) -> Protocol {
        Protocol::OpenAiResponses
    }

    async fn stream(&self, request: Request) -> Result<ModelStream, ModelError> {
        let summaries = !self.no_summaries.load(Ordering::Relaxed);
        match self.ask(&request, summaries).await {
            Err(ModelError::BadRequest { message })
                if summaries && message.contains("reasoning summar") =>
            {
                self.no_summaries.store(true, Ordering::Relaxed);
                self.ask(&request, false).await
            }
            answer => answer,
        }
    }
}
