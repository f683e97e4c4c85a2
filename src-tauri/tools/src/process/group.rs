//! A control group of the kernel's for each command, so that no number of processes that it starts
//! becomes a danger to the computer.
//!
//! The thread that starts a command goes into the group, starts it there and leaves again. So the
//! command is in it from its first moment, and nothing of it can leave: control groups are not
//! shown in a sandbox. A thread that moves itself takes no lock that others wait for. Groups lie
//! below our own, so that a limit on us holds for them as well. In the older kind of control
//! groups (version 1) any group may have others below it; in version 2 one with processes may not,
//! unless those below hold single threads of it, which is how they are made here.
//!
//! Where no group can be made, processes are only counted (see `watcher`), and the system's own
//! limit holds for everybody but root.

use super::census::PROCESSES;
use crate::leftovers;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How many processes and threads together the kernel lets a command have. It is ended when it has
/// half as many processes; until somebody has counted them, this holds.
pub(super) const WALL: usize = 2 * PROCESSES;
/// How the names of groups begin.
const NAME: &str = "plancard-";
/// How long the kernel may take to forget processes that are gone.
const FORGETTING: Duration = Duration::from_secs(10);
const BETWEEN: Duration = Duration::from_millis(2);

/// The group of one command. It is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Group {
    folder: PathBuf,
}

/// The doors of a group for a thread.
pub(super) struct Doors {
    inside: File,
    outside: File,
}

impl Doors {
    /// Does something in the group. It is done outside where the group can't be entered, which is
    /// the first thing that is given back.
    pub(super) fn within<T>(&mut self, doing: impl FnOnce() -> T) -> (bool, T) {
        // The kernel takes a nought for whoever writes it.
        let entered = self.inside.write_all(b"0");
        let done = doing();
        if entered.is_ok()
            && let Err(error) = self.outside.write_all(b"0")
        {
            tracing::warn!(%error, "a control group can't be left");
        }
        (entered.is_ok(), done)
    }
}

impl Group {
    /// Makes a group; `None` where there can be none.
    pub(super) fn new() -> Option<(Self, Doors)> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let (own, mark) = (own()?, leftovers::mark()?);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let group = Self { folder: own.folder.join(format!("{NAME}{mark}-{number}")) };
        std::fs::create_dir(&group.folder).ok()?;
        own.prepare(&group.folder).ok()?;
        group.allow(WALL).ok()?;
        let door = |folder: &Path| OpenOptions::new().write(true).open(folder.join(own.door));
        let doors = Doors { inside: door(&group.folder).ok()?, outside: door(&own.folder).ok()? };
        Some((group, doors))
    }

    /// How many processes and threads are in it.
    pub(super) fn tasks(&self) -> Option<usize> {
        let text = std::fs::read_to_string(self.folder.join("pids.current")).ok()?;
        text.trim_end().parse().ok()
    }

    /// Lets it have as many.
    pub(super) fn allow(&self, tasks: usize) -> io::Result<()> {
        std::fs::write(self.folder.join("pids.max"), tasks.to_string())
    }

    /// Whether it wanted more than it was allowed.
    pub(super) fn was_full(&self) -> bool {
        let text = std::fs::read_to_string(self.folder.join("pids.events")).unwrap_or_default();
        let mut counts = text.lines().filter_map(|line| line.strip_prefix("max "));
        counts.any(|count| count != "0")
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if std::fs::remove_dir(&self.folder).is_err() {
            // What was in it was killed and is not yet forgotten.
            let folders = vec![std::mem::take(&mut self.folder)];
            std::thread::spawn(move || remove(folders));
        }
    }
}

/// Removes the groups of programs whose mark fits. Nothing may be running in them any more.
pub(crate) fn remove_of(fits: impl Fn(&str) -> bool) {
    let Some(own) = own() else { return };
    let entries = std::fs::read_dir(&own.folder).into_iter().flatten().flatten();
    let left = entries.filter(|entry| {
        let name = entry.file_name();
        let mark = name.to_str().and_then(|name| name.strip_prefix(NAME)?.rsplit_once('-'));
        mark.is_some_and(|(mark, _)| fits(mark))
    });
    remove(left.map(|entry| entry.path()).collect());
}

fn remove(mut folders: Vec<PathBuf>) {
    let rounds = FORGETTING.as_millis() / BETWEEN.as_millis();
    for _ in 0..rounds {
        folders.retain(|folder| {
            let removed = std::fs::remove_dir(folder);
            removed.is_err_and(|error| error.kind() != io::ErrorKind::NotFound)
        });
        if folders.is_empty() {
            return;
        }
        std::thread::sleep(BETWEEN);
    }
    tracing::warn!(?folders, "control groups can't be removed");
}

/// The group that we are in, and how to make others below it.
#[derive(Debug, PartialEq, Eq)]
struct Own {
    folder: PathBuf,
    /// The file by which a thread enters a group.
    door: &'static str,
    version: Version,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

fn own() -> Option<&'static Own> {
    static OWN: OnceLock<Option<Own>> = OnceLock::new();
    let found = OWN.get_or_init(|| {
        let read = |name: &str| std::fs::read_to_string(Path::new("/proc/self").join(name)).ok();
        Own::find(&read("cgroup")?, &read("mountinfo")?)
    });
    found.as_ref()
}

impl Own {
    /// Where processes are counted by the kernel, from its lists of our groups and of all mounts.
    fn find(groups: &str, mounts: &str) -> Option<Self> {
        let mut groups = groups.lines().filter_map(|line| {
            let (_, line) = line.split_once(':')?;
            line.split_once(':')
        });
        let first = groups.clone().find(|(kinds, _)| kinds.split(',').any(|kind| kind == "pids"));
        let (version, path) = match first {
            Some((_, path)) => (Version::One, path),
            None => (Version::Two, groups.find(|(kinds, _)| kinds.is_empty())?.1),
        };
        let mut places = mounts.lines().filter_map(|line| {
            let (place, kind) = line.split_once(" - ")?;
            let mut kind = kind.split(' ');
            let (name, options) = (kind.next()?, kind.nth(1)?);
            let fits = match version {
                Version::One => name == "cgroup" && options.split(',').any(|one| one == "pids"),
                Version::Two => name == "cgroup2",
            };
            let mut place = place.split(' ').skip(3);
            let (root, at) = (place.next()?, place.next()?);
            let below = Path::new(path).strip_prefix(root).ok()?;
            fits.then(|| Path::new(at).join(below))
        });
        let door = match version {
            Version::One => "tasks",
            Version::Two => "cgroup.threads",
        };
        Some(Self { folder: places.next()?, door, version })
    }

    /// Has the kernel count in a new group.
    fn prepare(&self, group: &Path) -> io::Result<()> {
        match self.version {
            Version::One => Ok(()),
            Version::Two => {
                // At the very top there is no such thing, and no need.
                if self.folder.join("cgroup.type").exists() {
                    std::fs::write(group.join("cgroup.type"), "threaded")?;
                }
                let control = self.folder.join("cgroup.subtree_control");
                match std::fs::read_to_string(&control)?.split_whitespace().any(|one| one == "pids")
                {
                    true => Ok(()),
                    false => std::fs::write(control, "+pids"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
        24 1 0:22 / /sys rw - sysfs sysfs rw\n\
        30 24 0:26 / /sys/fs/cgroup/unified rw,relatime shared:4 - cgroup2 cgroup2 rw\n\
        31 24 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
        32 24 0:28 /box /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n";

    #[test]
    fn our_own_group_is_found_in_both_kinds() {
        let find = |groups: &str| Own::find(groups, MOUNTS).map(|own| (own.folder, own.door));
        assert_eq!(
            find("5:cpu:/\n4:pids:/box/a\n0::/x\n"),
            Some(("/sys/fs/cgroup/pids/a".into(), "tasks"))
        );
        assert_eq!(find("4:pids:/elsewhere\n0::/x\n"), None);
        assert_eq!(
            find("5:cpu:/\n0::/user.slice/app.scope\n"),
            Some(("/sys/fs/cgroup/unified/user.slice/app.scope".into(), "cgroup.threads"))
        );
        assert_eq!(find("5:cpu:/\n"), None);
    }

    /// What is done in a group is counted there from its first moment.
    #[test]
    fn what_is_started_in_a_group_is_in_it_and_no_more_than_is_allowed() {
        let Some((group, mut doors)) = Group::new() else {
            assert!(!rustix::process::geteuid().is_root(), "no control group can be made here");
            return;
        };
        group.allow(3).unwrap();
        let script = "sleep 100 & sleep 100 & (sleep 100 || true) & wait";
        let (entered, child) = doors.within(|| {
            let mut shell = std::process::Command::new("setsid");
            shell.args(["bash", "-c", script]).stderr(std::process::Stdio::null()).spawn().unwrap()
        });
        assert!(entered);
        while !group.was_full() {}
        assert_eq!(group.tasks(), Some(3));
        let leader = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        rustix::process::kill_process_group(leader, rustix::process::Signal::KILL).unwrap();
        let mut child = child;
        child.wait().unwrap();
        let folder = group.folder.clone();
        drop(group);
        while folder.exists() {
            std::thread::yield_now();
        }
        let own = own().unwrap();
        let tasks = std::fs::read_to_string(own.folder.join(own.door)).unwrap();
        let here = rustix::thread::gettid().as_raw_nonzero().to_string();
        assert!(tasks.lines().any(|one| one == here), "we are out again");
    }
}
