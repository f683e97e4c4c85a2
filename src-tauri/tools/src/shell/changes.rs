//! What a command changed, by comparing two quick looks at the workspace.

use crate::ignored::Ignored;
use crate::output::{Change, ChangeKind};
use ignore::overrides::Override;
use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Workspaces with more entries than this are not compared.
const MOST: usize = 5000;

/// Enough of a file's state to see that it changed. The change time catches
/// tools that set the modification time back.
#[derive(PartialEq, Eq)]
struct Stamp {
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
    inode: u64,
    mode: u32,
}

/// The files of a workspace at one moment, ignored ones left out.
pub(crate) struct Snapshot {
    /// By their paths as texts: comparing paths part by part takes longer than all the rest.
    files: HashMap<OsString, Stamp>,
    /// Folders that git takes for bare repositories.
    bare: BTreeSet<PathBuf>,
}

impl Snapshot {
    /// Looks at every file; `None` when there are too many.
    pub(crate) fn take(root: &Path) -> Option<Self> {
        let (mut files, mut bare) = (HashMap::new(), BTreeSet::new());
        let walk = Ignored::walk(root, Override::empty(), |entry| {
            // The inside of `.git` is left out, but a `.git` that appears is told.
            let path = entry.path().as_os_str().as_bytes();
            !path[..path.len() - entry.file_name().len()].ends_with(b"/.git/")
        });
        let top = root.as_os_str().len() + 1;
        for (count, entry) in walk.build().enumerate() {
            if count > MOST {
                return None;
            }
            let Ok(entry) = entry else { continue };
            let is_git = entry.file_name() == ".git";
            if entry.file_type().is_some_and(|kind| kind.is_dir()) && !is_git {
                continue;
            }
            let path = entry.path().as_os_str().as_bytes().get(top..);
            let (Ok(meta), Some(path)) = (entry.metadata(), path.map(OsStr::from_bytes)) else {
                continue;
            };
            if let (true, Some(folder)) = (entry.file_name() == "HEAD", Path::new(path).parent())
                && looks_bare(&root.join(folder))
            {
                bare.insert(folder.to_owned());
            }
            files.insert(path.to_owned(), stamp(&meta, is_git && meta.is_dir()));
        }
        Some(Self { files, bare })
    }

    /// Folders that git takes for repositories now, and did not before.
    pub(crate) fn made_bare(&self, now: &Self) -> Vec<PathBuf> {
        now.bare.difference(&self.bare).cloned().collect()
    }

    /// Everything named `.git`.
    pub(crate) fn gits(&self) -> impl Iterator<Item = PathBuf> {
        let name = |path: &OsString| path == ".git" || path.as_bytes().ends_with(b"/.git");
        self.files.keys().filter(move |path| name(path)).map(PathBuf::from)
    }

    /// What is different now.
    pub(crate) fn until(&self, now: &Self) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut tell = |path: &OsStr, kind| {
            changes.push(Change::unread(path.to_string_lossy().into_owned(), kind));
        };
        for (path, stamp) in &now.files {
            match self.files.get(path) {
                None => tell(path, ChangeKind::Created),
                Some(before) if before != stamp => tell(path, ChangeKind::Modified),
                Some(_) => {}
            }
        }
        for path in self.files.keys().filter(|path| !now.files.contains_key(*path)) {
            tell(path, ChangeKind::Deleted);
        }
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        changes
    }
}

/// Whether git takes a folder with a `HEAD` for a repository of its own.
fn looks_bare(folder: &Path) -> bool {
    folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

fn stamp(meta: &std::fs::Metadata, is_git: bool) -> Stamp {
    // Every git command touches the folder `.git`; only another one is news.
    let still = |times: (i64, i64)| if is_git { (0, 0) } else { times };
    Stamp {
        size: if is_git { 0 } else { meta.size() },
        modified: still((meta.mtime(), meta.mtime_nsec())),
        changed: still((meta.ctime(), meta.ctime_nsec())),
        inode: meta.ino(),
        mode: meta.mode(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_created_modified_and_deleted_and_skips_ignored() {
        let home = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(home.path().join(name), text).unwrap();
        std::fs::create_dir_all(home.path().join("target")).unwrap();
        write(".gitignore", "target\n");
        write("same", "1");
        write("modified", "1");
        write("deleted", "1");
        let before = Snapshot::take(home.path()).unwrap();
        write("modified", "22");
        write("created", "1");
        write("target/built", "1");
        std::fs::remove_file(home.path().join("deleted")).unwrap();
        std::fs::create_dir_all(home.path().join(".git/hooks")).unwrap();
        let after = Snapshot::take(home.path()).unwrap();
        let told: Vec<_> = before.until(&after).into_iter().map(|c| (c.path, c.kind)).collect();
        assert_eq!(
            told,
            [
                (".git".to_owned(), ChangeKind::Created),
                ("created".to_owned(), ChangeKind::Created),
                ("deleted".to_owned(), ChangeKind::Deleted),
                ("modified".to_owned(), ChangeKind::Modified),
            ]
        );
    }

    #[test]
    fn a_large_workspace_is_not_compared() {
        let home = tempfile::tempdir().unwrap();
        for n in 0..=MOST {
            std::fs::write(home.path().join(n.to_string()), "").unwrap();
        }
        assert!(Snapshot::take(home.path()).is_none());
    }
}
