//! OpenAI-compatible Chat Completions: what OpenAI, most hosted and all usual local servers speak.

mod assemble;
mod encode;
mod reading;
mod refusal;
mod said;
mod wire;

use std::fmt;

use async_trait::async_trait;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Url};
use secrecy::{ExposeSecret, SecretString};

use crate::body::Pieces;
use crate::{Model, ModelError, ModelStream, Protocol, Reach, Request};
pub(crate) use encode::{encode_message, encode_tools};
use reading::Reading;
use refusal::Refusals;

/// Where a provider is and how to speak to it.
#[derive(Clone)]
pub struct OpenAiChatConfig {
    /// The address up to and without `/chat/completions`, such as `http://127.0.0.1:8080/v1`.
    pub base_url: String,
    /// The key, for servers that want one.
    pub key: Option<SecretString>,
    /// The provider's name, used in messages.
    pub name: String,
}

impl fmt::Debug for OpenAiChatConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiChatConfig")
            .field("base_url", &refusal::shown(&self.base_url))
            .field("key", &self.key.as_ref().map(|_| "…"))
            .field("name", &self.name)
            .finish()
    }
}

/// A provider that speaks Chat Completions.
#[derive(Debug, Clone)]
pub struct OpenAiChat {
    config: OpenAiChatConfig,
    http: Client,
}

impl OpenAiChat {
    /// A provider reached with the shared client (see [`crate::http_client`]).
    pub fn new(config: OpenAiChatConfig, http: Client) -> Self {
        Self { config, http }
    }

    fn url(&self) -> Result<Url, ModelError> {
        let text = format!("{}/chat/completions", self.config.base_url.trim_end_matches('/'));
        Url::parse(&text)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
            .ok_or_else(|| ModelError::Unreachable {
                why: Reach::Invalid,
                address: refusal::shown(&self.config.base_url),
            })
    }

    fn authorization(&self) -> Result<Option<HeaderValue>, ModelError> {
        let Some(key) = &self.config.key else {
            return Ok(None);
        };
        let key = key.expose_secret().trim();
        if key.is_empty() {
            return Ok(None);
        }
        let mut value = HeaderValue::from_str(&format!("Bearer {key}"))
            .map_err(|_| ModelError::InvalidKey { provider: self.config.name.clone() })?;
        value.set_sensitive(true);
        Ok(Some(value))
    }
}

#[async_trait]
impl Model for OpenAiChat {
    fn protocol(&self) -> Protocol {
        Protocol::OpenAiChat
    }

    async fn stream(&self, request: Request) -> Result<ModelStream, ModelError> {
        let url = self.url()?;
        let refusals = Refusals::new(&self.config, &request.model);
        let pieces = encode::body(&request, encode::limit_field(&url))?;
        let mut call = self
            .http
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "text/event-stream")
            .body(reqwest::Body::wrap(Pieces::new(pieces)));
        if let Some(value) = self.authorization()? {
            call = call.header(AUTHORIZATION, value);
        }
        let response = call.send().await.map_err(|error| refusals.unsent(&error))?;
        let response = refusals.check(response).await?;
        Ok(Reading::new(response, refusals).into_stream())
    }
}
