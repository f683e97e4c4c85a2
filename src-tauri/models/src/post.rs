//! One request to a provider: posted, its answer checked, and read as it comes.

use bytes::Bytes;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName};
use reqwest::{Body, Client, Url};

use crate::body::Pieces;
use crate::reading::{Reading, Turn};
use crate::refusal::Refusals;
use crate::{Endpoint, ModelError, ModelStream};

/// What is posted, and where.
pub(crate) struct Post<'a> {
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) http: &'a Client,
    pub(crate) url: Url,
    pub(crate) model: &'a str,
    /// The header for the key, and what stands before the key in it.
    pub(crate) key: (HeaderName, &'static str),
    pub(crate) headers: Vec<(HeaderName, &'static str)>,
    pub(crate) body: Vec<Bytes>,
}

impl Post<'_> {
    pub(crate) async fn send<T: Turn>(self) -> Result<ModelStream, ModelError> {
        let refusals = Refusals::new(self.endpoint, self.model);
        let mut call = self
            .http
            .post(self.url)
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "text/event-stream")
            .body(Body::wrap(Pieces::new(self.body)));
        for (name, value) in self.headers {
            call = call.header(name, value);
        }
        let (name, scheme) = self.key;
        if let Some(value) = self.endpoint.key_header(scheme)? {
            call = call.header(name, value);
        }
        let response = refusals.awaited(call.send()).await?;
        let response = response.map_err(|error| refusals.unsent(&error))?;
        let checked = refusals.check(response).await;
        let response = checked.map_err(|error| refusals.plainly(error))?;
        Ok(Reading::<T>::new(response, refusals).into_stream())
    }
}
