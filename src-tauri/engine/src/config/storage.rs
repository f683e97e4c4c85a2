//! Where councils keep files. A relative path is below the data folder. An absolute path may be
//! anywhere outside workspaces, dot folders and system folders.

use std::path::{Component, Path, PathBuf};

use super::section::{Section, shown};
use super::variables::unset_variable;

const SYSTEM: [&str; 12] = [
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/run", "/sbin", "/sys", "/usr",
    "/var/run",
];

/// What the app itself keeps in its data folder.
const OWN: [&str; 8] = [
    "agents",
    "copies",
    "mcp",
    "mcp-tools.json",
    "plancard.sock",
    "profiles.json",
    "token",
    "workspaces.json",
];

const ALLOWED: &str = "a path below the data folder, or an absolute path outside workspaces, dot \
                       folders and system folders";

/// A folder that a file names. Whether it is in a workspace is known only when it is used.
pub(super) fn read(section: &Section<'_>, key: &'static str) -> Option<PathBuf> {
    let named = section.name(key)?;
    // It would be the name of a folder.
    if let Some(node) = section.get(key).filter(|node| unset_variable(node).is_some()) {
        section.bad(key, node, ALLOWED);
        return None;
    }
    let path = match (named.strip_prefix("~/"), std::env::home_dir()) {
        (Some(below), Some(home)) => home.join(below),
        (Some(_) | None, _) => PathBuf::from(&named),
    };
    let Some(trouble) = trouble(&path) else { return Some(path) };
    if let Some(node) = section.get(key) {
        let message = format!("is {}, which {trouble}; allowed: {ALLOWED}", shown(node));
        section.report.error(node.at, &section.path_of(key), message);
    }
    None
}

/// The folder that a configuration names; else why it can't be used.
pub(crate) fn folder(named: &Path, data: &Path, workspaces: &[String]) -> Result<PathBuf, String> {
    let refuse = |why: &str| Err(format!("{} {why}; allowed: {ALLOWED}", named.display()));
    if let Some(why) = trouble(named) {
        return refuse(why);
    }
    let data = real(data);
    let folder = real(&data.join(named));
    // A link may lead elsewhere.
    if let Ok(below) = folder.strip_prefix(&data) {
        return trouble(below).map_or(Ok(folder.clone()), refuse);
    }
    if let Some(why) = trouble(&folder) {
        return refuse(why);
    }
    if workspaces.iter().any(|workspace| folder.starts_with(real(Path::new(workspace)))) {
        return refuse("is in a workspace");
    }
    Ok(folder)
}

/// What is wrong with a path, whatever is on the disk.
fn trouble(path: &Path) -> Option<&'static str> {
    let names: Vec<&str> = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_str().unwrap_or_default()),
            Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
            Component::ParentDir => Some(".."),
        })
        .collect();
    let (Some(first), false) = (names.first(), names.contains(&"..")) else {
        return Some("names no folder of its own");
    };
    let is_own =
        OWN.contains(first) || first.starts_with("plancard.") || first.starts_with("copies-");
    match path.is_absolute() {
        false if is_own => Some("is a part of the app's own data"),
        false => None,
        true if names.iter().any(|name| name.starts_with('.')) => Some("is in a dot folder"),
        true if SYSTEM.iter().any(|system| path.starts_with(system)) => {
            Some("is in a system folder")
        }
        true => None,
    }
}

/// The path with its links followed, as far as it exists.
fn real(path: &Path) -> PathBuf {
    path.ancestors()
        .find_map(|above| {
            let real = above.canonicalize().ok()?;
            Some(path.strip_prefix(above).map_or(real.clone(), |below| real.join(below)))
        })
        .unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_relative_folder_is_below_the_data_folder() {
        let home = tempfile::Builder::new().prefix("storage").tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let (data, work) = (home.join("data"), home.join("work"));
        std::fs::create_dir_all(work.join("inner")).unwrap();
        std::fs::create_dir(&data).unwrap();
        symlink(&work, home.join("link")).unwrap();
        symlink(&work, data.join("link")).unwrap();
        let workspaces = [work.display().to_string()];
        let of = |named: &Path| folder(named, &data, &workspaces);

        assert_eq!(of(Path::new("snapshots")), Ok(data.join("snapshots")));
        assert_eq!(of(Path::new("a/b")), Ok(data.join("a/b")));
        assert_eq!(of(&home.join("new/deep")), Ok(home.join("new/deep")));
        assert_eq!(of(&home.join("workshop")), Ok(home.join("workshop")), "another name");
        for (named, why) in [
            (work.clone(), "is in a workspace"),
            (work.join("inner/new"), "is in a workspace"),
            (home.join("link/new"), "is in a workspace"),
            (PathBuf::from("link/new"), "is in a workspace"),
            (PathBuf::from("../out"), "names no folder of its own"),
            (PathBuf::from("copies/x"), "is a part of the app's own data"),
            (data.join("token"), "is a part of the app's own data"),
            (PathBuf::from("."), "names no folder of its own"),
            (PathBuf::from("/"), "names no folder of its own"),
            (home.join(".config/x"), "is in a dot folder"),
            (PathBuf::from("/etc/x"), "is in a system folder"),
        ] {
            let refused = of(&named).unwrap_err();
            assert!(refused.contains(why), "{refused}");
        }
    }
}
