//! A folder with everything in it, to see that nothing changed.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Every entry below a folder, by its path: what it is, who may use it, and what it holds.
pub type Tree = BTreeMap<String, String>;

/// A folder as it is now; `but` are entries of it that are not looked at.
pub fn tree(folder: &Path, but: &[&str]) -> Tree {
    let mut found = Tree::new();
    collect(folder, "", but, &mut found);
    found
}

fn collect(folder: &Path, prefix: &str, but: &[&str], found: &mut Tree) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if but.contains(&path.as_str()) {
            continue;
        }
        let about = entry.path().symlink_metadata().unwrap();
        let mode = about.permissions().mode();
        let what = if about.is_symlink() {
            format!("leads to {}", std::fs::read_link(entry.path()).unwrap().display())
        } else if about.is_dir() {
            collect(&entry.path(), &format!("{path}/"), but, found);
            format!("folder {mode:o}")
        } else {
            let bytes = std::fs::read(entry.path()).unwrap();
            format!("file {mode:o} {}", String::from_utf8_lossy(&bytes))
        };
        found.insert(path, what);
    }
}
