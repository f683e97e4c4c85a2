//! Where keys come from when the configuration names no variable for them.

use secrecy::SecretString;

/// A place that keeps keys, bound to a provider and its address.
pub trait Keys: Send + Sync {
    /// The key for this provider at this address, if there is one.
    fn key(&self, provider: &str, address: &str) -> Option<SecretString>;
    /// Keeps a key; an empty one forgets it.
    fn keep(&self, provider: &str, address: &str, key: &str);
}

/// Keeps none.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoKeys;

impl Keys for NoKeys {
    fn key(&self, _provider: &str, _address: &str) -> Option<SecretString> {
        None
    }

    fn keep(&self, _provider: &str, _address: &str, _key: &str) {}
}
