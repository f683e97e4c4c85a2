//! The formats of the database, and how an older one becomes the newest.

use std::fs::{self, File};
use std::path::PathBuf;
use std::time::Duration;

use rusqlite::backup::Backup;
use rusqlite::{Connection, TransactionBehavior};

use super::JournalError;
use super::error::Doing;
use super::files::{Files, set_mode};

/// Each step leads from one format to the next; the first makes format 1.
/// A step that has been released is never edited.
pub(super) const MIGRATIONS: &[&str] = &[include_str!("../schema/0001.sql")];

const MIGRATING: &str = "bring the journal to the newest format";
const BACKING_UP: &str = "copy the journal before changing its format";

/// What a migration did.
#[derive(Debug, Default)]
pub(super) struct Migrated {
    /// The format before, when there was one and it is not the newest.
    pub(super) from: Option<u32>,
    /// The copy in that format.
    pub(super) backup: Option<PathBuf>,
}

/// The format of a database; 0 when it is new.
pub(super) fn version(conn: &Connection) -> Result<u32, JournalError> {
    conn.pragma_query_value(None, "user_version", |row| row.get(0)).doing("read the format")
}

/// The newest format that the steps lead to.
pub(super) fn newest(migrations: &[&str]) -> u32 {
    u32::try_from(migrations.len()).unwrap_or(u32::MAX)
}

/// Brings the database to the newest format in one transaction. One that
/// holds something is copied first.
pub(super) fn migrate(
    conn: &mut Connection,
    files: &Files,
    migrations: &[&str],
) -> Result<Migrated, JournalError> {
    let found = version(conn)?;
    let known = newest(migrations);
    if found > known {
        return Err(JournalError::Newer { file: files.db(), found, known });
    }
    if found == known {
        return Ok(Migrated::default());
    }
    let mut migrated = Migrated::default();
    if found > 0 {
        migrated.from = Some(found);
        migrated.backup = Some(back_up(conn, files, found)?);
    }
    let change = conn.transaction_with_behavior(TransactionBehavior::Immediate).doing(MIGRATING)?;
    for step in migrations.iter().skip(found as usize) {
        change.execute_batch(step).doing(MIGRATING)?;
    }
    change.pragma_update(None, "user_version", known).doing(MIGRATING)?;
    change.commit().doing(MIGRATING)?;
    Ok(migrated)
}

/// Copies page by page through SQLite, so that what is still in the
/// write-ahead log is in the copy. The copy gets its name when it is whole;
/// one from an earlier try that never finished migrating is replaced.
fn back_up(conn: &Connection, files: &Files, version: u32) -> Result<PathBuf, JournalError> {
    let backup = files.backup(version);
    let part = backup.with_extension("bak.part");
    if part.exists() {
        fs::remove_file(&part).doing(BACKING_UP)?;
    }
    let mut copy = Connection::open(&part).doing(BACKING_UP)?;
    set_mode(&part, 0o600)?;
    Backup::new(conn, &mut copy)
        .and_then(|pages| pages.run_to_completion(4096, Duration::ZERO, None))
        .doing(BACKING_UP)?;
    copy.close().map_err(|(_, error)| error).doing(BACKING_UP)?;
    File::open(&part).and_then(|file| file.sync_all()).doing(BACKING_UP)?;
    fs::rename(&part, &backup).doing(BACKING_UP)?;
    files.sync_dir()?;
    Ok(backup)
}
