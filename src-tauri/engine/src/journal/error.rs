//! What can go wrong in the journal.

use std::io;
use std::path::PathBuf;

use rusqlite::ErrorCode;
use uuid::Uuid;

/// Why the journal could not do what it was asked. It can be cloned because
/// everyone who waits for one commit gets the same answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// Someone else appended to the room first.
    #[error("room {room} is at event {found}, not {expected}")]
    Conflict { room: Uuid, expected: u64, found: u64 },
    /// The room is not there and the append does not make it.
    #[error("the journal has no room {0}")]
    NoRoom(Uuid),
    /// The append itself cannot be stored; the next one may well be.
    #[error("could not {doing}: {why}")]
    Refused { doing: &'static str, why: String },
    /// No room is left on the disk.
    #[error("could not {doing}: the disk is full")]
    Full { doing: &'static str },
    /// The disk or the file system said no.
    #[error("could not {doing}: {why}")]
    Io { doing: &'static str, why: String },
    /// The file is damaged.
    #[error("could not {doing}: the journal is damaged ({why})")]
    Corrupt { doing: &'static str, why: String },
    /// Another program holds the database.
    #[error("could not {doing}: another program is using the journal")]
    Busy { doing: &'static str },
    /// Another engine has the data folder.
    #[error("{} is in use by another Plancard{}", .dir.display(), by_pid(.pid))]
    Locked { dir: PathBuf, pid: Option<u32> },
    /// The file was written by a later version.
    #[error(
        "{} was written by a newer Plancard (format {found}, this one knows {known}); nothing was changed",
        .file.display()
    )]
    Newer { file: PathBuf, found: u32, known: u32 },
    /// The journal has been shut down.
    #[error("the journal is closed")]
    Closed,
}

impl JournalError {
    /// True when only the append at hand is to blame, so that the others of
    /// its group can still be committed.
    pub(super) fn is_its_own_fault(&self) -> bool {
        match self {
            Self::Conflict { .. } | Self::NoRoom(_) | Self::Refused { .. } => true,
            Self::Full { .. }
            | Self::Io { .. }
            | Self::Corrupt { .. }
            | Self::Busy { .. }
            | Self::Locked { .. }
            | Self::Newer { .. }
            | Self::Closed => false,
        }
    }

    /// True when the file has to be looked at before it is trusted again.
    pub(super) fn is_damage(&self) -> bool {
        matches!(self, Self::Corrupt { .. })
    }
}

/// Turns an error of a library into ours, naming what was being done.
pub(super) trait Doing<T> {
    /// `journal.commit().doing("commit")`
    fn doing(self, doing: &'static str) -> Result<T, JournalError>;
}

impl<T> Doing<T> for io::Result<T> {
    fn doing(self, doing: &'static str) -> Result<T, JournalError> {
        self.map_err(|error| {
            if error.kind() == io::ErrorKind::StorageFull {
                return JournalError::Full { doing };
            }
            JournalError::Io { doing, why: error.to_string() }
        })
    }
}

impl<T> Doing<T> for rusqlite::Result<T> {
    fn doing(self, doing: &'static str) -> Result<T, JournalError> {
        self.map_err(|error| from_sqlite(&error, doing))
    }
}

/// The library's own lists of errors are open ended, so this asks for the few
/// that mean something here, and the rest is trouble with the file.
fn from_sqlite(error: &rusqlite::Error, doing: &'static str) -> JournalError {
    use rusqlite::Error::{
        FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType,
        ToSqlConversionFailure,
    };
    let why = error.to_string();
    let code = error.sqlite_error_code();
    let is = |one| code == Some(one);
    if is(ErrorCode::DiskFull) {
        return JournalError::Full { doing };
    }
    if is(ErrorCode::DatabaseBusy) || is(ErrorCode::DatabaseLocked) {
        return JournalError::Busy { doing };
    }
    if is(ErrorCode::ConstraintViolation)
        || is(ErrorCode::TooBig)
        || matches!(error, ToSqlConversionFailure(_))
    {
        return JournalError::Refused { doing, why };
    }
    // A column that holds what was never written there is damage, too.
    if is(ErrorCode::DatabaseCorrupt)
        || is(ErrorCode::NotADatabase)
        || matches!(
            error,
            FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..)
        )
    {
        return JournalError::Corrupt { doing, why };
    }
    JournalError::Io { doing, why }
}

fn by_pid(pid: &Option<u32>) -> String {
    pid.map(|pid| format!(" (process {pid})")).unwrap_or_default()
}
