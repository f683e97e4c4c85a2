//! Control groups (cgroups): the kernel's limits for each command, and for all commands together.
//!
//! ```text
//! the group that Plancard is in, or a scope of systemd's
//! └── plancard-MARK    all commands of this program
//!     ├── 0            one command
//!     └── 1
//! ```
//!
//! Version 2 has one tree of groups for all controllers, version 1 one for each; both can be there
//! at the same time. A command enters its groups before it becomes the sandbox (see `limited`), and
//! nothing of it can leave: control groups are not shown in a sandbox. What can't be limited by a
//! group is limited for each process as far as that is sound (see `launcher`).

use super::systemd;
use crate::leftovers;
use crate::limits::{Exceeded, ResourceLimits};
use rustix::process::{Pid, PidfdFlags, Signal, geteuid, pidfd_open, pidfd_send_signal};
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// How the name of the group for all begins. The mark of the program follows.
const NAME: &str = "plancard-";
/// The group for ourselves, where those with others below them must be empty.
const OURSELVES: &str = "plancard";
/// Everything else has 100 in version 2, and 1024 in version 1.
const WEIGHT: [&str; 2] = ["50", "512"];
/// The time in which a share of the processors is measured, in microseconds: the kernel's own.
const PERIOD: u64 = 100_000;
const MB: u64 = 1024 * 1024;
/// How long the kernel may take to end processes that were killed, and to forget them. Thousands
/// of them on a busy computer take a while.
const FORGETTING: Duration = Duration::from_secs(90);
const BETWEEN: Duration = Duration::from_millis(2);
/// How often one asks in version 1 whether a command went over a limit.
const LOOKED_AT: Duration = Duration::from_millis(100);

/// What the kernel can limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Controller {
    Memory,
    Pids,
    Cpu,
}

impl Controller {
    const ALL: [Self; 3] = [Self::Memory, Self::Pids, Self::Cpu];

    fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Pids => "pids",
            Self::Cpu => "cpu",
        }
    }

    fn named(names: &str, separator: char) -> Vec<Self> {
        let has = |one: &Self| names.trim().split(separator).any(|name| name == one.name());
        Self::ALL.into_iter().filter(has).collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// A tree of groups, as far as we are in it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hierarchy {
    /// The group that we are in.
    own: PathBuf,
    version: Version,
    controllers: Vec<Controller>,
}

/// Whose limits are meant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    One,
    All,
}

impl Hierarchy {
    /// Those that can limit something, from the kernel's lists of our groups and of all mounts.
    fn all(groups: &str, mounts: &str) -> Vec<Self> {
        let groups = groups.lines().filter_map(|line| {
            let (kinds, path) = line.split_once(':')?.1.split_once(':')?;
            let mut controllers = Controller::named(kinds, ',');
            let version = if kinds.is_empty() { Version::Two } else { Version::One };
            let own = mounts.lines().find_map(|line| {
                let (place, kind) = line.split_once(" - ")?;
                let mut kind = kind.split(' ');
                let (name, options) = (kind.next()?, kind.nth(1)?);
                let fits = match version {
                    Version::One => {
                        name == "cgroup" && Controller::named(options, ',') == controllers
                    }
                    Version::Two => name == "cgroup2",
                };
                let mut place = place.split(' ').skip(3);
                let (root, at) = (place.next()?, place.next()?);
                let below = Path::new(path).strip_prefix(root).ok()?;
                fits.then(|| Path::new(at).join(below))
            })?;
            if version == Version::Two {
                let names = std::fs::read_to_string(own.join("cgroup.controllers")).ok()?;
                controllers = Controller::named(&names, ' ');
            }
            Some(Self { own, version, controllers })
        });
        groups.filter(|found| !found.controllers.is_empty()).collect()
    }

    fn of_this_program() -> Vec<Self> {
        let read = |name: &str| std::fs::read_to_string(Path::new("/proc/self").join(name));
        Self::all(&read("cgroup").unwrap_or_default(), &read("mountinfo").unwrap_or_default())
    }

    /// Makes the group for all commands of the program with this mark.
    fn for_all(&self, mark: &str, limits: &ResourceLimits) -> io::Result<PathBuf> {
        if self.version == Version::Two && self.hand_down(&self.own).is_err() {
            // A group with processes in it may have none below it, so we move down.
            let below = self.own.join(OURSELVES);
            let _ = std::fs::create_dir(&below);
            std::fs::write(below.join("cgroup.procs"), "0")?;
            if let Err(error) = self.hand_down(&self.own) {
                let _ = std::fs::write(self.own.join("cgroup.procs"), "0");
                let _ = std::fs::remove_dir(&below);
                return Err(error);
            }
        }
        let all = self.make(&self.own, &format!("{NAME}{mark}"), limits, Of::All)?;
        if self.version == Version::Two {
            self.hand_down(&all)?;
        }
        Ok(all)
    }

    /// Lets the groups below one have limits, too.
    fn hand_down(&self, group: &Path) -> io::Result<()> {
        let names: Vec<String> =
            self.controllers.iter().map(|one| format!("+{}", one.name())).collect();
        std::fs::write(group.join("cgroup.subtree_control"), names.join(" "))
    }

    fn make(
        &self,
        above: &Path,
        name: &str,
        limits: &ResourceLimits,
        of: Of,
    ) -> io::Result<PathBuf> {
        let group = above.join(name);
        std::fs::create_dir(&group)?;
        self.hold(&group, limits, of)?;
        Ok(group)
    }

    /// Writes the limits of a group. Swap counts as memory where the kernel can limit it.
    fn hold(&self, group: &Path, limits: &ResourceLimits, of: Of) -> io::Result<()> {
        let (processes, memory_mb, quota) = match of {
            Of::One => (limits.processes, limits.memory_mb, limits.processors),
            Of::All => (limits.all_processes, limits.all_memory_mb, None),
        };
        let memory = (memory_mb * MB).to_string();
        let quota = |none: &str| quota.map_or(none.to_owned(), |most| (most * PERIOD).to_string());
        let must = |file: &str, value: &str| std::fs::write(group.join(file), value);
        // Not every kernel has these.
        let may = |file: &str, value: &str| drop(must(file, value));
        for controller in &self.controllers {
            match (controller, self.version) {
                (Controller::Pids, _) => must("pids.max", &processes.to_string())?,
                (Controller::Memory, Version::One) => {
                    // It is never below the other one, which may be going up or down.
                    may("memory.memsw.limit_in_bytes", "-1");
                    must("memory.limit_in_bytes", &memory)?;
                    may("memory.memsw.limit_in_bytes", &memory);
                }
                (Controller::Memory, Version::Two) => {
                    must("memory.max", &memory)?;
                    may("memory.swap.max", "0");
                    // Of all commands, one is ended and no more.
                    may("memory.oom.group", if of == Of::One { "1" } else { "0" });
                }
                (Controller::Cpu, Version::One) => {
                    may("cpu.shares", WEIGHT[1]);
                    may("cpu.cfs_quota_us", &quota("-1"));
                }
                (Controller::Cpu, Version::Two) => {
                    may("cpu.weight", WEIGHT[0]);
                    may("cpu.max", &format!("{} {PERIOD}", quota("max")));
                }
            }
        }
        Ok(())
    }

    /// The file by which a process enters a group. In version 1, one for single threads takes no
    /// lock that others wait for.
    fn door(&self, group: &Path) -> PathBuf {
        group.join(match self.version {
            Version::One => "tasks",
            Version::Two => "cgroup.procs",
        })
    }
}

/// The groups for all commands of a program.
#[derive(Debug)]
struct Base {
    hierarchies: Vec<(Hierarchy, PathBuf)>,
    limits: Mutex<ResourceLimits>,
    next: AtomicU64,
}

impl Base {
    /// Those of this program; `None` where there can be none.
    fn of_this_program() -> Option<Arc<Self>> {
        static BASE: OnceLock<Option<Arc<Base>>> = OnceLock::new();
        let base = BASE.get_or_init(|| {
            let mut found = Hierarchy::of_this_program();
            let only_new = found.iter().all(|one| one.version == Version::Two);
            if only_new && !geteuid().is_root() && systemd::enter_scope("busctl") {
                found = Hierarchy::of_this_program();
            }
            Self::new(found, leftovers::mark()?).map(Arc::new)
        });
        base.clone()
    }

    fn new(hierarchies: Vec<Hierarchy>, mark: &str) -> Option<Self> {
        let limits = ResourceLimits::current();
        let made = hierarchies.into_iter().filter_map(|one| {
            let all = one.for_all(mark, &limits);
            let all = all.inspect_err(|error| tracing::info!(%error, ?one, "no control group"));
            Some((one, all.ok()?))
        });
        let hierarchies: Vec<_> = made.collect();
        let limits = Mutex::new(limits);
        (!hierarchies.is_empty()).then_some(Self { hierarchies, limits, next: AtomicU64::new(0) })
    }

    /// Makes the groups of a command.
    fn group(self: Arc<Self>, limits: ResourceLimits) -> io::Result<Cgroup> {
        let mut set = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        if *set != limits {
            for (hierarchy, all) in &self.hierarchies {
                hierarchy.hold(all, &limits, Of::All)?;
            }
            *set = limits;
        }
        drop(set);
        let name = self.next.fetch_add(1, Ordering::Relaxed).to_string();
        let mut group = Cgroup { folders: Vec::new(), limits, refused_before: 0, base: self };
        for (hierarchy, all) in &group.base.hierarchies {
            group.folders.push(hierarchy.make(all, &name, &limits, Of::One)?);
        }
        group.refused_before = group.refused_of_all();
        Ok(group)
    }
}

/// The groups of one command, one in each hierarchy. They are removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Cgroup {
    base: Arc<Base>,
    folders: Vec<PathBuf>,
    limits: ResourceLimits,
    /// How often all together had been refused more processes when it was made.
    refused_before: u64,
}

/// What a group can limit here.
pub(crate) fn controllers() -> Vec<Controller> {
    let base = Base::of_this_program();
    let all = base.iter().flat_map(|base| &base.hierarchies);
    all.flat_map(|(hierarchy, _)| hierarchy.controllers.clone()).collect()
}

impl Cgroup {
    /// Makes the groups of a command; `None` where there can be none.
    pub(super) fn new(limits: ResourceLimits) -> io::Result<Option<Self>> {
        Base::of_this_program().map(|base| base.group(limits)).transpose()
    }

    /// The files by which a process enters them.
    pub(super) fn doors(&self) -> Vec<PathBuf> {
        let folders = self.base.hierarchies.iter().zip(&self.folders);
        folders.map(|((hierarchy, _), folder)| hierarchy.door(folder)).collect()
    }

    /// Whether they limit this.
    pub(super) fn limits(&self, controller: Controller) -> bool {
        self.folder(controller).is_some()
    }

    fn folder(&self, controller: Controller) -> Option<(Version, &Path)> {
        let mut all = self.base.hierarchies.iter().zip(&self.folders);
        let found = all.find(|((hierarchy, _), _)| hierarchy.controllers.contains(&controller));
        found.map(|((hierarchy, _), folder)| (hierarchy.version, folder.as_path()))
    }

    /// The limit that it went over.
    pub(super) fn exceeded(&self) -> Option<Exceeded> {
        self.out_of_memory().or_else(|| self.too_many_processes())
    }

    fn is_over(&self) -> bool {
        self.exceeded().is_some_and(Exceeded::ends)
    }

    fn out_of_memory(&self) -> Option<Exceeded> {
        let (version, folder) = self.folder(Controller::Memory)?;
        let (kills, own) = match version {
            Version::One => {
                let most = number(&folder.join("memory.memsw.max_usage_in_bytes"))
                    .or_else(|| number(&folder.join("memory.max_usage_in_bytes")));
                // What is taken in larger pieces stops a little below.
                let was_full = most >= Some((self.limits.memory_mb - 1) * MB);
                (count(&folder.join("memory.oom_control"), "oom_kill "), u64::from(was_full))
            }
            Version::Two => {
                let events = folder.join("memory.events");
                (count(&events, "oom_kill "), count(&events, "max "))
            }
        };
        (kills > 0).then_some(match own > 0 {
            true => Exceeded::Memory(self.limits.memory_mb),
            false => Exceeded::AllMemory(self.limits.all_memory_mb),
        })
    }

    fn too_many_processes(&self) -> Option<Exceeded> {
        let (_, folder) = self.folder(Controller::Pids)?;
        let all = self.refused_of_all() > self.refused_before;
        let most = number(&folder.join("pids.peak")).or(number(&folder.join("pids.current")));
        (all || refused(folder) > 0).then_some(match most >= Some(self.limits.processes) {
            true => Exceeded::Processes(self.limits.processes),
            false => Exceeded::AllProcesses(self.limits.all_processes),
        })
    }

    fn refused_of_all(&self) -> u64 {
        let all = self.folder(Controller::Pids).and_then(|(_, folder)| folder.parent());
        all.map_or(0, refused)
    }

    /// Comes back when it went over a limit at which the kernel does not end all of it; never where
    /// that can't be seen.
    pub(super) async fn goes_over(&self) {
        if self.waits_for_excess().await.is_none() {
            std::future::pending::<()>().await;
        }
    }

    async fn waits_for_excess(&self) -> Option<()> {
        let (version, folder) = self.folder(Controller::Pids)?;
        let events = File::open(folder.join("pids.events")).ok()?;
        #[expect(deprecated, reason = "the new one is unsafe only for what does not own its file")]
        let events = AsyncFd::with_interest(events, Interest::PRIORITY).ok()?;
        while !self.is_over() {
            match version {
                // It tells nobody.
                Version::One => tokio::time::sleep(LOOKED_AT).await,
                Version::Two => {
                    // The kernel tells of what is new since it was read.
                    events.get_ref().rewind().ok()?;
                    events.get_ref().read_to_end(&mut Vec::new()).ok()?;
                    if !self.is_over() {
                        events.ready(Interest::PRIORITY).await.ok()?.clear_ready();
                    }
                }
            }
        }
        Some(())
    }

    /// Kills all that is in it.
    pub(super) fn kill(&self) {
        if let Some(folder) = self.folders.first() {
            kill_in(folder);
        }
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        let mut left = std::mem::take(&mut self.folders);
        left.retain(|folder| !is_removed(folder));
        if !left.is_empty() {
            // What was in it was killed and is not yet forgotten.
            std::thread::spawn(move || {
                left.iter().for_each(|folder| patiently(folder, || is_removed(folder)));
            });
        }
    }
}

fn number(file: &Path) -> Option<u64> {
    std::fs::read_to_string(file).ok()?.trim_end().parse().ok()
}

/// What stands behind a word in a list of counts.
fn count(file: &Path, word: &str) -> u64 {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let mut counts = text.lines().filter_map(|line| line.strip_prefix(word));
    counts.find_map(|count| count.parse().ok()).unwrap_or(0)
}

/// How often a group was refused processes. Newer kernels count that where the limit is (in version
/// 2, and in another file what it was in groups below, too), older ones where somebody wanted more.
fn refused(group: &Path) -> u64 {
    let local = group.join("pids.events.local");
    count(&if local.exists() { local } else { group.join("pids.events") }, "max ")
}

/// Ends all that is in the groups of programs whose mark fits, and removes them.
pub(crate) fn end_of(fits: impl Fn(&str) -> bool) {
    let found = Hierarchy::of_this_program();
    // In version 2 we may lie beside them.
    let places = found.iter().flat_map(|one| [Some(one.own.as_path()), one.own.parent()]);
    let entries = places.flatten().filter_map(|place| std::fs::read_dir(place).ok()).flatten();
    let fitting = entries.flatten().filter(|entry| {
        entry.file_name().to_str().and_then(|name| name.strip_prefix(NAME)).is_some_and(&fits)
    });
    let all: Vec<PathBuf> = fitting.map(|entry| entry.path()).collect();
    for all in &all {
        // First of all: what can't start anything can be ended. Not all count processes.
        let _ = std::fs::write(all.join("pids.max"), "0");
    }
    for all in &all {
        patiently(all, || {
            let groups = std::fs::read_dir(all).into_iter().flatten().flatten();
            let groups = groups.map(|entry| entry.path()).filter(|path| path.is_dir());
            groups.filter(|group| !is_removed(group)).for_each(|group| kill_in(&group));
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

/// Kills all that is in a group; version 2 does it at once.
fn kill_in(group: &Path) {
    let kill = group.join("cgroup.kill");
    if kill.exists() && std::fs::write(kill, "1").is_ok() {
        return;
    }
    let processes = std::fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
    for process in processes.lines() {
        kill_one(group, process);
    }
}

/// Kills a process, if it is in a group.
fn kill_one(group: &Path, process: &str) -> Option<()> {
    // Held before it is looked at, so that the number can't come to mean another one.
    let held = pidfd_open(Pid::from_raw(process.parse().ok()?)?, PidfdFlags::empty()).ok()?;
    let groups = std::fs::read_to_string(format!("/proc/{process}/cgroup")).ok()?;
    let below = group.strip_prefix(group.parent()?.parent()?).ok()?.to_str()?;
    groups.lines().any(|line| line.ends_with(below)).then_some(())?;
    pidfd_send_signal(held, Signal::KILL).ok()
}

#[cfg(test)]
#[path = "cgroup_tests.rs"]
mod tests;
