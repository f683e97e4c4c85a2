//! What was not committed when a copy was made, and what the last commit has instead.
//!
//! Whoever works in a copy may put files back to the last commit (`git stash`, `git restore`, `git
//! reset --hard`) and change them then, switch to another branch or remove what git does not know
//! (`git clean`). What a person had not committed would go that way.

use super::git::{COMMITTED, Git};
use super::lines::Left;
use super::tree::{Entry, entry};
use super::{CopyError, lines};
use crate::files::confined;
use crate::workspace::Workspace;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

/// The file with it, beside the files of a copy.
const NAME: &str = "uncommitted.json";

/// The paths that differed from the last commit.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Uncommitted(BTreeMap<String, Instead>);

/// What the last commit has in place of something.
#[derive(Debug, Serialize, Deserialize)]
struct Instead {
    entry: Option<Entry>,
    /// Whether git knew of it.
    tracked: bool,
}

impl Uncommitted {
    /// Writes down what is not committed in a copy just made.
    pub(super) fn note(copy: &Path, git: &Git<'_>) -> Result<(), CopyError> {
        let found = ask(copy, git)?;
        let failed = |err| CopyError::io("making a copy", err);
        let known = serde_json::to_vec(&found).map_err(|err| failed(err.into()))?;
        fs::write(copy.join(NAME), known).map_err(failed)
    }

    /// What was written down; nothing where there is no repository.
    pub(super) fn read(copy: &Path) -> Result<Self, CopyError> {
        let doing = |err: std::io::Error| CopyError::io("reading what was committed", err);
        match fs::read(copy.join(NAME)) {
            Ok(known) => serde_json::from_slice(&known).map_err(|err| doing(err.into())),
            Err(err) if err.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(err) => Err(doing(err)),
        }
    }

    /// Whether what someone had not committed was put away: what is there now is what the last
    /// commit has, or it was stashed.
    pub(super) fn is_put_away(&self, path: &str, now: Option<&Entry>, did: Did) -> bool {
        self.0.get(path).is_some_and(|instead| {
            // What git did not know of is not put back by it, but removed.
            let back = same(instead.entry.as_ref(), now) && (now.is_some() || instead.tracked);
            did.stashed || back
        })
    }

    /// Whether something that no commit has is gone.
    pub(super) fn is_removed(&self, path: &str, now: Option<&Entry>) -> bool {
        now.is_none() && self.0.get(path).is_some_and(|instead| !instead.tracked)
    }

    /// Whether it was not committed.
    pub(super) fn has(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    /// Whether it was put away and changed then: some of it is as in the last commit again. Where
    /// git put files back, what is neither is not known to be a change of what was there.
    pub(super) fn is_built_over(&self, path: &str, versions: &Versions<'_>, did: Did) -> bool {
        let Some(instead) = self.0.get(path) else { return false };
        let doubtful = did.switched || (did.reset && instead.tracked);
        let committed = match &instead.entry {
            None => Some(Vec::new()),
            Some(Entry::File { hash, .. }) => (versions.text)(hash),
            Some(Entry::Folder | Entry::Link { .. } | Entry::Other) => None,
        };
        let left = committed
            .zip(versions.was)
            .and_then(|(committed, was)| lines::left(&committed, was, versions.is));
        match left {
            Some(Left::Kept) => false,
            Some(Left::Back) => true,
            Some(Left::Changed) | None => doubtful,
        }
    }
}

/// A file when the copy was made, where it was a text; as it is in the copy; and the texts of back
/// then by their hash.
pub(super) struct Versions<'a> {
    pub(super) was: Option<&'a [u8]>,
    pub(super) is: &'a [u8],
    pub(super) text: &'a dyn Fn(&str) -> Option<Vec<u8>>,
}

/// What was done in a copy that puts files back: it has neither a stash nor a record of what was
/// done when it is made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Did {
    stashed: bool,
    reset: bool,
    /// It went to another commit: the files are those of that one.
    switched: bool,
}

impl Did {
    pub(super) fn read(work: &Path) -> Self {
        let git = work.join(".git");
        let stash = ["refs/stash", "logs/refs/stash"];
        let stashed = stash.iter().any(|name| git.join(name).symlink_metadata().is_ok());
        let record = fs::read(git.join("logs/HEAD")).unwrap_or_default();
        let record = String::from_utf8_lossy(&record);
        // From where, to where, who and when; then what.
        let entries = || record.lines().filter_map(|line| line.split_once('\t'));
        let reset = entries().any(|(_, what)| what.starts_with("reset:"));
        let switched = entries().any(|(moved, what)| {
            let mut commits = moved.split(' ');
            what.starts_with("checkout:") && commits.next() != commits.next()
        });
        Self { stashed, reset, switched }
    }
}

/// Of the mode of a file git keeps only whether it can be run.
fn same(committed: Option<&Entry>, now: Option<&Entry>) -> bool {
    match (committed, now) {
        (Some(Entry::File { hash: was, mode }), Some(Entry::File { hash: is, mode: now })) => {
            was == is && mode & 0o100 == now & 0o100
        }
        (committed, now) => committed == now,
    }
}

fn ask(copy: &Path, git: &Git<'_>) -> Result<Uncommitted, CopyError> {
    let status = git.run(
        "status",
        &["--porcelain=v2", "-z", "-uall", "--ignored", "--no-renames", "--ignore-submodules=all"],
        "",
    )?;
    let mut found = BTreeMap::new();
    let mut wanted = String::new();
    for line in status.split('\0') {
        // What git ignores is in no commit either.
        if let Some(path) = line.strip_prefix("? ").or_else(|| line.strip_prefix("! ")) {
            found.insert(path.to_owned(), Instead { entry: None, tracked: false });
        } else if line.starts_with("1 ") {
            // What changed, whether it is another repository, three modes, two objects, the path.
            let parts: Vec<&str> = line.splitn(9, ' ').collect();
            let [_, _, _, mode, _, _, _, _, path] = parts[..] else { continue };
            found.insert(path.to_owned(), Instead { entry: None, tracked: true });
            if mode != "000000" {
                wanted.push_str(path);
                wanted.push('\0');
            }
        }
    }
    if !wanted.is_empty() {
        // As git would write them to the folder.
        git.run("read-tree", &["HEAD"], "")?;
        let prefix = format!("--prefix={}/", git.written.root().join(COMMITTED).display());
        git.run("checkout-index", &["-z", "--stdin", &prefix], &wanted)?;
        // Only these: where a link is committed, there may be a folder now.
        for path in wanted.split_terminator('\0') {
            let Some(instead) = found.get_mut(path) else { continue };
            let committed = format!("{COMMITTED}/{path}");
            instead.entry = entry(&git.written, &committed)?;
            if let Some(Entry::File { hash, .. }) = &instead.entry {
                keep(copy, hash, &git.written, &committed)?;
            }
        }
    }
    Ok(Uncommitted(found))
}

/// Keeps a text that the last commit has beside those of the copy.
fn keep(copy: &Path, hash: &str, from: &Workspace, path: &str) -> Result<(), CopyError> {
    let (file, stat) = confined::open_file(from, Path::new(path))?;
    if stat.st_size.unsigned_abs() > lines::LONGEST {
        return Ok(());
    }
    let mut content = Vec::new();
    let doing = |err| CopyError::io("keeping what was committed", err);
    file.take(lines::LONGEST).read_to_end(&mut content).map_err(doing)?;
    match lines::text(&content) {
        Some(_) => fs::write(copy.join("base").join(hash), content).map_err(doing),
        None => Ok(()),
    }
}
