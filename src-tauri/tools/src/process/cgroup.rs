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
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How the name of the group for all begins. The mark of the program follows.
const NAME: &str = "plancard-";
/// The group for ourselves, where those with others below them must be empty.
const OURSELVES: &str = "plancard";
/// The time in which a share of the processors is measured, in microseconds: the kernel's own.
const PERIOD: u64 = 100_000;
const MB: u64 = 1024 * 1024;
/// How long the kernel may take to end processes that were killed, and to forget them. Thousands
/// of them on a busy computer take a while.
const FORGETTING: Duration = Duration::from_secs(90);
const BETWEEN: Duration = Duration::from_millis(2);
/// How often one asks whether a command went over a limit, at which the kernel holds it.
const LOOKED_AT: Duration = Duration::from_millis(250);

/// What the kernel can limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Controller {
    Memory,
    Pids,
    Cpu,
}

impl Controller {
    pub(crate) const ALL: [Self; 3] = [Self::Memory, Self::Pids, Self::Cpu];

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

/// A group in one tree of groups.
#[derive(Debug, PartialEq, Eq)]
struct Group {
    folder: PathBuf,
    version: Version,
    controllers: Vec<Controller>,
}

/// What a group is limited to.
struct Amounts {
    memory_mb: u64,
    processes: u64,
    processors: Option<u64>,
}

impl Amounts {
    fn of_one(limits: &ResourceLimits) -> Self {
        let ResourceLimits { memory_mb, processes, processors, .. } = *limits;
        Self { memory_mb, processes, processors }
    }

    fn of_all(limits: &ResourceLimits) -> Self {
        let (memory_mb, processes) = (limits.all_memory_mb, limits.all_processes);
        Self { memory_mb, processes, processors: None }
    }
}

impl Group {
    /// Those that we are in and that can limit something, from the kernel's lists of our groups and
    /// of all mounts.
    fn ours(groups: &str, mounts: &str) -> Vec<Self> {
        let groups = groups.lines().filter_map(|line| {
            let (kinds, path) = line.split_once(':')?.1.split_once(':')?;
            let mut controllers = Controller::named(kinds, ',');
            let version = if kinds.is_empty() { Version::Two } else { Version::One };
            let folder = mounts.lines().find_map(|line| {
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
                let names = std::fs::read_to_string(folder.join("cgroup.controllers")).ok()?;
                controllers = Controller::named(&names, ' ');
            }
            Some(Self { folder, version, controllers })
        });
        groups.filter(|found| !found.controllers.is_empty()).collect()
    }

    fn of_this_program() -> Vec<Self> {
        let read = |name: &str| std::fs::read_to_string(Path::new("/proc/self").join(name));
        Self::ours(&read("cgroup").unwrap_or_default(), &read("mountinfo").unwrap_or_default())
    }

    /// Makes the one for all commands of the program with this mark.
    fn for_all(&self, mark: &str, limits: &ResourceLimits) -> io::Result<Self> {
        if self.hand_down().is_err() {
            // A group with processes in it may have none below it, so we move down.
            let below = self.folder.join(OURSELVES);
            let _ = std::fs::create_dir(&below);
            std::fs::write(below.join("cgroup.procs"), "0")?;
            if let Err(error) = self.hand_down() {
                let _ = std::fs::write(self.folder.join("cgroup.procs"), "0");
                let _ = std::fs::remove_dir(&below);
                return Err(error);
            }
        }
        let all = self.below(&format!("{NAME}{mark}"), &Amounts::of_all(limits))?;
        all.hand_down()?;
        Ok(all)
    }

    /// Lets the groups below have limits, too.
    fn hand_down(&self) -> io::Result<()> {
        if self.version == Version::One {
            return Ok(());
        }
        let names = self.controllers.iter().map(|one| format!("+{} ", one.name()));
        std::fs::write(self.folder.join("cgroup.subtree_control"), names.collect::<String>())
    }

    /// Makes one below it.
    fn below(&self, name: &str, amounts: &Amounts) -> io::Result<Self> {
        let (folder, controllers) = (self.folder.join(name), self.controllers.clone());
        std::fs::create_dir(&folder)?;
        let group = Self { folder, version: self.version, controllers };
        group.hold(amounts)?;
        Ok(group)
    }

    /// Writes its limits. Swap counts as memory where the kernel can limit it.
    fn hold(&self, amounts: &Amounts) -> io::Result<()> {
        let memory = (amounts.memory_mb * MB).to_string();
        let quota = |none: &str| {
            amounts.processors.map_or(none.to_owned(), |most| (most * PERIOD).to_string())
        };
        let must = |file: &str, value: &str| std::fs::write(self.folder.join(file), value);
        // Not every kernel has these.
        let may = |file: &str, value: &str| drop(must(file, value));
        for controller in &self.controllers {
            match (controller, self.version) {
                (Controller::Pids, _) => must("pids.max", &amounts.processes.to_string())?,
                (Controller::Memory, Version::One) => {
                    // It is never below the other one, which may be going up or down.
                    may("memory.memsw.limit_in_bytes", "-1");
                    must("memory.limit_in_bytes", &memory)?;
                    may("memory.memsw.limit_in_bytes", &memory);
                }
                (Controller::Memory, Version::Two) => {
                    must("memory.max", &memory)?;
                    may("memory.swap.max", "0");
                }
                // Half of what everything else has.
                (Controller::Cpu, Version::One) => {
                    may("cpu.shares", "512");
                    may("cpu.cfs_quota_us", &quota("-1"));
                }
                (Controller::Cpu, Version::Two) => {
                    may("cpu.weight", "50");
                    may("cpu.max", &format!("{} {PERIOD}", quota("max")));
                }
            }
        }
        Ok(())
    }

    /// The file by which a process enters it. In version 1, one for single threads takes no lock
    /// that others wait for.
    fn door(&self) -> PathBuf {
        self.folder.join(match self.version {
            Version::One => "tasks",
            Version::Two => "cgroup.procs",
        })
    }

    /// How often it, or one below it, was refused processes. Newer kernels count that where the
    /// limit is (in version 2, in a file of its own), older ones where somebody wanted more.
    fn refused(&self) -> u64 {
        let local = self.folder.join("pids.events.local");
        count(&if local.exists() { local } else { self.folder.join("pids.events") }, "max ")
    }
}

/// The groups for all commands of this program, one in each tree; none where there can be none.
fn for_all() -> &'static [Group] {
    static ALL: OnceLock<Vec<Group>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut ours = Group::of_this_program();
        let only_new = ours.iter().all(|one| one.version == Version::Two);
        if only_new && !geteuid().is_root() && systemd::enter_scope("busctl") {
            ours = Group::of_this_program();
        }
        leftovers::mark().map(|mark| made_for_all(&ours, mark)).unwrap_or_default()
    })
}

fn made_for_all(ours: &[Group], mark: &str) -> Vec<Group> {
    let limits = ResourceLimits::current();
    let made = ours.iter().filter_map(|one| {
        let all = one.for_all(mark, &limits);
        all.inspect_err(|error| tracing::info!(%error, ?one, "no control group")).ok()
    });
    made.collect()
}

/// What groups can limit here.
pub(crate) fn controllers() -> Vec<Controller> {
    for_all().iter().flat_map(|group| group.controllers.clone()).collect()
}

/// The groups of one command, one in each tree. They are removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Cgroup {
    groups: Vec<Group>,
    all: &'static [Group],
    limits: ResourceLimits,
    /// How often all together had been refused more processes when it was made.
    refused_before: u64,
}

impl Cgroup {
    /// Makes the groups of a command; `None` where there can be none.
    pub(super) fn new(limits: ResourceLimits) -> io::Result<Option<Self>> {
        let all = for_all();
        (!all.is_empty()).then(|| Self::below(all, limits)).transpose()
    }

    fn below(all: &'static [Group], limits: ResourceLimits) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = NEXT.fetch_add(1, Ordering::Relaxed).to_string();
        let mut command = Self { groups: Vec::new(), all, limits, refused_before: 0 };
        for group in all {
            // They may have changed since the last command.
            group.hold(&Amounts::of_all(&limits))?;
            let group = group.below(&name, &Amounts::of_one(&limits))?;
            // Version 2 then ends all of it, and not one process.
            let _ = std::fs::write(group.folder.join("memory.oom.group"), "1");
            command.groups.push(group);
        }
        command.refused_before = command.refused_of_all();
        Ok(command)
    }

    /// The files by which a process enters them.
    pub(super) fn doors(&self) -> Vec<PathBuf> {
        self.groups.iter().map(Group::door).collect()
    }

    fn group(&self, controller: Controller) -> Option<&Group> {
        self.groups.iter().find(|group| group.controllers.contains(&controller))
    }

    /// The limit that it went over.
    pub(super) fn exceeded(&self) -> Option<Exceeded> {
        self.out_of_memory().or_else(|| self.too_many_processes())
    }

    fn out_of_memory(&self) -> Option<Exceeded> {
        let Group { folder, version, .. } = self.group(Controller::Memory)?;
        let (kills, own) = match version {
            Version::One => {
                let most = number(&folder.join("memory.memsw.max_usage_in_bytes"))
                    .or_else(|| number(&folder.join("memory.max_usage_in_bytes")));
                // What is taken in larger pieces stops a little below.
                let was_full = most >= Some((self.limits.memory_mb - 1) * MB);
                (count(&folder.join("memory.oom_control"), "oom_kill "), was_full)
            }
            Version::Two => {
                let events = folder.join("memory.events");
                (count(&events, "oom_kill "), count(&events, "max ") > 0)
            }
        };
        (kills > 0).then_some(match own {
            true => Exceeded::Memory(self.limits.memory_mb),
            false => Exceeded::AllMemory(self.limits.all_memory_mb),
        })
    }

    fn too_many_processes(&self) -> Option<Exceeded> {
        let group = self.group(Controller::Pids)?;
        let count = |name: &str| number(&group.folder.join(name));
        let was_full = count("pids.peak").or(count("pids.current")) >= Some(self.limits.processes);
        let refused = group.refused() > 0 || self.refused_of_all() > self.refused_before;
        refused.then_some(match was_full {
            true => Exceeded::Processes(self.limits.processes),
            false => Exceeded::AllProcesses(self.limits.all_processes),
        })
    }

    fn refused_of_all(&self) -> u64 {
        let all = self.all.iter().find(|group| group.controllers.contains(&Controller::Pids));
        all.map_or(0, Group::refused)
    }

    /// Comes back when it went over a limit: the kernel refuses it more or ends a part of it.
    pub(super) async fn goes_over(&self) {
        while !self.exceeded().is_some_and(Exceeded::ends) {
            tokio::time::sleep(LOOKED_AT).await;
        }
    }

    /// Kills all that is in it.
    pub(super) fn kill(&self) {
        if let Some(group) = self.groups.first() {
            kill_in(&group.folder);
        }
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        let mut left = std::mem::take(&mut self.groups);
        left.retain(|group| !is_removed(&group.folder));
        if !left.is_empty() {
            // What was in it was killed and is not yet forgotten.
            std::thread::spawn(move || {
                left.iter()
                    .for_each(|group| patiently(&group.folder, || is_removed(&group.folder)));
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

/// Ends all that is in the groups of programs whose mark fits, and removes them.
pub(crate) fn end_of(fits: impl Fn(&str) -> bool) {
    let ours = Group::of_this_program();
    // In version 2 we may lie beside them.
    let places = ours.iter().flat_map(|one| [Some(one.folder.as_path()), one.folder.parent()]);
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
