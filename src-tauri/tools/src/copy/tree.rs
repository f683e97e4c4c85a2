//! The files of a folder: what is there, and what git ignores of it.

use super::CopyError;
use crate::error::ToolError;
use crate::files::confined;
use crate::workspace::Workspace;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::{AtFlags, FileType, Stat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use tokio_util::sync::CancellationToken;

/// A file that git ignores is part of a copy up to this size; a folder it ignores never is.
pub(super) const IGNORED: u64 = 1024 * 1024;
/// So many files that are left out are told of.
const MOST_LEFT: usize = 6;
/// So many are looked at for that.
const MOST_LOOKED: usize = 10_000;
/// So many are looked at in a folder that may have to make way.
const MOST_INSIDE: usize = 50_000;
/// The deepest folder.
const DEEPEST: usize = 200;
/// The longest list of patterns that is read.
const PATTERNS: u64 = 1024 * 1024;

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Entry {
    Folder,
    File {
        hash: String,
        mode: u32,
    },
    Link {
        to: String,
    },
    /// A pipe, a socket, a device: nothing that is copied.
    Other,
}

/// Everything in a folder, by path.
pub(super) type Tree = BTreeMap<String, Entry>;

/// Something that was met in a folder.
pub(super) struct Found<'a> {
    pub(super) path: &'a str,
    pub(super) kind: FileType,
    /// How large it is, where it is a file.
    pub(super) bytes: u64,
}

/// What is looked at whatever is ignored.
#[derive(Clone, Copy)]
pub(super) enum Known<'a> {
    /// In a workspace: what git tracks, with the folders it is in.
    Tracked(&'a BTreeSet<String>),
    /// In a copy: what it had when it was made.
    Copied(&'a Tree),
}

impl Known<'_> {
    fn has(self, path: &str) -> bool {
        match self {
            Self::Tracked(paths) => paths.contains(path),
            Self::Copied(tree) => tree.contains_key(path),
        }
    }
}

/// A way through a folder.
pub(super) struct Walk<'a> {
    pub(super) ws: &'a Workspace,
    pub(super) known: Known<'a>,
    pub(super) cancel: &'a CancellationToken,
}

/// What is ignored and was not met.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    pub(super) folders: Vec<String>,
    /// Large ones.
    pub(super) files: Vec<String>,
    /// Repositories of their own.
    pub(super) repositories: Vec<String>,
}

/// What is done with each thing that is met.
type Look<'l> = dyn FnMut(&Found<'_>) -> Result<(), CopyError> + 'l;

impl Walk<'_> {
    /// Meets everything but what is ignored, folders before what is in them; says what was left
    /// out.
    pub(super) fn go(&self, look: &mut Look<'_>) -> Result<LeftOut, CopyError> {
        let mut left_out = LeftOut::default();
        let mut rules = Vec::new();
        rules.extend(self.patterns(Path::new(""), ".git/info/exclude"));
        self.folder(Path::new(""), false, &mut rules, &mut left_out, look)?;
        Ok(left_out)
    }

    /// Of a folder that is ignored, only what is known is met.
    fn folder(
        &self,
        folder: &Path,
        ignored: bool,
        rules: &mut Vec<Gitignore>,
        left_out: &mut LeftOut,
        look: &mut Look<'_>,
    ) -> Result<(), CopyError> {
        if self.cancel.is_cancelled() {
            return Err(CopyError::Cancelled);
        }
        if folder.components().count() > DEEPEST {
            return Err(CopyError::TooMany { most: DEEPEST });
        }
        let depth = rules.len();
        rules.extend(self.patterns(folder, ".gitignore"));
        for (path, stat) in entries(self.ws, folder)? {
            let kind = confined::kind(&stat);
            if is_git(&path) {
                if self.is_anothers(folder, &path)? {
                    left_out.repositories.push(path.to_string_lossy().into_owned());
                }
                continue;
            }
            let Some(shown) = path.to_str() else {
                return Err(CopyError::Name { path: path.to_string_lossy().into_owned() });
            };
            let is_folder = kind == FileType::Directory;
            let large = is_folder || stat.st_size.unsigned_abs() > IGNORED;
            let ignored = ignored || large && self.is_ignored(&path, is_folder, rules);
            if ignored && !self.known.has(shown) {
                let left = if is_folder { &mut left_out.folders } else { &mut left_out.files };
                left.push(shown.to_owned());
                continue;
            }
            let bytes = match kind == FileType::RegularFile {
                true => stat.st_size.unsigned_abs(),
                false => 0,
            };
            look(&Found { path: shown, kind, bytes })?;
            if is_folder {
                self.folder(&path, ignored, rules, left_out, look)?;
            }
        }
        rules.truncate(depth);
        Ok(())
    }

    /// A few files in an ignored folder that are not in the tree.
    fn some_in(
        &self,
        folder: String,
        tree: &Tree,
        looked: &mut usize,
        left: &mut Vec<String>,
    ) -> Result<(), CopyError> {
        let mut open = vec![PathBuf::from(folder)];
        while let Some(folder) = open.pop() {
            if self.cancel.is_cancelled() {
                return Err(CopyError::Cancelled);
            }
            // One that was closed is told of itself.
            let Ok(entries) = entries(self.ws, &folder) else {
                left.push(folder.to_string_lossy().into_owned());
                continue;
            };
            for (path, stat) in entries {
                *looked += 1;
                if left.len() >= MOST_LEFT || *looked > MOST_LOOKED {
                    return Ok(());
                }
                let shown = path.to_string_lossy();
                let taken = tree.contains_key(&*shown);
                if confined::kind(&stat) == FileType::Directory {
                    open.push(path);
                } else if !taken {
                    left.push(shown.into_owned());
                }
            }
        }
        Ok(())
    }

    /// Whether a repository is not the folder's own. One inside is another's business; one that was
    /// made in a copy stays there.
    fn is_anothers(&self, folder: &Path, path: &Path) -> Result<bool, CopyError> {
        let own = folder.as_os_str().is_empty() && path == Path::new(".git");
        match own || matches!(self.known, Known::Copied(_)) {
            true => Ok(!own),
            false => Err(CopyError::Nested { path: folder.to_string_lossy().into_owned() }),
        }
    }

    /// The patterns of one file, if it is there.
    fn patterns(&self, folder: &Path, name: &str) -> Option<Gitignore> {
        let (file, _) = confined::open_file(self.ws, &folder.join(name)).ok()?;
        let mut text = String::new();
        file.take(PATTERNS).read_to_string(&mut text).ok()?;
        let mut builder = GitignoreBuilder::new(self.ws.root().join(folder));
        for line in text.lines() {
            // A pattern that can't be read ignores nothing.
            let _ = builder.add_line(None, line);
        }
        builder.build().ok()
    }

    fn is_ignored(&self, path: &Path, is_folder: bool, rules: &[Gitignore]) -> bool {
        let whole = self.ws.root().join(path);
        let said = rules.iter().rev().map(|rules| rules.matched(&whole, is_folder));
        said.into_iter().find(|said| !said.is_none()).is_some_and(|said| said.is_ignore())
    }
}

fn entries(ws: &Workspace, folder: &Path) -> Result<Vec<(PathBuf, Stat)>, CopyError> {
    let doing = |err: Errno| CopyError::io(format!("listing `{}`", folder.display()), err);
    let open = confined::open_folder(ws, folder)?;
    let mut found = Vec::new();
    for entry in rustix::fs::Dir::read_from(&open).map_err(doing)? {
        let entry = entry.map_err(doing)?;
        let name = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        match rustix::fs::statat(&open, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => {
                use std::os::unix::ffi::OsStrExt;
                let name = std::ffi::OsStr::from_bytes(name.to_bytes());
                found.push((folder.join(name), stat));
            }
            // It was there a moment ago.
            Err(Errno::NOENT) => {}
            Err(other) => return Err(doing(other)),
        }
    }
    found.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(found)
}

/// Everything in a folder, whatever is ignored.
pub(super) fn inside(
    ws: &Workspace,
    folder: &str,
    cancel: &CancellationToken,
) -> Result<Tree, CopyError> {
    let (mut tree, mut open) = (Tree::new(), vec![PathBuf::from(folder)]);
    while let Some(folder) = open.pop() {
        for (path, _) in entries(ws, &folder)? {
            if cancel.is_cancelled() {
                return Err(CopyError::Cancelled);
            }
            if tree.len() >= MOST_INSIDE {
                return Err(CopyError::TooMany { most: MOST_INSIDE });
            }
            let Some(shown) = path.to_str() else {
                return Err(CopyError::Name { path: path.to_string_lossy().into_owned() });
            };
            // It was there a moment ago.
            let Some(found) = entry(ws, shown)? else { continue };
            let is_folder = found == Entry::Folder;
            tree.insert(shown.to_owned(), found);
            if is_folder {
                open.push(path);
            }
        }
    }
    Ok(tree)
}

/// The part of a tree that is in a folder.
pub(super) fn below(tree: &Tree, folder: &str) -> Tree {
    let start = format!("{folder}/");
    let inside = tree.range(start.clone()..).take_while(|(path, _)| path.starts_with(&start));
    inside.map(|(path, entry)| (path.clone(), entry.clone())).collect()
}

/// Whether a path is in a folder.
pub(super) fn lies_in(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// What is in a copy now.
pub(super) struct Seen {
    pub(super) tree: Tree,
    /// A few of the files that are left out.
    pub(super) left: Vec<String>,
    /// Repositories that were made in it.
    pub(super) repositories: Vec<String>,
}

/// Everything in a copy as it is now, with what has these names wherever it is.
pub(super) fn read(
    ws: &Workspace,
    known: &Tree,
    named: &BTreeSet<String>,
    cancel: &CancellationToken,
) -> Result<Seen, CopyError> {
    let mut tree = Tree::new();
    let walk = Walk { ws, known: Known::Copied(known), cancel };
    let left_out = walk.go(&mut |found| {
        if cancel.is_cancelled() {
            return Err(CopyError::Cancelled);
        }
        if let Some(entry) = entry(ws, found.path)?.filter(|entry| *entry != Entry::Other) {
            tree.insert(found.path.to_owned(), entry);
        }
        Ok(())
    })?;
    for path in named {
        add_named(ws, path, &mut tree);
    }
    let mut left: Vec<String> = left_out.files;
    left.retain(|path| !tree.contains_key(path));
    let mut looked = 0;
    for folder in left_out.folders {
        walk.some_in(folder, &tree, &mut looked, &mut left)?;
    }
    left.truncate(MOST_LEFT);
    Ok(Seen { tree, left, repositories: left_out.repositories })
}

/// Adds what has a name, and the folders it is in. What can't be reached by it, as through a link,
/// is met elsewhere or not a part of the copy.
fn add_named(ws: &Workspace, path: &str, tree: &mut Tree) {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    let whole = Path::new(path);
    if tree.contains_key(path) || !whole.components().all(plain) || whole.ancestors().any(is_git) {
        return;
    }
    let Ok(Some(found @ (Entry::File { .. } | Entry::Folder | Entry::Link { .. }))) =
        entry(ws, path)
    else {
        return;
    };
    tree.insert(path.to_owned(), found);
    let above = whole.ancestors().skip(1).filter_map(Path::to_str);
    for folder in above.filter(|folder| !folder.is_empty()) {
        tree.entry(folder.to_owned()).or_insert(Entry::Folder);
    }
}

/// What is at a path, which no link leads to.
pub(super) fn entry(ws: &Workspace, path: &str) -> Result<Option<Entry>, CopyError> {
    let doing = |err: Errno| CopyError::io(format!("looking at `{path}`"), err);
    let (folder, name) = match confined::open_parent(ws, Path::new(path)) {
        Ok(found) => found,
        // Where a file is in the way of its folder, there is nothing.
        Err(ToolError::NotFound { .. } | ToolError::WrongKind { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let stat = match rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => stat,
        Err(Errno::NOENT) => return Ok(None),
        Err(other) => return Err(doing(other)),
    };
    Ok(Some(match confined::kind(&stat) {
        FileType::Directory => Entry::Folder,
        FileType::Symlink => {
            let to = rustix::fs::readlinkat(&folder, name, Vec::new()).map_err(doing)?;
            let to = to.into_string().map_err(|_| CopyError::Name { path: path.to_owned() })?;
            Entry::Link { to }
        }
        FileType::RegularFile => match hash(ws, path)? {
            Some((hash, mode)) => Entry::File { hash, mode },
            None => return Ok(None),
        },
        FileType::Fifo
        | FileType::Socket
        | FileType::CharacterDevice
        | FileType::BlockDevice
        | FileType::Unknown => Entry::Other,
    }))
}

fn hash(ws: &Workspace, path: &str) -> Result<Option<(String, u32)>, CopyError> {
    let (file, stat) = match confined::open_file(ws, Path::new(path)) {
        Ok(opened) => opened,
        Err(ToolError::NotFound { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file).map_err(|err| CopyError::io(format!("reading `{path}`"), err))?;
    Ok(Some((hasher.finalize().to_hex().to_string(), mode(&stat))))
}

/// Who may do what with a file.
pub(super) fn mode(stat: &Stat) -> u32 {
    stat.st_mode & 0o777
}

fn is_git(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(".git"))
}
