//! Files that a command made to run as their group: whoever starts one on this computer has the
//! rights of that group. The filter for system calls can't tell a file from a folder, where the
//! same bit is harmless and common, so it is taken away afterwards, where a look at the workspace
//! sees it.

use super::changes::{AS_OTHERS, Snapshot};
use crate::files::{confined, shown};
use crate::workspace::Workspace;
use rustix::fs::{Mode, fchmod};

/// Takes the bit away from files that got it since, and says so.
pub(crate) fn take_away(ws: &Workspace, before: &Snapshot, after: &Snapshot) -> Option<String> {
    let made = before.made_to_run_as_others(after);
    let done: Vec<String> = made
        .iter()
        .filter(|path| {
            let opened = confined::open_file(ws, path);
            opened.is_ok_and(|(file, stat)| {
                fchmod(&file, Mode::from_raw_mode(stat.st_mode & 0o7777 & !AS_OTHERS)).is_ok()
            })
        })
        .map(|path| shown(path))
        .collect();
    (!done.is_empty()).then(|| {
        format!(
            "(what ran as its group, for everybody on the computer, no longer does: {})",
            done.join(", ")
        )
    })
}
