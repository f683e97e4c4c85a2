//! Long outputs of tools, kept whole beside the log and read again by their hash.

use crate::history::Blobs;
use crate::journal::Journal;
use crate::live::JournalBlobs;
use std::fmt;
use std::sync::Arc;

/// Reads what calls gave back in full.
pub(crate) struct StoredOutputs(pub(crate) Arc<dyn Journal>);

impl tools::Outputs for StoredOutputs {
    fn text(&self, id: &str) -> Option<String> {
        JournalBlobs(&*self.0).text(id)
    }
}

impl fmt::Debug for StoredOutputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoredOutputs")
    }
}

/// A long output as it is stored: its id and its bytes.
pub(crate) fn stored(full: String) -> (String, Vec<u8>) {
    (blake3::hash(full.as_bytes()).to_hex().to_string(), full.into_bytes())
}
