//! Puts new content in the place of a file in one step.
//!
//! The content goes to a new file in the same open folder and is renamed over
//! the old one. Nobody sees half a file, and an old file that is linked from
//! elsewhere (a hard link, too) is replaced here and left alone there. The
//! data is not forced to the disk: it survives a crash of the program, and a
//! power cut costs no more than the last seconds, as with any editor's file.

use crate::error::ToolError;
use crate::files::{confined, shown};
use crate::output::{Change, ChangeKind};
use crate::shell::changes::AS_OTHERS;
use crate::workspace::Workspace;
use rustix::fs::{AtFlags, FileType, Gid, Mode, OFlags, Stat, Uid};
use rustix::io::Errno;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Old content larger than this is replaced without being hashed.
const HASHED: u64 = 64 * 1024 * 1024;
/// Content larger than this is not kept for showing what changed.
const KEPT: usize = 256 * 1024;

/// A file with new content.
pub(crate) struct Replaced {
    /// What changed.
    pub change: Change,
    /// The texts whose hashes the change names, where they are texts and not too long.
    pub contents: Vec<String>,
}

/// Writes `content` at a real path, making its folder where it is missing.
pub(crate) fn replace(ws: &Workspace, path: &Path, content: &[u8]) -> Result<Replaced, ToolError> {
    replace_as(ws, path, content, None)
}

/// The same, with another mode than the old file had.
pub(crate) fn replace_as(
    ws: &Workspace,
    path: &Path,
    content: &[u8],
    mode: Option<u32>,
) -> Result<Replaced, ToolError> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(confined::failed(path, Errno::ISDIR));
    };
    let old = confined::stat(ws, path)?;
    if let Some(stat) = &old
        && confined::kind(stat) != FileType::RegularFile
    {
        return Err(ToolError::WrongKind {
            path: shown(path),
            found: confined::kind_in_words(confined::kind(stat)),
            needed: "a regular file",
        });
    }
    let before = match &old {
        Some(stat) if stat.st_size as u64 <= HASHED => Some(read(ws, path)?),
        Some(_) | None => None,
    };
    let after = Content { hash: hash(content), text: text(content) };
    let (folder, _) = confined::make_folder(ws, parent)?;
    let doing = |err: Errno| ToolError::io(format!("writing `{}`", shown(path)), err);
    let (temporary, file) = new_file(&folder).map_err(doing)?;
    let written = fill(file, content, old.as_ref(), mode)
        .and_then(|()| rustix::fs::renameat(&folder, &temporary, &folder, name));
    if let Err(err) = written {
        // Best effort: the error that matters is the one being reported.
        let _ = rustix::fs::unlinkat(&folder, &temporary, AtFlags::empty());
        return Err(doing(err));
    }
    let change = Change {
        path: shown(path),
        kind: match old {
            Some(_) => ChangeKind::Modified,
            None => ChangeKind::Created,
        },
        before: before.as_ref().map(|before| before.hash.clone()),
        after: Some(after.hash),
    };
    let old_text = before.and_then(|before| before.text);
    Ok(Replaced { change, contents: old_text.into_iter().chain(after.text).collect() })
}

/// What is known of a file's content.
pub(crate) struct Content {
    /// BLAKE3 as hex.
    pub(crate) hash: String,
    /// The text, where it is one and not too long.
    pub(crate) text: Option<String>,
}

/// What is in a file, unless it is too large to be looked at.
pub(crate) fn content(ws: &Workspace, path: &Path) -> Result<Option<Content>, ToolError> {
    match confined::stat(ws, path)? {
        Some(stat) if stat.st_size as u64 <= HASHED => Ok(Some(read(ws, path)?)),
        Some(_) | None => Ok(None),
    }
}

fn hash(content: &[u8]) -> String {
    blake3::hash(content).to_hex().to_string()
}

fn text(content: &[u8]) -> Option<String> {
    let short = (content.len() <= KEPT).then_some(content)?;
    std::str::from_utf8(short).ok().map(str::to_owned)
}

fn new_file(folder: &OwnedFd) -> Result<(String, File), Errno> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!(".writing-{}-{number}.tmp", std::process::id());
        match rustix::fs::openat(folder, &name, flags, Mode::from_raw_mode(0o666)) {
            Ok(file) => return Ok((name, File::from(file))),
            // Left over by an earlier process that had our number.
            Err(Errno::EXIST) => {}
            Err(other) => return Err(other),
        }
    }
}

/// Removes what processes that were killed have left half written in a folder.
pub(crate) fn clear_leftovers(ws: &Workspace, folder: &Path) -> Result<(), ToolError> {
    let open = match confined::open_folder(ws, folder) {
        Ok(open) => open,
        Err(ToolError::NotFound { .. }) => return Ok(()),
        Err(error) => return Err(error),
    };
    let doing = |err: Errno| ToolError::io(format!("listing `{}`", shown(folder)), err);
    for entry in rustix::fs::Dir::read_from(&open).map_err(doing)? {
        let entry = entry.map_err(doing)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let writer = name.strip_prefix(".writing-").and_then(|rest| rest.strip_suffix(".tmp"));
        let writer = writer.and_then(|rest| rest.split_once('-')?.0.parse::<u32>().ok());
        if writer.is_some_and(|id| !Path::new(&format!("/proc/{id}")).exists()) {
            // Best effort: what is left is in nobody's way.
            let _ = rustix::fs::unlinkat(&open, entry.file_name(), AtFlags::empty());
        }
    }
    Ok(())
}

fn fill(
    mut file: File,
    content: &[u8],
    old: Option<&Stat>,
    mode: Option<u32>,
) -> Result<(), Errno> {
    if let Some(old) = old {
        // Only root can give files away; everybody else owns the new file.
        let _ = rustix::fs::fchown(
            &file,
            Some(Uid::from_raw(old.st_uid)),
            Some(Gid::from_raw(old.st_gid)),
        );
    }
    if let Some(mode) = mode.or(old.map(|old| old.st_mode & 0o7777)) {
        // Nobody made the new content run with the rights of its owner or group.
        rustix::fs::fchmod(&file, Mode::from_raw_mode(mode & !AS_OTHERS))?;
    }
    file.write_all(content).map_err(|err| Errno::from_io_error(&err).unwrap_or(Errno::IO))
}

/// Hashes a file, and keeps the beginning as long as it may be all.
fn read(ws: &Workspace, path: &Path) -> Result<Content, ToolError> {
    let (mut file, _) = confined::open_file(ws, path)?;
    let mut hasher = blake3::Hasher::new();
    let mut piece = vec![0; 64 * 1024];
    let mut kept = Vec::new();
    loop {
        match file.read(&mut piece) {
            Ok(0) => {
                return Ok(Content {
                    hash: hasher.finalize().to_hex().to_string(),
                    text: text(&kept),
                });
            }
            Ok(read) => {
                hasher.update(&piece[..read]);
                if kept.len() <= KEPT {
                    kept.extend_from_slice(&piece[..read]);
                }
            }
            Err(err) => return Err(ToolError::io(format!("reading `{}`", shown(path)), err)),
        }
    }
}
