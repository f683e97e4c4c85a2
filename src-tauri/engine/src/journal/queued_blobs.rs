//! Large texts on their way to the disk: who reads one finds it from the moment it is queued.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Texts that are queued and not committed yet, by their hash.
#[derive(Debug, Default)]
pub(super) struct QueuedBlobs {
    texts: Mutex<HashMap<String, Queued>>,
}

#[derive(Debug)]
struct Queued {
    bytes: Vec<u8>,
    /// How many appends bring it.
    appends: usize,
}

impl QueuedBlobs {
    /// These are about to be written.
    pub(super) fn add(&self, blobs: &[(String, Vec<u8>)]) {
        if blobs.is_empty() {
            return;
        }
        let mut texts = self.lock();
        for (hash, bytes) in blobs {
            let queued = texts
                .entry(hash.clone())
                .or_insert_with(|| Queued { bytes: bytes.clone(), appends: 0 });
            queued.appends += 1;
        }
    }

    /// These are written, or never will be.
    pub(super) fn remove(&self, blobs: &[(String, Vec<u8>)]) {
        if blobs.is_empty() {
            return;
        }
        let mut texts = self.lock();
        for (hash, _) in blobs {
            let Some(queued) = texts.get_mut(hash) else { continue };
            queued.appends -= 1;
            if queued.appends == 0 {
                texts.remove(hash);
            }
        }
    }

    /// A text that is on its way.
    pub(super) fn get(&self, hash: &str) -> Option<Vec<u8>> {
        self.lock().get(hash).map(|queued| queued.bytes.clone())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Queued>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_there_as_long_as_an_append_brings_it() {
        let queued = QueuedBlobs::default();
        let blobs = [("h".to_owned(), b"text".to_vec())];
        queued.add(&blobs);
        queued.add(&blobs);
        queued.remove(&blobs);
        assert_eq!(queued.get("h").as_deref(), Some(&b"text"[..]));
        queued.remove(&blobs);
        assert_eq!(queued.get("h"), None);
    }
}
