//! A call that went well and comes again: it is not run a second time while nothing has changed.

use crate::live::LiveRoom;
use plan::CallId;
use std::path::Path;
use std::time::SystemTime;

/// How many names are looked at for a change. Where there are more, the call is run.
const MOST_NAMES: usize = 20_000;

/// Whether this very call went well a moment ago and nothing has changed since.
pub(super) fn is_one(live: &LiveRoom, id: CallId, tool: &str) -> bool {
    let (folder, ended) = {
        let inner = live.lock();
        if !inner.room.already_done(id) {
            return false;
        }
        (inner.room.folder().to_owned(), inner.call_ended)
    };
    // What runs in the background has more to say each time.
    if tool.starts_with("job_") || !live.shell.running().is_empty() {
        return false;
    }
    let Some(ended) = ended else { return false };
    !has_changed(Path::new(&folder), ended)
}

/// What the model is told instead.
pub(super) fn words(live: &LiveRoom) -> String {
    let next = match live.lock().room.running_plan().is_some() {
        true => "If the step is done, report step_done; else do what is missing.",
        false => "Do what is missing, or answer in words.",
    };
    format!(
        "already done: this very call succeeded a moment ago and nothing has changed since. Its \
         result is above. {next}"
    )
}

/// Whether a file in the folder was changed after this time, or that can't be told.
fn has_changed(folder: &Path, after: SystemTime) -> bool {
    let newer = |path: &Path| match std::fs::symlink_metadata(path) {
        Ok(found) => changed_at(&found).is_none_or(|at| at > after),
        Err(_) => true,
    };
    let mut folders = vec![folder.to_owned()];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { return true };
        if newer(&folder) {
            return true;
        }
        for entry in entries {
            let Ok(entry) = entry else { return true };
            seen += 1;
            if seen > MOST_NAMES || newer(&entry.path()) {
                return true;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
        }
    }
    false
}

/// When a file, its name or its rights last changed.
fn changed_at(found: &std::fs::Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt;
    let seconds = u64::try_from(found.ctime()).ok()?;
    let nanos = u32::try_from(found.ctime_nsec()).ok()?;
    SystemTime::UNIX_EPOCH.checked_add(std::time::Duration::new(seconds, nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_deep_down_is_seen_and_quiet_is_too() {
        let place = tempfile::tempdir().unwrap();
        let deep = place.path().join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(deep.join("f"), "1").unwrap();
        let later = || SystemTime::now() + std::time::Duration::from_secs(3600);
        assert!(!has_changed(place.path(), later()));
        let before = SystemTime::now() - std::time::Duration::from_secs(3600);
        assert!(has_changed(place.path(), before));
        assert!(has_changed(&place.path().join("gone"), later()));
    }
}
