//! Why something was not done, as the window reads it.

use engine::EngineError;
use serde::Serialize;

/// A stable code, and words for a person.
#[derive(Debug, Clone, Serialize, ts_rs::TS)]
pub struct Problem {
    /// The code.
    pub code: String,
    /// The words.
    pub message: String,
}

impl Problem {
    /// A problem of the window's own.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into() }
    }
}

impl From<EngineError> for Problem {
    fn from(error: EngineError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl From<engine::journal::JournalError> for Problem {
    fn from(error: engine::journal::JournalError) -> Self {
        EngineError::from(error).into()
    }
}

/// Does what may wait inside, such as for the keyring or a folder, where waiting holds up nobody.
pub async fn off_the_loop<T: Send + 'static>(
    failed: &'static str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    let done = tauri::async_runtime::spawn_blocking(work).await;
    done.map_err(|error| Problem::new(failed, error.to_string()))
}
