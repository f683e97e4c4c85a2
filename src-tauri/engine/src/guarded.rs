//! Folders that no room may work in: they hold keys, or what is in them starts by itself.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// By these names wherever they are, for a home can be mounted or copied elsewhere; and in the
/// person's own home whatever they are called.
const KEYS: [&str; 28] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".password-store",
    ".pki",
    ".mozilla",
    ".thunderbird",
    ".config/BraveSoftware",
    ".config/chromium",
    ".config/gcloud",
    ".config/gh",
    ".config/google-chrome",
    ".config/microsoft-edge",
    ".config/op",
    ".config/opera",
    ".config/rclone",
    ".config/sops",
    ".config/vivaldi",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".local/share/gnupg",
    ".local/share/pass",
    // Browsers that come as packages keep their profiles in these.
    ".var/app",
    "snap/chromium/common",
    "snap/firefox/common",
];
const STARTS: [&str; 12] = [
    ".config/autostart",
    ".config/autostart-scripts",
    ".config/environment.d",
    ".config/fish",
    ".config/git",
    ".config/plasma-workspace",
    ".config/systemd",
    ".local/bin",
    ".local/share/applications",
    ".local/share/dbus-1",
    ".local/share/nautilus/scripts",
    ".local/share/systemd",
];
/// Also these, which are in no home: what runs at set times, and hooks and settings of git.
const STARTS_ANYWHERE: [&str; 2] = ["var/spool/cron", ".git"];

/// So many entries of a folder of the person's are looked at for links.
const MOST_LINKS: usize = 1_000;

const HOLDS_KEYS: &str = "holds keys";
const STARTS_PROGRAMS: &str = "holds programs that start by themselves";

/// What is wrong with a folder whose links are resolved, if a room may not work there.
pub(crate) fn trouble(real: &Path) -> Option<&'static str> {
    let named = |names: &[&str]| names.iter().any(|name| goes_through(real, name));
    if named(&KEYS) || holds(real, &KEYS) {
        return Some(HOLDS_KEYS);
    }
    if holds(real, &STARTS) || named(&STARTS) || named(&STARTS_ANYWHERE) || is_on_the_path(real) {
        return Some(STARTS_PROGRAMS);
    }
    let home = std::env::home_dir()?;
    let is_one = |names: &[&str]| {
        let mut places = names.iter().map(|name| home.join(name));
        leads_to(real, places.clone()) || places.any(|place| is_linked_from(real, &place))
    };
    if is_one(&KEYS) {
        return Some(HOLDS_KEYS);
    }
    is_one(&STARTS).then_some(STARTS_PROGRAMS)
}

/// Whether a folder is hidden, or in one that is, below the person's home or anywhere else.
pub(crate) fn is_hidden(real: &Path) -> bool {
    let home = std::env::home_dir().map(|home| home.canonicalize().unwrap_or(home));
    let below = home.as_ref().and_then(|home| real.strip_prefix(home).ok()).unwrap_or(real);
    names(below).any(|name| name.starts_with('.'))
}

/// Whether a folder has one of these in it, as a copy of a home has, or a part of such a copy: a
/// folder, or a link to one.
fn holds(real: &Path, names: &[&str]) -> bool {
    let is_there = |path: &Path| {
        let is_link = || path.symlink_metadata().is_ok_and(|found| found.is_symlink());
        match path.ends_with(".docker") {
            // Many projects keep files for containers under this name.
            true => path.join("config.json").exists(),
            false => path.is_dir() || is_link(),
        }
    };
    names.iter().map(Path::new).any(|name| {
        // Of `.config/autostart`, the folder may be the first part itself.
        let ways = name.ancestors().skip(1).filter(|above| real.ends_with(above));
        ways.filter_map(|above| name.strip_prefix(above).ok())
            .any(|rest| is_there(&real.join(rest)))
    })
}

/// Whether a link in a folder of the person's home leads to something in this folder.
fn is_linked_from(real: &Path, place: &Path) -> bool {
    // Programs are linked there from wherever they are made.
    if place.ends_with(".local/bin") {
        return false;
    }
    let own = number(real);
    let entries = std::fs::read_dir(place).into_iter().flatten().flatten().take(MOST_LINKS);
    let links = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
    let mut targets = links.filter_map(|link| link.path().canonicalize().ok());
    targets.any(|to| {
        let is_same = |above: &Path| own.is_some() && number(above) == own;
        to.starts_with(real) || to.ancestors().any(is_same)
    })
}

fn names(path: &Path) -> impl Iterator<Item = String> + '_ {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy().to_ascii_lowercase()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => {
            None
        }
    })
}

/// Whether these names follow each other somewhere in a path, in capitals or not: file systems
/// differ in that.
fn goes_through(path: &Path, name: &str) -> bool {
    let (path, name): (Vec<_>, Vec<_>) = (names(path).collect(), names(Path::new(name)).collect());
    path.windows(name.len()).any(|part| part == name)
}

/// Whether programs in a folder, or in one that it holds, are run by their names alone.
fn is_on_the_path(real: &Path) -> bool {
    is_on(&std::env::var_os("PATH").unwrap_or_default(), real)
}

fn is_on(path: &OsStr, real: &Path) -> bool {
    let home = std::env::home_dir().unwrap_or_default();
    std::env::split_paths(path).filter(|one| one.is_absolute() && !home.starts_with(one)).any(
        |one| {
            let lies_in = one.canonicalize().is_ok_and(|one| real.starts_with(one));
            // One that is not there yet can be made, and a link on the way there can be changed.
            let mut way = one.ancestors().filter_map(|step| step.canonicalize().ok());
            lies_in || way.any(|step| step.starts_with(real))
        },
    )
}

/// Whether a folder is one of these, lies in one or holds one, under whatever name: a link or
/// another mount of the same folder has its number, too.
fn leads_to(real: &Path, named: impl Iterator<Item = PathBuf>) -> bool {
    let places: Vec<PathBuf> =
        named.flat_map(|place| place.canonicalize().ok().into_iter().chain([place])).collect();
    let above: BTreeSet<&Path> = places.iter().flat_map(|place| place.ancestors()).collect();
    let lies_in: HashSet<_> = real.ancestors().filter_map(number).collect();
    let own = number(real);
    places.iter().any(|place| real.starts_with(place))
        || places.iter().filter_map(|place| number(place)).any(|place| lies_in.contains(&place))
        || above.contains(real)
        || own.is_some() && above.iter().any(|above| number(above) == own)
}

fn number(path: &Path) -> Option<(u64, u64)> {
    std::fs::metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn keys_and_what_starts_by_itself_are_known_wherever_they_lie() {
        for (path, trouble) in [
            ("/home/u/.ssh", Some(HOLDS_KEYS)),
            ("/mnt/backup/u/.SSH/deep", Some(HOLDS_KEYS)),
            ("/srv/.gnupg/private-keys-v1.d", Some(HOLDS_KEYS)),
            ("/srv/u/.config/gcloud", Some(HOLDS_KEYS)),
            ("/home/u/snap/firefox/common", Some(HOLDS_KEYS)),
            ("/home/u/snap/chromium/common/chromium/Default", Some(HOLDS_KEYS)),
            ("/home/u/.var/app/org.mozilla.firefox", Some(HOLDS_KEYS)),
            ("/srv/src/snap/firefox", None),
            ("/srv/u/.config/autostart", Some(STARTS_PROGRAMS)),
            ("/srv/u/.Local/Bin/x", Some(STARTS_PROGRAMS)),
            ("/var/spool/cron/crontabs", Some(STARTS_PROGRAMS)),
            ("/srv/project/.git/hooks", Some(STARTS_PROGRAMS)),
            ("/srv/ssh", None),
            ("/srv/.sshx", None),
            ("/srv/autostart", None),
            ("/srv/local/bin", None),
        ] {
            assert_eq!(super::trouble(Path::new(path)), trouble, "{path}");
        }
    }

    #[test]
    fn a_link_to_one_is_one_and_so_is_what_holds_it() {
        let home = tempfile::Builder::new().prefix("home").tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let (kept, work) = (home.join("dotfiles/keys"), home.join("work"));
        std::fs::create_dir_all(&kept).unwrap();
        std::fs::create_dir_all(home.join(".config")).unwrap();
        std::fs::create_dir(&work).unwrap();
        symlink(&kept, home.join(".ssh")).unwrap();
        let places = || [".ssh", ".config/autostart"].map(|name| home.join(name)).into_iter();
        for one in [&kept, &home, &home.join("dotfiles"), &home.join(".config")] {
            assert!(leads_to(one, places()), "{}", one.display());
        }
        assert!(!leads_to(&work, places()));
        std::fs::create_dir(home.join(".config/autostart")).unwrap();
        assert!(leads_to(&home.join(".config/autostart"), places()));
        std::fs::create_dir(home.join(".config/nvim")).unwrap();
        assert!(!leads_to(&home.join(".config/nvim"), places()));
    }

    #[test]
    fn what_holds_a_folder_of_programs_is_none_even_before_that_is_there() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        for folder in ["venv/bin", "later", "linked", "tools/bin", "work"] {
            std::fs::create_dir_all(top.join(folder)).unwrap();
        }
        symlink(top.join("tools"), top.join("linked/current")).unwrap();
        let path = ["venv/bin", "later/node_modules/.bin", "linked/current/bin"];
        let path = std::env::join_paths(path.map(|one| top.join(one))).unwrap();
        for on in ["venv", "venv/bin", "later", "linked", "tools", "tools/bin"] {
            assert!(is_on(&path, &top.join(on)), "{on}");
        }
        assert!(!is_on(&path, &top.join("work")));
        assert!(!is_on(OsStr::new("bin:.:"), &top.join("work")));
    }

    #[test]
    fn what_holds_keys_or_what_starts_by_itself_is_known_by_what_lies_in_it() {
        for name in KEYS.iter().chain(&STARTS).filter(|name| **name != ".docker") {
            let folder = tempfile::Builder::new().prefix("copy").tempdir().unwrap();
            let real = folder.path().canonicalize().unwrap();
            assert_eq!(trouble(&real), None, "{name}");
            std::fs::create_dir_all(real.join(name)).unwrap();
            assert!(trouble(&real).is_some(), "{name}");
            std::fs::remove_dir(real.join(name)).unwrap();
            symlink("elsewhere", real.join(name)).unwrap();
            let above = real.join(Path::new(name).parent().unwrap());
            assert!(trouble(&real).is_some() && trouble(&above).is_some(), "a link {name}");
        }
        let project = tempfile::Builder::new().prefix("project").tempdir().unwrap();
        let real = project.path().canonicalize().unwrap();
        for name in [".git/hooks", ".docker/web", ".config/mine", ".local/state", "deep/a/.ssh"] {
            std::fs::create_dir_all(real.join(name)).unwrap();
        }
        assert_eq!(trouble(&real), None);
        std::fs::write(real.join(".docker/config.json"), "{}").unwrap();
        assert_eq!(trouble(&real), Some(HOLDS_KEYS));
    }

    #[test]
    fn a_folder_that_a_file_of_the_home_is_linked_to_is_known() {
        let home = tempfile::Builder::new().prefix("home").tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        for folder in [".aws", ".local/bin", "dot/aws", "work"] {
            std::fs::create_dir_all(home.join(folder)).unwrap();
        }
        std::fs::write(home.join("dot/aws/credentials"), "").unwrap();
        symlink("../dot/aws/credentials", home.join(".aws/credentials")).unwrap();
        symlink("../../work/run", home.join(".local/bin/run")).unwrap();
        let linked = |folder: &str| {
            let mut places = [".aws", ".local/bin"].iter().map(|name| home.join(name));
            places.any(|place| is_linked_from(&home.join(folder), &place))
        };
        assert!(linked("dot") && linked("dot/aws") && !linked("work"));
    }

    #[test]
    fn hidden_folders_are_known_wherever_they_lie() {
        let temporary = std::env::temp_dir();
        for (path, hidden) in [
            (temporary.join("project"), false),
            (temporary.join(".tmpAbc12/project"), true),
            (temporary.join(".X11-unix"), true),
            (temporary.join("project/.venv"), true),
            (PathBuf::from("/srv/project"), false),
            (PathBuf::from("/srv/.hidden/project"), true),
        ] {
            assert_eq!(is_hidden(&path), hidden, "{}", path.display());
        }
    }
}
