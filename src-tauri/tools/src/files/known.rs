//! Reads files that a command may have put there: only regular ones, and only so much.
//!
//! A named pipe would be waited for and a device read without an end, by us and not by the command.

use rustix::fd::AsFd;
use rustix::fs::{CWD, FileType, Mode, OFlags};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The longest settings, and whatever else is small by its nature.
pub(crate) const SMALL: u64 = 4 * 1024 * 1024;

/// The bytes of a regular file of at most `most`, as a link leads to it, too.
pub(crate) fn bytes(path: &Path, most: u64) -> Option<Vec<u8>> {
    read(CWD, path, OFlags::empty(), most)
}

/// The text of a small regular file, as a link leads to it, too.
pub(crate) fn text(path: &Path) -> Option<String> {
    String::from_utf8(bytes(path, SMALL)?).ok()
}

/// The text of a small regular file that is no link.
pub(crate) fn own_text(path: &Path) -> Option<String> {
    own_text_in(CWD, path)
}

/// The same for a file right in a folder that is open.
pub(crate) fn own_text_in(folder: impl AsFd, name: impl AsRef<Path>) -> Option<String> {
    String::from_utf8(read(folder, name.as_ref(), OFlags::NOFOLLOW, SMALL)?).ok()
}

fn read(folder: impl AsFd, path: &Path, flags: OFlags, most: u64) -> Option<Vec<u8>> {
    let flags = flags | OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::openat(folder, path, flags, Mode::empty()).ok()?;
    let stat = rustix::fs::fstat(&file).ok()?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return None;
    }
    let mut bytes = Vec::new();
    File::from(file).take(most + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= most).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_what_comes_to_an_end_is_read() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        std::fs::write(at("plain"), "text").unwrap();
        std::fs::write(at("long"), vec![b'x'; SMALL as usize + 1]).unwrap();
        symlink("plain", at("link")).unwrap();
        symlink("/dev/zero", at("zero")).unwrap();
        let pipe = FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), pipe, Mode::RUSR, 0).unwrap();
        assert_eq!(text(&at("plain")).as_deref(), Some("text"));
        assert_eq!(text(&at("link")).as_deref(), Some("text"));
        assert_eq!(own_text(&at("link")), None);
        for name in ["long", "zero", "pipe", "none", "."] {
            assert_eq!(text(&at(name)), None, "{name}");
        }
        assert_eq!(bytes(&at("long"), 2 * SMALL).map(|all| all.len() as u64), Some(SMALL + 1));
    }
}
