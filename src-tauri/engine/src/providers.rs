//! From a model's name to something that can be asked.

use crate::config::{Config, ModelRef};
use crate::keys::Keys;
use crate::redact::Redactor;
use models::{
    Anthropic, Endpoint, Gemini, Model, ModelError, OpenAiChat, OpenAiResponses, Pace, Patience,
    Protocol, Rehearsal,
};
use secrecy::{ExposeSecret, SecretString};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Model clients, made once per provider, address and protocol.
pub(crate) struct Providers {
    http: OnceLock<reqwest::Client>,
    /// When a server is given up.
    patience: Patience,
    keys: Arc<dyn Keys>,
    redactor: Redactor,
    rehearsal: Arc<dyn Model>,
    made: Mutex<HashMap<Place, Made>>,
}

/// How long a client without a key is used before one is looked for again: the keyring may have
/// been locked, and reading it takes longer than many an answer of a model on this computer.
const LOOK_AGAIN: Duration = Duration::from_secs(10);

struct Made {
    client: Arc<dyn Model>,
    /// Until when it is used, if not for good.
    until: Option<Instant>,
}

/// What a client was made for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Place {
    provider: String,
    address: String,
    protocol: Protocol,
}

impl Providers {
    pub(crate) fn new(
        pace: Pace,
        patience: Patience,
        keys: Arc<dyn Keys>,
        redactor: Redactor,
    ) -> Self {
        Self {
            patience,
            http: OnceLock::new(),
            keys,
            redactor,
            rehearsal: Arc::new(Rehearsal::new(pace)),
            made: Mutex::new(HashMap::new()),
        }
    }

    /// The HTTP client that all share.
    pub(crate) fn http(&self) -> reqwest::Client {
        self.http.get_or_init(models::http_client).clone()
    }

    /// Forgets clients that hold an old key.
    pub(crate) fn forget(&self, provider: &str) {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.retain(|place, _| place.provider != provider);
    }

    /// The client for a model, or in plain words why there is none.
    pub(crate) fn model(
        &self,
        config: &Config,
        name: &ModelRef,
    ) -> Result<Arc<dyn Model>, ModelError> {
        let Some(place) = place(config, name)? else { return Ok(Arc::clone(&self.rehearsal)) };
        if let Some(client) = self.known(&place) {
            return Ok(client);
        }
        let variable =
            config.providers.get(&name.provider).and_then(|known| known.key_env.as_ref());
        let key = match variable {
            Some(variable) => match std::env::var(variable) {
                Ok(key) if !key.trim().is_empty() => Some(SecretString::from(key)),
                Ok(_) | Err(_) => {
                    return Err(ModelError::Unusable {
                        message: format!(
                            "{} takes its key from the environment variable {variable}, which is \
                             not set: set it and start Plancard again, or remove key_env from the \
                             configuration and give the key in the settings",
                            name.provider
                        ),
                    });
                }
            },
            None => self.keys.key(&place.provider, &place.address),
        };
        let until = if key.is_some() { None } else { Some(Instant::now() + LOOK_AGAIN) };
        let client = self.client(&place, key);
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.insert(place, Made { client: Arc::clone(&client), until });
        Ok(client)
    }

    /// A client with a key that is only tried: nobody else gets it.
    pub(crate) fn with_key(
        &self,
        config: &Config,
        name: &ModelRef,
        key: SecretString,
    ) -> Result<Arc<dyn Model>, ModelError> {
        let Some(place) = place(config, name)? else { return Ok(Arc::clone(&self.rehearsal)) };
        Ok(self.client(&place, Some(key)))
    }

    fn client(&self, place: &Place, key: Option<SecretString>) -> Arc<dyn Model> {
        if let Some(key) = &key {
            self.redactor.learn(key.expose_secret());
        }
        let endpoint = Endpoint {
            base_url: place.address.clone(),
            key,
            name: place.provider.clone(),
            patience: self.patience,
        };
        let http = self.http();
        match place.protocol {
            Protocol::OpenAiChat => Arc::new(OpenAiChat::new(endpoint, http)),
            Protocol::OpenAiResponses => Arc::new(OpenAiResponses::new(endpoint, http)),
            Protocol::Anthropic => Arc::new(Anthropic::new(endpoint, http)),
            Protocol::Gemini => Arc::new(Gemini::new(endpoint, http)),
            Protocol::Rehearsal | Protocol::Acp => Arc::clone(&self.rehearsal),
        }
    }

    fn known(&self, place: &Place) -> Option<Arc<dyn Model>> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let known = made.get(place)?;
        let good = known.until.is_none_or(|until| Instant::now() < until);
        good.then(|| Arc::clone(&known.client))
    }
}

/// Where a model is asked, or in plain words why it can't be; nowhere for the rehearsal.
fn place(config: &Config, name: &ModelRef) -> Result<Option<Place>, ModelError> {
    let unusable = |message: String| ModelError::Unusable { message };
    if let Some(why) = &config.closed {
        return Err(unusable(why.clone()));
    }
    let Some(provider) = config.providers.get(&name.provider) else {
        return Err(unusable(format!("there is no provider called {}", name.provider)));
    };
    let protocol = provider.protocol();
    if protocol == Protocol::Rehearsal {
        return Ok(None);
    }
    if protocol == Protocol::Acp {
        let words = format!("{} is a program, which works in a room only", name.provider);
        return Err(unusable(words));
    }
    let Some(address) = provider.base_url.clone() else {
        return Err(unusable(format!("the provider {} has no base_url", name.provider)));
    };
    Ok(Some(Place { provider: name.provider.clone(), address, protocol }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ConfigPlace, ConfigStore};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Counts how often it is asked.
    #[derive(Default)]
    struct Ring {
        asked: AtomicUsize,
        key: Option<&'static str>,
    }

    impl Keys for Ring {
        fn key(&self, _provider: &str, _address: &str) -> Option<SecretString> {
            self.asked.fetch_add(1, Ordering::SeqCst);
            self.key.map(SecretString::from)
        }

        fn keep(&self, _provider: &str, _address: &str, _key: &str) {}
    }

    #[test]
    fn the_keyring_is_not_read_for_each_request() {
        let folder = tempfile::tempdir().unwrap();
        let words = "providers: { one: { type: openai, base_url: http://one } }\n";
        std::fs::write(folder.path().join("plancard.yaml"), words).unwrap();
        let config = ConfigStore::open(ConfigPlace::Folder(folder.path().to_owned())).current();
        let name = ModelRef { provider: "one".to_owned(), model: "m".to_owned() };
        for key in [None, Some("a key of its own")] {
            let ring = Arc::new(Ring { key, ..Ring::default() });
            let keys = Arc::clone(&ring) as Arc<dyn Keys>;
            let patience = Patience::default();
            let providers = Providers::new(Pace::Real, patience, keys, Redactor::default());
            let ask = || providers.model(&config.config, &name).map(drop).unwrap();
            ask();
            ask();
            assert_eq!(ring.asked.load(Ordering::SeqCst), 1, "{key:?}");
            // Another key was given.
            providers.forget("one");
            ask();
            assert_eq!(ring.asked.load(Ordering::SeqCst), 2, "{key:?}");
        }
    }
}
