//! Goes along a path as the kernel does, and tells of each link on the way.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// As many links as the kernel follows.
const MOST_LINKS: usize = 40;

/// Where a path leads, also to what is not there; `None` where there are too many links, or one that
/// does not `pass`.
pub(crate) fn follow(path: &Path, mut pass: impl FnMut(&Path) -> bool) -> Option<PathBuf> {
    let mut here = PathBuf::from("/");
    let (mut left, mut links) = (Vec::new(), 0);
    push(&mut left, path);
    while let Some(name) = left.pop() {
        if name == ".." {
            here.pop();
            continue;
        }
        let next = here.join(&name);
        let Ok(target) = next.read_link() else {
            here = next;
            continue;
        };
        links += 1;
        if links > MOST_LINKS || !pass(&next) {
            return None;
        }
        if target.is_absolute() {
            here = PathBuf::from("/");
        }
        push(&mut left, &target);
    }
    Some(here)
}

/// Puts the parts of a path on top of what is left to walk.
fn push(left: &mut Vec<OsString>, path: &Path) {
    left.extend(path.components().rev().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    }));
}
