//! Opens real paths below the workspace, allowing no symbolic link in them.

use crate::error::ToolError;
use crate::files::shown;
use crate::workspace::{Workspace, open_beneath};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;

/// What is at a real path, without following a link there.
pub(crate) fn stat(ws: &Workspace, path: &Path) -> Result<Option<Stat>, ToolError> {
    let opened =
        open_beneath(ws.dir(), path, OFlags::PATH | OFlags::NOFOLLOW, ResolveFlags::NO_SYMLINKS);
    match opened.and_then(|found| rustix::fs::fstat(&found)) {
        Ok(stat) => Ok(Some(stat)),
        // A link at the end is there, but is nothing a tool may go through.
        Err(Errno::NOENT | Errno::LOOP) => Ok(None),
        Err(other) => Err(failed(path, other)),
    }
}

/// Opens a regular file for reading and says how large it is.
pub(crate) fn open_file(ws: &Workspace, path: &Path) -> Result<(File, Stat), ToolError> {
    // NONBLOCK, so that opening a named pipe does not wait for a writer.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = open_beneath(ws.dir(), path, flags, ResolveFlags::NO_SYMLINKS)
        .map_err(|err| failed(path, err))?;
    let stat = rustix::fs::fstat(&file).map_err(|err| failed(path, err))?;
    let kind = kind(&stat);
    if kind != FileType::RegularFile {
        return Err(ToolError::WrongKind {
            path: shown(path),
            found: kind_in_words(kind),
            needed: "a regular file",
        });
    }
    Ok((File::from(file), stat))
}

/// Opens a folder for listing.
pub(crate) fn open_folder(ws: &Workspace, path: &Path) -> Result<OwnedFd, ToolError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    open_beneath(ws.dir(), path, flags, ResolveFlags::NO_SYMLINKS).map_err(|err| failed(path, err))
}

/// Opens the folder of something, and gives its name in there.
pub(crate) fn open_parent<'p>(
    ws: &Workspace,
    path: &'p Path,
) -> Result<(OwnedFd, &'p OsStr), ToolError> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(failed(path, Errno::INVAL));
    };
    let flags = OFlags::PATH | OFlags::DIRECTORY;
    let folder = open_beneath(ws.dir(), parent, flags, ResolveFlags::NO_SYMLINKS);
    Ok((folder.map_err(|err| failed(path, err))?, name))
}

/// What a name in an open folder is, if there is anything.
pub(crate) fn kind_at(folder: &OwnedFd, name: &OsStr) -> Result<Option<FileType>, ToolError> {
    match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(kind(&stat))),
        Err(Errno::NOENT) => Ok(None),
        Err(other) => Err(failed(Path::new(name), other)),
    }
}

/// Opens a folder to work in, making it and its parents where they are missing.
///
/// Also says which folder was the first that had to be made.
pub(crate) fn make_folder<'p>(
    ws: &Workspace,
    path: &'p Path,
) -> Result<(OwnedFd, Option<&'p Path>), ToolError> {
    let flags = OFlags::PATH | OFlags::DIRECTORY;
    match open_beneath(ws.dir(), path, flags, ResolveFlags::NO_SYMLINKS) {
        Ok(folder) => return Ok((folder, None)),
        Err(Errno::NOENT) => {}
        Err(other) => return Err(failed(path, other)),
    }
    let mut first_made = None;
    let mut folder = open_beneath(ws.dir(), Path::new(""), flags, ResolveFlags::NO_SYMLINKS)
        .map_err(|err| failed(path, err))?;
    let mut ancestors: Vec<&Path> = path.ancestors().collect();
    ancestors.pop(); // the empty path, which is open already
    for ancestor in ancestors.into_iter().rev() {
        let Some(name) = ancestor.file_name() else {
            return Err(failed(path, Errno::INVAL));
        };
        match rustix::fs::mkdirat(&folder, name, Mode::from_raw_mode(0o777)) {
            Ok(()) => first_made = first_made.or(Some(ancestor)),
            Err(Errno::EXIST) => {}
            Err(other) => return Err(failed(ancestor, other)),
        }
        folder = open_beneath(folder.as_fd(), Path::new(name), flags, ResolveFlags::NO_SYMLINKS)
            .map_err(|err| failed(ancestor, err))?;
    }
    Ok((folder, first_made))
}

/// The kind of file a stat is about.
pub(crate) fn kind(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// The kind of a file for a sentence.
pub(crate) fn kind_in_words(kind: FileType) -> &'static str {
    match kind {
        FileType::RegularFile => "a regular file",
        FileType::Directory => "a folder",
        FileType::Symlink => "a symbolic link",
        FileType::Fifo => "a named pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Unknown => "of an unknown kind",
    }
}

/// Turns what the system said about a path into a sentence.
pub(crate) fn failed(path: &Path, errno: Errno) -> ToolError {
    let path = shown(path);
    match errno {
        Errno::NOENT => ToolError::NotFound { path },
        // The real path had no link in it a moment ago: somebody put one there.
        Errno::XDEV | Errno::LOOP => ToolError::Outside { path },
        Errno::NOTDIR => ToolError::WrongKind { path, found: "a file", needed: "a folder" },
        Errno::ISDIR => ToolError::WrongKind { path, found: "a folder", needed: "a regular file" },
        other => ToolError::io(format!("opening `{path}`"), other),
    }
}
