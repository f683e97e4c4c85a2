//! Google's Gemini.

mod assemble;
mod encode;
mod schema;
mod wire;

use async_trait::async_trait;
use reqwest::header::HeaderName;
use reqwest::{Client, Url};

use crate::post::Post;
use crate::{Endpoint, Model, ModelError, ModelStream, Protocol, Reach, Request};
use assemble::Answer;
pub(crate) use encode::{encode_message, encode_tool, is_newer};

/// A provider that speaks Gemini's protocol.
#[derive(Debug, Clone)]
pub struct Gemini {
    endpoint: Endpoint,
    http: Client,
}

impl Gemini {
    /// A provider reached with the shared client (see [`crate::http_client`]).
    pub fn new(endpoint: Endpoint, http: Client) -> Self {
        Self { endpoint, http }
    }

    /// The model is part of the address; the key never is.
    fn url(&self, model: &str) -> Result<Url, ModelError> {
        let path = if self.endpoint.is_versioned() { "" } else { "v1beta" };
        let mut url = self.endpoint.url(path)?;
        let invalid =
            |()| ModelError::Unreachable { why: Reach::Invalid, address: self.endpoint.shown() };
        let (kind, name) = model.split_once('/').unwrap_or(("models", model));
        url.path_segments_mut()
            .map_err(invalid)?
            .pop_if_empty()
            .extend([kind, &format!("{name}:streamGenerateContent")]);
        url.set_query(Some("alt=sse"));
        Ok(url)
    }
}

#[async_trait]
impl Model for Gemini {
    fn protocol(&self) -> Protocol {
        Protocol::Gemini
    }

    async fn stream(&self, request: Request) -> Result<ModelStream, ModelError> {
        let post = Post {
            endpoint: &self.endpoint,
            http: &self.http,
            url: self.url(&request.model)?,
            model: &request.model,
            key: (HeaderName::from_static("x-goog-api-key"), ""),
            headers: Vec::new(),
            body: encode::body(&request)?,
        };
        post.send::<Answer>().await
    }
}
