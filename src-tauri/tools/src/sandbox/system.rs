//! The parts of the system that every command sees, read-only.

use super::bubblewrap::Mounts;
use rustix::fs::Access;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Folders with programs and their settings. `/var`, `/run`, `/home`, `/root`,
/// `/srv`, `/mnt`, `/media` and `/sys` are left out.
const SHOWN: &[&str] =
    &["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store"];
/// Settings, with what covers secrets among them.
const SETTINGS: &str = "/etc";

/// A private temporary folder may use this much memory.
const TEMPORARY: &str = "2147483648";

/// Memory that processes share by name may be this much.
const SHARED: &str = "536870912";

/// The keys of the session. The kernel's memory needs a capability to be opened.
const KEYS: &str = "/proc/keys";

/// Mounts the system's programs, `/proc`, `/dev` and a private `/tmp`.
pub(super) fn mount(mounts: &mut Mounts) {
    SHOWN.iter().map(Path::new).for_each(|folder| show(mounts, folder));
    mounts.push(&[&"--proc", &"/proc", &"--dev", &"/dev"]);
    // Both lie in memory, which nobody else would limit.
    mounts.push(&[&"--perms", &"1777", &"--size", &SHARED, &"--tmpfs", &"/dev/shm"]);
    mounts.push(&[&"--remount-ro", &"/dev"]);
    if rustix::process::geteuid().is_root() {
        // Root may write most of the kernel's settings without any capability, and some name a
        // program that the kernel then runs outside every sandbox.
        mounts.push(&[&"--remount-ro", &"/proc"]);
    }
    if Path::new(KEYS).is_file() {
        mounts.push(&[&"--ro-bind", &"/dev/null", &KEYS]);
    }
    mounts.push(&[&"--perms", &"1777", &"--size", &TEMPORARY, &"--tmpfs", &"/tmp"]);
    mounts.push(&[&"--symlink", &"../tmp", &"/var/tmp", &"--dir", &"/run"]);
}

/// Mounts the system's settings. Each cover comes with them as a mount of its own, and bubblewrap
/// reads the list of all mounts for each one that it makes: so they come late.
pub(super) fn mount_settings(mounts: &mut Mounts) {
    show(mounts, Path::new(SETTINGS));
}

fn show(mounts: &mut Mounts, folder: &Path) {
    match std::fs::read_link(folder) {
        Ok(target) => {
            mounts.push(&[&"--symlink", &target, &folder]);
            // Programs are looked for by this name, too.
            mounts.visible.push(folder.to_owned());
        }
        Err(_) if folder.is_dir() => mounts.show(folder),
        Err(_) => {}
    }
}

/// What is shown and must not be read: see `secrets_in`.
pub(super) fn secrets() -> Vec<PathBuf> {
    secrets_in(Path::new(SETTINGS))
}

/// The absolute path of a program on the search path.
pub(super) fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(program))
        .find(|file| rustix::fs::access(file, Access::EXEC_OK).is_ok() && file.is_file())
}

/// What we can read below a folder and not everybody can: password hashes,
/// host keys, connection settings.
fn secrets_in(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else {
        return found;
    };
    for entry in entries.flatten() {
        let (path, Ok(meta)) = (entry.path(), entry.metadata()) else {
            continue;
        };
        if meta.is_symlink() {
            continue;
        }
        let for_all = if meta.is_dir() { 0o005 } else { 0o004 };
        if meta.permissions().mode() & for_all != for_all {
            if rustix::fs::access(&path, Access::READ_OK).is_ok() && !is_empty(&path, &meta) {
                found.push(path);
            }
        } else if meta.is_dir() {
            found.extend(secrets_in(&path));
        }
    }
    found
}

fn is_empty(path: &Path, meta: &std::fs::Metadata) -> bool {
    match meta.is_dir() {
        true => std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none()),
        false => meta.len() == 0,
    }
}
