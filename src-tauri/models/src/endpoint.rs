//! Where a provider is, and the key for it, which is never shown.

use std::fmt;

use reqwest::Url;
use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};

use crate::{ModelError, Patience, Reach};

/// Where a provider is and how to speak to it.
#[derive(Clone)]
pub struct Endpoint {
    /// The address up to and with the version, such as `http://127.0.0.1:8080/v1`.
    pub base_url: String,
    /// The key, for servers that want one.
    pub key: Option<SecretString>,
    /// The provider's name, used in messages.
    pub name: String,
    /// When it is given up.
    pub patience: Patience,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("base_url", &self.shown())
            .field("key", &self.key.as_ref().map(|_| "…"))
            .field("name", &self.name)
            .finish()
    }
}

impl Endpoint {
    /// The address with more path behind it.
    pub(crate) fn url(&self, path: &str) -> Result<Url, ModelError> {
        let text = format!("{}/{path}", self.base_url.trim_end_matches('/'));
        Url::parse(&text)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
            .ok_or_else(|| ModelError::Unreachable { why: Reach::Invalid, address: self.shown() })
    }

    /// Whether the address ends in a version, such as `v1` or `v1beta`.
    pub(crate) fn is_versioned(&self) -> bool {
        let last = self.base_url.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let mut letters = last.chars();
        letters.next() == Some('v') && letters.next().is_some_and(|next| next.is_ascii_digit())
    }

    /// The key as a header, hidden from logs; nothing where there is none.
    pub(crate) fn key_header(&self, scheme: &str) -> Result<Option<HeaderValue>, ModelError> {
        let Some(key) = &self.key else {
            return Ok(None);
        };
        let key = key.expose_secret().trim();
        if key.is_empty() {
            return Ok(None);
        }
        let mut value = HeaderValue::from_str(&format!("{scheme}{key}"))
            .map_err(|_| ModelError::InvalidKey { provider: self.name.clone() })?;
        value.set_sensitive(true);
        Ok(Some(value))
    }

    /// The address without a name, a password or a question in it.
    pub(crate) fn shown(&self) -> String {
        let Ok(mut url) = Url::parse(&self.base_url) else {
            return self.base_url.clone();
        };
        // Both fail only for addresses that can't hold either.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url.set_query(None);
        url.as_str().trim_end_matches('/').to_owned()
    }
}
