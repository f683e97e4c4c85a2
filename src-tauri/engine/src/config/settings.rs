//! Writing `settings.yaml`, the file of the settings screen.
//!
//! It is written as JSON, which every YAML reader takes, so that one well-kept
//! writer serves; the person's own file is never touched.

use super::{Config, ConfigErrors, ConfigPlace, Problem, SETTINGS_FILE};
use serde_json::{Map, Value};
use std::io::Write;
use std::path::Path;

/// Why a setting was not saved.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The value is not allowed. It stands in no file, so none is named.
    #[error("{}", refused(.0))]
    Bad(ConfigErrors),
    /// The file can't be read or written.
    #[error("{path} can't be used: {why}")]
    File {
        /// The file.
        path: String,
        /// Why not.
        why: String,
    },
}

/// What was wrong, without naming a file that never held it.
fn refused(errors: &ConfigErrors) -> String {
    let words = |odd: &Problem| match odd.file.ends_with(SETTINGS_FILE) {
        true => odd.message.clone(),
        false => odd.to_string(),
    };
    errors.0.iter().map(words).collect::<Vec<_>>().join("\n")
}

/// Sets one value by its path (`caps.steps`), or takes it back to the default,
/// unless the configuration would then be wrong.
pub fn save(place: &ConfigPlace, path: &str, value: Option<Value>) -> Result<(), SaveError> {
    let file = place.settings_file();
    let said = |why: String| SaveError::File { path: file.display().to_string(), why };
    let before = match std::fs::read(&file) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(said(error.to_string())),
    };
    let mut root = match &before {
        Some(bytes) if !bytes.is_empty() => serde_json::from_slice::<Map<String, Value>>(bytes)
            .map_err(|error| said(format!("it was not written by this screen ({error})")))?,
        Some(_) | None => Map::new(),
    };
    let keys: Vec<&str> = path.split('.').collect();
    set(&mut root, &keys, value);
    let text = serde_json::to_string_pretty(&root).map_err(|error| said(error.to_string()))?;
    replace(&file, text.as_bytes()).map_err(|error| said(error.to_string()))?;
    let Err(errors) = Config::load_place(place) else { return Ok(()) };
    // The new value is what is wrong: what was there before was read when the app started.
    let undone = match before {
        Some(bytes) => replace(&file, &bytes),
        None => std::fs::remove_file(&file),
    };
    undone.map_err(|error| said(error.to_string()))?;
    Err(SaveError::Bad(errors))
}

fn set(map: &mut Map<String, Value>, keys: &[&str], value: Option<Value>) {
    let [key, rest @ ..] = keys else { return };
    if rest.is_empty() {
        match value {
            Some(value) => drop(map.insert((*key).to_owned(), value)),
            None => drop(map.remove(*key)),
        }
        return;
    }
    let inner = map.entry(*key).or_insert_with(|| Value::Object(Map::new()));
    if !inner.is_object() {
        *inner = Value::Object(Map::new());
    }
    if let Value::Object(inner) = inner {
        set(inner, rest, value);
    }
    if map.get(*key).and_then(Value::as_object).is_some_and(Map::is_empty) {
        map.remove(*key);
    }
}

fn replace(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(bytes)?;
    new.as_file().sync_all()?;
    new.persist(file).map_err(|error| error.error)?;
    Ok(())
}
