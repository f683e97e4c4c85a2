//! Which tool is the one that was seen first, or allowed since: one hash for
//! each `server.tool`, in a small file of the data folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tools::mcp::split;

const FILE: &str = "mcp-tools.json";

/// The pinned hashes.
pub(super) struct Pins {
    file: PathBuf,
    /// The file was there and can't be read: nobody knows what was pinned, so whatever is not
    /// allowed from now on counts as changed.
    lost: bool,
    known: Mutex<BTreeMap<String, String>>,
}

impl Pins {
    /// Reads the file, if there is one.
    pub(super) fn read(data: &Path) -> Self {
        let file = data.join(FILE);
        let known = match std::fs::read(&file) {
            Ok(text) => serde_json::from_slice(&text).ok(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(BTreeMap::new()),
            Err(_) => None,
        };
        if known.is_none() {
            tracing::warn!("the hashes of MCP tools can't be read: each tool is asked about anew");
        }
        Self { file, lost: known.is_none(), known: Mutex::new(known.unwrap_or_default()) }
    }

    /// Whether a tool is another one than was pinned.
    pub(super) fn is_changed(&self, tool: &str, hash: &str) -> bool {
        self.lock().get(tool).map_or(self.lost, |pinned| pinned != hash)
    }

    /// The tools of a server that were ever seen, by their full names.
    pub(super) fn of(&self, server: &str) -> Vec<String> {
        let known = self.lock();
        let own = known.keys().filter(|tool| split(tool).is_some_and(|(of, _)| of == server));
        own.cloned().collect()
    }

    /// Pins tools that were never seen before.
    pub(super) fn see<'a>(&self, tools: impl Iterator<Item = (String, &'a str)>) {
        if self.lost {
            return;
        }
        let mut known = self.lock();
        let before = known.len();
        for (tool, hash) in tools {
            known.entry(tool).or_insert_with(|| hash.to_owned());
        }
        if known.len() != before {
            self.write(&known);
        }
    }

    /// A person allowed the tool as it is now.
    pub(super) fn allow(&self, tool: &str, hash: &str) {
        let mut known = self.lock();
        if known.get(tool).is_none_or(|pinned| pinned != hash) {
            known.insert(tool.to_owned(), hash.to_owned());
            self.write(&known);
        }
    }

    /// Replaces the file in one step. What can't be kept holds until the app ends.
    fn write(&self, known: &BTreeMap<String, String>) {
        let Some(folder) = self.file.parent() else { return };
        let write = || -> std::io::Result<()> {
            let mut new = tempfile::NamedTempFile::new_in(folder)?;
            std::io::Write::write_all(&mut new, &serde_json::to_vec_pretty(known)?)?;
            new.as_file().sync_all()?;
            new.persist(&self.file)?;
            Ok(())
        };
        if let Err(error) = write() {
            tracing::warn!(%error, "the hashes of MCP tools could not be kept");
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_one_seen_is_pinned_through_a_restart_until_another_is_allowed() {
        let data = tempfile::tempdir().unwrap();
        let pins = Pins::read(data.path());
        pins.see([("s.t".to_owned(), "one")].into_iter());
        pins.see([("s.t".to_owned(), "two")].into_iter());
        let pins = Pins::read(data.path());
        assert!(!pins.is_changed("s.t", "one") && pins.is_changed("s.t", "two"));
        assert!(!pins.is_changed("s.new", "one"));
        std::fs::write(data.path().join(FILE), "not ours").unwrap();
        let lost = Pins::read(data.path());
        lost.see([("s.t".to_owned(), "one")].into_iter());
        assert!(lost.is_changed("s.t", "one"));
        lost.allow("s.t", "one");
        assert!(!lost.is_changed("s.t", "one"));
        pins.allow("s.t", "two");
        let pins = Pins::read(data.path());
        assert!(pins.is_changed("s.t", "one") && !pins.is_changed("s.t", "two"));
    }
}
