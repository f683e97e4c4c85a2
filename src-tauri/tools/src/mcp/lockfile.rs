//! What exactly is to be installed: checked before anything is unpacked, and kept.

use super::package_manager::Unfetched;
use super::registries::place;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::OpenOptions;
use std::io::{Error, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// npm asks its own registry in the place of this one, whatever a lockfile says.
const REPLACED: &str = "registry.npmjs.org";

/// The longest file that is read.
const LONGEST: u64 = 64 * 1024 * 1024;

/// What was installed for a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Installed {
    /// The package.
    pub package: String,
    /// Its version.
    pub version: String,
    /// How many packages there are with it.
    pub packages: usize,
    /// The file that names them all, with their hashes.
    pub lockfile: PathBuf,
    /// The hash of that file.
    pub hash: String,
}

impl Installed {
    fn of(lockfile: &Path, text: &str, named: (&str, &str), packages: usize) -> Self {
        let hash = blake3::hash(text.as_bytes()).to_hex().to_string();
        let (package, version) = (named.0.to_owned(), named.1.to_owned());
        Self { package, version, packages, lockfile: lockfile.to_owned(), hash }
    }
}

/// Checks what npm is about to install: all of it comes from a registry, from these hosts, but for
/// `local`, a file that the person named.
pub(super) fn npm(lockfile: &Path, hosts: &[String], local: bool) -> Result<Installed, Unfetched> {
    let text = read(lockfile)?;
    let unreadable = || Unfetched::from("its lockfile can't be read".to_owned());
    let all: Value = serde_json::from_str(&text).map_err(|_| unreadable())?;
    let packages = all["packages"].as_object().ok_or_else(unreadable)?;
    let root = packages.get("").and_then(|root| root["dependencies"].as_object());
    let own = root.and_then(|own| own.keys().next()).ok_or_else(unreadable)?;
    let own_path = format!("node_modules/{own}");
    let mut unasked = None;
    for (path, package) in packages.iter().filter(|(path, _)| !path.is_empty()) {
        let resolved = package["resolved"].as_str().unwrap_or_default();
        let from_file = local && *path == own_path && resolved.starts_with("file:");
        if package["link"] == true || !(from_file || package["inBundle"] == true) {
            let host = host(resolved).filter(|_| package["link"] != true);
            let host = host.ok_or_else(|| {
                let from = if resolved.is_empty() { "nowhere" } else { resolved };
                format!("{path} comes from {from}, not from a registry")
            })?;
            let allowed = host == REPLACED || hosts.contains(&host);
            unasked = unasked.or(Some(host).filter(|_| !allowed));
        }
        for kind in ["dependencies", "optionalDependencies", "peerDependencies"] {
            let wanted = package[kind].as_object().into_iter().flatten();
            for (name, wanted) in wanted.filter_map(|(name, text)| Some((name, text.as_str()?))) {
                if !wanted.starts_with("npm:") && wanted.contains(['/', ':']) {
                    let why = format!("{path} wants {name} from {wanted}, not from a registry");
                    return Err(why.into());
                }
            }
        }
    }
    if let Some(host) = unasked {
        return Err(Unfetched::Host(host));
    }
    let version = packages.get(&own_path).and_then(|package| package["version"].as_str());
    let version = version.ok_or_else(unreadable)?;
    Ok(Installed::of(lockfile, &text, (own, version), packages.len() - 1))
}

fn read(lockfile: &Path) -> Result<String, String> {
    plain(lockfile).map_err(|error| format!("no lockfile: {error}"))
}

/// Reads a file that was made in the sandbox: a plain one, no link to another.
pub(super) fn plain(file: &Path) -> std::io::Result<String> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(file)?;
    let meta = file.metadata()?;
    if !meta.is_file() || meta.len() > LONGEST {
        return Err(Error::new(ErrorKind::InvalidData, "it is no file, or too long"));
    }
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text)?;
    Ok(text)
}

fn host(resolved: &str) -> Option<String> {
    let (name, port) = place(resolved)?;
    Some(port.map_or(name.clone(), |port| format!("{name}:{port}")))
}

/// Checks what uv is about to install: each has a version and hashes, and none an address, but for
/// `local`, a file that the person named.
pub(super) fn python(lockfile: &Path, package: &str, local: bool) -> Result<Installed, String> {
    let text = read(lockfile)?;
    let whole = text.replace("\\\n", " ");
    let mut pinned = Vec::new();
    for line in
        whole.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let wanted = line.split(" --hash=").next().unwrap_or_default().trim();
        let hashed = line.contains(" --hash=sha256:");
        let from_file = wanted.split_once(" @ file://").filter(|_| local);
        let plain = wanted.split_once("==").filter(|(name, _)| is_name(name));
        match plain.or(from_file) {
            Some(found) if hashed => pinned.push(found),
            _ => return Err(format!("{wanted} is not a version of a package with a hash")),
        }
    }
    let own = pinned.iter().find(|(name, _)| local || same_name(name, package));
    let own = *own.ok_or("its lockfile does not hold the package")?;
    Ok(Installed::of(lockfile, &text, own, pinned.len()))
}

fn is_name(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.[],".contains(c))
}

/// Whether two names mean the same package of Python.
fn same_name(one: &str, other: &str) -> bool {
    let plain = |name: &str| name.to_lowercase().replace(['_', '.'], "-");
    let bare = |name: &str| plain(name.split('[').next().unwrap_or_default());
    bare(one) == bare(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn checked(packages: Value) -> Result<Installed, Unfetched> {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut all = json!({ "": { "dependencies": { "a": "^1.0.0" } } });
        all.as_object_mut().unwrap().extend(packages.as_object().unwrap().clone());
        std::fs::write(file.path(), json!({ "packages": all }).to_string()).unwrap();
        npm(file.path(), &["npm.example".to_owned(), "files.example:81".to_owned()], false)
    }

    #[test]
    fn only_what_comes_from_an_allowed_registry_is_installed() {
        let a = json!({ "version": "1.2.0", "resolved": "https://npm.example/a/-/a.tgz" });
        let found =
            checked(json!({ "node_modules/a": a.clone(), "node_modules/b": { "inBundle": true } }));
        let found = found.unwrap();
        assert_eq!(
            (found.package.as_str(), found.version.as_str(), found.packages),
            ("a", "1.2.0", 2)
        );
        assert_eq!(found.hash.len(), 64);
        for fine in ["http://files.example:81/b.tgz", "https://registry.npmjs.org/b/-/b.tgz"] {
            let b = json!({ "resolved": fine });
            assert!(
                checked(json!({ "node_modules/a": a.clone(), "node_modules/b": b })).is_ok(),
                "{fine}"
            );
        }
        for bad in [
            json!({ "resolved": "git+ssh://git@npm.example/a/b.git#1" }),
            json!({ "resolved": "https://evil.example/b.tgz" }),
            json!({ "resolved": "https://files.example/b.tgz" }),
            json!({ "resolved": "https://npm.example.evil.example/b.tgz" }),
            json!({ "resolved": "file:../b.tgz" }),
            json!({ "resolved": "../b", "link": true }),
            json!({}),
            json!({ "resolved": "https://npm.example/b.tgz", "dependencies": { "c": "git+https://x/y.git" } }),
            json!({ "resolved": "https://npm.example/b.tgz", "optionalDependencies": { "c": "some/one" } }),
        ] {
            let found =
                checked(json!({ "node_modules/a": a.clone(), "node_modules/b": bad.clone() }));
            assert!(found.is_err(), "{bad}");
        }
    }

    #[test]
    fn only_versions_with_hashes_are_installed() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let hash = "--hash=sha256:00";
        let check = |text: &str| {
            std::fs::write(file.path(), text).unwrap();
            python(file.path(), "My_Server[x]", false)
        };
        let found = check(&format!(
            "leaf==2.0 \\\n    {hash} \\\n    {hash}\nmy-server[x]==1.0 \\\n    {hash}\n"
        ));
        let found = found.unwrap();
        assert_eq!(
            (found.package.as_str(), found.version.as_str(), found.packages),
            ("my-server[x]", "1.0", 2)
        );
        for bad in [
            "my-server==1.0\n".to_owned(),
            format!("my-server @ git+https://x/y {hash}\n"),
            format!("my-server==1.0 {hash}\nleaf @ https://x/leaf.whl {hash}\n"),
            format!("my-server==1.0 {hash}\n-e ./leaf {hash}\n"),
            format!("leaf==1.0 {hash}\n"),
        ] {
            assert!(check(&bad).is_err(), "{bad}");
        }
    }
}
