//! Where the submodules of a repository are: git looks into them from the top, and obeys what it
//! finds there.
//!
//! A command can change the index and `.gitmodules`, so a submodule that was seen once is
//! remembered as long as there is a repository in its place.

use super::settings;
use crate::files::known;
use std::collections::{BTreeSet, HashMap};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// How deep names of submodules and submodules of submodules are followed.
const DEEPEST: usize = 12;
/// The longest index that is read, of some million files.
const INDEX: u64 = 256 * 1024 * 1024;
/// The mode of an entry of the index that is a submodule.
const SUBMODULE: u32 = 0o160_000;

/// What is known of a work tree.
#[derive(Default)]
struct Known {
    trees: BTreeSet<PathBuf>,
    /// The state of the index, and the submodules in it.
    index: Option<(Stamp, Vec<PathBuf>)>,
}

type Stamp = (u64, u64, i64, i64);

static KNOWN: Mutex<Option<HashMap<PathBuf, Known>>> = Mutex::new(None);

/// The work trees of all submodules of a work tree with its repository's folder.
pub(super) fn of(tree: &Path, folder: &Path) -> BTreeSet<PathBuf> {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default().entry(tree.to_owned()).or_default();
    let mut found = known.trees.clone();
    in_modules(&folder.join("modules"), DEEPEST, &mut found);
    let text = known::text(&tree.join(".gitmodules")).unwrap_or_default();
    let named = settings::settings(&text).into_iter();
    let named = named.filter(|one| one.section == "submodule" && one.key == "path");
    found.extend(named.filter_map(|one| without_dots(&tree.join(one.value))));
    let index = folder.join("index");
    let stamp =
        index.metadata().map(|meta| (meta.ino(), meta.size(), meta.ctime(), meta.ctime_nsec()));
    match (stamp, &known.index) {
        (Err(_), _) => {}
        (Ok(stamp), Some((before, links))) if stamp == *before => {
            found.extend(links.iter().map(|link| tree.join(link)));
        }
        (Ok(stamp), Some(_) | None) => {
            let links =
                known::bytes(&index, INDEX).map(|bytes| in_index(&bytes)).unwrap_or_default();
            found.extend(links.iter().map(|link| tree.join(link)));
            known.index = Some((stamp, links));
        }
    }
    known.trees = found.iter().filter(|tree| tree.join(".git").exists()).cloned().collect();
    found
}

/// Those whose repositories lie in git's own folder, each of which names its work tree.
fn in_modules(modules: &Path, deep: usize, found: &mut BTreeSet<PathBuf>) {
    let entries = std::fs::read_dir(modules).into_iter().flatten().flatten();
    for folder in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        let folder = folder.path();
        if let Some(text) = known::text(&folder.join("config")) {
            let named = settings::settings(&text).into_iter();
            let named = named.filter(|one| one.section == "core" && one.key == "worktree");
            found.extend(named.filter_map(|one| without_dots(&folder.join(one.value))));
            if deep > 0 {
                in_modules(&folder.join("modules"), deep - 1, found);
            }
        } else if deep > 0 {
            // A part of a name with slashes.
            in_modules(&folder, deep - 1, found);
        }
    }
}

/// The submodules in an index, as far as it can be read.
fn in_index(bytes: &[u8]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    // Nobody knows here how long a hash is; only with the right length all entries fit.
    for hash in [20, 32] {
        found.clear();
        if entries(bytes, hash, &mut found).is_some() {
            break;
        }
    }
    found
}

fn entries(bytes: &[u8], hash: usize, found: &mut Vec<PathBuf>) -> Option<()> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let (version, count) = (number(4)?, number(8)?);
    if !bytes.starts_with(b"DIRC") || !(2..=4).contains(&version) {
        return None;
    }
    let mut at = 12;
    let mut name: Vec<u8> = Vec::new();
    for _ in 0..count {
        let mode = number(at + 24)?;
        if ![0o040_000, 0o100_000, 0o120_000, SUBMODULE].contains(&(mode & 0o170_000)) {
            return None;
        }
        let flags = at + 40 + hash;
        let is_extended = version > 2 && bytes.get(flags)? & 0x40 != 0;
        let mut start = flags + if is_extended { 4 } else { 2 };
        if version == 4 {
            let (left_out, after) = varint(bytes, start)?;
            name.truncate(name.len().checked_sub(left_out)?);
            start = after;
        } else {
            name.clear();
        }
        let length = bytes.get(start..)?.iter().position(|byte| *byte == 0)?;
        name.extend(&bytes[start..start + length]);
        at = match version {
            4 => start + length + 1,
            // Filled up to a multiple of eight, with one zero at least.
            _ => at + (start + length - at) / 8 * 8 + 8,
        };
        if mode & 0o170_000 == SUBMODULE
            && let Some(path) = std::str::from_utf8(&name).ok().map(PathBuf::from)
            && path.components().all(|part| matches!(part, Component::Normal(_)))
        {
            found.push(path);
        }
    }
    Some(())
}

fn varint(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut byte = *bytes.get(at)?;
    let mut value = usize::from(byte & 127);
    while byte & 128 != 0 {
        at += 1;
        byte = *bytes.get(at)?;
        value = value.checked_add(1)?.checked_mul(128)?.checked_add(usize::from(byte & 127))?;
    }
    Some((value, at + 1))
}

/// A path without `.` and `..`, by its names alone.
fn without_dots(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => plain.pop().then_some(())?,
            Component::RootDir | Component::Prefix(_) | Component::Normal(_) => plain.push(part),
        }
    }
    Some(plain)
}
