//! Keys: in the system's keyring, or for this session when there is none.

use crate::looking::{Entry, look};
use engine::Unread;
use keyring_core::{CredentialStore, Error};
use secrecy::SecretString;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use zbus_secret_service_keyring_store::Store;

const SERVICE: &str = "plancard";
/// Written and removed again to find out whether the keyring can be used.
const PROBE: &str = "probe";

/// Whether keys can be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum Keyring {
    /// They are kept in the system's keyring.
    Ready,
    /// The keyring is locked.
    Locked,
    /// There is none.
    Missing,
}

impl Keyring {
    /// What a person should know when keys are not kept.
    pub fn trouble(self) -> Option<&'static str> {
        match self {
            Self::Ready => None,
            Self::Locked => Some("The keyring is locked. Keys are kept until you quit."),
            Self::Missing => Some("This computer has no keyring. Keys are kept until you quit."),
        }
    }
}

/// Where one provider's key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum KeyPlace {
    /// In the system's keyring.
    Keyring,
    /// Here until the app quits.
    Session,
    /// In a variable that the configuration names.
    Environment,
    /// Nowhere.
    None,
    /// The provider takes none.
    NotNeeded,
}

/// Where keys are.
#[derive(Default)]
pub struct Secrets {
    session: Mutex<HashMap<String, SecretString>>,
    /// How often another key was wished for, by provider.
    wishes: Mutex<HashMap<String, u64>>,
    /// Held while a person may be asked to unlock the keyring.
    asks: Mutex<()>,
    /// How often it was not unlocked.
    refusals: AtomicU64,
}

impl Secrets {
    /// A person wants another key for a provider; the number of that wish.
    pub fn wish(&self, provider: &str) -> u64 {
        let mut wishes = self.wishes.lock().unwrap_or_else(PoisonError::into_inner);
        let count = wishes.entry(provider.to_owned()).or_default();
        *count += 1;
        *count
    }

    /// Whether nothing else was wished for since: a check that ends late undoes nothing.
    pub fn is_newest(&self, provider: &str, wish: u64) -> bool {
        let wishes = self.wishes.lock().unwrap_or_else(PoisonError::into_inner);
        wishes.get(provider) == Some(&wish)
    }

    /// Keeps a key; where it went. An empty key forgets it.
    pub fn set(&self, provider: &str, address: &str, key: &str) -> Keyring {
        let name = entry_name(provider, address);
        let kept = self.asking(|store| {
            let entry = store.build(SERVICE, &name, None)?;
            match if key.is_empty() { entry.delete_credential() } else { entry.set_password(key) } {
                Err(Error::NoEntry) => Ok(()),
                done => done,
            }
        });
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        session.remove(&name);
        let Err(state) = kept else { return Keyring::Ready };
        if !key.is_empty() {
            session.insert(name, SecretString::from(key));
        }
        state
    }

    /// Whether the keyring can be used, as far as that is seen without asking anybody.
    pub fn keyring(&self) -> Keyring {
        match apart(|| look(SERVICE, PROBE)) {
            Some(seen) if seen.open => Keyring::Ready,
            Some(_) => Keyring::Locked,
            None => Keyring::Missing,
        }
    }

    /// Has the keyring unlocked, and finds out whether it can be used by writing to it.
    pub fn open(&self) -> Keyring {
        let probed = self.asking(|store| {
            let entry = store.build(SERVICE, PROBE, None)?;
            entry.set_password(PROBE)?;
            entry.delete_credential()
        });
        match probed {
            Ok(()) => Keyring::Ready,
            Err(state) => state,
        }
    }

    /// Where a provider's key is.
    pub fn place(&self, provider: &str, address: &str) -> KeyPlace {
        let name = entry_name(provider, address);
        if self.session.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&name) {
            return KeyPlace::Session;
        }
        match apart(|| look(SERVICE, &name)).map(|seen| seen.entry) {
            Some(Entry::Open | Entry::Locked) => KeyPlace::Keyring,
            Some(Entry::None) | None => KeyPlace::None,
        }
    }

    fn in_session(&self, name: &str) -> Option<SecretString> {
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        session.get(name).cloned()
    }

    /// Does something with the keyring for which a person may have to unlock it. They are asked
    /// once at a time, and a no is an answer to all who waited for it.
    fn asking<T: Send>(
        &self,
        work: impl FnOnce(&CredentialStore) -> Result<T, Error> + Send,
    ) -> Result<T, Keyring> {
        let before = self.refusals.load(Ordering::SeqCst);
        let _one = self.asks.lock().unwrap_or_else(PoisonError::into_inner);
        if self.refusals.load(Ordering::SeqCst) != before {
            return Err(Keyring::Locked);
        }
        let done = in_keyring(work);
        if matches!(done, Err(Keyring::Locked)) {
            self.refusals.fetch_add(1, Ordering::SeqCst);
        }
        done
    }
}

impl engine::Keys for Secrets {
    fn key(&self, provider: &str, address: &str) -> Result<Option<SecretString>, Unread> {
        let name = entry_name(provider, address);
        if let Some(key) = self.in_session(&name) {
            return Ok(Some(key));
        }
        let Some(seen) = apart(|| look(SERVICE, &name)) else { return Err(Unread::Missing) };
        match seen.entry {
            Entry::Open => Ok(in_keyring(|store| read(store, &name)).ok()),
            Entry::Locked => match self.asking(|store| read(store, &name)) {
                Ok(key) => Ok(Some(key)),
                Err(_) => Err(Unread::Locked),
            },
            Entry::None if seen.open => Ok(None),
            Entry::None => Err(Unread::Hidden),
        }
    }

    fn open_key(&self, provider: &str, address: &str) -> Option<SecretString> {
        let name = entry_name(provider, address);
        self.in_session(&name).or_else(|| match apart(|| look(SERVICE, &name))?.entry {
            Entry::Open => in_keyring(|store| read(store, &name)).ok(),
            Entry::Locked | Entry::None => None,
        })
    }

    fn keep(&self, provider: &str, address: &str, key: &str) {
        self.set(provider, address, key);
    }
}

/// A key is bound to its provider and address: another address asks again.
fn entry_name(provider: &str, address: &str) -> String {
    format!("{provider} at {}", address.trim_end_matches('/'))
}

fn read(store: &CredentialStore, name: &str) -> Result<SecretString, Error> {
    store.build(SERVICE, name, None)?.get_password().map(SecretString::from)
}

/// Does something with the keyring, connecting anew each time: one that appears later is found.
fn in_keyring<T: Send>(
    work: impl FnOnce(&CredentialStore) -> Result<T, Error> + Send,
) -> Result<T, Keyring> {
    apart(|| {
        let Ok(store) = Store::new() else { return Some(Err(Keyring::Missing)) };
        Some(work(&*store).map_err(|_| Keyring::Locked))
    })
    .unwrap_or(Err(Keyring::Missing))
}

/// The library waits inside, which it must not do on a thread that drives tasks, not even
/// when it lets go of its connection: so it gets a thread of its own from beginning to end.
fn apart<T: Send>(work: impl FnOnce() -> Option<T> + Send) -> Option<T> {
    std::thread::scope(|scope| scope.spawn(work).join()).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_that_ends_late_undoes_nothing() {
        let secrets = Secrets::default();
        let (first, other) = (secrets.wish("one"), secrets.wish("two"));
        assert!(secrets.is_newest("one", first) && secrets.is_newest("two", other));
        let second = secrets.wish("one");
        assert!(!secrets.is_newest("one", first));
        assert!(secrets.is_newest("one", second) && secrets.is_newest("two", other));
    }
}
