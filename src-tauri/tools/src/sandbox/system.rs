//! The parts of the system that every command sees, read-only.

use super::bubblewrap::Mounts;
use super::environment;
use crate::limits::ResourceLimits;
use rustix::fs::Access;
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Folders with programs and their settings. `/var`, `/run`, `/home`, `/root`,
/// `/srv`, `/mnt`, `/media` and `/sys` are left out.
const SHOWN: &[&str] =
    &["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"];
/// Where programs of others are put, each with all that it has.
const OTHERS: &str = "/opt";
/// Settings, with what covers secrets among them.
const SETTINGS: &str = "/etc";
/// As much is looked at in a folder for what is private. One that holds more is not shown.
const LOOKED_AT: usize = 500_000;

/// A private temporary folder may use this much memory.
const TEMPORARY: u64 = 2 << 30;

/// Memory that processes share by name may be this much.
const SHARED: u64 = 512 << 20;

/// The keys of the session. The kernel's memory needs a capability to be opened.
const KEYS: &str = "/proc/keys";

/// Mounts the system's programs, `/proc`, `/dev` and a private `/tmp`.
pub(super) fn mount(mounts: &mut Mounts) {
    SHOWN.iter().map(Path::new).for_each(|folder| show(mounts, folder));
    mounts.push(&[&"--proc", &"/proc", &"--dev", &"/dev"]);
    // Both lie in memory, which nobody else would limit.
    mounts.push(&[&"--perms", &"1777", &"--size", &in_memory(SHARED), &"--tmpfs", &"/dev/shm"]);
    mounts.push(&[&"--remount-ro", &"/dev"]);
    // Root may write most of the kernel's settings without any capability, and some name a program
    // that the kernel then runs outside every sandbox. Everybody may take back that their processes
    // end first when memory runs out.
    mounts.push(&[&"--remount-ro", &"/proc"]);
    if Path::new(KEYS).is_file() {
        mounts.push(&[&"--ro-bind", &"/dev/null", &KEYS]);
    }
    mounts.push(&[&"--perms", &"1777", &"--size", &in_memory(TEMPORARY), &"--tmpfs", &"/tmp"]);
    mounts.push(&[&"--symlink", &"../tmp", &"/var/tmp", &"--dir", &"/run"]);
}

/// How large a folder in memory may become: no larger than a command's memory.
pub(super) fn in_memory(most: u64) -> String {
    most.min(ResourceLimits::current().memory_mb << 20).to_string()
}

/// Mounts programs of others and the system's settings, and says what in them must not be read. Each
/// cover comes with them as a mount of its own, and bubblewrap reads the list of all mounts for each
/// one that it makes: so they come late.
pub(super) fn mount_with_secrets(mounts: &mut Mounts) -> Vec<PathBuf> {
    let folders = others(Path::new(OTHERS), &named()).into_iter().chain([SETTINGS.into()]);
    folders.flat_map(|folder| show_with_secrets(mounts, &folder, LOOKED_AT)).collect()
}

fn show_with_secrets(mounts: &mut Mounts, folder: &Path, mut most: usize) -> Vec<PathBuf> {
    let secrets = secrets_in(folder, &mut most);
    if secrets.is_some() {
        show(mounts, folder);
    }
    secrets.unwrap_or_default()
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

/// Paths that commands find programs by: those of the search path, where links in its folders lead,
/// and those that variables name.
fn named() -> BTreeSet<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let entries = path.iter().flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten());
    let links = entries.flatten().filter_map(|entry| {
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        is_link.then(|| std::fs::read_link(entry.path()).ok())?
    });
    let links: Vec<PathBuf> = links.collect();
    let all = path.into_iter().chain(links).chain(environment::named_folders());
    all.flat_map(|path| path.canonicalize().ok().into_iter().chain([path])).collect()
}

/// Of the folders in `all`, those in which something is named and which everybody may read.
fn others(all: &Path, named: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let tops = named.iter().filter_map(|path| {
        let first = path.strip_prefix(all).ok()?.components().next()?;
        Some(all.join(first))
    });
    let is_for_all = |top: &PathBuf| {
        top.metadata().is_ok_and(|meta| meta.is_dir() && meta.permissions().mode() & 0o005 == 0o005)
    };
    tops.filter(is_for_all).collect()
}

/// The absolute path of a program on the search path.
pub(super) fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(program))
        .find(|file| rustix::fs::access(file, Access::EXEC_OK).is_ok() && file.is_file())
}

/// What we can read below a folder and not everybody can: password hashes, host keys, connection
/// settings. `None` where there is too much to look at.
fn secrets_in(folder: &Path, most: &mut usize) -> Option<Vec<PathBuf>> {
    let mut found = Vec::new();
    if folder.is_symlink() {
        return Some(found);
    }
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        *most = most.checked_sub(1)?;
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
            found.extend(secrets_in(&path, most)?);
        }
    }
    Some(found)
}

fn is_empty(path: &Path, meta: &std::fs::Metadata) -> bool {
    match meta.is_dir() {
        true => std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none()),
        false => meta.len() == 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// Nobody but root can put something in the real one, so another stands for it.
    #[test]
    fn of_the_programs_of_others_only_those_in_use_are_shown_and_nothing_private() {
        let top = tempfile::tempdir().unwrap();
        let all = top.path().canonicalize().unwrap();
        let at = |name: &str| all.join(name);
        for (name, mode) in [
            ("tool/bin/run", 0o755),
            ("tool/bin/own", 0o700),
            ("tool/.env", 0o600),
            ("tool/mine/key", 0o644),
            ("tool/empty", 0o600),
            ("private/bin/run", 0o755),
            ("unused/bin/run", 0o755),
            ("real/bin/run", 0o755),
        ] {
            std::fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            std::fs::write(at(name), if name.ends_with("empty") { "" } else { "secret" }).unwrap();
            std::fs::set_permissions(at(name), PermissionsExt::from_mode(mode)).unwrap();
        }
        for name in ["private", "tool/mine"] {
            std::fs::set_permissions(at(name), PermissionsExt::from_mode(0o700)).unwrap();
        }
        symlink("real", at("link")).unwrap();
        let named = ["tool/bin", "private/bin", "link/bin", "real/bin", "gone/bin"].map(at);
        let named = named.into_iter().chain([all.clone(), "/usr/bin".into()]).collect();
        let shown = others(&all, &named);
        assert_eq!(shown, BTreeSet::from(["link", "real", "tool"].map(at)));
        let mut mounts = Mounts::default();
        let mut secrets = show_with_secrets(&mut mounts, &at("tool"), LOOKED_AT);
        secrets.sort();
        assert_eq!(secrets, ["tool/.env", "tool/bin/own", "tool/mine"].map(at));
        assert_eq!(mounts.visible, [at("tool")]);
        // What can't be looked through is not shown.
        assert!(show_with_secrets(&mut mounts, &at("tool"), 3).is_empty());
        assert_eq!(mounts.visible, [at("tool")]);
        assert_eq!(show_with_secrets(&mut mounts, &at("link"), 0), [""; 0].map(PathBuf::from));
        assert_eq!(mounts.visible, [at("tool"), at("link")]);
    }
}
