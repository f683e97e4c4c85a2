//! Where keys come from when the configuration names no variable for them.

use crate::config::{Config, ConfigStore};
use crate::redact::Redactor;
use models::Unread;
use secrecy::{ExposeSecret, SecretString};
use std::sync::Arc;
use tokio::sync::Notify;

/// A place that keeps keys, bound to a provider and its address.
pub trait Keys: Send + Sync {
    /// The key for this provider at this address, if there is one. A person may be asked to open
    /// the place first.
    fn key(&self, provider: &str, address: &str) -> Result<Option<SecretString>, Unread>;
    /// The same where nobody has to be asked.
    fn open_key(&self, provider: &str, address: &str) -> Option<SecretString>;
    /// Keeps a key; an empty one forgets it.
    fn keep(&self, provider: &str, address: &str, key: &str);
}

/// Keeps none.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoKeys;

impl Keys for NoKeys {
    fn key(&self, _provider: &str, _address: &str) -> Result<Option<SecretString>, Unread> {
        Ok(None)
    }

    fn open_key(&self, _provider: &str, _address: &str) -> Option<SecretString> {
        None
    }

    fn keep(&self, _provider: &str, _address: &str, _key: &str) {}
}

/// Keeps the keys of all configured providers from being shown, also before one of them is asked:
/// now, whenever there is another configuration, and whenever keys may be open that were not.
pub(crate) async fn hide_all(
    keys: Arc<dyn Keys>,
    config: ConfigStore,
    redactor: Redactor,
    opened: Arc<Notify>,
) {
    let mut changes = config.changes();
    loop {
        changes.borrow_and_update();
        let (keys, redactor, current) = (Arc::clone(&keys), redactor.clone(), config.current());
        // A keyring may take its time.
        let hide = move || hide(&*keys, &current.config, &redactor);
        let _ = tokio::task::spawn_blocking(hide).await;
        tokio::select! {
            changed = changes.changed() => if changed.is_err() { return },
            () = opened.notified() => {}
        }
    }
}

fn hide(keys: &dyn Keys, config: &Config, redactor: &Redactor) {
    for (name, provider) in &config.providers {
        let key = match (&provider.key_env, &provider.base_url) {
            (Some(variable), _) => std::env::var(variable).ok().map(SecretString::from),
            (None, Some(address)) => keys.open_key(name, address),
            (None, None) => None,
        };
        if let Some(key) = key {
            redactor.learn(key.expose_secret());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ConfigPlace;
    use crate::journal::FolderLock;
    use crate::{Engine, Options};
    use std::time::Duration;

    /// Has a key for everyone.
    struct Ring;

    impl Keys for Ring {
        fn key(&self, provider: &str, address: &str) -> Result<Option<SecretString>, Unread> {
            Ok(self.open_key(provider, address))
        }

        fn open_key(&self, provider: &str, address: &str) -> Option<SecretString> {
            Some(SecretString::from(format!("key of {provider} at {address}\n")))
        }

        fn keep(&self, _provider: &str, _address: &str, _key: &str) {}
    }

    #[tokio::test]
    async fn keys_are_hidden_before_their_provider_is_asked() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("plancard.yaml");
        let provider =
            |name: &str| format!("  {name}: {{ type: openai, base_url: http://{name} }}\n");
        std::fs::write(&file, format!("providers:\n{}", provider("one"))).unwrap();
        let config = ConfigStore::open(ConfigPlace::Folder(folder.path().to_owned()));
        let lock = FolderLock::take(&folder.path().join("data")).unwrap();
        let options = Options { keys: Arc::new(Ring), ..Options::new(lock, config.clone()) };
        let engine = Engine::start(options).unwrap().engine;
        let hidden = async |key: &str| {
            while engine.redact(key.to_owned()) == key {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        hidden("key of one at http://one").await;
        std::fs::write(&file, format!("providers:\n{}{}", provider("one"), provider("two")))
            .unwrap();
        config.reload();
        hidden("key of two at http://two").await;
        engine.stop().await;
    }
}
