//! The app's own log file, in the data folder: small, for its owner only, and without keys.

use engine::{Engine, Lines};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::writer::MakeWriterExt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

const NAME: &str = "plancard.log";
const OLDER: &str = "plancard.log.1";
/// A file of this size makes room for a new one at the next start.
const FULL: u64 = 1024 * 1024;
/// How much of the end is read for the last lines.
const TAIL: u64 = 128 * 1024;

/// Where lines go. Until the data folder is taken they go to stderr alone:
/// another window may be writing the file.
#[derive(Clone, Default)]
pub struct Log {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    file: OnceLock<Mutex<File>>,
    lines: Lines,
}

impl Log {
    /// Takes in everything the app says from now on.
    pub fn begin() -> Self {
        let log = Self::default();
        let ours = Targets::new()
            .with_default(LevelFilter::WARN)
            .with_target("plancard_lib", LevelFilter::INFO)
            .with_target("engine", LevelFilter::INFO);
        let errors = log.shared.lines.clone();
        let errors = (move || errors.clone()).with_max_level(tracing::Level::WARN);
        let writer = errors.and(log.clone());
        let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(writer);
        tracing_subscriber::registry().with(ours).with(lines).init();
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            tracing::error!("{panic}");
            usual(panic);
        }));
        log
    }

    /// Writes to the file of this folder, too.
    pub fn open(&self, folder: &Path) -> io::Result<()> {
        let file = folder.join(NAME);
        if std::fs::metadata(&file).is_ok_and(|known| known.len() >= FULL) {
            std::fs::rename(&file, folder.join(OLDER))?;
        }
        let opened = OpenOptions::new().create(true).append(true).mode(0o600).open(&file)?;
        opened.set_permissions(std::fs::Permissions::from_mode(0o600))?;
        let _ = self.shared.file.set(Mutex::new(opened));
        Ok(())
    }

    /// Keeps what this engine knows to be secret out of all lines.
    pub fn redact_with(&self, engine: &Engine) {
        self.shared.lines.redact_with(engine);
    }
}

/// The log file of a folder.
pub fn file_in(folder: &Path) -> PathBuf {
    folder.join(NAME)
}

/// The last lines of a folder's log file, oldest first.
pub fn last_lines(folder: &Path, count: usize) -> io::Result<Vec<String>> {
    let mut file = File::open(file_in(folder))?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let mut lines: Vec<String> = text.lines().rev().take(count).map(str::to_owned).collect();
    lines.reverse();
    Ok(lines)
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line(&self.shared)
    }
}

/// Writes one line.
pub struct Line<'a>(&'a Shared);

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(file) = self.0.file.get() else { return Ok(bytes.len()) };
        let clean = self.0.lines.clean(bytes);
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(clean.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_file_makes_room_and_only_its_owner_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(file_in(folder.path()), vec![b'x'; FULL as usize]).unwrap();
        let log = Log::default();
        log.make_writer().write_all(b"to nobody\n").unwrap();
        log.open(folder.path()).unwrap();
        for line in ["one\n", "two\n", "three\x1b[2J\n"] {
            log.make_writer().write_all(line.as_bytes()).unwrap();
        }
        assert_eq!(last_lines(folder.path(), 2).unwrap(), ["two", "three\\u{1b}[2J"]);
        assert_eq!(std::fs::metadata(folder.path().join(OLDER)).unwrap().len(), FULL);
        let mode = std::fs::metadata(file_in(folder.path())).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        Log::default().open(folder.path()).unwrap();
        assert_eq!(last_lines(folder.path(), 9).unwrap().len(), 3);
    }
}
