//! What the thread that starts commands sees of the computer.
//!
//! Where it may, which is as root, it has a view of its own: without what no command is shown, and
//! with something empty over secrets, once for all commands. The sandbox looks through all mounts
//! for each one that it makes, so a few made beforehand save it much.

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_change, unmount,
};
use rustix::thread::UnshareFlags;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// No command sees these, each has its own or none, and much is mounted in the first.
const UNSEEN: [&str; 5] = ["/sys", "/dev/shm", "/dev/pts", "/dev/mqueue", "/dev/hugepages"];
/// As many may lie over each other at one place.
const LAYERS: usize = 4;

/// A view of this thread's own.
pub(super) struct View {
    /// What lies over each secret, by device and inode.
    covers: BTreeMap<PathBuf, (u64, u64)>,
}

impl View {
    /// Gives this thread its own; `None` where that is not allowed.
    pub(super) fn begin() -> Option<Self> {
        #[expect(
            deprecated,
            reason = "unsafe is only what parts file descriptors from each other"
        )]
        rustix::thread::unshare(UnshareFlags::NEWNS).ok()?;
        // What is mounted elsewhere later is seen here, and nothing of this elsewhere.
        let changed = MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC;
        mount_change("/", changed).ok()?;
        // Only to be quick, so nothing depends on it.
        for place in UNSEEN {
            for _ in 0..LAYERS {
                if unmount(place, UnmountFlags::DETACH).is_err() {
                    break;
                }
            }
        }
        Some(Self { covers: BTreeMap::new() })
    }

    /// Sees to it that nothing is seen of these. A file that took the place of another has no cover.
    pub(super) fn cover(&mut self, secrets: &[PathBuf]) -> Result<(), Errno> {
        for secret in secrets {
            let seen = match identity(secret) {
                Err(Errno::NOENT) => continue,
                seen => seen?,
            };
            if self.covers.get(secret) == Some(&seen) {
                continue;
            }
            cover(secret)?;
            self.covers.insert(secret.clone(), identity(secret)?);
        }
        Ok(())
    }
}

fn cover(secret: &Path) -> Result<(), Errno> {
    if secret.is_dir() {
        let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
        return mount("tmpfs", secret, "tmpfs", flags, None);
    }
    mount_bind("/dev/null", secret)
}

fn identity(path: &Path) -> Result<(u64, u64), Errno> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let stat = rustix::fs::fstat(rustix::fs::openat(CWD, path, flags, Mode::empty())?)?;
    Ok((stat.st_dev, stat.st_ino))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is covered is empty here and as it was for everybody else, also when something else
    /// took its place.
    #[test]
    fn a_secret_is_covered_again_when_it_was_replaced() {
        let home = tempfile::tempdir().unwrap();
        let (file, folder) = (home.path().join("file"), home.path().join("folder"));
        std::fs::write(&file, "secret").unwrap();
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("key"), "secret").unwrap();
        let secrets = [file.clone(), folder.clone(), home.path().join("none")];
        let (tell, told) = std::sync::mpsc::channel();
        let (ask, asked) = std::sync::mpsc::channel::<()>();
        let covering = std::thread::spawn(move || {
            let Some(mut view) = View::begin() else { return };
            for () in asked {
                view.cover(&secrets).unwrap();
                let seen = std::fs::read_to_string(&secrets[0]).unwrap();
                tell.send((seen, secrets[1].join("key").exists())).unwrap();
            }
        });
        let mut rounds = 0;
        while rounds < 2 && ask.send(()).is_ok() {
            let Ok(seen) = told.recv() else { break };
            assert_eq!(seen, (String::new(), false));
            assert_eq!(std::fs::read_to_string(&file).unwrap(), "secret");
            assert!(folder.join("key").exists());
            std::fs::write(home.path().join("new"), "secret").unwrap();
            std::fs::rename(home.path().join("new"), &file).unwrap();
            rounds += 1;
        }
        drop(ask);
        covering.join().unwrap();
        // Only root may have a view of its own.
        assert!(rounds == 2 || !rustix::process::geteuid().is_root());
    }
}
