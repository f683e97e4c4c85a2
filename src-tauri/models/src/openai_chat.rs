//! OpenAI-compatible Chat Completions: what OpenAI, most hosted and all usual local servers speak.

mod assemble;
mod content;
mod encode;
mod wire;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

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
    /// Models whose template takes a system message only as the first one.
    system_first: Arc<Mutex<HashSet<String>>>,
}

impl OpenAiChat {
    /// A provider reached with the shared client (see [`crate::http_client`]).
    pub fn new(endpoint: Endpoint, http: Client) -> Self {
        Self { endpoint, http, system_first: Arc::default() }
    }
}

#[async_trait]
impl Model for OpenAiChat {
    fn protocol(&self) -> Protocol {
        Protocol::OpenAiChat
    }

    async fn stream(&self, request: Request) -> Result<ModelStream, ModelError> {
        let known = || self.system_first.lock().unwrap_or_else(PoisonError::into_inner);
        let first = known().contains(&request.model);
        match self.post(&request, first).await {
            Err(ModelError::BadRequest { message } | ModelError::Server { message, .. })
                if !first && wants_system_first(&message) =>
            {
                known().insert(request.model.clone());
                self.post(&request, true).await
            }
            answer => answer,
        }
    }
}

impl OpenAiChat {
    /// Asks; `system_first` is whether later notes come as a user's.
    async fn post(&self, request: &Request, system_first: bool) -> Result<ModelStream, ModelError> {
        let url = self.endpoint.url("chat/completions")?;
        let mut body = encode::body(request, encode::limit_field(&url))?;
        if system_first {
            body = encode::notes_as_user(body);
        }
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

/// Whether a template complains of a system message in the conversation.
fn wants_system_first(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    let place =
        ["at the beginning", "must be first", "must be the first", "only the first message"];
    message.contains("system") && place.iter().any(|words| message.contains(words))
}
