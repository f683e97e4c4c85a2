//! Goes through a workspace, all of it, for files that have more links than there are in it.

use crate::workspace::{Workspace, open_beneath};
use rustix::fs::{AtFlags, Dir, FileType, OFlags, ResolveFlags, Stat, statat};
use rustix::io::Errno;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// What was found, below the workspace.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) outside: Vec<File>,
    /// Folders that nobody may look into, but who owns them may change that.
    pub(super) closed: Vec<PathBuf>,
}

/// A name of a file that has others outside.
#[derive(Debug)]
pub(super) struct File {
    pub(super) path: PathBuf,
    pub(super) inode: u64,
    pub(super) size: u64,
}

/// A file with several links.
struct Several {
    links: usize,
    size: u64,
    paths: Vec<PathBuf>,
}

/// Looks at every file. Links in it lead nowhere.
pub(super) fn through(ws: &Workspace) -> Found {
    let mut found = Found::default();
    let mut several: HashMap<(u64, u64), Several> = HashMap::new();
    let mut ahead = vec![PathBuf::new()];
    while let Some(folder) = ahead.pop() {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW;
        let opened = open_beneath(ws.dir(), &folder, flags, ResolveFlags::NO_SYMLINKS);
        let read = opened.and_then(|opened| Ok((Dir::read_from(&opened)?, opened)));
        let (entries, opened) = match read {
            Ok(read) => read,
            // It went away meanwhile, or something else is there, which is looked at next time.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => continue,
            Err(_) => {
                found.closed.push(folder);
                continue;
            }
        };
        for entry in entries.flatten() {
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let told = entry.file_type();
            if told != FileType::Directory
                && told != FileType::RegularFile
                && told != FileType::Unknown
            {
                continue;
            }
            let stat = || statat(&opened, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW).ok();
            let stat = if told == FileType::Directory { None } else { stat() };
            // Some disks do not say beforehand what it is.
            let kind = stat.map_or(told, |stat| FileType::from_raw_mode(stat.st_mode));
            if kind == FileType::Directory {
                ahead.push(folder.join(name));
            }
            let is_several = |stat: &Stat| kind == FileType::RegularFile && stat.st_nlink > 1;
            let Some(stat) = stat.filter(is_several) else { continue };
            let one = several.entry((stat.st_dev, stat.st_ino)).or_insert_with(|| Several {
                links: usize::try_from(stat.st_nlink).unwrap_or(usize::MAX),
                size: u64::try_from(stat.st_size).unwrap_or(0),
                paths: Vec::new(),
            });
            one.paths.push(folder.join(name));
        }
    }
    for ((_, inode), Several { links, size, paths }) in several {
        if paths.len() < links {
            found.outside.extend(paths.into_iter().map(|path| File { path, inode, size }));
        }
    }
    found
}
