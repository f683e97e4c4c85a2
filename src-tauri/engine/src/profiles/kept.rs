//! What was found out about models, in a small file of the data folder.

use super::Planning;
use models::{Profile, Protocol};
use plan::Time;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

const FILE: &str = "profiles.json";
/// The form of the file and of the questions: whoever changes either raises it. What another
/// version wrote is not read: it can be found out again.
const VERSION: u32 = 1;

/// One model at one address: another address, or another way to speak to it, is another model.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct ModelAt {
    /// The name its provider knows it by.
    pub(super) model: String,
    pub(super) address: String,
    pub(super) protocol: Protocol,
}

/// What was found out about one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptProfile {
    pub(super) profile: Profile,
    pub(super) planning: Planning,
    pub(super) checked_at: Time,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    profiles: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    #[serde(flatten)]
    at: ModelAt,
    #[serde(flatten)]
    kept: KeptProfile,
}

/// All that was found out.
pub(super) struct KeptProfiles {
    file: PathBuf,
    known: Mutex<HashMap<ModelAt, KeptProfile>>,
}

impl KeptProfiles {
    /// Reads the file, if there is one that can be read.
    pub(super) fn read(data: &Path) -> Self {
        let file = data.join(FILE);
        let known = match std::fs::read(&file) {
            Ok(text) => read(&text).unwrap_or_else(|why| {
                tracing::warn!("{FILE} is not used ({why}): models are checked again");
                HashMap::new()
            }),
            Err(_) => HashMap::new(),
        };
        Self { file, known: Mutex::new(known) }
    }

    pub(super) fn get(&self, at: &ModelAt) -> Option<KeptProfile> {
        self.lock().get(at).copied()
    }

    /// Keeps what was found out, in place of what was known.
    pub(super) fn keep(&self, at: ModelAt, kept: KeptProfile) -> std::io::Result<()> {
        let mut known = self.lock();
        known.insert(at, kept);
        self.write(&known)
    }

    /// Replaces the file in one step. Only its owner can read it.
    fn write(&self, known: &HashMap<ModelAt, KeptProfile>) -> std::io::Result<()> {
        let entry = |(at, kept): (&ModelAt, &KeptProfile)| Entry { at: at.clone(), kept: *kept };
        let mut profiles: Vec<Entry> = known.iter().map(entry).collect();
        profiles.sort_by(|one, other| {
            (&one.at.model, &one.at.address).cmp(&(&other.at.model, &other.at.address))
        });
        let text = serde_json::to_vec_pretty(&Stored { version: VERSION, profiles })?;
        let folder = self.file.parent().unwrap_or(Path::new("/"));
        let mut new = tempfile::NamedTempFile::new_in(folder)?;
        new.write_all(&text)?;
        new.as_file().sync_all()?;
        new.persist(&self.file)?;
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ModelAt, KeptProfile>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read(text: &[u8]) -> Result<HashMap<ModelAt, KeptProfile>, String> {
    /// Read first: the rest may have another form.
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    let words = |error: serde_json::Error| error.to_string();
    let Version { version } = serde_json::from_slice(text).map_err(words)?;
    if version != VERSION {
        return Err(format!("it has version {version}"));
    }
    let stored: Stored = serde_json::from_slice(text).map_err(words)?;
    Ok(stored.profiles.into_iter().map(|entry| (entry.at, entry.kept)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn at(address: &str) -> ModelAt {
        let protocol = Protocol::OpenAiChat;
        ModelAt { model: "small".to_owned(), address: address.to_owned(), protocol }
    }

    fn kept(simple: bool) -> KeptProfile {
        let profile = Profile { simple, window: Some(4096), ..Profile::default() };
        KeptProfile { profile, planning: Planning::Simple, checked_at: Time(7) }
    }

    #[test]
    fn what_was_found_out_is_there_after_a_restart_for_that_address_and_protocol_alone() {
        let data = tempfile::tempdir().unwrap();
        let profiles = KeptProfiles::read(data.path());
        profiles.keep(at("http://one"), kept(false)).unwrap();
        profiles.keep(at("http://one"), kept(true)).unwrap();
        let again = KeptProfiles::read(data.path());
        assert_eq!(again.get(&at("http://one")), Some(kept(true)));
        assert_eq!(again.get(&at("http://two")), None);
        let other = ModelAt { protocol: Protocol::OpenAiResponses, ..at("http://one") };
        assert_eq!(again.get(&other), None);
        let mode = std::fs::metadata(data.path().join(FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_file_that_can_not_be_read_is_as_none_and_is_replaced() {
        for text in ["", "{", "[]", r#"{"version":2,"profiles":"other"}"#] {
            let data = tempfile::tempdir().unwrap();
            std::fs::write(data.path().join(FILE), text).unwrap();
            let profiles = KeptProfiles::read(data.path());
            assert_eq!(profiles.get(&at("http://one")), None, "{text}");
            profiles.keep(at("http://one"), kept(true)).unwrap();
            assert!(KeptProfiles::read(data.path()).get(&at("http://one")).is_some(), "{text}");
        }
    }
}
