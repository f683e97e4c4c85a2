//! The private home folder of a command, with the person's toolchains in it.

use super::bubblewrap::Mounts;
use super::system::in_memory;
use std::path::{Path, PathBuf};

/// A private home folder may use this much memory.
const SIZE: u64 = 1 << 30;

/// Programs and downloaded packages, as folders below home. Folders that also
/// hold keys or settings (`~/.cargo`, `~/.npm`, `~/.config`, `~/.local/share/uv`) are never shown
/// whole.
const TOOLCHAINS: &[&str] = &[
    ".local/bin",
    ".local/share/uv/python",
    ".local/share/uv/tools",
    ".local/share/pipx",
    ".local/share/mise",
    ".local/pipx",
    ".nvm",
    ".volta",
    ".bun/bin",
    ".deno/bin",
    ".pyenv",
    ".rbenv",
    ".asdf",
    ".sdkman/candidates",
    "go/bin",
    "go/pkg/mod",
];

/// Settings that lie among programs and may log in somewhere: for each version in a folder, a file.
const SETTINGS: &[(&str, &str)] = &[
    (".nvm/versions/node", "etc/npmrc"),
    (".volta/tools/image/node", "etc/npmrc"),
    (".asdf/installs/nodejs", "etc/npmrc"),
    (".local/share/mise/installs/node", "etc/npmrc"),
    (".pyenv/versions", "pip.conf"),
    (".local/share/uv/tools", "pip.conf"),
    (".local/share/pipx/venvs", "pip.conf"),
    (".local/pipx/venvs", "pip.conf"),
    (".sdkman/candidates/maven", "conf/settings.xml"),
];

/// Mounts an empty home and the toolchains that are there.
pub(super) fn mount(mounts: &mut Mounts, home: &Path) {
    mounts.push(&[&"--perms", &"0700", &"--size", &in_memory(SIZE), &"--tmpfs", &home]);
    let cargo = folder("CARGO_HOME", home, ".cargo");
    let shown = ["bin", "registry", "git"].into_iter().map(|name| cargo.join(name));
    let rustup = folder("RUSTUP_HOME", home, ".rustup");
    let others = TOOLCHAINS.iter().map(|name| home.join(name));
    for folder in shown.chain([rustup]).chain(others) {
        if folder.is_dir() {
            mounts.show(&folder);
        }
    }
    for (versions, file) in SETTINGS {
        let versions = std::fs::read_dir(home.join(versions)).into_iter().flatten().flatten();
        // A link to a version is that version.
        let versions = versions.filter(|one| one.file_type().is_ok_and(|kind| kind.is_dir()));
        let files = versions.map(|version| version.path().join(file));
        files.filter(|file| file.is_file()).for_each(|file| mounts.hide(&file));
    }
}

/// A folder the person may have put elsewhere by a variable.
fn folder(variable: &str, home: &Path, usual: &str) -> PathBuf {
    // Only for the person's own home: a variable says nothing about another.
    let own = std::env::home_dir().and_then(|own| own.canonicalize().ok());
    let own = own.is_some_and(|own| own == home);
    match std::env::var_os(variable) {
        Some(set) if own && Path::new(&set).is_absolute() => set.into(),
        Some(_) | None => home.join(usual),
    }
}
