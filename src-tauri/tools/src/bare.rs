//! When git takes a folder for a repository of its own, although it isn't called `.git`.

use std::ffi::OsStr;

/// What decides that, by names. With a `commondir`, the rest lies where that says.
pub(crate) const PARTS: [&str; 4] = ["HEAD", "commondir", "objects", "refs"];
/// What else git takes orders from in such a folder.
const ORDERS: [&str; 4] = ["config", "config.worktree", "hooks", "info"];

/// Whether a folder that has these entries is one. Of what kind they are is not asked: what a link
/// leads to can change, and so can what a file says.
pub(crate) fn is_repository(has: impl Fn(&str) -> bool) -> bool {
    has("HEAD") && (has("commondir") || (has("objects") && has("refs")))
}

/// Whether something with this name may make a folder one, in capitals or not: disks differ in that.
pub(crate) fn is_part(name: &OsStr) -> bool {
    PARTS.iter().any(|part| name.eq_ignore_ascii_case(part))
}

/// Whether git looks for something with this name in one.
pub(crate) fn counts(name: &OsStr) -> bool {
    is_part(name) || ORDERS.iter().any(|part| name.eq_ignore_ascii_case(part))
}
