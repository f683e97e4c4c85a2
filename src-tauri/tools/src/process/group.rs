//! A control group of the kernel's for each command, so that no number of processes that it starts
//! becomes a danger to the computer, and one for all commands of a program, so that many of them
//! together do not either.
//!
//! The thread that starts a command goes into the group, starts it there and leaves again. So the
//! command is in it from its first moment, and nothing of it can leave: control groups are not
//! shown in a sandbox. A thread that moves itself takes no lock that others wait for. The one for
//! all lies below our own, so that a limit on us holds for them as well. In the older kind of
//! control groups (version 1) any group may have others below it; in version 2 one with processes
//! may not, unless those below hold single threads of it, which is how they are made here.
//!
//! When a program of ours is gone, whoever clears up after it lets nothing more start in the group
//! for all, and so can kill what is in it faster than it grows.
//!
//! Where no group can be made, processes are only counted (see `watcher`), and the system's own
//! limit holds for everybody but root.

use super::census::{PROCESSES, THREADS};
use crate::leftovers;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How many processes and threads together the kernel lets a command have. It is ended when it has
/// half as many processes; until somebody has counted them, this holds.
pub(super) const WALL: usize = 2 * PROCESSES;
/// As many may all commands have together: some of the largest, and half of what Linux has at least.
pub(crate) const TOGETHER: usize = 4 * THREADS;
/// How the name of the group for all begins. The mark of the program follows.
const NAME: &str = "plancard-";
/// How long the kernel may take to end processes that were killed, and to forget them. Thousands
/// of them on a busy computer take a while.
const FORGETTING: Duration = Duration::from_secs(90);
const BETWEEN: Duration = Duration::from_millis(2);

/// The group of one command. It is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Group {
    folder: PathBuf,
    /// How often all together had been refused more when it was made.
    refused_before: u64,
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
        static ALL: OnceLock<Option<PathBuf>> = OnceLock::new();
        let own = own()?;
        let all = ALL.get_or_init(|| own.for_all(leftovers::mark()?).ok());
        own.group(all.as_ref()?).ok()
    }

    /// How many processes and threads are in it.
    pub(super) fn tasks(&self) -> Option<usize> {
        let text = std::fs::read_to_string(self.folder.join("pids.current")).ok()?;
        text.trim_end().parse().ok()
    }

    /// Lets it have as many.
    pub(super) fn allow(&self, tasks: usize) -> io::Result<()> {
        allow(&self.folder, tasks)
    }

    /// Whether it wanted more than it was allowed, or all together were.
    pub(super) fn was_full(&self) -> bool {
        let all = self.folder.parent().map_or(0, refused);
        refused(&self.folder) > 0 || all > self.refused_before
    }
}

fn allow(group: &Path, tasks: usize) -> io::Result<()> {
    std::fs::write(group.join("pids.max"), tasks.to_string())
}

/// How often a group was refused more. Newer kernels count that where the limit is (in version 2,
/// and in another file what it was in groups below, too), older ones where somebody wanted more.
fn refused(group: &Path) -> u64 {
    let read = |name: &str| std::fs::read_to_string(group.join(name));
    let text = read("pids.events.local").or_else(|_| read("pids.events")).unwrap_or_default();
    let mut counts = text.lines().filter_map(|line| line.strip_prefix("max "));
    counts.find_map(|count| count.parse().ok()).unwrap_or(0)
}

impl Drop for Group {
    fn drop(&mut self) {
        if std::fs::remove_dir(&self.folder).is_err() {
            // What was in it was killed and is not yet forgotten.
            let folder = std::mem::take(&mut self.folder);
            std::thread::spawn(move || patiently(&folder, || is_removed(&folder)));
        }
    }
}

/// Ends all that is in the groups of programs whose mark fits, and removes them.
pub(crate) fn end_of(fits: impl Fn(&str) -> bool) {
    let Some(own) = own() else { return };
    let entries = std::fs::read_dir(&own.folder).into_iter().flatten().flatten();
    let fitting = entries.filter(|entry| {
        entry.file_name().to_str().and_then(|name| name.strip_prefix(NAME)).is_some_and(&fits)
    });
    let all: Vec<PathBuf> = fitting.map(|entry| entry.path()).collect();
    for all in &all {
        // First of all: what can't start anything can be ended.
        if let Err(error) = allow(all, 0) {
            tracing::warn!(%error, "a control group of a dead program can't be closed");
        }
    }
    for all in &all {
        patiently(all, || {
            let groups = std::fs::read_dir(all).into_iter().flatten().flatten();
            let groups = groups.map(|entry| entry.path()).filter(|path| path.is_dir());
            for group in groups.filter(|group| !is_removed(group)) {
                own.kill_in(&group);
            }
            is_removed(all)
        });
    }
}

/// Removes a group if nothing is in it; whether it is gone.
fn is_removed(group: &Path) -> bool {
    let removed = std::fs::remove_dir(group);
    removed.is_ok() || removed.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Tries something with a group until it is done.
fn patiently(group: &Path, mut done: impl FnMut() -> bool) {
    let began = Instant::now();
    while !done() {
        if began.elapsed() > FORGETTING {
            tracing::warn!(?group, "a control group can't be removed");
            return;
        }
        std::thread::sleep(BETWEEN);
    }
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

    /// Makes the group for all commands of the program with this mark.
    fn for_all(&self, mark: &str) -> io::Result<PathBuf> {
        let all = self.make(&self.folder, &format!("{NAME}{mark}"))?;
        allow(&all, TOGETHER)?;
        Ok(all)
    }

    /// Makes one of a command's in there.
    fn group(&self, all: &Path) -> io::Result<(Group, Doors)> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = self.make(all, &number.to_string())?;
        let group = Group { folder, refused_before: refused(all) };
        group.allow(WALL)?;
        let door = |folder: &Path| OpenOptions::new().write(true).open(folder.join(self.door));
        let doors = Doors { inside: door(&group.folder)?, outside: door(&self.folder)? };
        Ok((group, doors))
    }

    /// Makes a group in which the kernel counts.
    fn make(&self, above: &Path, name: &str) -> io::Result<PathBuf> {
        let group = above.join(name);
        std::fs::create_dir(&group)?;
        match self.version {
            Version::One => {}
            Version::Two => {
                std::fs::write(group.join("cgroup.type"), "threaded")?;
                let control = above.join("cgroup.subtree_control");
                let counted = std::fs::read_to_string(&control)?;
                if !counted.split_whitespace().any(|one| one == "pids") {
                    std::fs::write(control, "+pids")?;
                }
            }
        }
        Ok(group)
    }

    /// Kills all that is in a group.
    fn kill_in(&self, group: &Path) {
        let tasks = std::fs::read_to_string(group.join(self.door)).unwrap_or_default();
        for task in tasks.lines() {
            self.kill(group, task);
        }
    }

    /// Kills the process of a task, if that is in a group.
    fn kill(&self, group: &Path, task: &str) -> Option<()> {
        let status = std::fs::read_to_string(format!("/proc/{task}/status")).ok()?;
        let process = status.lines().find_map(|line| line.strip_prefix("Tgid:"))?.trim();
        // Held before it is looked at, so that the number can't come to mean another one.
        let held = pidfd_open(Pid::from_raw(process.parse().ok()?)?, PidfdFlags::empty()).ok()?;
        let groups = std::fs::read_to_string(format!("/proc/{process}/task/{task}/cgroup")).ok()?;
        let below = group.strip_prefix(&self.folder).ok()?.to_str()?;
        groups.lines().any(|line| line.ends_with(below)).then_some(())?;
        pidfd_send_signal(held, Signal::KILL).ok()
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

    /// A mark that only a test looks for: no program has one like it, dead or alive.
    fn nobodys(test: &str) -> String {
        format!("{test}.{}", std::process::id())
    }

    /// What a start of the program does, also beside another one that runs.
    #[test]
    fn groups_of_the_dead_are_ended_and_no_others() {
        let Some(own) = own().filter(|_| rustix::process::geteuid().is_root()) else { return };
        let alive = leftovers::mark().unwrap();
        let dead = alive.rsplit_once('.').unwrap().0.to_owned() + ".1";
        let sleeping = |(group, mut doors): (Group, Doors)| {
            let mut sleep = std::process::Command::new("sleep");
            let (entered, child) = doors.within(|| sleep.arg("100").spawn().unwrap());
            assert!(entered);
            (group, child)
        };
        let (ours, mut our_child) = sleeping(Group::new().unwrap());
        let all = own.for_all(&dead).unwrap();
        let (theirs, mut their_child) = sleeping(own.group(&all).unwrap());
        leftovers::end_of_the_dead();
        assert!(!their_child.wait().unwrap().success());
        assert!(!theirs.folder.exists() && !all.exists());
        assert_eq!(our_child.try_wait().unwrap(), None);
        let limit = std::fs::read_to_string(ours.folder.parent().unwrap().join("pids.max"));
        assert_eq!(limit.unwrap().trim(), TOGETHER.to_string());
        our_child.kill().unwrap();
        our_child.wait().unwrap();
    }

    /// Nothing in it has a mark but the group.
    #[test]
    fn what_a_dead_program_left_in_its_groups_is_ended_while_it_grows() {
        let Some(own) = own().filter(|_| rustix::process::geteuid().is_root()) else { return };
        let mark = nobodys("growing");
        let all = own.for_all(&mark).unwrap();
        let bombs: Vec<_> = (0..2)
            .map(|_| {
                let (group, mut doors) = own.group(&all).unwrap();
                group.allow(60).unwrap();
                // It rests where it is refused more, or nobody else would have a turn.
                let bomb = "import os, time\nwhile True:\n  try: os.fork()\n  \
                            except OSError: time.sleep(0.1)\n";
                let mut python = std::process::Command::new("python3");
                python.args(["-c", bomb]).stderr(std::process::Stdio::null());
                let (entered, child) = doors.within(|| python.spawn().unwrap());
                assert!(entered);
                (group, child)
            })
            .collect();
        while bombs.iter().any(|(group, _)| group.tasks().unwrap() < 50) {
            std::thread::yield_now();
        }
        leftovers::end_of(&mark);
        assert!(!all.exists(), "no group is left, and so no process");
        for (_, mut child) in bombs {
            use std::os::unix::process::ExitStatusExt;
            assert_eq!(child.wait().unwrap().signal(), Some(9));
        }
    }

    #[test]
    fn all_groups_together_have_a_limit() {
        let Some(own) = own().filter(|_| rustix::process::geteuid().is_root()) else { return };
        let mark = nobodys("together");
        let all = own.for_all(&mark).unwrap();
        let limit = std::fs::read_to_string(all.join("pids.max")).unwrap();
        assert_eq!(limit.trim(), TOGETHER.to_string());
        allow(&all, 3).unwrap();
        let mut started = Vec::new();
        for refused in [false, true] {
            let (group, mut doors) = own.group(&all).unwrap();
            let mut sleeping = || {
                let mut sleep = std::process::Command::new("sleep");
                doors.within(|| sleep.arg("100").spawn()).1
            };
            let children = [sleeping(), sleeping()];
            assert_eq!(children.iter().any(Result::is_err), refused, "{children:?}");
            assert_eq!(group.was_full(), refused);
            started.push((group, children));
        }
        leftovers::end_of(&mark);
        assert!(!all.exists());
        for mut child in started.into_iter().flat_map(|(_, children)| children).flatten() {
            assert!(!child.wait().unwrap().success());
        }
    }
}
