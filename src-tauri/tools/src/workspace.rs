//! The folder an agent works in, held open by descriptor.
//!
//! A path given by a model is resolved once, by the kernel, relative to that
//! descriptor and with `RESOLVE_BENEATH`: no `..`, absolute path or symbolic
//! link can lead out. The answer is the real path inside. Everything after
//! that opens the real path and allows no symbolic link at all (see
//! `files::confined`), so a link put there in between is an error and never
//! a way out.

use crate::error::ToolError;
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// So often a path is looked up again when what it led to is gone meanwhile.
const MOST_TRIES: u32 = 100;

/// A folder that file tools cannot leave, cheap to clone.
#[derive(Clone)]
pub struct Workspace {
    shared: Arc<Shared>,
}

struct Shared {
    root: PathBuf,
    /// The path as it was given, or of what this is a copy: a model may have seen it.
    given: PathBuf,
    is_copy: bool,
    dir: OwnedFd,
}

/// Where a path leads once links are followed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Relative to the root; empty for the root itself.
    Inside(PathBuf),
    /// Absolute.
    Outside(PathBuf),
}

impl Workspace {
    /// Opens a folder; it has to exist.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ToolError> {
        Self::open_as(path.as_ref(), None)
    }

    /// Opens a copy of a folder. What is called by the folder's path is meant there, too.
    pub fn open_copy(path: impl AsRef<Path>, of: &Path) -> Result<Self, ToolError> {
        Self::open_as(path.as_ref(), Some(of))
    }

    fn open_as(given: &Path, copy_of: Option<&Path>) -> Result<Self, ToolError> {
        let failed = |err: std::io::Error| {
            let gone = matches!(err.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
            match gone {
                true => ToolError::NoWorkspace { folder: given.display().to_string() },
                false => ToolError::io(format!("opening the workspace {}", given.display()), err),
            }
        };
        let root = given.canonicalize().map_err(failed)?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir =
            rustix::fs::open(&root, flags, Mode::empty()).map_err(|err| failed(err.into()))?;
        // Says at once when the kernel is too old to confine file tools.
        open_beneath(dir.as_fd(), Path::new("."), flags, ResolveFlags::empty())
            .map_err(|err| ToolError::io("confining file tools (Linux 5.6 or newer)", err))?;
        let given = std::path::absolute(copy_of.unwrap_or(given)).unwrap_or_else(|_| root.clone());
        let is_copy = copy_of.is_some();
        Ok(Self { shared: Arc::new(Shared { root, given, is_copy, dir }) })
    }

    /// The real path of the folder.
    pub fn root(&self) -> &Path {
        &self.shared.root
    }

    /// The folder that this is a copy of.
    pub(crate) fn copy_of(&self) -> Option<&Path> {
        self.shared.is_copy.then_some(&self.shared.given)
    }

    /// What tells this folder from any other of its disk, wherever it is moved.
    pub(crate) fn inode(&self) -> Result<u64, ToolError> {
        let stat = rustix::fs::fstat(self.dir())
            .map_err(|err| ToolError::io("looking at the workspace", err))?;
        Ok(stat.st_ino)
    }

    /// Whether its path still leads to it, without a link: it was not deleted, moved or replaced.
    pub fn is_in_place(&self) -> bool {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let (root, resolve) = (self.root(), ResolveFlags::NO_SYMLINKS);
        let found = rustix::fs::openat2(CWD, root, flags, Mode::empty(), resolve);
        let found = found.and_then(rustix::fs::fstat);
        let held = rustix::fs::fstat(self.dir());
        let is_same =
            |(one, other): (Stat, Stat)| (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino);
        found.ok().zip(held.ok()).is_some_and(is_same)
    }

    /// Refuses to go on where it is not.
    pub(crate) fn in_place(&self) -> Result<(), ToolError> {
        match self.is_in_place() {
            true => Ok(()),
            false => Err(self.gone()),
        }
    }

    pub(crate) fn gone(&self) -> ToolError {
        ToolError::NoWorkspace { folder: self.root().display().to_string() }
    }

    pub(crate) fn dir(&self) -> BorrowedFd<'_> {
        self.shared.dir.as_fd()
    }

    /// Finds out where a path leads, also when its last parts do not exist yet.
    pub(crate) fn locate(&self, path: &str) -> Result<Place, ToolError> {
        let absolute = without_dots(&self.shared.root.join(path));
        let inside = absolute
            .strip_prefix(&self.shared.root)
            .or_else(|_| absolute.strip_prefix(&self.shared.given));
        let Ok(relative) = inside else {
            return Ok(Place::Outside(real_outside(&absolute)));
        };
        let mut existing = relative.to_path_buf();
        let mut missing: Vec<OsString> = Vec::new();
        let mut tries = 0;
        loop {
            match open_beneath(self.dir(), &existing, OFlags::PATH, ResolveFlags::empty()) {
                Ok(found) => {
                    let place = self.real_path(&found, &missing, path)?;
                    // Of something that was taken away meanwhile the system tells no real path.
                    if existing.as_os_str().is_empty() || !is_gone(&found) {
                        return Ok(place);
                    }
                    tries += 1;
                    if tries > MOST_TRIES {
                        return Err(not_there(path));
                    }
                }
                Err(Errno::XDEV) => {
                    return Ok(Place::Outside(real_outside(&self.shared.root.join(relative))));
                }
                Err(Errno::NOENT) => {
                    let Some(name) = existing.file_name() else {
                        return Err(not_there(path));
                    };
                    missing.push(name.to_owned());
                    existing.pop();
                }
                Err(Errno::NOTDIR) => {
                    return Err(ToolError::WrongKind {
                        path: path.into(),
                        found: "below a file",
                        needed: "folders above it",
                    });
                }
                Err(Errno::INVAL) => return Err(not_there(path)),
                Err(other) => return Err(ToolError::io(format!("looking for `{path}`"), other)),
            }
        }
    }

    /// Finds out where a thing itself is: links are followed in the folders
    /// above it, and not at its own name.
    pub(crate) fn locate_entry(&self, path: &str) -> Result<Place, ToolError> {
        let absolute = without_dots(&self.shared.root.join(path));
        let (Some(parent), Some(name)) = (absolute.parent(), absolute.file_name()) else {
            return self.locate(path);
        };
        if absolute == self.shared.root || absolute == self.shared.given {
            return Ok(Place::Inside(PathBuf::new()));
        }
        let parent = parent.to_str().ok_or_else(|| not_there(path))?;
        Ok(match self.locate(parent)? {
            Place::Inside(folder) => Place::Inside(folder.join(name)),
            Place::Outside(folder) => Place::Outside(folder.join(name)),
        })
    }

    fn real_path(
        &self,
        found: &OwnedFd,
        missing: &[OsString],
        path: &str,
    ) -> Result<Place, ToolError> {
        let link = format!("/proc/self/fd/{}", found.as_raw_fd());
        let mut real = std::fs::read_link(link)
            .map_err(|err| ToolError::io(format!("looking for `{path}`"), err))?;
        real.extend(missing.iter().rev());
        match real.strip_prefix(&self.shared.root) {
            Ok(relative) => Ok(Place::Inside(relative.to_path_buf())),
            // Only when the folder itself was moved or deleted meanwhile.
            Err(_) => Err(self.gone()),
        }
    }
}

/// Opens a path below `dir`; the kernel refuses every way out.
pub(crate) fn open_beneath(
    dir: BorrowedFd<'_>,
    path: &Path,
    flags: OFlags,
    also: ResolveFlags,
) -> Result<OwnedFd, Errno> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | also;
    let flags = flags | OFlags::CLOEXEC;
    // The kernel answers "again" when something was renamed during its walk.
    for _ in 0..1000 {
        match rustix::fs::openat2(dir, path, flags, Mode::empty(), resolve) {
            Err(Errno::AGAIN | Errno::INTR) => continue,
            answer => return answer,
        }
    }
    Err(Errno::AGAIN)
}

/// Whether something that is open has no name any more.
fn is_gone(found: &OwnedFd) -> bool {
    rustix::fs::fstat(found).is_ok_and(|stat| stat.st_nlink == 0)
}

fn not_there(path: &str) -> ToolError {
    ToolError::NotFound { path: path.into() }
}

/// Takes out `.` and `..` by their names alone.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            Component::RootDir | Component::Prefix(_) | Component::Normal(_) => plain.push(part),
        }
    }
    plain
}

/// The real path of something outside, as far as it exists.
fn real_outside(absolute: &Path) -> PathBuf {
    for ancestor in absolute.ancestors() {
        if let Ok(real) = ancestor.canonicalize() {
            let rest = absolute.strip_prefix(ancestor).unwrap_or(Path::new(""));
            return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        }
        if let Ok(target) = std::fs::read_link(ancestor) {
            let parent = ancestor.parent().unwrap_or(Path::new("/"));
            return without_dots(&parent.join(target));
        }
    }
    absolute.to_path_buf()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn place(setup: impl Fn(&Path, &Path), path: &str) -> (Place, PathBuf) {
        let (home, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        setup(home.path(), other.path());
        let place = Workspace::open(home.path()).unwrap().locate(path).unwrap();
        (place, other.path().canonicalize().unwrap())
    }

    fn inside(setup: impl Fn(&Path, &Path), path: &str) -> String {
        match place(setup, path).0 {
            Place::Inside(path) => path.to_str().unwrap().into(),
            Place::Outside(path) => panic!("{} is outside", path.display()),
        }
    }

    #[test]
    fn plain_paths_stay() {
        let nothing = |_: &Path, _: &Path| {};
        for (given, expected) in [
            ("a.txt", "a.txt"),
            ("./a/../b", "b"),
            ("", ""),
            (".", ""),
            ("new/deep/file", "new/deep/file"),
        ] {
            assert_eq!(inside(nothing, given), expected, "{given}");
        }
    }

    #[test]
    fn links_inside_are_followed_to_the_real_path() {
        let setup = |home: &Path, _: &Path| {
            std::fs::create_dir(home.join("real")).unwrap();
            symlink("real", home.join("link")).unwrap();
        };
        assert_eq!(inside(setup, "link/new.txt"), "real/new.txt");
    }

    #[test]
    fn links_outside_are_named_by_where_they_lead() {
        let setup = |home: &Path, other: &Path| {
            symlink(other, home.join("link")).unwrap();
            symlink(other.join("missing"), home.join("dangling")).unwrap();
        };
        let (found, other) = place(setup, "link/new.txt");
        assert_eq!(found, Place::Outside(other.join("new.txt")));
        let (found, other) = place(setup, "dangling");
        assert_eq!(found, Place::Outside(other.join("missing")));
    }

    #[test]
    fn a_folder_that_is_taken_away_meanwhile_has_no_made_up_name() {
        let home = tempfile::tempdir().unwrap();
        let (ws, sub) = (Workspace::open(home.path()).unwrap(), home.path().join("sub"));
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    std::fs::create_dir(&sub).unwrap();
                    std::fs::remove_dir(&sub).unwrap();
                }
            });
            let found: Vec<_> = (0..20_000).map(|_| ws.locate_entry("sub/f")).collect();
            done.store(true, std::sync::atomic::Ordering::Relaxed);
            for place in found.into_iter().flatten() {
                assert_eq!(place, Place::Inside("sub/f".into()));
            }
        });
    }

    #[test]
    fn dots_and_absolute_paths_lead_outside_or_back_in() {
        let home = tempfile::tempdir().unwrap();
        let ws = Workspace::open(home.path()).unwrap();
        let root = ws.root().to_str().unwrap().to_owned();
        let name = ws.root().file_name().unwrap().to_str().unwrap();
        let locate = |path: &str| ws.locate(path).unwrap();
        assert_eq!(locate("../../../../../etc/passwd"), Place::Outside("/etc/passwd".into()));
        assert_eq!(locate("/etc/passwd"), Place::Outside("/etc/passwd".into()));
        assert_eq!(locate(&format!("{root}/x")), Place::Inside("x".into()));
        assert_eq!(locate(&format!("../{name}/x")), Place::Inside("x".into()));
        assert!(matches!(locate(&format!("{root}x/y")), Place::Outside(_)));
    }
}
