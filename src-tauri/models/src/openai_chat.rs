//! OpenAI-compatible Chat Completions: what OpenAI, most hosted and all usual local servers speak.

mod assemble;
mod content;
mod encode;
mod wire;

use async_trait::async_trait;
use reqwest::Client;
use reqwest::header::AUTHORIZATION;

use crate::post::Post;
use crate::{Endpoint, Model, ModelError, ModelStream, Protocol, Request};
use assemble::Chat;
pub(crate) use encode::{encode_message, encode_tool};

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
        let body = encode::body(&request, encode::limit_field(&url))?;
        let post = Post {
            endpoint: &self.endpoint,
            http: &self.http,
            url,
            model: &request.model,
            key: (AUTHORIZATION, "Bearer "),
            headers: Vec::new(),
            body,
        };
        post.send::<Chat>().await
    }
}
