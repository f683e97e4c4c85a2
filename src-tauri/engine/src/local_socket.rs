//! Sockets in the data folder, where programs of the same person find the one that holds it.

use std::fs::{File, Permissions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// Reaches whoever listens under this name.
pub fn connect(data: &Path, name: &str) -> io::Result<UnixStream> {
    let folder = Folder::open(data)?;
    UnixStream::connect(folder.socket(name))
}

/// Listens under this name, for the folder's owner only. Whoever calls this holds the folder's
/// lock, so a socket that is there was left behind.
pub fn listen(data: &Path, name: &str) -> io::Result<UnixListener> {
    let folder = Folder::open(data)?;
    match std::fs::remove_file(data.join(name)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let listener = UnixListener::bind(folder.socket(name))?;
    std::fs::set_permissions(data.join(name), Permissions::from_mode(0o600))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// The data folder, held open: a socket's path may be no longer than a hundred bytes, and the
/// folder's may be.
struct Folder(File);

impl Folder {
    fn open(data: &Path) -> io::Result<Self> {
        File::open(data).map(Self)
    }

    fn socket(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.0.as_raw_fd())).join(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_left_behind_hears_nobody_and_is_replaced() {
        let place = tempfile::tempdir().unwrap();
        let deep = place.path().join("a".repeat(120));
        std::fs::create_dir(&deep).unwrap();
        assert!(connect(&deep, "x.sock").is_err());
        drop(listen(&deep, "x.sock").unwrap());
        assert!(deep.join("x.sock").exists());
        assert!(connect(&deep, "x.sock").is_err());
        let listener = listen(&deep, "x.sock").unwrap();
        let mode = std::fs::metadata(deep.join("x.sock")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        connect(&deep, "x.sock").unwrap();
        listener.accept().unwrap();
    }

    #[test]
    fn what_is_no_socket_is_replaced_and_a_folder_is_not() {
        let place = tempfile::tempdir().unwrap();
        let precious = place.path().join("precious");
        std::fs::write(&precious, "kept").unwrap();
        std::os::unix::fs::symlink(&precious, place.path().join("x.sock")).unwrap();
        drop(listen(place.path(), "x.sock").unwrap());
        assert_eq!(std::fs::read_to_string(&precious).unwrap(), "kept", "the link went, not this");
        std::fs::create_dir(place.path().join("y.sock")).unwrap();
        assert!(listen(place.path(), "y.sock").is_err());
    }
}
