//! Opening the database: is it there, is it whole, is it ours to change.
//!
//! A start may spend about ten milliseconds here, whatever the size of the
//! file, so what is checked depends on what happened before:
//!
//! | before | check |
//! | --- | --- |
//! | closed in order | header, length and table roots; SQLite reads these anyway |
//! | killed | the same, and as many pages as fit into [`CHECK_FOR`] |
//! | damage was met | every page |
//!
//! Reading every page costs about a millisecond per megabyte, and seconds
//! from a cold disk. It is not owed after a kill: what was being written is in
//! the write-ahead log, where each frame has a checksum. Only a disk that
//! loses acknowledged writes leaves damage, and where that is not seen at
//! once, the first read that meets it says so, leaves a note, and the next
//! start checks everything.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::JournalError;
use super::error::Doing;
use super::files::{Files, set_mode};
use super::schema::{Migrated, migrate, newest, version};

const OPENING: &str = "open the journal";

/// How long a start after a kill looks for damage.
const CHECK_FOR: Duration = Duration::from_millis(6);

/// How long to wait for another program that holds the database, such as
/// someone's `sqlite3` prompt.
const BUSY_FOR: Duration = Duration::from_secs(5);

/// A database that is whole and in the newest format.
#[derive(Debug)]
pub(super) struct OpenDb {
    pub(super) writer: Connection,
    pub(super) set_aside: Option<PathBuf>,
    pub(super) migrated: Migrated,
}

/// Opens the database of a folder; a damaged one is set aside and a new one
/// is begun.
pub(super) fn open_db(files: &Files, migrations: &[&str]) -> Result<OpenDb, JournalError> {
    refuse_newer(&files.db(), migrations)?;
    let mut set_aside = None;
    // A log without its database is nothing SQLite can read, and it would
    // remove it.
    if !files.db().exists() && files.has_wal() {
        set_aside = Some(files.set_aside()?);
    }
    let (writer, migrated) = match open_whole(files, migrations) {
        Err(error) if error.is_damage() => {
            set_aside = Some(files.set_aside()?);
            files.clear_suspect();
            open_whole(files, migrations)?
        }
        other => other?,
    };
    Ok(OpenDb { writer, set_aside, migrated })
}

/// A connection for reading only. It sees the last commit and never waits
/// for the writer.
pub(super) fn open_reader(files: &Files) -> Result<Connection, JournalError> {
    let reader = connect(&files.db())?;
    reader.execute_batch("PRAGMA query_only = ON; PRAGMA cache_size = -512;").doing(OPENING)?;
    Ok(reader)
}

fn open_whole(files: &Files, migrations: &[&str]) -> Result<(Connection, Migrated), JournalError> {
    let killed = files.has_wal();
    if files.db().exists() {
        set_mode(&files.db(), 0o600)?;
    } else {
        files.make_db()?;
    }
    let mut conn = connect(&files.db())?;
    // Until the file is known to be whole, closing must not move the log into
    // it: what is set aside keeps every byte it had.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).doing(OPENING)?;
    version(&conn)?;
    read_roots(&conn).doing(OPENING)?;
    if files.is_suspect() {
        check(&mut conn, None)?;
        files.clear_suspect();
    } else if killed {
        check(&mut conn, Some(CHECK_FOR))?;
    }
    let migrated = migrate(&mut conn, files, migrations)?;
    // FULL: a commit is on disk before it is acknowledged. Where the file
    // system cannot share memory SQLite stays with its rollback journal,
    // which is slower and just as safe.
    conn.execute_batch(
        "PRAGMA journal_mode = WAL;
         PRAGMA synchronous = FULL;
         PRAGMA cache_size = -1024;
         PRAGMA journal_size_limit = 4194304;",
    )
    .doing(OPENING)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false).doing(OPENING)?;
    Ok((conn, migrated))
}

fn connect(db: &Path) -> Result<Connection, JournalError> {
    // Each connection stays with one thread at a time, so SQLite's own locks
    // are not needed. A path is a path, never a URI.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(db, flags).doing(OPENING)?;
    conn.busy_timeout(BUSY_FOR).doing(OPENING)?;
    conn.set_prepared_statement_cache_capacity(32);
    // A kept statement stays as it was planned. Otherwise SQLite parses it
    // anew whenever other values are bound.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).doing(OPENING)?;
    Ok(conn)
}

/// Refuses a file from a later version before SQLite touches anything beside
/// it. The header may be older than the log, so the format is asked again
/// once the database is open.
fn refuse_newer(db: &Path, migrations: &[&str]) -> Result<(), JournalError> {
    let mut header = [0; 100];
    let read = File::open(db).and_then(|mut file| file.read_exact(&mut header));
    if read.is_err() || !header.starts_with(b"SQLite format 3\0") {
        return Ok(());
    }
    let found = u32::from_be_bytes([header[60], header[61], header[62], header[63]]);
    let known = newest(migrations);
    if found > known {
        return Err(JournalError::Newer { file: db.to_owned(), found, known });
    }
    Ok(())
}

/// Reads the first page of every table.
fn read_roots(conn: &Connection) -> rusqlite::Result<()> {
    let mut tables = conn.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?;
    let names = tables.query_map([], |row| row.get::<_, String>(0))?;
    for name in names {
        let quoted = name?.replace('"', "\"\"");
        conn.prepare(&format!("SELECT 1 FROM \"{quoted}\" LIMIT 1"))?.exists([])?;
    }
    Ok(())
}

/// Looks for damage, for as long as it may take.
fn check(conn: &mut Connection, limit: Option<Duration>) -> Result<(), JournalError> {
    const CHECKING: &str = "check the journal";
    if let Some(limit) = limit {
        let end = Instant::now() + limit;
        conn.progress_handler(100, Some(move || Instant::now() >= end)).doing(CHECKING)?;
    }
    let said = conn.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    conn.progress_handler(0, None::<fn() -> bool>).doing(CHECKING)?;
    match said {
        Ok(said) if said == "ok" => Ok(()),
        Ok(why) => Err(JournalError::Corrupt { doing: CHECKING, why }),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => Ok(()),
        Err(error) => Err(error).doing(CHECKING),
    }
}
