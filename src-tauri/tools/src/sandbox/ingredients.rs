//! All that a sandbox is made of, so that one made earlier can be compared with one made now.
//!
//! It is read off the finished command line, environment and files, not gathered beside them, so
//! nothing can be forgotten. A path alone says little: another folder may have taken its place. So
//! device, inode and birth of each one that is named belong to it. The kernel takes mounts off a
//! file that is replaced, and disks use the numbers of inodes again.

use super::Confined;
use crate::limits::ResourceLimits;
use rustix::fs::{AtFlags, CWD, FileType, MemfdFlags, StatxFlags, memfd_create, statx};
use rustix::io::{Errno, pread};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Seek, Write};
use std::os::fd::OwnedFd;
use std::path::Path;

/// The options of bubblewrap that are followed by a descriptor. Its number differs from one sandbox
/// to the next.
const DESCRIPTORS: &[&str] = &["--json-status-fd", "--seccomp", "--file", "--ro-bind-data"];

/// What one sandbox is made of. Equal ones confine alike.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ingredients {
    words: Vec<OsString>,
    environment: Vec<(OsString, Option<OsString>)>,
    /// What is handed over by descriptors.
    files: Vec<Vec<u8>>,
    /// What lies at each path that is named, and at those that are covered.
    places: Vec<Option<Identity>>,
    /// Under which plan and rules it was made.
    allowed_by: String,
    /// What its control group was given.
    limits: ResourceLimits,
}

impl Ingredients {
    /// Those of a sandbox that was made just now. `None` where something is handed over that can't
    /// be read without taking it away.
    pub(crate) fn of(confined: &Confined, allowed_by: &str) -> Option<Self> {
        let command = &confined.command;
        let mut words = vec![command.get_program().to_owned()];
        for word in command.get_args() {
            let is_descriptor = words
                .last()
                .is_some_and(|last| DESCRIPTORS.iter().any(|option| last == OsStr::new(option)));
            words.push(if is_descriptor { OsString::new() } else { word.to_owned() });
        }
        let named = words.iter().map(Path::new).filter(|word| word.is_absolute());
        let covered = confined.covered.iter().map(|path| path.as_path());
        let places = named.chain(covered).map(identity).collect();
        let environment = command.get_envs();
        let environment = environment.map(|(name, value)| (name.into(), value.map(Into::into)));
        let files = confined.inherited.iter().map(content).collect::<Result<_, _>>().ok()?;
        let allowed_by = allowed_by.to_owned();
        let limits = ResourceLimits::current();
        Some(Self { words, environment: environment.collect(), files, places, allowed_by, limits })
    }
}

/// Device, inode, and when it was made.
type Identity = (u32, u32, u64, Option<(i64, u32)>);

fn identity(path: &Path) -> Option<Identity> {
    let wanted = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
    let seen = statx(CWD, path, AtFlags::empty(), wanted).ok()?;
    let is_file = FileType::from_raw_mode(seen.stx_mode.into()) == FileType::RegularFile;
    let made = match StatxFlags::from_bits_retain(seen.stx_mask).contains(StatxFlags::BTIME) {
        true => Some(seen.stx_btime),
        // Not every disk knows. A folder changes with what is put in it.
        false => is_file.then_some(seen.stx_ctime),
    };
    let made = made.map(|time| (time.tv_sec, time.tv_nsec));
    Some((seen.stx_dev_major, seen.stx_dev_minor, seen.stx_ino, made))
}

/// What a file in memory holds, which can be read again.
fn content(file: &OwnedFd) -> Result<Vec<u8>, Errno> {
    let mut text = Vec::new();
    let mut piece = [0; 4096];
    loop {
        match pread(file, &mut piece, text.len() as u64)? {
            0 => return Ok(text),
            count => text.extend_from_slice(&piece[..count]),
        }
    }
}

/// A file in memory that bubblewrap can read from its beginning.
pub(super) fn file_of(content: &[u8]) -> std::io::Result<OwnedFd> {
    let mut file = File::from(memfd_create("plancard", MemfdFlags::CLOEXEC)?);
    file.write_all(content)?;
    file.rewind()?;
    Ok(file.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;
    use std::process::Command;
    use std::sync::Arc;

    /// A sandbox of these words, with this filter, variable and folder.
    fn made(words: &[&str], filter: &str, variable: &str, folder: &Path) -> Confined {
        let filter = file_of(filter.as_bytes()).unwrap();
        let mut command = Command::new("bwrap");
        command.args(["--seccomp", &filter.as_raw_fd().to_string()]).args(words).arg(folder);
        command.env_clear().env("NAME", variable);
        Confined { command, inherited: vec![filter], covered: Arc::new([folder.join("secret")]) }
    }

    #[test]
    fn a_change_of_any_of_them_is_seen_and_numbers_of_descriptors_are_none() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("workspace");
        std::fs::create_dir(&folder).unwrap();
        let of = |words: &[&str], filter: &str, variable: &str, by: &str| {
            Ingredients::of(&made(words, filter, variable, &folder), by).unwrap()
        };
        let first = of(&["--bind"], "filter", "a", "plan");
        let _taken = file_of(b"").unwrap();
        assert_eq!(first, of(&["--bind"], "filter", "a", "plan"));
        assert_ne!(first, of(&["--ro-bind"], "filter", "a", "plan"));
        assert_ne!(first, of(&["--bind"], "other", "a", "plan"));
        assert_ne!(first, of(&["--bind"], "filter", "b", "plan"));
        assert_ne!(first, of(&["--bind"], "filter", "a", "other"));
        std::fs::write(folder.join("secret"), "").unwrap();
        let covers_another = of(&["--bind"], "filter", "a", "plan");
        assert_ne!(first, covers_another);
        std::fs::rename(&folder, folder.with_extension("old")).unwrap();
        std::fs::create_dir(&folder).unwrap();
        assert_ne!(covers_another, of(&["--bind"], "filter", "a", "plan"));
    }

    #[test]
    fn what_can_not_be_read_again_is_never_equal() {
        let (pipe, _writer) = std::io::pipe().unwrap();
        let mut confined = made(&[], "filter", "a", Path::new("/"));
        confined.inherited.push(pipe.into());
        assert!(Ingredients::of(&confined, "plan").is_none());
    }
}
