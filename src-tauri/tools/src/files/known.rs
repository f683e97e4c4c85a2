//! Reads files that a command may have put there: only regular ones, and only so much.
//!
//! A named pipe would be waited for and a device read without an end, by us and not by the command.

use rustix::fd::AsFd;
use rustix::fs::{CWD, FileType, Mode, OFlags};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The longest settings, and whatever else is small by its nature.
const SMALL: u64 = 4 * 1024 * 1024;

/// The text of a small regular file that is no link.
pub(crate) fn own_text(path: &Path) -> Option<String> {
    own_text_in(CWD, path)
}

/// The same for a file right in a folder that is open.
pub(crate) fn own_text_in(folder: impl AsFd, name: impl AsRef<Path>) -> Option<String> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::openat(folder, name.as_ref(), flags, Mode::empty()).ok()?;
    let stat = rustix::fs::fstat(&file).ok()?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return None;
    }
    let mut text = String::new();
    File::from(file).take(SMALL + 1).read_to_string(&mut text).ok()?;
    (text.len() as u64 <= SMALL).then_some(text)
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
        assert_eq!(own_text(&at("plain")).as_deref(), Some("text"));
        for name in ["link", "long", "zero", "pipe", "none", "."] {
            assert_eq!(own_text(&at(name)), None, "{name}");
        }
    }
}
