//! From a model's name to something that can be asked.

use crate::config::{Config, ModelRef};
use crate::keys::Keys;
use crate::redact::Redactor;
use async_trait::async_trait;
use models::{
    Anthropic, Endpoint, Gemini, Model, ModelError, ModelStream, OpenAiChat, OpenAiResponses, Pace,
    Patience, Protocol, Rehearsal, Request, Unread,
};
use secrecy::{ExposeSecret, SecretString};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Model clients, made once per provider, address and protocol.
pub(crate) struct Providers {
    http: OnceLock<reqwest::Client>,
    /// When a server is given up.
    patience: Patience,
    keys: Arc<dyn Keys>,
    redactor: Redactor,
    rehearsal: Arc<dyn Model>,
    made: Mutex<HashMap<Place, Made>>,
    /// Told when a key was read.
    opened: Arc<Notify>,
}

/// How long a client without a key is used before one is looked for again: the keyring may have
/// been locked, and reading it takes longer than many an answer of a model on this computer.
const LOOK_AGAIN: Duration = Duration::from_secs(10);

struct Made {
    client: Arc<dyn Model>,
    /// Until when it is used, if not for good.
    until: Option<Instant>,
    /// The provider wants the key that could not be read: it is looked for again at once.
    refused: Arc<AtomicBool>,
}

/// A client without the key that there may be.
struct Keyless {
    client: Arc<dyn Model>,
    provider: String,
    /// Why it could not be read.
    why: Unread,
    refused: Arc<AtomicBool>,
}

#[async_trait]
impl Model for Keyless {
    fn protocol(&self) -> Protocol {
        self.client.protocol()
    }

    async fn stream(&self, request: Request) -> Result<ModelStream, ModelError> {
        match self.client.stream(request).await {
            Err(ModelError::InvalidKey { .. }) => {
                self.refused.store(true, Ordering::Relaxed);
                Err(ModelError::KeyUnread { provider: self.provider.clone(), why: self.why })
            }
            answer => answer,
        }
    }
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
            opened: Arc::default(),
        }
    }

    /// Is told whenever keys may be open that were not.
    pub(crate) fn opened(&self) -> &Arc<Notify> {
        &self.opened
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
    pub(crate) async fn model(
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
        let (key, unread) = match variable {
            Some(variable) => match std::env::var(variable) {
                Ok(key) if !key.trim().is_empty() => (Some(SecretString::from(key)), None),
                Ok(_) | Err(_) => {
                    return Err(ModelError::Unusable {
                        message: format!(
                            "{} takes its key from the environment variable {variable}, which is \
                             not set: set it and start Plancard again, or name no variable in \
                             the configuration and give the key in the window's settings",
                            name.provider
                        ),
                    });
                }
            },
            None => match self.kept_key(&place).await {
                Ok(key) => (key, None),
                Err(why @ Unread::Locked) => {
                    return Err(ModelError::KeyUnread { provider: place.provider, why });
                }
                // There may be none, and none may be wanted.
                Err(why @ (Unread::Hidden | Unread::Missing)) => (None, Some(why)),
            },
        };
        let until = if key.is_some() { None } else { Some(Instant::now() + LOOK_AGAIN) };
        let refused = Arc::new(AtomicBool::new(false));
        let mut client = self.client(&place, key);
        if let Some(why) = unread {
            let (provider, refused) = (place.provider.clone(), Arc::clone(&refused));
            client = Arc::new(Keyless { client, provider, why, refused });
        }
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.insert(place, Made { client: Arc::clone(&client), until, refused });
        Ok(client)
    }

    /// The key that is kept, read where waiting for a person holds up nobody.
    async fn kept_key(&self, place: &Place) -> Result<Option<SecretString>, Unread> {
        let (keys, place) = (Arc::clone(&self.keys), place.clone());
        let read = move || keys.key(&place.provider, &place.address);
        let key = tokio::task::spawn_blocking(read).await.unwrap_or(Err(Unread::Missing));
        if matches!(key, Ok(Some(_))) {
            self.opened.notify_one();
        }
        key
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
        let good = known.until.is_none_or(|until| Instant::now() < until)
            && !known.refused.load(Ordering::Relaxed);
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
    use std::sync::atomic::AtomicUsize;

    /// Counts how often it is asked.
    struct Ring {
        asked: AtomicUsize,
        key: Result<Option<&'static str>, Unread>,
    }

    impl Ring {
        fn with(key: Result<Option<&'static str>, Unread>) -> Arc<Self> {
            Arc::new(Self { asked: AtomicUsize::new(0), key })
        }
    }

    fn name() -> ModelRef {
        ModelRef { provider: "one".to_owned(), model: "m".to_owned() }
    }

    fn config(address: &str) -> Arc<crate::config::Loaded> {
        let folder = tempfile::tempdir().unwrap();
        let words = format!("providers: {{ one: {{ type: openai, base_url: {address} }} }}\n");
        std::fs::write(folder.path().join("plancard.yaml"), words).unwrap();
        ConfigStore::open(ConfigPlace::Folder(folder.path().to_owned())).current()
    }

    fn providers(ring: &Arc<Ring>) -> Providers {
        let keys = Arc::clone(ring) as Arc<dyn Keys>;
        Providers::new(Pace::Real, Patience::default(), keys, Redactor::default())
    }

    impl Keys for Ring {
        fn key(&self, _provider: &str, _address: &str) -> Result<Option<SecretString>, Unread> {
            self.asked.fetch_add(1, Ordering::SeqCst);
            self.key.map(|key| key.map(SecretString::from))
        }

        fn open_key(&self, _provider: &str, _address: &str) -> Option<SecretString> {
            None
        }

        fn keep(&self, _provider: &str, _address: &str, _key: &str) {}
    }

    #[tokio::test]
    async fn the_keyring_is_not_read_for_each_request() {
        let config = config("http://one");
        for key in [Ok(None), Ok(Some("a key of its own")), Err(Unread::Missing)] {
            let ring = Ring::with(key);
            let providers = providers(&ring);
            let ask = async || providers.model(&config.config, &name()).await.map(drop).unwrap();
            ask().await;
            ask().await;
            assert_eq!(ring.asked.load(Ordering::SeqCst), 1, "{key:?}");
            // Another key was given.
            providers.forget("one");
            ask().await;
            assert_eq!(ring.asked.load(Ordering::SeqCst), 2, "{key:?}");
        }
    }

    #[tokio::test]
    async fn a_key_that_is_locked_away_is_said_and_looked_for_each_time() {
        let (config, ring) = (config("http://one"), Ring::with(Err(Unread::Locked)));
        let providers = providers(&ring);
        for tries in 1..3 {
            let error = providers.model(&config.config, &name()).await.map(drop).unwrap_err();
            assert_eq!(error.code(), "KEYRING_LOCKED");
            assert_eq!(ring.asked.load(Ordering::SeqCst), tries);
        }
    }

    #[tokio::test]
    async fn where_no_key_can_be_read_that_is_said_only_if_one_is_wanted() {
        for (why, code) in
            [(Unread::Hidden, "KEYRING_LOCKED"), (Unread::Missing, "KEYRING_MISSING")]
        {
            let mut answer = [200, 401].into_iter();
            let (address, server) = answering(move || answer.next());
            let (config, ring) = (config(&address), Ring::with(Err(why)));
            let providers = providers(&ring);
            let ask = async || {
                let model = providers.model(&config.config, &name()).await.unwrap();
                let tools = models::ToolSet::new(model.protocol(), &[]);
                let history = models::Transcript::new(model.protocol()).snapshot();
                let request = Request {
                    model: "m".to_owned(),
                    system: "".into(),
                    history,
                    tail: None,
                    tools,
                    max_output: None,
                    thinking: None,
                    force: None,
                };
                model.stream(request).await.map(drop)
            };
            assert_eq!(ask().await, Ok(()), "it may need none");
            assert_eq!(ask().await.unwrap_err().code(), code);
            assert_eq!(ring.asked.load(Ordering::SeqCst), 1);
            // Whoever tries again gets the key that can be read by then.
            let _ = providers.model(&config.config, &name()).await;
            assert_eq!(ring.asked.load(Ordering::SeqCst), 2);
            server.join().unwrap();
        }
    }

    /// A server that answers each connection with the next status; its address.
    fn answering(
        mut next: impl FnMut() -> Option<u16> + Send + 'static,
    ) -> (String, std::thread::JoinHandle<()>) {
        use std::io::{Read, Write};
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let serve = move || {
            while let Some(status) = next() {
                let (mut stream, _) = listener.accept().unwrap();
                let mut read = Vec::new();
                let mut part = [0; 4096];
                // The end of the body, which is one JSON object.
                while !read.ends_with(b"}") {
                    let count = stream.read(&mut part).unwrap();
                    read.extend_from_slice(&part[..count]);
                }
                let head =
                    "content-type: text/event-stream\r\nconnection: close\r\ncontent-length: 0";
                write!(stream, "HTTP/1.1 {status} Status\r\n{head}\r\n\r\n").unwrap();
            }
        };
        (address, std::thread::spawn(serve))
    }
}
