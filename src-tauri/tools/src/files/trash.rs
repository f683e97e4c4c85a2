//! The person's trash, as desktops on Linux agreed on it: the thing itself in
//! `files`, and where it came from in `info`.
//!
//! A file is moved by descriptor and name, so no link can make it another one.

use crate::error::ToolError;
use crate::files::{confined, shown};
use crate::read_only;
use crate::workspace::{Place, Workspace};
use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio_util::sync::CancellationToken;

const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Moves something of a workspace into the trash, which is at `trash`, if not in the usual place.
pub(crate) fn put(
    ws: &Workspace,
    path: &Path,
    trash: Option<&Path>,
    cancel: &CancellationToken,
) -> Result<(), ToolError> {
    let origin = ws.root().join(path);
    let failed = |source| ToolError::NoTrash { path: shown(path), source };
    let home = trash.map_or_else(home_trash, |trash| Ok(trash.to_owned())).map_err(failed)?;
    if lies_in(ws, &home) || disk_trash(&origin).map_or(true, |disk| lies_in(ws, &disk)) {
        read_only::refuse_to_move(ws, path, cancel)?;
    }
    let (folder, name) = confined::open_parent(ws, path)?;
    put_from(&folder, name, &origin, &home).map_err(failed)
}

/// Whether a trash is a place that commands in the workspace reach.
fn lies_in(ws: &Workspace, trash: &Path) -> bool {
    match trash.to_str().map(|trash| ws.locate(trash)) {
        Some(Ok(Place::Outside(real))) => real.starts_with(ws.root()),
        Some(Ok(Place::Inside(_)) | Err(_)) | None => true,
    }
}

/// Moves `name` out of an open folder. `origin` is where a desktop would restore it to.
fn put_from(folder: impl AsFd, name: &OsStr, origin: &Path, home: &Path) -> io::Result<()> {
    std::fs::create_dir_all(home)?;
    let home = rustix::fs::open(home, FOLDER, Mode::empty())?;
    match put_into(folder.as_fd(), name, origin, &home) {
        // The trash of that disk, for the home is on another one.
        Err(err) if err.raw_os_error() == Some(Errno::XDEV.raw_os_error()) => {
            put_into(folder.as_fd(), name, origin, &own(&disk_trash(origin)?)?)
        }
        done => done,
    }
}

fn home_trash() -> io::Result<PathBuf> {
    let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|it| it.is_absolute());
    let home = || std::env::home_dir().map(|home| home.join(".local/share"));
    let none = || io::Error::other("the home folder is not known");
    data.or_else(home).map(|data| data.join("Trash")).ok_or_else(none)
}

/// The person's own trash at the top of the disk that something is on.
fn disk_trash(origin: &Path) -> io::Result<PathBuf> {
    let device = |path: &Path| path.symlink_metadata().map(|meta| meta.dev());
    let mut top = origin.parent().unwrap_or(origin);
    let disk = device(top)?;
    while let Some(above) = top.parent()
        && device(above)? == disk
    {
        top = above;
    }
    Ok(top.join(format!(".Trash-{}", rustix::process::getuid().as_raw())))
}

/// Opens the person's trash on a disk, where others may write as well: a link there, or somebody
/// else's folder, is not theirs.
fn own(trash: &Path) -> io::Result<OwnedFd> {
    made(rustix::fs::mkdir(trash, Mode::RWXU))?;
    let found = rustix::fs::open(trash, FOLDER | OFlags::NOFOLLOW, Mode::empty())?;
    let owner = rustix::fs::fstat(&found)?.st_uid;
    match owner == rustix::process::getuid().as_raw() {
        true => Ok(found),
        false => Err(io::Error::other("the trash of this disk belongs to somebody else")),
    }
}

fn put_into(folder: impl AsFd, name: &OsStr, origin: &Path, trash: &OwnedFd) -> io::Result<()> {
    let (files, info) = (open(trash, "files")?, open(trash, "info")?);
    for number in 1.. {
        let kept = numbered(name, number);
        let note = with_ending(&kept);
        // The note claims the name, so two that are deleted at once get two.
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let claimed = match rustix::fs::openat(&info, &note, flags, Mode::from_raw_mode(0o600)) {
            Ok(claimed) => claimed,
            Err(Errno::EXIST) => continue,
            Err(other) => return Err(other.into()),
        };
        let moved =
            std::fs::File::from(claimed).write_all(words(origin).as_bytes()).and_then(|()| {
                let flags = RenameFlags::NOREPLACE;
                Ok(rustix::fs::renameat_with(folder.as_fd(), name, &files, &kept, flags)?)
            });
        if moved.is_err() {
            // Best effort: the error that matters is the one being reported.
            let _ = rustix::fs::unlinkat(&info, &note, AtFlags::empty());
        }
        match moved {
            Err(err) if err.kind() == io::ErrorKind::AlreadyExists => {}
            done => return done,
        }
    }
    Err(io::Error::other("the trash is full of files of that name"))
}

fn open(trash: &OwnedFd, name: &str) -> io::Result<OwnedFd> {
    made(rustix::fs::mkdirat(trash, name, Mode::RWXU))?;
    Ok(rustix::fs::openat(trash, name, FOLDER | OFlags::NOFOLLOW, Mode::empty())?)
}

/// A folder that is there already is as good as a new one.
fn made(result: Result<(), Errno>) -> io::Result<()> {
    match result {
        Ok(()) | Err(Errno::EXIST) => Ok(()),
        Err(other) => Err(other.into()),
    }
}

fn numbered(name: &OsStr, number: u32) -> std::ffi::OsString {
    let mut kept = name.to_owned();
    if number > 1 {
        kept.push(format!(" {number}"));
    }
    kept
}

fn with_ending(kept: &OsStr) -> std::ffi::OsString {
    let mut note = kept.to_owned();
    note.push(".trashinfo");
    note
}

fn words(origin: &Path) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(byte);
    let path: String = origin
        .as_os_str()
        .as_bytes()
        .iter()
        .map(|byte| match plain(byte) {
            true => char::from(*byte).to_string(),
            false => format!("%{byte:02X}"),
        })
        .collect();
    format!("[Trash Info]\nPath={path}\nDeletionDate={}\n", now())
}

/// The time as the format wants it, in UTC.
fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}",
        rest / 3600,
        rest / 60 % 60,
        rest % 60
    )
}

/// The day so many days after the first of 1970.
fn date(days: u64) -> (u64, u64, u64) {
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let (mut year, mut left) = (1970, days);
    while left >= 365 + u64::from(leap(year)) {
        left -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths {
        if left < length {
            break;
        }
        left -= length;
        month += 1;
    }
    (year, month, left + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        assert_eq!(date(0), (1970, 1, 1));
        assert_eq!(date(59), (1970, 3, 1));
        assert_eq!(date(19_782), (2024, 2, 29));
        assert_eq!(date(20_773), (2026, 11, 16));
    }

    #[test]
    fn two_of_a_name_are_both_kept_and_say_where_they_were() {
        let (place, trash) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for text in ["one", "two"] {
            let file = place.path().join("a b");
            std::fs::write(&file, text).unwrap();
            let folder = rustix::fs::open(place.path(), FOLDER, Mode::empty()).unwrap();
            put_from(&folder, OsStr::new("a b"), &file, trash.path()).unwrap();
            assert!(!file.exists());
        }
        let kept = |name: &str| std::fs::read_to_string(trash.path().join(name)).unwrap();
        assert_eq!((kept("files/a b"), kept("files/a b 2")), ("one".into(), "two".into()));
        assert!(kept("info/a b 2.trashinfo").contains("/a%20b\nDeletionDate=20"));
    }

    /// Others may write at the top of a disk.
    #[test]
    fn a_planted_link_is_no_trash() {
        let disk = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let trash = disk.path().join(".Trash-7");
        assert!(own(&trash).is_ok());
        std::fs::remove_dir(&trash).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), &trash).unwrap();
        assert!(own(&trash).is_err());
        std::fs::remove_file(&trash).unwrap();
        std::fs::create_dir(&trash).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), trash.join("files")).unwrap();
        let opened = own(&trash).unwrap();
        assert!(open(&opened, "files").is_err() && open(&opened, "info").is_ok());
        assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }
}
