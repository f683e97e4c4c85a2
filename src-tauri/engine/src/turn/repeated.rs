//! A call that went well and comes again: it is not run a second time while nothing has changed.

use crate::live::LiveRoom;
use plan::{CallId, CallState, Command, Effect};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How many names are looked at for a change. Where there are more, the call is run.
const MOST_NAMES: usize = 20_000;

/// How far the times of files may lag behind the clock.
const LAG: Duration = Duration::from_millis(20);

/// When a call ended, by the computer's own clock, and what it changed.
#[derive(Clone)]
pub(crate) struct Mark {
    at: SystemTime,
    changed: Vec<PathBuf>,
    /// Whether it may have changed more than is known.
    loose: bool,
}

impl Mark {
    /// After a call that ends like this.
    pub(super) fn after(live: &LiveRoom, call: CallId, end: &Command) -> Self {
        let loose = live.lock().room.call(call).is_some_and(|call| match call.state {
            CallState::Running(Effect::Read | Effect::Write) => false,
            CallState::Running(_) => true,
            CallState::Waiting | CallState::Asking(_) | CallState::Allowed => false,
        });
        let mut own = Vec::new();
        if let Command::EndCall { changed, .. } = end {
            own.extend(changed.iter().map(|one| PathBuf::from(&one.path)));
        }
        Self { at: SystemTime::now(), changed: own, loose }
    }

    /// Whether something at this path happened after the call. What the call changed itself may
    /// be as new as the call; anything else that new was changed by someone else.
    fn is_older_than(&self, path: &Path, changed_at: SystemTime) -> bool {
        let own = self.loose || self.changed.iter().any(|own| own.starts_with(path));
        changed_at > if own { self.at } else { self.at - LAG }
    }
}

/// Whether this very call went well a moment ago and nothing has changed since.
pub(super) fn is_one(live: &LiveRoom, id: CallId, tool: &str) -> bool {
    let (folder, ended) = {
        let inner = live.lock();
        if !inner.room.already_done(id) {
            return false;
        }
        (inner.room.folder().to_owned(), inner.call_ended.clone())
    };
    // What runs in the background has more to say each time.
    if tool.starts_with("job_") || !live.shell.running().is_empty() {
        return false;
    }
    let Some(ended) = ended else { return false };
    !has_changed(Path::new(&folder), &ended)
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

/// Whether a file in the folder was changed after a call, or that can't be told.
fn has_changed(root: &Path, ended: &Mark) -> bool {
    let newer = |path: &Path| {
        let name = path.strip_prefix(root).unwrap_or(path);
        let found = std::fs::symlink_metadata(path).ok();
        let at = found.as_ref().and_then(changed_at);
        at.is_none_or(|at| ended.is_older_than(name, at))
    };
    let mut folders = vec![root.to_owned()];
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
    SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_deep_down_is_seen_and_what_the_call_did_itself_is_not() {
        let place = tempfile::tempdir().unwrap();
        let deep = place.path().join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(deep.join("f"), "1").unwrap();
        let mark = |at, changed: &[&str]| Mark {
            at,
            changed: changed.iter().map(PathBuf::from).collect(),
            loose: false,
        };
        let hour = Duration::from_secs(3600);
        assert!(!has_changed(place.path(), &mark(SystemTime::now() + hour, &[])));
        assert!(has_changed(place.path(), &mark(SystemTime::now() - hour, &[])));
        assert!(has_changed(&place.path().join("gone"), &mark(SystemTime::now() + hour, &[])));
        assert!(has_changed(place.path(), &mark(SystemTime::now(), &[])), "a moment ago");
        assert!(!has_changed(place.path(), &mark(SystemTime::now(), &["a/b/f"])), "by itself");
    }
}
