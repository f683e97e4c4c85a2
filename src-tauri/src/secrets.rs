//! Keys: in the system's keyring, or for this session when there is none.

use keyring_core::{CredentialStore, Error};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use zbus_secret_service_keyring_store::Store;

const SERVICE: &str = "plancard";
/// Written and removed again to find out whether the keyring can be used.
const PROBE: &str = "probe";

/// Whether keys can be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Keyring {
    /// They are kept in the system's keyring.
    Ready,
    /// The keyring is locked.
    Locked,
    /// There is none.
    Missing,
}

/// Where keys are.
#[derive(Default)]
pub struct Secrets {
    session: Mutex<HashMap<String, SecretString>>,
}

impl Secrets {
    /// Keeps a key; where it went. An empty key forgets it.
    pub fn set(&self, provider: &str, address: &str, key: &str) -> Keyring {
        let name = entry_name(provider, address);
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        session.remove(&name);
        let store = match open() {
            Ok(store) => store,
            Err(state) => {
                if !key.is_empty() {
                    session.insert(name, SecretString::from(key));
                }
                return state;
            }
        };
        let done = store.build(SERVICE, &name, None).and_then(|entry| {
            if key.is_empty() { entry.delete_credential() } else { entry.set_password(key) }
        });
        match done {
            Ok(()) | Err(Error::NoEntry) => Keyring::Ready,
            Err(_) => {
                if !key.is_empty() {
                    session.insert(name, SecretString::from(key));
                }
                Keyring::Locked
            }
        }
    }

    /// Whether the keyring can be used, found out by writing to it: an unusable
    /// one answers "no entry" when it is only read.
    pub fn keyring(&self) -> Keyring {
        match open() {
            Ok(store) => {
                let probed = store.build(SERVICE, PROBE, None).and_then(|entry| {
                    entry.set_password(PROBE)?;
                    entry.delete_credential()
                });
                if probed.is_ok() { Keyring::Ready } else { Keyring::Locked }
            }
            Err(state) => state,
        }
    }

    /// Where a provider's key is, in one word.
    pub fn place(&self, provider: &str, address: &str) -> &'static str {
        let name = entry_name(provider, address);
        if self.session.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&name) {
            return "session";
        }
        match kept(&name) {
            Some(_) => "keyring",
            None => "none",
        }
    }
}

impl engine::Keys for Secrets {
    fn key(&self, provider: &str, address: &str) -> Option<SecretString> {
        let name = entry_name(provider, address);
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        match session.get(&name) {
            Some(key) => Some(SecretString::from(key.expose_secret())),
            None => kept(&name),
        }
    }
}

/// A key is bound to its provider and address: another address asks again.
fn entry_name(provider: &str, address: &str) -> String {
    format!("{provider} at {}", address.trim_end_matches('/'))
}

fn kept(name: &str) -> Option<SecretString> {
    let store = open().ok()?;
    let key = store.build(SERVICE, name, None).ok()?.get_password().ok()?;
    Some(SecretString::from(key))
}

/// Connects anew each time: a keyring that appears later is found.
fn open() -> Result<Arc<CredentialStore>, Keyring> {
    // The library waits inside; it must not do so on a thread that drives tasks.
    let opened = std::thread::spawn(Store::new).join();
    match opened {
        Ok(Ok(store)) => Ok(store),
        Ok(Err(_)) | Err(_) => Err(Keyring::Missing),
    }
}
